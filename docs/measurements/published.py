"""Figures of the source documents' experiments, from the JSON of `lab-NAME --assignment --json FILE`, as lines for `data/published.txt`: document, table,
line, column, the published figure, the one here. `just published` runs it."""

import json
import sys

for path in sys.argv[1:]:
    with open(path) as file:
        experiment = json.load(file)["experiment"]
    for figure in experiment["compared"]:
        cell = [experiment["document"], figure["table"], figure["line"], figure["column"]]
        print(" | ".join([*cell, f"{figure['published']:.5e}", f"{figure['own']:.5e}"]))
