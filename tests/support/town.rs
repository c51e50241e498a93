//! A server as somebody has it who has used it for a year: a dozen sites of all kinds, most of them
//! well, with a history. And the pages of it, by name.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::folder::Folder;

/// Who may sign in, and by what.
pub const ADMIN: &str = "ann";
pub const READER: &str = "ben";
pub const PASSWORD: &str = "a rather long sentence";

/// What the pages of the town are about.
pub struct Keys {
    /// A site that is well, and has several collections.
    pub site: String,
    /// One whose last poll failed.
    pub failing: String,
    pub paused: String,
    /// A collection with a year of changes, and its newest batch.
    pub collection: String,
    pub batch: u64,
    /// A collection with texts that are different.
    pub texts: String,
    pub texts_batch: u64,
    /// The address of a source on this machine.
    pub source: String,
    /// Its Change List, in which much is wrong.
    pub list: String,
}

/// A page: what it is called in names of files, and where it is.
pub struct Page {
    pub name: &'static str,
    pub path: fn(&Keys) -> String,
    /// Whether it is for those alone who are signed in.
    pub inside: bool,
}

const fn page(name: &'static str, path: fn(&Keys) -> String) -> Page {
    Page { name, path, inside: false }
}

const fn inside(name: &'static str, path: fn(&Keys) -> String) -> Page {
    Page { name, path, inside: true }
}

/// All pages that a town has something to show on. A new page is a line here: whoever looks at all pages
/// then looks at it, too, if it is there.
pub const PAGES: &[Page] = &[
    page("home", |_| "/".to_owned()),
    page("home-failing", |_| "/?state=failing".to_owned()),
    page("home-nothing", |_| "/?text=nothing-like-that".to_owned()),
    page("site", |keys| format!("/sites/{}", keys.site)),
    page("site-failing", |keys| format!("/sites/{}", keys.failing)),
    page("site-paused", |keys| format!("/sites/{}", keys.paused)),
    page("collection", |keys| format!("/collections/{}", keys.collection)),
    page("collection-filtered", |keys| format!("/collections/{}?kind=updated", keys.collection)),
    page("collection-nothing", |keys| format!("/collections/{}?text=zzzz", keys.collection)),
    page("batch", |keys| format!("/collections/{}/batches/{}", keys.collection, keys.batch)),
    page("batch-texts", |keys| format!("/collections/{}/batches/{}", keys.texts, keys.texts_batch)),
    page("search", |_| "/search".to_owned()),
    page("search-found", |_| "/search?text=map".to_owned()),
    page("search-nothing", |_| "/search?text=zzzz".to_owned()),
    page("subscriptions", |_| "/subscriptions".to_owned()),
    page("shortcuts", |_| "/shortcuts".to_owned()),
    page("missing", |_| "/no/such/page".to_owned()),
    inside("add", |_| "/add".to_owned()),
    inside("remove", |keys| format!("/sites/{}/remove", keys.site)),
    inside("account", |_| "/account".to_owned()),
    inside("users", |_| "/users".to_owned()),
    inside("tokens", |_| "/tokens".to_owned()),
    inside("log", |_| "/log".to_owned()),
    inside("check", |_| "/check".to_owned()),
    inside("check-report", |keys| format!("/check?url={}", encoded(&keys.source))),
    inside("explore", |_| "/explore".to_owned()),
    inside("explore-tree", |keys| format!("/explore?url={}", encoded(&keys.source))),
    inside("document", |keys| format!("/document?url={}", encoded(&keys.source))),
    inside("check-errors", |keys| format!("/check?url={}", encoded(&keys.list))),
    inside("document-list", |keys| format!("/document?url={}", encoded(&keys.list))),
    inside("robots", |_| "/robots".to_owned()),
    inside("robots-verdict", |keys| format!("/robots?url={}", encoded(&keys.list))),
    inside("copies", |_| "/copies".to_owned()),
];

