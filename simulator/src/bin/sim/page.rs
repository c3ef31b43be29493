//! `--html`: the page of the labs (`views::page`) for the run of any program. Its rows are launches, its tables the kernels' counters.
use crate::arguments::Arguments;
use crate::explain::Sources;
use crate::journal::{Journal, Kernel, Span};
use crate::report::{cells, count, extents, three_digits};
use serde_json::{Map, Value, json};
use simulator::diagnostics::{NO_LINES, kernel_name};
use simulator::driver::Certificate;
use views::page::{self, Launch, Page};

/// Spans of a process that are drawn; the trace has all.
const MOST_SPANS: usize = 2000;

/// The page as the text of an HTML document.
pub fn render(journal: &Journal, certificate: &Certificate, arguments: &Arguments) -> String {
    let command: Vec<_> = arguments.command.iter().map(|word| word.to_string_lossy()).collect();
    let command = command.join(" ");
    let counted = || journal.kernels.iter().filter(|kernel| !kernel.lines.is_empty());
    page::render(&Page {
        title: format!("sim {command}"),
        head: vec![
            ("command", command),
            (
                "card",
                journal.device.as_ref().map_or("no kernel was run".to_owned(), |card| format!("simulated: {card}")),
            ),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("written", page::now()),
        ],
        answer: answer(journal, certificate),
        report: json!({
            "rows": counted().map(|kernel| row(kernel, journal)).collect::<Vec<_>>(),
            "findings": journal.findings.iter().map(|finding| named(&finding.diagnosis)).collect::<Vec<_>>(),
            "timelines": journal.spans.iter().map(|(process, spans)| timeline(*process, spans)).collect::<Vec<_>>(),
            "tables": kernels(journal).into_iter().chain(texts(certificate)).collect::<Vec<_>>(),
            "comparisons": [],
            "fidelity": certificate.json(),
            "notes": notes(journal),
        }),
        columns: json!([]),
        launches: counted().enumerate().map(|(row, kernel)| launch(row, kernel)).collect(),
        sources: sources(counted()),
        ..Page::default()
    })
}

/// Where the time went, and what was found.
fn answer(journal: &Journal, certificate: &Certificate) -> Vec<String> {
    let all: u64 = journal.kernels.iter().map(|kernel| kernel.time_ns).sum();
    let mut first =
        format!("{} took {} µs on the card.", count(journal.launches(), "launch"), three_digits(all as f64 / 1e3));
    if let Some(kernel) = journal.kernels.first() {
        let share = three_digits(100.0 * kernel.time_ns as f64 / all.max(1) as f64);
        first += &format!(" {} had {share} % of it, bound by {}.", kernel_name(&kernel.kernel), kernel.bound_by);
    }
    vec![first, format!("{}; {}.", count(journal.findings.len() as u64, "finding"), certificate.line())]
}

/// A launch by the keys of a lab's row.
fn row(kernel: &Kernel, journal: &Journal) -> Value {
    let of_kernel = journal
        .findings
        .iter()
        .filter(|finding| finding.diagnosis.get("kernel").is_some_and(|name| *name == kernel.kernel));
    json!({
        "variant": kernel_name(&kernel.kernel),
        "size": extents(kernel.grid),
        "block": extents(kernel.block),
        "bound_by": kernel.bound_by,
        "findings": of_kernel.map(|finding| named(&finding.diagnosis)).collect::<Vec<_>>(),
    })
}

/// A finding whose kernel has the name that its source has.
fn named(diagnosis: &Map<String, Value>) -> Map<String, Value> {
    let mut named = diagnosis.clone();
    if let Some(kernel) = named.get_mut("kernel") {
        *kernel = kernel.as_str().map(kernel_name).into();
    }
    named
}

fn launch(row: usize, kernel: &Kernel) -> Launch {
    Launch {
        row,
        title: format!(
            "{}, {} x {}, {}",
            kernel_name(&kernel.kernel),
            extents(kernel.grid),
            extents(kernel.block),
            count(kernel.launches, "launch")
        ),
        time_ms: kernel.time_ns as f64 / 1e6 / kernel.launches as f64,
        bound_by: Some(kernel.bound_by.clone()),
        trials: kernel.trials.clone(),
        lines: kernel.lines.clone(),
    }
}

/// The table of counters, its numbers as numbers; none where no kernel was run.
fn kernels(journal: &Journal) -> Option<Value> {
    let kernels: Vec<&Kernel> = journal.kernels.iter().collect();
    let columns = cells(&kernels);
    let cell = |is_word: bool, cell: &str| if is_word { Value::from(cell) } else { cell.parse::<f64>().ok().into() };
    let line = |row: usize| columns.iter().map(|(column, cells)| cell(column.is_word, &cells[row])).collect::<Value>();
    (!kernels.is_empty()).then(|| {
        json!({
            "title": "kernels",
            "columns": columns.iter().map(|(column, _)| column.heading).collect::<Vec<_>>(),
            "meanings": columns.iter().map(|(column, _)| column.meaning).collect::<Vec<_>>(),
            "rows": (0..kernels.len()).map(line).collect::<Vec<_>>(),
        })
    })
}

