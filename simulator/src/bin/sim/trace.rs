//! A trace of what ran when, for <https://ui.perfetto.dev>. A process of the trace is a process of the command, since each has a clock of its own.
use crate::journal::Span;
use serde_json::json;
use simulator::diagnostics::kernel_name;
use std::collections::BTreeMap;
use views::trace;

/// The JSON document.
pub fn render(processes: &BTreeMap<u32, Vec<Span>>) -> String {
    let processes = processes.iter().map(|(id, spans)| trace::Process {
        title: format!("process {id}"),
        spans: spans.iter().filter_map(|span| trace::Span::of_activity(&json!(named(span)))).collect(),
    });
    trace::render(&processes.collect::<Vec<_>>())
}

/// A span with its kernel's name as the source has it.
fn named(span: &Span) -> Span {
    let name = if span.kind == "kernel" { kernel_name(&span.name) } else { span.name.clone() };
    Span { name, ..span.clone() }
}
