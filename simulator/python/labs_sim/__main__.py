"""`python -m labs_sim COMMAND`."""

from . import main

main()
