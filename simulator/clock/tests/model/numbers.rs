//! Numbers of the model stand in `constants.txt` and in the rows of the cards, each with its unit and source, and nowhere else.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::Path;

/// Floats that need no source: nothing, one half, one, two, and powers of ten, which turn one unit into another.
fn is_plain(value: f64) -> bool {
    matches!(value, 0.0 | 0.5 | 1.0 | 2.0) || value > 0.0 && value.log10().fract() == 0.0
}

/// The value of a literal, where it is a float.
fn float(literal: &str) -> Option<f64> {
    let digits = literal.replace('_', "");
    let bare = digits.trim_end_matches("f64").trim_end_matches("f32");
    let is_integer = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    let is_float = !bare.is_empty() && (!is_integer(bare) || bare.len() < digits.len());
    // Texts, hexadecimal numbers and integers with a suffix are no floats.
    if is_float { bare.parse().ok() } else { None }
}

fn is(token: Option<&TokenTree>, wanted: &str) -> bool {
    token.is_some_and(|token| token.to_string() == wanted)
}

/// Where an item under `#[cfg(test)]` that begins at a token ends.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => token.to_string() == ";",
    };
    tokens[at..].iter().position(ends).map_or(tokens.len(), |length| at + length + 1)
}

/// Appends the numbers of a text that belong in the table: floats with a meaning, and named numbers.
fn find(text: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = text.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match &tokens[at] {
            TokenTree::Punct(sign) if sign.as_char() == '#' && is(next, "[cfg (test)]") => {
                at = end_of_item(&tokens, at + 2);
                continue;
            }
            TokenTree::Ident(word) if word == "const" => {
                // `const NAME: type = literal;`
                let parts = &tokens[at + 1..end_of_item(&tokens, at)];
                if let [name, _, _, _, TokenTree::Literal(value), _] = parts
                    && value.to_string().starts_with(|first: char| first.is_ascii_digit())
                {
                    found.push(format!("const {name} = {value}"));
                }
            }
            // `pair.1.0` is a place.
            TokenTree::Literal(_) if at > 0 && is(tokens.get(at - 1), ".") => {}
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                found.extend(float(&literal).filter(|value| !is_plain(*value)).map(|_| literal));
            }
            TokenTree::Group(group) => find(group.stream(), found),
            _ => {}
        }
        at += 1;
    }
}

/// Reads the sources of a folder. Returns how many there were.
fn read(folder: &Path, found: &mut Vec<String>) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if path.is_dir() {
            // The table of the cards.
            files += if name == "cards" { 0 } else { read(&path, found) };
        } else if !matches!(name, "constants.rs" | "constants.txt" | "tests.rs" | "issued.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let mut own = Vec::new();
            find(text.parse().expect("tokens"), &mut own);
            found.extend(own.into_iter().map(|number| format!("{}: {number}", path.display())));
            files += 1;
        }
    }
    files
}

#[test]
fn numbers_stand_in_the_table() {
    let mut found = Vec::new();
    let files = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(files > 50, "only {files} files were read");
    assert!(found.is_empty(), "these belong in src/constants.txt, with unit, cards and source:\n{}", found.join("\n"));
}

#[test]
fn a_number_without_a_source_is_found() {
    let text = "
        const LATENCY: u64 = 7; const KEPT: f64 = 0.75; const FIRST: u64 = 1 << 53;
        fn cost(x: f64) -> f64 { (x * 2.1 + 0.5 * 1e9).max(64f64) / 10.0 * [2.0, 3.5][0] + pair.1.1 }
        // 4.4
        #[cfg(test)] mod tests { const OWN: f64 = 8.25; }
        #[cfg(test)] use own::thing; fn text() -> &'static str { \"5.5\" }
    ";
    let mut found = Vec::new();
    find(text.parse().unwrap(), &mut found);
    assert_eq!(found, ["const LATENCY = 7", "const KEPT = 0.75", "0.75", "2.1", "64f64", "3.5"]);
}
