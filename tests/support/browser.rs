//! A real browser, driven as a person would: by what is to be seen on a page.
#![allow(clippy::print_stdout, reason = "what is skipped is to be seen")]

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use base64::Engine as _;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::cookies::Cookie;
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use url::{ParseError, Url};

/// How long something may take to be seen.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked.
const PACE: Duration = Duration::from_millis(15);
/// What a reference to an element is called in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub mod keys {
    pub const TAB: char = '\u{e004}';
    pub const ENTER: char = '\u{e007}';
    pub const SHIFT: char = '\u{e008}';
    pub const ESCAPE: char = '\u{e00c}';
    pub const PAGE_UP: char = '\u{e00e}';
    pub const PAGE_DOWN: char = '\u{e00f}';
    pub const END: char = '\u{e010}';
    pub const HOME: char = '\u{e011}';
    pub const ARROW_UP: char = '\u{e013}';
    pub const ARROW_DOWN: char = '\u{e015}';
}

/// What finds things by their names. `found(kind, name)` is the first that is to be seen.
const FINDERS: &str = r#"
const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
const words = (text) => (text || "").replace(/\s+/g, " ").trim();
const name = (one) => {
  const by = (one.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)).filter(Boolean);
  return words(one.getAttribute("aria-label") || by.map((other) => other.textContent).join(" ") || one.textContent || one.value);
};
const label = (one) => words(one.getAttribute("aria-label")) || [...(one.labels || [])].map((other) => words(other.textContent)).join(" ");
const pick = (all, of, wanted, is = (text) => text === wanted) => all.find((one) => seen(one) && is(of(one))) || null;
const all = (what) => [...document.querySelectorAll(what)];
const found = (kind, wanted) => {
  const begins = (text) => text.startsWith(wanted);
  if (kind === "field") {
    const fields = all("input:not([type=hidden]), select, textarea");
    return pick(fields, label, wanted) || pick(fields, label, wanted, begins);
  }
  const [buttons, links] = [all("button"), all("a[href], summary")];
  const shown = (one) => words(one.textContent);
  return pick(buttons, name, wanted) || pick(buttons, shown, wanted) || pick(links, name, wanted) || pick(links, name, wanted, begins);
};
"#;

/// The driver, which all browsers of this process share.
struct Driver {
    child: Child,
    url: String,
}

static DRIVER: Mutex<Weak<Driver>> = Mutex::new(Weak::new());

/// How often it is started. It takes a port that is free for IPv4, and ends if another program has the same one
/// for IPv6, as the outgoing connection of a test that runs beside this one may.
const DRIVER_STARTS: usize = 8;

impl Driver {
    /// Starts one, and answers with its further output and its port; else with all that it said.
    fn start() -> Result<(Child, Lines<BufReader<ChildStdout>>, u16), String> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver; `cargo xtask setup` installs it");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = String::new();
        for line in lines.by_ref().map_while(Result::ok) {
            let port = line.split("started successfully on port ").nth(1);
            if let Some(port) = port.and_then(|port| port.trim_end_matches('.').parse().ok()) {
                return Ok((child, lines, port));
            }
            said += &line;
            said.push('\n');
        }
        let ended = child.wait();
        Err(format!("{said}{ended:?}"))
    }

    fn shared() -> Arc<Self> {
        let mut shared = DRIVER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(driver) = shared.upgrade() {
            return driver;
        }
        let mut attempts = Vec::new();
        let (child, lines, port) = (0..DRIVER_STARTS)
            .find_map(|_| Self::start().map_err(|said| attempts.push(said)).ok())
            .unwrap_or_else(|| panic!("chromedriver does not start: {attempts:?}"));
        // What else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let driver = Arc::new(Self { child, url: format!("http://127.0.0.1:{port}") });
        *shared = Arc::downgrade(&driver);
        driver
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command of the browser's own protocol.
#[derive(Debug)]
struct Own(Value);

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.0.to_string()))
    }
}

