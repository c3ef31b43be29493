//! A browser without a window, asked over WebDriver's protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The colour scheme that the reader's system prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

/// A browser with a page, asked over WebDriver's protocol.
pub struct Browser {
    driver: Child,
    /// The address of its session.
    session: String,
}

/// The driver's and the browser's programs.
pub fn tools() -> Option<[PathBuf; 2]> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let find = |names: &[&str]| {
        let candidates =
            std::env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        candidates.into_iter().find(|candidate| candidate.is_file())
    };
    let driver = find(&["chromedriver"]);
    let browser = find(&["chromium", "chromium-browser", "google-chrome"]);
    if let (Some(driver), Some(browser)) = (driver, browser) {
        return Some([driver, browser]);
    }
    let missing = "no browser here: the page was not opened. On Debian: apt-get install chromium chromium-driver";
    assert!(std::env::var_os("LABS_REQUIRE_BROWSER").is_none(), "{missing}");
    eprintln!("{missing}");
    None
}

impl Browser {
    pub fn open([driver, browser]: &[PathBuf; 2]) -> Browser {
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let lines = BufReader::new(driver.stdout.take().expect("piped")).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_suffix('.')?.rsplit_once("on port ")?.1.parse::<u16>().ok())
            .expect("chromedriver says its port");
        // Chromium's sandbox needs another user than root.
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--window-size=1400,1000".to_owned(),
        ];
        if is_root {
            arguments.push("--no-sandbox".to_owned());
        }
        let wanted = json!({
            "goog:chromeOptions": {"binary": browser, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        });
        let driver_address = format!("http://127.0.0.1:{port}/session");
        let opened = ask(&driver_address, &json!({"capabilities": {"alwaysMatch": wanted}}));
        let id = opened["sessionId"].as_str().expect("the browser starts");
        Browser { driver, session: format!("{driver_address}/{id}") }
    }

    /// Loads a page for a reader whose system prefers a scheme. To start a browser for each scheme would take longer than all questions about the page.
    pub fn show(&self, page: &Path, scheme: Scheme) {
        let preferred = if scheme == Scheme::Dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": preferred}]);
        self.command("Emulation.setEmulatedMedia", &json!({"features": features}));
        let address = format!("file://{}", page.display());
        // On a busy machine the driver may answer while the page before, of the same address, still stands.
        for url in ["about:blank", &address] {
            self.ask("url", &json!({"url": url}));
        }
        let is_there =
            || self.run("return document.readyState + location.href.split('#')[0]") == format!("complete{address}");
        assert!((0..1000).any(|_| is_there()), "{address} does not come");
    }

    /// The answer to a command of the browser's own protocol.
    pub fn command(&self, name: &str, parameters: &Value) -> Value {
        self.ask("goog/cdp/execute", &json!({"cmd": name, "params": parameters}))
    }

    /// The answer to a command of the session.
    fn ask(&self, command: &str, body: &Value) -> Value {
        ask(&format!("{}/{command}", self.session), body)
    }

    /// The answer of a script's body.
    pub fn run(&self, script: &str) -> Value {
        self.ask("execute/sync", &json!({"script": script, "args": []}))
    }

    /// A property of each element that a selector finds, as text.
    pub fn texts(&self, selector: &str, property: &str) -> Vec<String> {
        let script =
            format!("return [...document.querySelectorAll('{selector}')].map((found) => String(found.{property}))");
        let answer = self.run(&script);
        answer.as_array().expect("a list").iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Types on whatever has the focus.
    pub fn press(&self, keys: &str) {
        let focused = self.run("return document.activeElement");
        let (_, element) = focused.as_object().and_then(|named| named.iter().next()).expect("an element");
        self.ask(&format!("element/{}/value", element.as_str().expect("its id")), &json!({"text": keys}));
    }

    /// The errors in the browser's console.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.ask("se/log", &json!({"type": "browser"}));
        let entries = log.as_array().expect("a list").iter();
        entries.filter(|entry| entry["level"] == "SEVERE").map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser goes with its session; without an answer it goes with its driver.
        let _ = minreq::delete(&self.session).with_timeout(10).send();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The value that a WebDriver answers a command with.
fn ask(address: &str, body: &Value) -> Value {
    let answer = minreq::post(address).with_body(body.to_string()).with_timeout(60).send();
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {body}"));
    let text = answer.as_str().expect("UTF-8");
    assert_eq!(answer.status_code, 200, "{text}: {body}");
    let mut answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    answer["value"].take()
}
