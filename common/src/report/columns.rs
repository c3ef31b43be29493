//! The columns of a lab's main table. What every lab shows alike, rates and counters, has one heading and one explanation here.

/// A column: shown when at least one row has the value.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Heading, with the unit.
    pub heading: &'static str,
    /// As [`Row::value`](crate::result::Row::value) takes it.
    pub key: &'static str,
    /// Its meaning, for a reader who meets it for the first time; empty where the heading says it all.
    pub meaning: &'static str,
    /// Where it is shown.
    pub role: Role,
}

/// Where a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In the usual table, as far as there is room: a lab lists first what answers its question.
    Answer,
    /// As [`Role::Answer`], and once more block by block where several were tried.
    ByBlock,
    /// With `--wide`.
    Detail,
    /// As [`Role::Answer`]; of rows that differ only here, the usual table has the fastest.
    Choice,
}

/// Key, heading and explanation of what labs share. How each counter is defined stands in `docs/simulator/counters.md`.
pub const SHARED: &[(&str, &str, &str)] = &include!("columns.txt");

impl Column {
    /// A lab's own column, in the usual table.
    pub const fn new(key: &'static str, heading: &'static str, meaning: &'static str) -> Self {
        Column { heading, key, meaning, role: Role::Answer }
    }

    /// The shared column of this key. A key that the table lacks does not compile where the column is a constant.
    pub const fn shared(key: &str) -> Self {
        let mut index = 0;
        while index < SHARED.len() {
            let (own, heading, meaning) = SHARED[index];
            if same(own, key) {
                return Column::new(own, heading, meaning);
            }
            index += 1;
        }
        panic!("no shared column has this key: add a line to common/src/report/columns.txt")
    }

    /// The same column with another role.
    pub const fn role(self, role: Role) -> Self {
        Column { role, ..self }
    }

    /// With `--wide` only.
    pub const fn detail(self) -> Self {
        self.role(Role::Detail)
    }
}

/// Equality of strings, in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_column_has_one_heading_and_one_explanation() {
        for (index, &(key, heading, meaning)) in SHARED.iter().enumerate() {
            let mut others = SHARED[..index].iter();
            assert!(others.all(|other| other.0 != key && other.1 != heading), "{key} {heading}");
            assert_eq!((Column::shared(key).meaning, meaning.is_empty()), (meaning, false));
        }
    }

    /// Lines of the page are shaded by some of them.
    #[test]
    fn a_counter_of_lines_that_is_a_column_too_is_called_and_explained_alike() {
        let counters: Vec<serde_json::Value> = serde_json::from_str(views::page::LINE_COUNTERS).expect("a list");
        let both = counters.iter().filter_map(|counter| {
            let (_, heading, meaning) = SHARED.iter().find(|(key, ..)| counter["key"] == *key)?;
            assert!(counter["heading"] == *heading && counter["meaning"] == *meaning, "{counter}");
            Some(())
        });
        assert!(both.count() > 1);
    }
}