/// The pages of a server that follows nothing and has no accounts.
pub const EMPTY: &[(&str, &str)] = &[
    ("home", "/"),
    ("add", "/add"),
    ("search", "/search"),
    ("subscriptions", "/subscriptions"),
    ("setup", "/setup"),
    ("login", "/login"),
    ("tokens", "/tokens"),
    ("users", "/users"),
    ("log", "/log"),
    ("missing", "/no/such/page"),
    // Pages that may be empty go here, too.
    ("copies", "/copies"),
];

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// How a site tells what changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A folder that is published, with texts that change.
    Published,
    /// The same with several collections.
    Sets,
    /// A Change List over a year.
    Year,
    Sitemap,
    Feed,
}

struct Plan {
    name: &'static str,
    about: &'static str,
    shape: Shape,
    /// Of a year: how many changes.
    changes: u32,
    words: &'static [&'static str],
}

const PLANS: [Plan; 12] = [
    Plan {
        name: "Harbour Library",
        about: "Theses, maps and pages of the library at the harbour",
        shape: Shape::Sets,
        changes: 0,
        words: &[],
    },
    Plan {
        name: "Botanical Garden",
        about: "What grows, what flowers, what is closed",
        shape: Shape::Year,
        changes: 220,
        words: &["roses", "ferns", "glasshouse", "orchids", "opening-hours"],
    },
    Plan {
        name: "City Archive",
        about: "Records of the city since 1402",
        shape: Shape::Year,
        changes: 140,
        words: &["charters", "maps", "letters", "council", "photographs"],
    },
    Plan {
        name: "Observatory Notes",
        about: "Seen last night",
        shape: Shape::Sitemap,
        changes: 0,
        words: &["nights", "comets", "instruments"],
    },
    Plan {
        name: "The Weekly Kettle",
        about: "News for those who drink tea",
        shape: Shape::Feed,
        changes: 0,
        words: &["issue"],
    },
    Plan {
        name: "Museum of Small Things",
        about: "Buttons, seeds and other small things",
        shape: Shape::Year,
        changes: 60,
        words: &["buttons", "seeds", "coins"],
    },
    Plan {
        name: "Register of Open Standards",
        about: "Standards that everybody may read and use",
        shape: Shape::Published,
        changes: 0,
        words: &["date-formats", "character-sets", "sitemaps"],
    },
    Plan {
        name: "Northern Railway Timetables",
        about: "When trains leave",
        shape: Shape::Year,
        changes: 90,
        words: &["line", "station", "works"],
    },
    Plan {
        name: "Field Guide to Mosses",
        about: "Mosses, and where they grow",
        shape: Shape::Sitemap,
        changes: 0,
        words: &["genus", "habitat"],
    },
    Plan {
        name: "Parish Records",
        about: "Births, marriages and burials",
        shape: Shape::Year,
        changes: 40,
        words: &["births", "marriages", "burials"],
    },
    Plan {
        name: "A Cookery Book of 1887",
        about: "Recipes, with notes",
        shape: Shape::Published,
        changes: 0,
        words: &["soups", "puddings", "preserves"],
    },
    Plan {
        name: "Tide Tables",
        about: "High water and low water",
        shape: Shape::Year,
        changes: 180,
        words: &["harbour", "bay", "estuary"],
    },
];

const ROUNDS: u32 = 4;

/// The sites, what is known of them, and the server.
pub struct Town {
    pub keys: Keys,
    pub base: String,
    server: Child,
    sites: Vec<Folder>,
    place: tempfile::TempDir,
}