/// A browser with one window, until it is dropped.
pub struct Browser {
    runtime: Runtime,
    client: Option<Client>,
    _driver: Arc<Driver>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// A browser, if there is one; else it is said that there is none.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// One that runs no scripts of pages.
    pub fn without_scripts() -> Option<Self> {
        Self::start_with(&["--blink-settings=scriptEnabled=false"])
    }

    /// One that has no process of its own for each frame: faster with many of them, and one wall less
    /// around what is in them.
    pub fn with_fewer_walls() -> Option<Self> {
        Self::start_with(&["--disable-features=IsolateSandboxedIframes"])
    }

    /// One that keeps no page for the way back to it.
    pub fn without_kept_pages() -> Option<Self> {
        Self::start_with(&["--disable-features=BackForwardCache"])
    }

    fn start_with(more: &[&str]) -> Option<Self> {
        for program in ["chromium", "chromedriver"] {
            let mut probe = Command::new(program);
            probe.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if !probe.status().is_ok_and(|status| status.success()) {
                println!("skipped: there is no {program}; `cargo xtask setup` installs it");
                return None;
            }
        }
        let driver = Driver::shared();
        let profile = tempfile::tempdir().unwrap();
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--hide-scrollbars",
            "--window-size=1280,900",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        arguments.extend(more.iter().map(ToString::to_string));
        let wanted = json!({
            "browserName": "chrome",
            "unhandledPromptBehavior": "ignore",
            "goog:chromeOptions": { "binary": binary(), "args": arguments },
        });
        let Value::Object(wanted) = wanted else { unreachable!("it is an object") };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(wanted);
            builder.connect(&driver.url).await
        });
        let client = client.expect("a session of the browser");
        Some(Self { runtime, client: Some(client), _driver: driver, _profile: profile })
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, CmdError>>) -> Result<T, CmdError> {
        self.runtime.block_on(work)
    }

    /// Opens an address.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.wait(self.client().goto(url)).unwrap();
    }

    /// Where the browser is.
    #[track_caller]
    pub fn at(&self) -> String {
        self.wait(self.client().current_url()).unwrap().to_string()
    }

    /// Waits until something holds.
    #[track_caller]
    pub fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            if begun.elapsed() > PATIENCE {
                panic!("{what}: not within {PATIENCE:?} at {}:\n{}", self.at(), self.text());
            }
            std::thread::sleep(PACE);
        }
    }

    /// What a script answers; nothing while the page changes under it.
    pub fn try_script(&self, script: &str, arguments: Vec<Value>) -> Option<Value> {
        self.wait(self.client().execute(script, arguments)).ok()
    }

    #[track_caller]
    pub fn script(&self, script: &str) -> Value {
        self.wait(self.client().execute(script, Vec::new())).unwrap()
    }

    /// What a script answers in one of the frames of the page, whatever that frame may do by itself; nothing
    /// while it is not there.
    pub fn script_in_frame(&self, frame: u16, script: &str) -> Option<Value> {
        self.wait(async {
            self.client().enter_frame(frame).await?;
            let answered = self.client().execute(script, Vec::new()).await;
            self.client().enter_parent_frame().await?;
            answered
        })
        .ok()
    }

    /// The text that is to be seen on the page.
    pub fn text(&self) -> String {
        let text =
            self.try_script("return document.body ? document.body.innerText : ''", Vec::new());
        text.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Waits until a text is to be seen.
    #[track_caller]
    pub fn see(&self, text: &str) {
        self.until(&format!("{text:?} is to be seen"), || self.text().contains(text));
    }

    /// Waits until the browser is at a path, which begins with a slash.
    #[track_caller]
    pub fn reach(&self, path: &str) {
        let is_there = || {
            Url::parse(&self.at()).is_ok_and(|url| {
                url.path() == path
                    && self.try_script("return document.readyState", Vec::new())
                        == Some("complete".into())
            })
        };
        self.until(&format!("{path} is reached"), is_there);
    }

    #[track_caller]
    pub fn sees_no(&self, text: &str) {
        let all = self.text();
        assert!(!all.contains(text), "{text:?} is to be seen at {}:\n{all}", self.at());
    }

    fn found(&self, kind: &str, name: &str) -> Option<Element> {
        let script = format!("{FINDERS} return found(arguments[0], arguments[1]);");
        let found = self.try_script(&script, vec![kind.into(), name.into()])?;
        let id = found.get(ELEMENT)?.as_str()?.to_owned();
        Some(Element::from_element_id(self.client().clone(), id.into()))
    }

    /// Whether there is a button or a link of that name.
    pub fn has(&self, name: &str) -> bool {
        self.found("button", name).is_some()
    }

    #[track_caller]
    fn find(&self, kind: &str, name: &str) -> Element {
        let mut found = None;
        self.until(&format!("there is a {kind} {name:?}"), || {
            found = self.found(kind, name);
            found.is_some()
        });
        found.unwrap()
    }

    /// Clicks the button or link of that name.
    #[track_caller]
    pub fn click(&self, name: &str) {
        let element = self.find("button", name);
        self.wait(element.click()).unwrap_or_else(|error| panic!("click on {name:?}: {error}"));
    }

    /// Types into the field with that label, which is emptied before.
    #[track_caller]
    pub fn fill(&self, label: &str, text: &str) {
        let element = self.find("field", label);
        self.wait(async {
            element.clear().await?;
            element.send_keys(text).await
        })
        .unwrap_or_else(|error| panic!("fill {label:?}: {error}"));
    }

    /// Chooses a file for the field with that label.
    #[track_caller]
    pub fn attach(&self, label: &str, file: &Path) {
        let element = self.find("field", label);
        self.wait(element.send_keys(file.to_str().unwrap())).unwrap();
    }

    /// Ticks the box with that label, or takes the tick away.
    #[track_caller]
    pub fn tick(&self, label: &str, wanted: bool) {
        let element = self.find("field", label);
        self.wait(async {
            if element.is_selected().await? != wanted {
                element.click().await?;
            }
            Ok(())
        })
        .unwrap();
    }

    /// Chooses what is called so in the field with that label.
    #[track_caller]
    pub fn choose(&self, label: &str, option: &str) {
        let element = self.find("field", label);
        self.wait(element.select_by_label(option)).unwrap();
    }

    /// Presses one key after another, whatever has the focus. Capital letters are typed with Shift.
    #[track_caller]
    pub fn press(&self, keys: impl IntoIterator<Item = char>) {
        let mut actions = KeyActions::new("keys".to_owned());
        for key in keys {
            let is_shifted = key.is_ascii_uppercase() || key == '?';
            if is_shifted {
                actions = actions.then(KeyAction::Down { value: keys::SHIFT });
            }
            actions =
                actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
            if is_shifted {
                actions = actions.then(KeyAction::Up { value: keys::SHIFT });
            }
        }
        self.wait(self.client().perform_actions(actions)).unwrap();
    }

    /// Goes back in the list of what has the focus.
    pub fn press_backwards(&self) {
        let actions = KeyActions::new("keys".to_owned())
            .then(KeyAction::Down { value: keys::SHIFT })
            .then(KeyAction::Down { value: keys::TAB })
            .then(KeyAction::Up { value: keys::TAB })
            .then(KeyAction::Up { value: keys::SHIFT });
        self.wait(self.client().perform_actions(actions)).unwrap();
    }

    /// What has the focus, by its name or label; nothing if that is the page itself.
    #[track_caller]
    pub fn focused(&self) -> String {
        let script = format!(
            "{FINDERS} const one = document.activeElement; \
             return !one || one === document.body ? '' : (one.labels ? label(one) : '') || name(one);"
        );
        self.script(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Whether it is to be seen that it has the focus.
    pub fn is_focus_visible(&self) -> bool {
        let script = "const one = document.activeElement; const style = getComputedStyle(one); \
            const box = one.getBoundingClientRect(); \
            return one.matches(':focus-visible') && style.outlineStyle !== 'none' \
              && parseFloat(style.outlineWidth) >= 1 && box.right > 0 && box.bottom > 0 \
              && box.left < innerWidth && box.width > 0;";
        self.script(script) == Value::Bool(true)
    }

    /// A command of the browser's own protocol.
    #[track_caller]
    pub fn own(&self, command: &str, parameters: &Value) -> Value {
        let command = Own(json!({ "cmd": command, "params": parameters }));
        self.wait(self.client().issue_cmd(command)).unwrap()
    }

    /// How large the page may be, in its own pixels: also smaller than a window can be.
    pub fn size(&self, width: u32, height: u32) {
        let wanted =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.own("Emulation.setDeviceMetricsOverride", &wanted);
    }

    /// Whether the system is dark.
    pub fn dark(&self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.own("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Runs a script in every page before all others.
    pub fn before_all(&self, script: &str) {
        self.own("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }));
    }

    /// Presses the mouse at a place of the window, whatever is there.
    pub fn click_at(&self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.own("Input.dispatchMouseEvent", &event);
        }
    }

    /// Turns the wheel at a place of the window.
    pub fn wheel(&self, x: f64, y: f64, by: f64) {
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by });
        self.own("Input.dispatchMouseEvent", &event);
    }

    /// How many windows are open.
    #[track_caller]
    pub fn windows(&self) -> usize {
        self.wait(self.client().windows()).unwrap().len()
    }

    /// Closes all windows but this one; where they were.
    #[track_caller]
    pub fn close_others(&self) -> Vec<String> {
        let here = self.wait(self.client().window()).unwrap();
        let mut places = Vec::new();
        for window in self.wait(self.client().windows()).unwrap() {
            if window == here {
                continue;
            }
            self.wait(self.client().switch_to_window(window)).unwrap();
            places.push(self.at());
            self.wait(self.client().close_window()).unwrap();
        }
        self.wait(self.client().switch_to_window(here)).unwrap();
        places
    }

    /// Goes to the window that is not this one.
    #[track_caller]
    pub fn other_window(&self) {
        let here = self.wait(self.client().window()).unwrap();
        self.until("there is another window", || self.windows() > 1);
        let all = self.wait(self.client().windows()).unwrap();
        let other = all.into_iter().find(|window| *window != here).unwrap();
        self.wait(self.client().switch_to_window(other)).unwrap();
    }

    /// Goes back, as by the browser's own button.
    #[track_caller]
    pub fn back(&self) {
        self.wait(self.client().back()).unwrap();
    }

    /// What somebody asked the system for, such as `prefers-reduced-motion: reduce`.
    pub fn prefers(&self, name: &str, value: &str) {
        let features = json!([{ "name": name, "value": value }]);
        self.own("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Whether a page asks something in a window of its own.
    pub fn has_alert(&self) -> bool {
        self.wait(self.client().get_alert_text()).is_ok()
    }

    pub fn cookies(&self) -> Vec<Cookie<'static>> {
        self.wait(self.client().get_all_cookies()).unwrap()
    }

    pub fn forget_cookies(&self) {
        self.wait(self.client().delete_all_cookies()).unwrap();
    }

    /// A picture of the whole page.
    pub fn screenshot(&self, name: &str) {
        let wanted =
            json!({ "format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true });
        // While a page is laid out anew, its size may be none that there is a picture of.
        let mut taken = None;
        self.until("a picture is taken", || {
            let command = Own(json!({ "cmd": "Page.captureScreenshot", "params": wanted }));
            taken = self.wait(self.client().issue_cmd(command)).ok();
            taken.is_some()
        });
        let taken = taken.unwrap();
        let data = taken["data"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let folder = screenshots();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
    }
}

/// Where pictures go.
pub fn screenshots() -> PathBuf {
    match std::env::var_os("TIDINGS_SCREENSHOTS") {
        Some(folder) => folder.into(),
        // Beside the folder for files of tests.
        None => Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots"),
    }
}

/// The browser's program, as the shell finds it.
fn binary() -> String {
    let found = Command::new("sh").args(["-c", "command -v chromium"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}
