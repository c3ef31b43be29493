//! A mend as data: changes of a kernel's text, line by line, so that no line of it moves.

/// A mend of a race, and the ways in which it can be put into the kernel.
#[derive(Clone, Debug, Default)]
pub struct Mend {
    /// As the message calls it: "a __syncthreads() after line 33".
    pub words: String,
    pub ways: Vec<Way>,
}

/// The changes of one way; none: the text does not tell where.
pub type Way = Vec<Edit>;

/// A change of one line of PTX, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub line: u32,
    pub put: Put,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Put {
    Instead(String),
    Before(String),
    After(String),
}

/// The outcome of the mends of a race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tried {
    /// None could be tried: the launch is too long or shares its memory, or its text does not tell where.
    #[default]
    Not,
    /// With the mend of this number the race is gone, and if `silent` nothing else is found either.
    Helps { mend: usize, silent: bool },
    /// These were tried, and the race stays or something else is wrong.
    InVain(Vec<usize>),
}

/// A text with some of its lines changed.
pub(super) fn changed(text: &str, way: &[Edit]) -> String {
    let mut edits = way.to_vec();
    edits.sort();
    edits.dedup();
    let mut edits = edits.into_iter().peekable();
    let mut changed = String::with_capacity(text.len() + 64 * way.len());
    for (number, line) in (1..).zip(text.lines()) {
        let (mut before, mut own, mut after) = (String::new(), line.to_owned(), String::new());
        while let Some(edit) = edits.next_if(|edit| edit.line == number) {
            match edit.put {
                Put::Instead(text) => own = text,
                Put::Before(text) => before += &text,
                Put::After(text) => after = text,
            }
        }
        changed.extend([before.as_str(), &own, &after, "\n"]);
    }
    changed
}
