//! The words for memory that was never freed.
use super::diagnosis::Diagnosis;
use super::family::Family;
use super::source::names;
use machine::memory::Allocation;
use std::fmt::Write;

/// Words memory that the program still holds at its end; `None` if there is none.
pub fn leaks(held: &[Allocation]) -> Option<Diagnosis> {
    let bytes: u64 = held.iter().map(|allocation| allocation.bytes).sum();
    let (first, rest) = held.split_first()?;
    let names: Vec<_> = held.iter().filter(|a| !a.name.is_empty()).map(|a| format!("`{}`", a.name)).collect();
    let mut message = format!("your host code: {} still allocated at the end", names::count(bytes, "byte"));
    let _ = write!(message, "\n   = what: {}", names::allocation(first));
    if !rest.is_empty() {
        let _ = write!(message, ", and {} more", names::count(rest.len() as u64, "allocation"));
    }
    if names.len() > 1 {
        let _ = write!(message, " ({})", names.join(", "));
    }
    message.push_str("\n   = next: free what was allocated, or drop its owner, before the context goes");
    Some(Diagnosis { family: Family::Host, kind: "leak", kernel: String::new(), file: String::new(), line: 0, message })
}
