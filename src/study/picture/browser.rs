//! Chromium without a window, driven over its DevTools protocol through a pair of pipes: one JSON message after another, a
//! zero byte behind each. Nothing listens on a port, and nothing is loaded but the page.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{fs, thread};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Names under which Chromium is looked for.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// How long the browser may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How wide a page is drawn, in pixels, unless what is on it is wider.
const WIDTH: u64 = 1024;
/// How high the window is: the least height of a picture.
const SHORTEST: u64 = 300;
/// The widest and the highest picture, in pixels: browsers draw no larger surface, and a page is not cut.
const LARGEST: u64 = 16_384;

/// How far something reaches beyond the page's width: tables scroll in boxes of their own.
const OVERFLOW: &str = "Math.max(document.documentElement.scrollWidth - innerWidth, \
    ...Array.from(document.querySelectorAll('*'), (box) => \
    ['auto', 'scroll'].includes(getComputedStyle(box).overflowX) ? box.scrollWidth - box.clientWidth : 0))";

/// The browser of this machine, if it has one that starts.
pub(super) fn installed() -> Option<&'static str> {
    NAMES.into_iter().find(|name| {
        let asked = Command::new(name)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    })
}

/// A running browser; it ends with this value, and its profile goes with it.
pub(super) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    sent: u64,
    folder: PathBuf,
}

/// What a page looks like.
pub(super) struct Drawn {
    pub(super) png: Vec<u8>,
    pub(super) width: u64,
    pub(super) height: u64,
}

impl Browser {
    /// Starts it with a fresh profile in a folder of its own, which must not be there.
    pub(super) fn start(name: &str, folder: &Path) -> Result<Self, String> {
        let failed = |what: &str, error: std::io::Error| format!("{name} cannot {what}: {error}");
        fs::create_dir_all(folder).map_err(|error| failed("get a profile", error))?;
        let folder = folder
            .canonicalize()
            .map_err(|error| failed("find its profile", error))?;
        let mut command = Command::new("sh");
        // It reads commands from descriptor 3 and writes to 4.
        command
            .args(["-c", "exec 3<&0 4>&1; exec \"$0\" \"$@\" </dev/null >/dev/null 2>&1"])
            .arg(name)
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args(["--no-first-run", "--disable-extensions", "--force-color-profile=srgb"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--user-data-dir={}", folder.display()));
        // Its sandbox needs an ordinary user.
        if is_root() {
            command.arg("--no-sandbox");
        }
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed("be started", error))?;
        let (Some(to), Some(out)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(format!("{name} has no pipes"));
        };
        let (sender, from) = channel();
        thread::spawn(move || {
            let mut out = BufReader::new(out);
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
        Ok(Self {
            process,
            to,
            from,
            sent: 0,
            folder,
        })
    }

    /// Draws a page: all of it, as it looks before anybody clicks, without running its scripts.
    pub(super) fn draw(&mut self, html: &str) -> Result<Drawn, String> {
        let file = self.folder.join("page.html");
        fs::write(&file, html).map_err(|error| format!("the page cannot be written for the browser: {error}"))?;
        let target = self.ask(None, "Target.createTarget", json!({ "url": "about:blank" }))?["targetId"].clone();
        let attached = self.ask(
            None,
            "Target.attachToTarget",
            json!({ "targetId": target, "flatten": true }),
        )?;
        let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        let drawn = self.draw_in(&session, &file);
        self.ask(None, "Target.closeTarget", json!({ "targetId": target }))?;
        drawn
    }

    fn draw_in(&mut self, session: &str, file: &Path) -> Result<Drawn, String> {
        let own = Some(session);
        self.ask(own, "Page.enable", json!({}))?;
        self.ask(own, "Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
        self.ask(
            own,
            "Emulation.setEmulatedMedia",
            json!({ "features": [
                { "name": "prefers-color-scheme", "value": "light" },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ] }),
        )?;
        self.resize(session, WIDTH)?;
        self.ask(
            own,
            "Page.navigate",
            json!({ "url": format!("file://{}", file.display()) }),
        )?;
        self.wait_for(session, "Page.loadEventFired")?;
        let mut width = WIDTH;
        // What is wider gets the width that it needs; twice, since other lines may then break elsewhere.
        for _ in 0..2 {
            let more = self.number(session, OVERFLOW)?;
            if more == 0 {
                break;
            }
            width = (width + more).min(LARGEST);
            self.resize(session, width)?;
        }
        let metrics = self.ask(own, "Page.getLayoutMetrics", json!({}))?;
        let height = metrics["cssContentSize"]["height"].as_f64().unwrap_or_default().ceil() as u64;
        if height == 0 || height > LARGEST || self.number(session, OVERFLOW)? > 0 {
            return Err(format!(
                "the page is larger than a browser draws ({width} x {height} pixels, and at most {LARGEST} each way); show \
                 it to this judge as markdown or html"
            ));
        }
        let taken = self.ask(
            own,
            "Page.captureScreenshot",
            json!({ "format": "png", "captureBeyondViewport": true,
                "clip": { "x": 0, "y": 0, "width": width, "height": height, "scale": 1 } }),
        )?;
        let png = STANDARD
            .decode(taken["data"].as_str().unwrap_or_default())
            .map_err(|error| format!("the browser's picture cannot be read: {error}"))?;
        if png.is_empty() {
            return Err("the browser gave no picture".to_owned());
        }
        Ok(Drawn { png, width, height })
    }

    fn resize(&mut self, session: &str, width: u64) -> Result<(), String> {
        let size = json!({ "width": width, "height": SHORTEST, "deviceScaleFactor": 1, "mobile": false });
        self.ask(Some(session), "Emulation.setDeviceMetricsOverride", size)
            .map(drop)
    }

    fn number(&mut self, session: &str, expression: &str) -> Result<u64, String> {
        let answer = self.ask(
            Some(session),
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true }),
        )?;
        let value = answer["result"]["value"].as_f64();
        value
            .map(|value| value.max(0.0).ceil() as u64)
            .ok_or_else(|| "the browser does not say how wide the page is".to_owned())
    }

    fn ask(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, String> {
        self.sent += 1;
        let id = json!(self.sent);
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to
            .write_all(&bytes)
            .map_err(|error| format!("the browser takes no more commands: {error}"))?;
        loop {
            let received = self.receive()?;
            if received["id"] == id {
                return match received.get("error") {
                    None => Ok(received["result"].clone()),
                    Some(error) => Err(format!("the browser refused {method}: {error}")),
                };
            }
        }
    }

    fn wait_for(&mut self, session: &str, event: &str) -> Result<(), String> {
        loop {
            let received = self.receive()?;
            if received["method"] == event && received["sessionId"] == session {
                return Ok(());
            }
        }
    }

    fn receive(&self) -> Result<Value, String> {
        self.from
            .recv_timeout(PATIENCE)
            .map_err(|_| format!("the browser did not answer within {} seconds", PATIENCE.as_secs()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = json!({ "id": 0, "method": "Browser.close" }).to_string() + "\0";
        let closed = self.to.write_all(close.as_bytes()).is_ok() && self.has_ended();
        if !closed {
            // Its own process alone: the shell became it.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Browser {
    /// Whether it ends by itself within a few seconds.
    fn has_ended(&mut self) -> bool {
        for _ in 0..50 {
            match self.process.try_wait() {
                Ok(Some(_)) => return true,
                Ok(None) => thread::sleep(Duration::from_millis(100)),
                Err(_) => return false,
            }
        }
        false
    }
}

/// Whether this process belongs to the administrator.
#[cfg(target_os = "linux")]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}