impl Town {
    /// Builds the sites, follows them while they change, and serves what became known.
    pub fn build(tidings: &Path) -> Self {
        let place = tempfile::tempdir().unwrap();
        let run = |words: &[&str]| verb(tidings, place.path(), words);
        let sites: Vec<Folder> = PLANS
            .iter()
            .enumerate()
            .map(|(number, _)| {
                let folder = place.path().join(format!("site-{number}"));
                std::fs::create_dir(&folder).unwrap();
                Folder::serve(&folder)
            })
            .collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        for round in 0..ROUNDS {
            for (plan, site) in PLANS.iter().zip(&sites) {
                plan.change(site, round, now);
                if matches!(plan.shape, Shape::Published | Shape::Sets) {
                    let folder = site.path().to_str().unwrap();
                    // The settings lie beside what is published, and are not published.
                    let config = place.path().join(format!("{}.toml", plan.name));
                    std::fs::write(&config, plan.config(&site.url())).unwrap();
                    run(&["publish", folder, "--config", config.to_str().unwrap(), "--quiet"]);
                }
            }
            if round == 0 {
                let mut words = vec!["follow".to_owned(), "--diff".to_owned()];
                words.extend(sites.iter().map(Folder::url));
                run(&words.iter().map(String::as_str).collect::<Vec<_>>());
            } else {
                run(&["poll"]);
            }
        }
        // Two copies: one is well, and of the other a page was lost.
        for (number, site) in [&sites[10], &sites[0]].into_iter().enumerate() {
            let copy = place.path().join(format!("copy-{number}"));
            let words = [site.url(), copy.to_str().unwrap().to_owned()];
            run(&["sync", &words[0], &words[1], "--all", "--quiet"]);
            let lost = copied_page(&copy).filter(|_| number == 1);
            lost.into_iter().for_each(|page| std::fs::remove_file(page).unwrap());
            run(&["audit", &words[0], &words[1], "--all", "--quiet"]);
        }
        sites[7].set_broken(true);
        let failing = sites[7].url();
        run(&["poll", &failing]);
        let (server, base) = serve(tidings, place.path(), &["--no-poll"]);
        let listed: Value = serde_json::from_str(&run(&["sites", "--json"])).unwrap();
        let told = |site: &Folder| {
            let all = listed["sites"].as_array().unwrap();
            all.iter()
                .find(|told| told["url"] == site.url())
                .unwrap_or_else(|| panic!("{listed:#}"))
        };
        let key = |told: &Value| told["key"].as_str().unwrap().to_owned();
        let paused = key(told(&sites[9]));
        let answer = ask(&base, "PATCH", &format!("/api/sites/{paused}"), "{\"paused\": true}");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        for (name, role) in [(ADMIN, "admin"), (READER, "reader")] {
            account(tidings, place.path(), name, role);
        }
        run(&["token", "add", "feed reader", "--read"]);
        let collection = key(&told(&sites[1])["collections"][0]);
        let texts = key(&told(&sites[6])["collections"][0]);
        let keys = Keys {
            site: key(told(&sites[0])),
            failing: key(told(&sites[7])),
            paused,
            batch: u64::from(ROUNDS),
            collection,
            texts,
            // The first state of a folder is no change.
            texts_batch: u64::from(ROUNDS - 1),
            source: format!("{}.well-known/resourcesync", sites[1].url()),
            list: format!("{}changelist.xml", sites[1].url()),
        };
        Self { keys, base, server, sites, place }
    }

    /// The address of a path, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("{}{}", self.base.trim_end_matches('/'), path)
    }

    /// The pages that this server has, with their paths.
    pub fn pages(&self) -> Vec<(&'static Page, String)> {
        let all = PAGES.iter().map(|page| (page, (page.path)(&self.keys)));
        all.filter(|(page, path)| is_there(&self.base, page.name, path)).collect()
    }

    /// The sites themselves, to change them.
    pub fn sites(&self) -> &[Folder] {
        &self.sites
    }

    pub fn place(&self) -> &Path {
        self.place.path()
    }
}

