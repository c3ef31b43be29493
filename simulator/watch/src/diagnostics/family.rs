//! The families of everything that goes wrong: whose fault it is.
use serde::{Serialize, Serializer};

/// Whose fault it is. This is the one list of families: programs read the key, people the title, and both are written here only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// A kernel is wrong.
    Kernel,
    /// The program on the host is wrong.
    Host,
    /// The program may be right; the simulator cannot run it.
    NotModelled,
    /// The program asks for more than the card or the simulator has.
    Limit,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 4] = [Family::Kernel, Family::Host, Family::NotModelled, Family::Limit];

    /// The identifier by which programs know the family, in JSON: it stays when the words change.
    pub fn key(self) -> &'static str {
        match self {
            Family::Kernel => "kernel",
            Family::Host => "host",
            Family::NotModelled => "not_modelled",
            Family::Limit => "limit",
        }
    }

    /// The words that open a message.
    pub fn title(self) -> &'static str {
        match self {
            Family::Kernel => "your kernel",
            Family::Host => "your host code",
            Family::NotModelled => "not modelled by the simulator",
            Family::Limit => "limit reached",
        }
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}