/// The text that each kernel was made from.
fn texts(certificate: &Certificate) -> Option<Value> {
    certificate.has_kernels().then(|| {
        json!({
            "title": "the kernels' texts",
            "columns": ["kernel", "SHA-256"],
            "meanings": ["its name in the PTX", "of its PTX, as sha256sum prints it"],
            "rows": certificate.kernels().map(|(kernel, sha256)| json!([kernel, sha256])).collect::<Vec<_>>(),
        })
    })
}

/// A process, each of which has a clock of its own: its host's calls, copies and kernels, from its first on.
fn timeline(process: u32, spans: &[Span]) -> Value {
    let start_ns = spans.iter().map(|span| span.start_ns).min().unwrap_or(0);
    let ms = |ns: u64| (ns - start_ns) as f64 / 1e6;
    let span = |span: &Span| {
        let (track, name) = match span.kind.as_str() {
            "api" => ("host", span.name.clone()),
            "kernel" => ("kernels", kernel_name(&span.name)),
            "memcpy HtoD" => ("copy in", "copy to the card".to_owned()),
            "memcpy DtoH" => ("copy out", "copy from the card".to_owned()),
            other => ("within", other.to_owned()),
        };
        json!({ "track": track, "name": name, "device": 0, "start_ms": ms(span.start_ns), "end_ms": ms(span.end_ns) })
    };
    let shown = &spans[..spans.len().min(MOST_SPANS)];
    let elapsed_ms = ms(shown.iter().map(|span| span.end_ns).max().unwrap_or(start_ns));
    let rest = if shown.len() < spans.len() {
        format!(", the first {MOST_SPANS} of {} spans", spans.len())
    } else {
        String::new()
    };
    json!({
        "title": format!("process {process}{rest}"),
        "elapsed_ms": elapsed_ms,
        "median_ms": elapsed_ms,
        "spans": shown.iter().map(span).collect::<Vec<_>>(),
    })
}

/// Facts that a reader has to know: of the journal's notes the first line, and which kernels have no source lines.
fn notes(journal: &Journal) -> Vec<String> {
    let told = journal.notes.iter().filter_map(|note| note.get("message")?.as_str()?.lines().next());
    let has_none = |kernel: &&Kernel| kernel.lines.iter().any(|line| line.get("line").is_some_and(|line| line == 0));
    let without: Vec<String> =
        journal.kernels.iter().filter(has_none).map(|kernel| kernel_name(&kernel.kernel)).collect();
    let without = (!without.is_empty()).then(|| format!("{}: {NO_LINES}", without.join(", ")));
    told.map(str::to_owned).chain(without).collect()
}

/// The text of every file that has counted lines and can be read here, by its path.
fn sources<'k>(kernels: impl Iterator<Item = &'k Kernel>) -> Map<String, Value> {
    let texts = Sources::default();
    let files = kernels.flat_map(|kernel| &kernel.lines).filter_map(|line| line.get("file")?.as_str());
    files.filter_map(|file| Some((file.to_owned(), texts.text(file)?.into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn a_run_without_a_kernel_has_a_page_and_nothing_in_its_data_is_markup() {
        let arguments = Arguments { command: vec![OsString::from("<script>a")], ..Arguments::default() };
        let mut certificate = Certificate::default();
        certificate.refused.push("</script><b>".into());
        let page = render(&Journal::default(), &certificate, &arguments);
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
        assert!(page.contains("sim &lt;script&gt;a") && page.contains("no kernel was run"), "{page}");
        assert!(page.contains("\"refused\":[\"\\u003c/script>\\u003cb>\"]"), "{page}");
    }

    #[test]
    fn a_process_begins_with_its_first_span_and_each_kind_of_work_has_a_track() {
        let span = |kind: &str, name: &str, start_ns: u64, end_ns: u64| Span {
            kind: kind.into(),
            name: name.into(),
            stream: 0,
            start_ns,
            end_ns,
            bytes: 0,
        };
        let spans = [span("memcpy HtoD", "", 1_000_000, 3_000_000), span("kernel", "_Z3addPf", 3_000_000, 4_000_000)];
        let drawn = timeline(7, &spans);
        assert_eq!((drawn["title"].as_str(), drawn["elapsed_ms"].as_f64()), (Some("process 7"), Some(3.0)));
        let tracks: Vec<&Value> = drawn["spans"].as_array().unwrap().iter().map(|span| &span["track"]).collect();
        assert_eq!(tracks, ["copy in", "kernels"]);
        assert_eq!((&drawn["spans"][1]["name"], &drawn["spans"][1]["start_ms"]), (&json!("add"), &json!(2.0)));
    }
}
