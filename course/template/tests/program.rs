//! The answer to the lab's question, as a command without flags prints it.

common::lab_program!("CARGO_BIN_EXE_lab-TEMPLATE", lab_TEMPLATE::Axpy, &[80, 120]);
