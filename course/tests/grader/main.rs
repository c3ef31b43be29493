//! The grader as an instructor uses it, from the program's command line: submissions in, points and reports out.

mod archives;
mod autograder;
mod class;
mod confinement;
mod exploits;
mod export;
mod intake;
mod neighbours;
mod ordinary_user;
mod records;
mod reports;
mod slurm;
mod submissions;
