//! A launch as a page that plays it forwards and backwards and needs nothing else: sources, warps, memory, and what each step does in a sentence.
//!
//! The page is a fixed text around the recording, whose keys `docs/json.md` has. All that it shows follows from the recording: the values of memory
//! at a step are those before the launch with every store up to there.
use crate::page::{escaped, filled, in_script};
use serde_json::Value;

const SCRIPT: &str = concat!(
    include_str!("../page/element.js"),
    include_str!("memory.js"),
    include_str!("words.js"),
    include_str!("draw.js"),
    include_str!("play.js"),
);

/// The page as the text of an HTML document; `command` is what was run.
pub fn render(recording: &Value, command: &str) -> String {
    let kernel = recording["kernel"].as_str().unwrap_or_default();
    let parts = [
        ("@TITLE@", escaped(&format!("{kernel}, step by step"))),
        ("@STYLE@", include_str!("replay.css").to_owned()),
        ("@COMMAND@", escaped(command)),
        ("@DATA@", in_script(&recording.to_string())),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ];
    filled(include_str!("replay.html"), &parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_in_a_source_ends_the_script_and_the_page_loads_nothing() {
        let page = render(&json!({"kernel": "a<b", "files": {"k.cu": "</script>"}}), "lab & <more>");
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
        assert!(page.contains("<title>a&lt;b, step by step</title>") && page.contains("lab &amp; &lt;more&gt;"));
        for loading in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }
}
