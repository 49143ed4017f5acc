//! Chromium without a window, driven over its DevTools protocol through a pair of pipes: one JSON message after another,
//! a zero byte behind each. Nothing listens on a port.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Names under which Chromium is looked for.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A running browser; it ends with this value.
pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    events: VecDeque<Value>,
    sent: u64,
    _profile: TempDir,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) dark: bool,
    pub(crate) scripts: bool,
}

pub(crate) const DESKTOP: Look = Look {
    width: 1280,
    dark: false,
    scripts: true,
};

/// What a page did while it was open.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) requests: Vec<String>,
    pub(crate) complaints: Vec<String>,
}

/// An open page.
pub(crate) struct Tab<'a> {
    browser: &'a mut Browser,
    target: String,
    session: String,
}

fn chromium() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .flat_map(|directory| NAMES.map(|name| directory.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    /// Starts it; `None` after a line that says so where there is none, unless `TABJURY_REQUIRE_BROWSER=1`.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let Some(program) = chromium() else {
            let required = std::env::var_os("TABJURY_REQUIRE_BROWSER").is_some_and(|value| value == "1");
            assert!(
                !required,
                "{test}: no chromium on the PATH (TABJURY_REQUIRE_BROWSER is set)"
            );
            println!("skipped: {test}: no chromium on the PATH");
            return None;
        };
        let profile = TempDir::new().unwrap();
        // Chromium reads commands from descriptor 3 and writes to 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec 3<&0 4>&1; exec \"$0\" \"$@\" </dev/null >/dev/null 2>&1"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .args([
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--disable-extensions",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Some(Self {
            to: process.stdin.take().unwrap(),
            process,
            from,
            events: VecDeque::new(),
            sent: 0,
            _profile: profile,
        })
    }

    fn ask(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let received = self.from.recv_timeout(PATIENCE).expect("the browser answers");
            if received["id"] == json!(self.sent) {
                assert!(received.get("error").is_none(), "{method}: {}", received["error"]);
                return received["result"].clone();
            }
            self.events.push_back(received);
        }
    }

    /// Opens a file from disk and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path, look: Look) -> Tab<'_> {
        let target = self.ask(None, "Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = self.ask(
            None,
            "Target.attachToTarget",
            &json!({ "targetId": target, "flatten": true }),
        );
        self.events.clear();
        let mut tab = Tab {
            target: target.as_str().unwrap().to_owned(),
            session: attached["sessionId"].as_str().unwrap().to_owned(),
            browser: self,
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.ask(&format!("{domain}.enable"), &json!({}));
        }
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": look.width < 600 }),
        );
        tab.ask(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [
                { "name": "prefers-color-scheme", "value": if look.dark { "dark" } else { "light" } },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ] }),
        );
        if !look.scripts {
            tab.ask("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
        }
        // Whatever runs that should not shows here, and whatever the content policy stopped.
        tab.ask(
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({ "source": "window.ran = 0; window.stopped = [];
                for (const name of ['alert', 'confirm', 'prompt', 'open', 'eval', 'fetch']) window[name] = () => { window.ran += 1; };
                document.addEventListener('securitypolicyviolation', (event) => window.stopped.push(event.violatedDirective));" }),
        );
        tab.ask("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        while !tab
            .browser
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let received = tab.browser.from.recv_timeout(PATIENCE).expect("the page loads");
            tab.browser.events.push_back(received);
        }
        tab
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = json!({ "id": 0, "method": "Browser.close" }).to_string();
        let _ = self
            .to
            .write_all(close.as_bytes())
            .and_then(|()| self.to.write_all(&[0]));
        let _ = self.process.wait();
    }
}

impl Tab<'_> {
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        let session = self.session.clone();
        self.browser.ask(Some(&session), method, parameters)
    }

    /// The value of an expression, a promise's when it is kept.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let answer = self.ask(
            "Runtime.evaluate",
            &json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(answer.get("exceptionDetails").is_none(), "{expression:.200}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Presses and releases a key, with modifiers (1 Alt, 2 Control, 4 Meta, 8 Shift).
    pub(crate) fn press(&mut self, key: &str, modifiers: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.ask(
                "Input.dispatchKeyEvent",
                &json!({ "type": kind, "key": key, "code": key, "modifiers": modifiers }),
            );
        }
    }

    /// A picture of the page as it is seen, at most so many pixels high.
    pub(crate) fn picture(&mut self, most: u64) -> Vec<u8> {
        use base64::Engine as _;
        let size = self.value("[innerWidth, document.documentElement.scrollHeight]");
        let height = size[1].as_u64().unwrap().min(most);
        let taken = self.ask(
            "Page.captureScreenshot",
            &json!({ "format": "png", "captureBeyondViewport": true,
                "clip": { "x": 0, "y": 0, "width": size[0], "height": height, "scale": 1 } }),
        );
        base64::engine::general_purpose::STANDARD
            .decode(taken["data"].as_str().unwrap())
            .unwrap()
    }

    /// What was asked for and complained about since it was opened.
    pub(crate) fn observed(&mut self) -> Observed {
        // An answer comes after every event before it.
        self.value("1");
        let mut observed = Observed::default();
        for event in &self.browser.events {
            let parameters = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    observed
                        .requests
                        .push(parameters["request"]["url"].as_str().unwrap_or_default().to_owned());
                }
                "Log.entryAdded" => observed.complaints.push(parameters["entry"].to_string()),
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Page.javascriptDialogOpening" => {
                    observed.complaints.push(parameters.to_string());
                }
                _ => {}
            }
        }
        observed
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        let target = json!({ "targetId": self.target });
        self.browser.ask(None, "Target.closeTarget", &target);
    }
}