impl Drop for Town {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Makes an account, with the password of all.
pub fn account(tidings: &Path, place: &Path, name: &str, role: &str) {
    let mut command = command(tidings, place, &["user", "add", name, "--role", role]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
    assert!(child.wait().unwrap().success(), "user add {name}");
}

/// Serves what is below a folder; answers with its address.
pub fn serve(tidings: &Path, place: &Path, options: &[&str]) -> (Child, String) {
    let words = [&["serve", "--json", "--listen", "127.0.0.1:0"], options].concat();
    let mut child = command(tidings, place, &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).expect("the server starts");
    (child, ready["base"].as_str().unwrap().to_owned())
}

fn command(tidings: &Path, place: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(tidings);
    command.args(words).current_dir(place).stdin(Stdio::null());
    if !matches!(words[0], "publish" | "sync" | "audit") {
        command.arg("--data").arg(place.join("data"));
    }
    let state = place.join("state");
    command.env("XDG_CACHE_HOME", &state).env("XDG_STATE_HOME", &state);
    command
}

/// What a verb says; that a poll fails is no failure of it.
fn verb(tidings: &Path, place: &Path, words: &[&str]) -> String {
    let output = command(tidings, place, words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Some page in a copy.
fn copied_page(folder: &Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().find_map(|path| match path.is_dir() {
        true if !path.ends_with(".tidings") => copied_page(&path),
        true => None,
        false => path.extension().is_some_and(|end| end == "html").then_some(path),
    })
}

/// Whether a server has that page. The one that is missing is a page, too.
pub fn is_there(base: &str, name: &str, path: &str) -> bool {
    name == "missing" || !ask(base, "GET", path, "").starts_with("HTTP/1.1 404")
}

/// One request with JSON; the answer, head and all.
fn ask(base: &str, method: &str, path: &str, body: &str) -> String {
    let address = base.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

impl Plan {
    /// The site as it is in a round.
    fn change(&self, site: &Folder, round: u32, now: u64) {
        let home = format!(
            "<!doctype html><title>{}</title><meta name=description content=\"{}\"><h1>{}</h1>",
            self.name, self.about, self.name
        );
        site.put("index.html", &home);
        match self.shape {
            Shape::Published => self.texts(site, "", self.words, round),
            Shape::Sets => {
                self.texts(site, "theses/", &["tides", "lighthouses", "ropes"], round);
                self.texts(site, "maps/", &["map-of-the-bay", "map-of-the-town"], round);
                self.texts(site, "pages/", &["opening-hours", "reading-room"], round);
            }
            Shape::Year => self.year(site, round, now),
            Shape::Sitemap => self.sitemap(site, round, now),
            Shape::Feed => self.feed(site, round, now),
        }
    }

    fn texts(&self, site: &Folder, folder: &str, names: &[&str], round: u32) {
        for (number, name) in names.iter().enumerate() {
            let number = number as u32;
            let path = format!("{folder}{name}.html");
            if round == ROUNDS - 1 && number == 2 {
                let _ = std::fs::remove_file(site.path().join(path));
                continue;
            }
            // Not every page changes each time.
            let edition = if number.is_multiple_of(2) { round } else { round / 2 };
            let title = titled(name);
            let mut text = format!("<!doctype html><title>{title}</title><h1>{title}</h1>\n");
            for line in 0..6 {
                let said =
                    if line == edition { "has been written anew" } else { "is as it always was" };
                let _ = writeln!(text, "<p>Paragraph {line} of {title} {said}.</p>");
            }
            site.put(&path, &text);
        }
        site.put(
            &format!("{folder}news-{round}.html"),
            &format!("<!doctype html><title>News, part {round}</title><p>It is new."),
        );
    }

    fn config(&self, base: &str) -> String {
        let mut config = format!(
            "[publish]\nbase = \"{base}\"\ntitle = \"{}\"\ndescription = \"{}\"\nauthor = \"{0}\"\n",
            self.name, self.about
        );
        if self.shape == Shape::Sets {
            for (name, title) in
                [("theses", "Theses"), ("maps", "Historical maps"), ("pages", "Pages")]
            {
                let _ = write!(
                    config,
                    "\n[[publish.set]]\nname = \"{name}\"\nprefix = \"{name}/\"\ntitle = \"{title}\"\ndescription = \"{title} of the library, as they come\"\n"
                );
            }
        }
        config
    }

    /// Changes all over a year, a part of which has happened by each round.
    fn year(&self, site: &Folder, round: u32, now: u64) {
        let base = site.url();
        let begin = now - 362 * 86_400;
        let last = self.changes * (round + 1) / ROUNDS;
        let mut list = String::new();
        // Always the same, and looks like chance.
        let mut chance = self.changes.wrapping_mul(2_654_435_761);
        for number in 0..last {
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let word = self.words[(chance >> 8) as usize % self.words.len()];
            let page = format!("{word}/{}", (chance >> 16) % 40);
            let kind = match (chance >> 24) % 10 {
                0 => "deleted",
                1..4 => "created",
                _ => "updated",
            };
            // Some days are busier than others.
            let burst = if chance.is_multiple_of(3) { number } else { number - number % 7 };
            let time = begin + u64::from(burst) * 361 * 86_400 / u64::from(self.changes);
            let time = date((time + 60 * u64::from(number - burst)).min(now - 60));
            let _ = writeln!(
                list,
                "<url><loc>{base}{page}.html</loc><rs:md change=\"{kind}\" datetime=\"{time}\"/></url>"
            );
            let title = format!("{} No. {}", titled(word), (chance >> 16) % 40);
            site.put(
                &format!("{page}.html"),
                &format!(
                    "<!doctype html><title>{title}</title><h1>{title}</h1><p>Edition {number}.</p>"
                ),
            );
        }
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:rs=\"http://www.openarchives.org/rs/terms/\">";
        let from = date(begin - 86_400);
        site.put(".well-known/resourcesync", &format!(
            "{head}<rs:md capability=\"description\"/><url><loc>{base}capabilitylist.xml</loc><rs:md capability=\"capabilitylist\"/><rs:ln rel=\"describes\" href=\"{base}\"/></url></urlset>"
        ));
        site.put("capabilitylist.xml", &format!(
            "{head}<rs:ln rel=\"up\" href=\"{base}.well-known/resourcesync\"/><rs:ln rel=\"describes\" href=\"{base}\"/><rs:ln rel=\"describedby\" href=\"{base}about.xml\"/><rs:md capability=\"capabilitylist\"/><url><loc>{base}changelist.xml</loc><rs:md capability=\"changelist\"/></url></urlset>"
        ));
        site.put("about.xml", &format!(
            "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{}</dc:title><dc:description>{}</dc:description><dc:creator>{0}</dc:creator></metadata>",
            self.name, self.about
        ));
        site.put("changelist.xml", &format!(
            "{head}<rs:ln rel=\"up\" href=\"{base}capabilitylist.xml\"/><rs:md capability=\"changelist\" from=\"{from}\"/>{list}</urlset>"
        ));
    }

    fn sitemap(&self, site: &Folder, round: u32, now: u64) {
        let base = site.url();
        let mut list = String::new();
        for word in self.words {
            for number in 0..3 + round {
                // The first is new each time.
                let age = if number == 0 { ROUNDS - round } else { 20 + 40 * number };
                let time = date(now - u64::from(age) * 86_400);
                let _ = writeln!(
                    list,
                    "<url><loc>{base}{word}/{number}.html</loc><lastmod>{time}</lastmod></url>"
                );
                let title = format!("{} {number}", titled(word));
                site.put(
                    &format!("{word}/{number}.html"),
                    &format!("<!doctype html><title>{title}</title><p>Seen {round} times."),
                );
            }
        }
        site.put("sitemap.xml", &format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{list}</urlset>"
        ));
        site.put("robots.txt", &format!("Sitemap: {base}sitemap.xml\n"));
    }

    fn feed(&self, site: &Folder, round: u32, now: u64) {
        let base = site.url();
        let mut entries = String::new();
        for number in (0..6 + round).rev() {
            let time = date(now - u64::from(6 + ROUNDS - number) * 7 * 86_400);
            let _ = write!(
                entries,
                "<entry><id>{base}issue/{number}</id><title>Issue {number}: what to drink in the rain</title><updated>{time}</updated><link href=\"{base}issue/{number}.html\"/></entry>"
            );
            site.put(
                &format!("issue/{number}.html"),
                &format!("<!doctype html><title>Issue {number}</title>"),
            );
        }
        site.put("feed.atom", &format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>{base}</id><title>{}</title><updated>{}</updated>{entries}</feed>",
            self.name, date(now)
        ));
        let home = format!(
            "<!doctype html><title>{}</title><link rel=alternate type=application/atom+xml href=/feed.atom>",
            self.name
        );
        site.put("index.html", &home);
    }
}

/// `map-of-the-bay` as a title.
fn titled(name: &str) -> String {
    let text = name.replace('-', " ");
    text[..1].to_uppercase() + &text[1..]
}

/// Seconds since 1970 as a time of W3C.
fn date(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days since the first of March of the year 0, of eras of 400 years.
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}
