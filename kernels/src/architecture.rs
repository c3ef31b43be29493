//! Compute capabilities as the compiler names them: `sm_86`, `compute_50`, `sm_90a`.

use std::fmt;
use std::str::FromStr;

/// A GPU architecture, such as 8.6 or 9.0a. An architecture with a suffix has instructions of its own, which no later one
/// need have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture {
    /// Ten times the compute capability: 86 for 8.6.
    pub number: u32,
    /// `Some('a')` for sm_90a.
    pub suffix: Option<char>,
}

impl Architecture {
    /// The architecture of compute capability `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { number: 10 * major + minor, suffix: None }
    }

    /// `compute_50`: the name for PTX.
    pub(crate) fn compute(self) -> String {
        format!("compute_{self}")
    }

    /// Returns whether a device of this architecture runs code that needs `needed`.
    pub fn runs(self, needed: Architecture) -> bool {
        match needed.suffix {
            Some(_) => self.number == needed.number,
            None => self.number >= needed.number,
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

impl FromStr for Architecture {
    type Err = String;

    /// Reads `sm_90a`, `compute_50` or `86`.
    fn from_str(text: &str) -> Result<Self, String> {
        let bare = text.trim().trim_start_matches("sm_").trim_start_matches("compute_");
        let suffix = bare.chars().last().filter(char::is_ascii_alphabetic);
        let digits = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match digits.parse() {
            Ok(number) if bare.len() - digits.len() <= 1 => Ok(Self { number, suffix }),
            _ => Err(format!("`{text}` is no architecture: expected something like sm_86")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let hopper: Architecture = "sm_90a".parse().unwrap();
        assert_eq!(hopper, Architecture { number: 90, suffix: Some('a') });
        assert_eq!(format!("sm_{hopper}"), "sm_90a");
        assert_eq!("compute_50".parse(), Ok(Architecture::new(5, 0)));
        assert!("sm_".parse::<Architecture>().is_err());
        assert!("sm_9xy".parse::<Architecture>().is_err());
    }

    #[test]
    fn a_suffix_binds_to_one_architecture() {
        let blackwell = Architecture::new(12, 0);
        assert!(blackwell.runs("sm_90".parse().unwrap()));
        assert!(!blackwell.runs("sm_90a".parse().unwrap()));
        assert!(Architecture::new(9, 0).runs("sm_90a".parse().unwrap()));
        assert!(!Architecture::new(7, 5).runs("sm_80".parse().unwrap()));
    }
}
