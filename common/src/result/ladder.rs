//! A lab is a ladder of variants: one `.cu` file and one row of a slice each. What follows from the slice is here.

use crate::error::LabError;
use crate::result::Table;
use serde_json::Value;

/// One rung. `P` is what the lab's host code needs to know to launch it.
#[derive(Debug)]
pub struct Variant<P: 'static> {
    /// The name everywhere: file stem without its number, `--variant`, report, test.
    pub name: &'static str,
    /// The idea that this rung adds to the one before, in one line.
    pub idea: &'static str,
    /// The data that launching it takes.
    pub rung: P,
}

/// The rungs of a ladder, a row each: name, idea, and the data that launching it takes.
#[macro_export]
macro_rules! ladder {
    ($($name:literal, $idea:literal, $rung:expr;)*) => {
        &[$($crate::ladder::Variant { name: $name, idea: $idea, rung: $rung }),*]
    };
}

/// The variants of these names, in the ladder's order and each once; all for an empty list. An unknown name is answered with the near ones.
pub fn select<P>(variants: &'static [Variant<P>], names: &[String]) -> Result<Vec<&'static Variant<P>>, LabError> {
    for name in names {
        if !variants.iter().any(|variant| variant.name == name) {
            return Err(LabError::usage(
                format!("there is no variant '{name}'"),
                suggestion(name, variants.iter().map(|variant| variant.name)),
            ));
        }
    }
    let wanted = |variant: &&Variant<P>| names.is_empty() || names.iter().any(|name| name == variant.name);
    Ok(variants.iter().filter(wanted).collect())
}

/// The variant of this name. An unknown one is answered as in [`select`].
pub fn find<P>(variants: &'static [Variant<P>], name: &str) -> Result<&'static Variant<P>, LabError> {
    Ok(select(variants, &[name.to_owned()])?[0])
}

/// The ladder as a table, for `--list`.
pub fn listing<P>(variants: &'static [Variant<P>]) -> Table {
    let row = |variant: &Variant<P>| vec![Value::from(variant.name), variant.idea.into()];
    Table {
        title: "variants".to_owned(),
        columns: vec!["name".to_owned(), "idea".to_owned()],
        rows: variants.iter().map(row).collect(),
    }
}

/// "did you mean …" with the nearest first, or all the names in their own order where none is near.
pub fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = known.collect();
    let near = |candidate: &'a str| (strsim::jaro_winkler(&name.to_lowercase(), candidate), candidate);
    let mut ranked: Vec<(f64, &str)> = all.iter().copied().map(near).filter(|(score, _)| *score > 0.8).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest: Vec<&str> = ranked.iter().map(|(_, candidate)| *candidate).take(3).collect();
    if nearest.is_empty() {
        format!("choose among {}", all.join(", "))
    } else {
        format!("did you mean {}?", nearest.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static LADDER: &[Variant<()>] = &[
        Variant { name: "naive", idea: "one thread per element", rung: () },
        Variant { name: "shared", idea: "tiles", rung: () },
        Variant { name: "shared_2", idea: "two per thread", rung: () },
    ];

    #[test]
    fn names_select_in_ladder_order_and_once() {
        let names = ["shared".to_owned(), "naive".to_owned(), "shared".to_owned()];
        let chosen: Vec<_> = select(LADDER, &names).unwrap().iter().map(|v| v.name).collect();
        assert_eq!(chosen, ["naive", "shared"]);
        assert_eq!(select(LADDER, &[]).unwrap().len(), 3);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_near_ones() {
        let error = select(LADDER, &["shraed".to_owned()]).unwrap_err();
        assert!(error.next.contains("shared"), "{error}");
        let error = select(LADDER, &["xyz".to_owned()]).unwrap_err();
        assert_eq!(error.next, "choose among naive, shared, shared_2", "in the ladder's order");
    }
}
