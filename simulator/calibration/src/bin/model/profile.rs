//! A card's row while it is measured: its fields as JSON, and where each number comes from.

use serde_json::{Map, Value, json};

/// The row, with where each number comes from.
pub struct Row {
    pub fields: Value,
    pub sources: Map<String, Value>,
}

impl Row {
    /// The object that has a field.
    pub fn place(&mut self, field: &str) -> &mut Value {
        let of_card = self.fields.get(field).is_some();
        if of_card { &mut self.fields[field] } else { &mut self.fields["architecture"][field] }
    }

    pub fn put(&mut self, field: &str, value: Value, source: &str) {
        *self.place(field) = value;
        self.sources.insert(field.to_owned(), json!(source));
    }

    /// Takes a measured figure, whole where its field is whole. A figure that is not finite leaves the base's there.
    pub fn measured(&mut self, field: &str, value: f64) {
        if value.is_nan() || value < 0.0 {
            let kept = format!("the base's: {value:.3} was measured, which cannot be");
            self.sources.insert(field.to_owned(), json!(kept));
            return;
        }
        let whole = !self.place(field).is_f64() && !self.place(field).is_null();
        let kept = if whole { json!(value.round() as u64) } else { json!(rounded(value)) };
        self.put(field, kept, "measured");
    }

    /// Lanes come in powers of two, or three times one: the nearest to what was measured.
    pub fn lanes(&mut self, field: &str, value: f64) {
        let near = (0..10).flat_map(|power| [1u64 << power, 3 << power]).min_by(|a, b| {
            let far = |lanes: u64| (value / lanes as f64).ln().abs();
            far(*a).total_cmp(&far(*b))
        });
        self.put(field, json!(near), &format!("measured: {value:.1}"));
    }
}

/// Three digits: more is noise.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
