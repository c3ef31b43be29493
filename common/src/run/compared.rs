//! An experiment's figures beside those that its document published, and why they differ.

use crate::published;
use crate::result::{Compared, Table};
use serde_json::Value;

/// A figure further than this from the published one, as a part of it, wants a reason.
const NEAR: f64 = 0.1;
/// Gains are themselves differences of percents: so many points are near.
const POINTS: f64 = 1.0;

/// Each figure of a document's tables that stands above a published one, in their order.
pub fn compared(document: &'static str, tables: &[Table]) -> Vec<Compared> {
    let mut all = Vec::new();
    for table in tables {
        let Some(whose) = table.columns.iter().position(String::is_empty) else { continue };
        let mut label = vec![String::new(); whose];
        for pair in table.rows.windows(2) {
            // A label that is left out is that of a line above.
            for (known, own) in label.iter_mut().zip(&pair[0]) {
                let own = own.as_str().map_or_else(|| own.to_string(), str::to_owned);
                if !own.is_empty() {
                    *known = own;
                }
            }
            if pair[1][whose] != "published" {
                continue;
            }
            for (at, column) in table.columns.iter().enumerate().skip(whose + 1) {
                let Some((own, published)) =
                    pair[0][at].as_f64().and_then(|own| Some((own, number(&pair[1][at], own)?)))
                else {
                    continue;
                };
                all.push(figure([document, &table.title, &label.join(" "), column], published, own));
            }
        }
    }
    all
}

/// A figure by its document, its table's title, its line's label and its column's heading.
pub fn figure(cell: [&str; 4], published: f64, own: f64) -> Compared {
    let [_, table, line, column] = cell.map(str::to_owned);
    let points = if table.contains("gain in %") { POINTS } else { 0.0 };
    let near = (own - published).abs() <= (NEAR * published.abs()).max(points);
    Compared { table, line, column, published, own, near, reason: published::reason(cell).filter(|_| !near) }
}

/// A published cell as a number: of several that the document gives, the nearest.
fn number(cell: &Value, own: f64) -> Option<f64> {
    let several = || {
        cell.as_str()?
            .split(", ")
            .filter_map(|one| one.parse().ok())
            .min_by(|a: &f64, b: &f64| (a - own).abs().total_cmp(&(b - own).abs()))
    };
    cell.as_f64().or_else(several)
}

/// The reasons of all figures that are not near, each once, with their number and how far they are; last those that have none.
pub fn told(all: &[Compared]) -> Vec<String> {
    let far: Vec<&Compared> = all.iter().filter(|figure| !figure.near).collect();
    let mut reasons: Vec<Option<&str>> = Vec::new();
    for figure in &far {
        if !reasons.contains(&figure.reason) {
            reasons.push(figure.reason);
        }
    }
    reasons.sort_by_key(Option::is_none);
    let near = all.len() - far.len();
    let head = (!all.is_empty())
        .then(|| format!("{near} of {} figures are within {:.0} % of the published ones", all.len(), NEAR * 100.0));
    let reason = |reason: Option<&str>| {
        let of = far.iter().filter(|figure| figure.reason == reason);
        let ratios: Vec<f64> =
            of.clone().map(|figure| figure.own / figure.published).filter(|ratio| ratio.is_finite()).collect();
        let (least, most) =
            ratios.iter().fold((f64::INFINITY, 0_f64), |(least, most), &ratio| (least.min(ratio), most.max(ratio)));
        let range = if ratios.is_empty() { String::new() } else { format!(" ({least:.2} to {most:.2} times theirs)") };
        format!("{} are not{range}: {}", of.count(), reason.unwrap_or("nobody knows why"))
    };
    head.into_iter().chain(reasons.into_iter().map(reason)).collect()
}
