//! A real browser, asked how long a page took.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to scroll through a page.
const SCROLL_TIMEOUT: Duration = Duration::from_secs(300);

/// What tells how far the page is.
const LOOK: &str = "const paint = performance.getEntriesByType('paint').map((one) => one.startTime);
    const near = [...document.querySelectorAll('iframe')].filter((one) => one.getBoundingClientRect().top < innerHeight);
    const urls = performance.getEntriesByType('resource').filter((one) => one.initiatorType === 'iframe');
    const ends = urls.map((one) => one.responseEnd);
    return [Math.min(...paint), near.length, urls.length, Math.max(0, ...ends), document.querySelectorAll('iframe').length];";

/// Scrolls to the last tile at a steady speed, and returns how many frames each second had.
const SCROLL: &str = "const [speed, count, done] = arguments;
    const counts = [];
    let begun = null, before = null;
    const step = (now) => {
      begun ??= now; before ??= now;
      scrollBy(0, speed * (now - before) / 1000);
      before = now;
      const second = Math.floor((now - begun) / 1000);
      while (counts.length <= second) counts.push(0);
      counts[second] += 1;
      const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      const tiles = document.querySelectorAll('.tile').length;
      if (tiles >= count && isAtEnd) done(counts.slice(0, -1)); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);";
/// The speed of scrolling: somewhat more than three screens in a second.
const PIXELS_PER_SECOND: u64 = 3_000;

/// A headless browser with nothing in its cache, until it is dropped.
pub(super) struct Browser {
    driver: Child,
    /// What it says is not read, but it must be able to say it.
    _said: BufReader<std::process::ChildStdout>,
    address: String,
    session: String,
}

/// What was seen of a page, in seconds after it was asked for.
pub(super) struct Seen {
    pub(super) paint: f64,
    /// When the frames in sight had come.
    pub(super) first_leads: f64,
    pub(super) tiles: u64,
}

impl Browser {
    pub(super) fn start() -> Result<Self> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("chromedriver; `cargo xtask setup` installs it")?;
        let said = driver.stdout.take().context("chromedriver says nothing")?;
        let mut said = BufReader::new(said);
        let (mut port, mut line) = (None, String::new());
        while said.read_line(&mut line)? > 0 {
            let line = std::mem::take(&mut line);
            let line = line.trim();
            let digits: String = line
                .chars()
                .rev()
                .skip_while(|c| *c == '.')
                .take_while(char::is_ascii_digit)
                .collect();
            if line.contains("started successfully") {
                port = Some(digits.chars().rev().collect::<String>());
                break;
            }
        }
        let port = port.context("chromedriver says no port")?;
        let address = format!("127.0.0.1:{port}");
        let mut browser = Self { driver, _said: said, address, session: String::new() };
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"];
        let options = json!({ "args": arguments });
        let timeouts = json!({ "script": SCROLL_TIMEOUT.as_millis() as u64 });
        let always = json!({ "goog:chromeOptions": options, "timeouts": timeouts });
        let wanted = json!({ "capabilities": { "alwaysMatch": always } });
        let begun = browser.post("/session", &wanted)?;
        browser.session =
            begun["sessionId"].as_str().context("chromedriver began no session")?.to_owned();
        Ok(browser)
    }

    /// Opens a page, and waits until the frames in sight are there.
    pub(super) fn look(&self, url: &str) -> Result<Seen> {
        let at = |what: &str| format!("/session/{}/{what}", self.session);
        self.post(&at("url"), &json!({ "url": url }))?;
        let begun = Instant::now();
        loop {
            let said = self.post(&at("execute/sync"), &json!({ "script": LOOK, "args": [] }))?;
            let figures: Vec<f64> = serde_json::from_value(said)?;
            let &[paint, near, loaded, ended, tiles] = figures.as_slice() else {
                bail!("the browser says something else: {figures:?}");
            };
            if near > 0.0 && loaded >= near {
                let [paint, first_leads] = [paint, ended].map(|millis| millis / 1_000.0);
                return Ok(Seen { paint, first_leads, tiles: tiles as u64 });
            }
            if begun.elapsed() > PATIENCE {
                bail!("{url}: {near} frames are in sight, and {loaded} were loaded");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Scrolls through all tiles of the page that is open; the frames of each second.
    pub(super) fn scroll(&self, tiles: u64) -> Result<Vec<u64>> {
        let path = format!("/session/{}/execute/async", self.session);
        let script = json!({ "script": SCROLL, "args": [PIXELS_PER_SECOND, tiles] });
        let said = self.post(&path, &script)?;
        serde_json::from_value(said.clone()).with_context(|| format!("{tiles} tiles: {said}"))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(SCROLL_TIMEOUT))?;
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        // It does not hang up, whatever it is asked to do.
        let mut reader = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            }
            line.clear();
        }
        let mut said = vec![0; length];
        reader.read_exact(&mut said)?;
        let said: Value = serde_json::from_slice(&said)?;
        Ok(said["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let mut stream = TcpStream::connect(&self.address);
        if let Ok(stream) = &mut stream {
            // So that the browser ends, and not only who drives it.
            let _ = write!(
                stream,
                "DELETE /session/{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.session, self.address
            );
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.read(&mut [0; 1024]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
