//! The rows of `table.txt`, which says how it is read.

/// One instruction.
pub struct Row {
    pub opcode: String,
    pub to: char,
    pub from: String,
    pub host: String,
    pub canonical: Option<String>,
}

impl Row {
    /// True of the minimum or the maximum of floating-point numbers.
    pub fn is_extreme(&self) -> bool {
        (self.opcode.starts_with("min.") || self.opcode.starts_with("max.")) && self.host.starts_with("flt")
    }
}

pub fn rows() -> Vec<Row> {
    let text = include_str!("table.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows = Vec::new();
    expand(&text.collect::<Vec<_>>(), &[], &mut rows);
    rows
}

/// Names with their values.
type Bound<'t> = [(&'t str, &'t str)];

fn expand(mut lines: &[&str], bound: &Bound, rows: &mut Vec<Row>) {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let filled = |text: &str| bound.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
    while let [line, after @ ..] = lines {
        let (body, rest) = after.split_at(after.iter().take_while(|inner| depth(inner) > depth(line)).count());
        lines = rest;
        match line.trim_start().split_once(' ').expect("words") {
            ("for", each) => {
                let (names, values) = each.split_once(" = ").expect("names = values");
                let names: Vec<String> = names.split(' ').map(|name| format!("{{{name}}}")).collect();
                for values in values.split(", ") {
                    let values = values.split(' ').map(|value| if value == "-" { "" } else { value });
                    let bound = bound.iter().copied().chain(names.iter().map(String::as_str).zip(values));
                    expand(body, &bound.collect::<Vec<_>>(), rows);
                }
            }
            ("if", condition) => {
                let (value, among) = condition.split_once(" is ").expect("value is");
                let (is_one, among) = among.strip_prefix("not ").map_or((true, among), |others| (false, others));
                if among.split(' ').any(|one| one == filled(value)) == is_one {
                    expand(body, bound, rows);
                }
            }
            _ => {
                let line = filled(line.trim_start());
                let mut fields = line.split("  ").map(str::to_owned);
                let mut next = || fields.next().expect("a field");
                let (opcode, to, from, host) = (next(), next(), next(), next());
                let to = to.chars().next().expect("a register");
                rows.push(Row { opcode, to, from, host, canonical: fields.next() });
            }
        }
    }
}
