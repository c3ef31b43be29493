//! The two source documents whose experiments `--assignment` runs.

mod memory;
mod methods;

use crate::options::Options;
use common::experiment::Document;

/// The first one is the lab's own.
pub const DOCUMENTS: &[Document<Options>] = &[memory::DOCUMENT, methods::DOCUMENT];
