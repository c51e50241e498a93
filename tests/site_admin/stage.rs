//! A site with an administration, and people who are signed in to it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::follower::{Answer, Serving};
use crate::support::{tidings, write_all};

/// A content root that is served, until it is dropped.
pub struct Site {
    pub serving: Serving,
    pub folder: tempfile::TempDir,
    /// The path of the administration, with slashes at both ends.
    pub admin: String,
    user: String,
    password: String,
}

/// The id of the page, and of the file, of a site of the versioned layout.
pub const PAGE: &str = "1122334455667788";
pub const FILE: &str = "00000000000000aa";

impl Site {
    pub fn start(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path(), files);
        let mut command = tidings();
        command.args(["site", "--json", "--listen", "127.0.0.1:0"]).arg(folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut log = child.stderr.take().unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            let _ = child.kill();
            let mut errors = String::new();
            log.read_to_string(&mut errors).unwrap();
            panic!("the site did not start: {line}{errors}");
        };
        // What is logged must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        let (admin, user, password) = (text("admin_path"), text("user"), text("password"));
        let serving = Serving { child, base: text("base"), address: text("address") };
        Self { serving, folder, admin, user, password }
    }

    /// One of the plain layout.
    pub fn plain() -> Self {
        Self::start(&[
            ("pages/index.md", "---\ntitle: Home\n---\nWelcome\n"),
            ("pages/about.md", "---\ntitle: About\nauthor: Ann\n---\nWho we are\n"),
            ("pages/notes.txt", "plain text\n"),
        ])
    }

    /// One of the versioned layout, with a page and a file.
    pub fn versioned() -> Self {
        let page =
            "(alias: \"docs/start\", title: Some(\"Start\"), mime: \"text/markdown\", tags: [])";
        let file =
            "(alias: \"logo.txt\", mime: \"text/plain\", original_filename: Some(\"Logo.TXT\"))";
        Self::start(&[
            (&format!("content/88/{PAGE}.0"), "First words\n"),
            (&format!("content/88/{PAGE}.0.ron"), page),
            (&format!("content/aa/{FILE}.0"), "a logo\n"),
            (&format!("content/aa/{FILE}.0.ron"), file),
        ])
    }

    pub fn get(&self, path: &str) -> Answer {
        self.serving.get(path)
    }

    /// Signs in as the first admin.
    pub fn admin(&self) -> Session<'_> {
        self.sign_in(&self.user, &self.password)
    }

    pub fn password(&self) -> &str {
        &self.password
    }

    #[track_caller]
    pub fn sign_in(&self, name: &str, password: &str) -> Session<'_> {
        let (session, answer) = self.try_sign_in(name, password);
        assert_eq!(answer.status, 303, "{}", answer.text());
        session
    }

    pub fn try_sign_in(&self, name: &str, password: &str) -> (Session<'_>, Answer) {
        let form = self.get("/login/");
        let forms = cookie(&form, "tidings-site-forms").unwrap();
        let body = encoded(&[
            ("guard", &hidden(&form.text(), "guard")),
            ("name", name),
            ("password", password),
        ]);
        let headers = format!("{FORM}Cookie: tidings-site-forms={forms}\r\n");
        let answer = self.serving.request("POST", "/login/", &headers, &body);
        let secret = cookie(&answer, "tidings-site-session").unwrap_or_default();
        (Session { site: self, secret }, answer)
    }

    /// All files that are content or say who may see it.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for name in ["content", "pages", "state/sys"] {
            gather(self.folder.path(), name, &mut files);
        }
        files
    }

    pub fn write(&self, name: &str, text: &str) {
        write_all(self.folder.path(), &[(name, text)]);
    }
}

fn gather(root: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(root.join(name)) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            gather(root, &name, files);
        } else {
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

pub const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\n";
pub const MULTIPART: &str = "Content-Type: multipart/form-data; boundary=between\r\n";

/// Somebody who is signed in.
pub struct Session<'s> {
    pub site: &'s Site,
    secret: String,
}

impl Session<'_> {
    pub fn cookie(&self) -> String {
        format!("Cookie: tidings-site-session={}\r\n", self.secret)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.site.serving.request("GET", path, &self.cookie(), "")
    }

    /// A page of the administration, which has to be there and whole.
    #[track_caller]
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(&format!("{}{path}", self.site.admin));
        assert_eq!(answer.status, 200, "{path}: {}", answer.head);
        let html = answer.text();
        assert_whole(&html);
        html
    }

    /// What forms of this session carry.
    pub fn guard(&self) -> String {
        hidden(&self.page("account"), "guard")
    }

    /// Sends a form, as a browser does.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let guard = self.guard();
        let fields = [&[("guard", guard.as_str())], fields].concat();
        let headers = format!(
            "{FORM}{}Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n",
            self.cookie(),
            self.site.serving.address
        );
        let path = format!("{}{path}", self.site.admin);
        self.site.serving.request("POST", &path, &headers, &encoded(&fields))
    }

    /// Sends a form with files: name of the field, name of the file, media type, text.
    pub fn send(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        files: &[(&str, &str, &str, &str)],
    ) -> Answer {
        let guard = self.guard();
        let fields = [&[("guard", guard.as_str())], fields].concat();
        let headers = format!("{MULTIPART}{}", self.cookie());
        let path = format!("{}{path}", self.site.admin);
        self.site.serving.request("POST", &path, &headers, &multipart(&fields, files))
    }

    /// A form that has to be taken: where the browser is sent, below the administration.
    #[track_caller]
    pub fn done(&self, path: &str, fields: &[(&str, &str)]) -> String {
        self.sent(&self.post(path, fields))
    }

    #[track_caller]
    pub fn sent(&self, answer: &Answer) -> String {
        assert_eq!(answer.status, 303, "{} {}", answer.head, answer.text());
        let to = answer.header("location").unwrap();
        to.strip_prefix(&self.site.admin).unwrap_or(&to).to_owned()
    }

    /// A form that has to be refused, with that said on a whole page.
    #[track_caller]
    pub fn refused(&self, answer: &Answer, status: u16, reason: &str) -> String {
        let html = answer.text();
        assert_eq!(answer.status, status, "{} {html}", answer.head);
        assert_whole(&html);
        assert!(text_of(&html).contains(reason), "{reason:?} is not in {}", text_of(&html));
        html
    }
}

pub fn encoded(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

pub fn multipart(fields: &[(&str, &str)], files: &[(&str, &str, &str, &str)]) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        body += &format!(
            "--between\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
    }
    for (name, file, mime, text) in files {
        let file = file.replace('"', "%22");
        body += &format!(
            "--between\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
             Content-Type: {mime}\r\n\r\n{text}\r\n"
        );
    }
    body + "--between--\r\n"
}

fn cookie(answer: &Answer, name: &str) -> Option<String> {
    let lines = answer.head.lines().filter_map(|line| line.split_once(": "));
    let mut set = lines.filter(|(header, _)| header.eq_ignore_ascii_case("set-cookie"));
    set.find_map(|(_, value)| {
        let (known, rest) = value.split_once('=')?;
        (known == name).then(|| rest.split(';').next().unwrap().to_owned())
    })
}

/// The value of the first hidden field of that name.
#[track_caller]
pub fn hidden(html: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let rest = html.split(&start).nth(1).unwrap_or_else(|| panic!("no {name} in {html}"));
    unescaped(rest.split('"').next().unwrap())
}

pub fn unescaped(text: &str) -> String {
    let text = text.replace("&#60;", "<").replace("&#62;", ">").replace("&#34;", "\"");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#38;", "&")
        .replace("&amp;", "&")
}

/// The text of a page, without its tags.
pub fn text_of(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text += piece.split_once('>').map_or(piece, |(_, after)| after);
    }
    unescaped(&text)
}

const VOID: [&str; 6] = ["meta", "link", "input", "br", "hr", "img"];

/// Each element of a page is closed, in the right order.
#[track_caller]
pub fn assert_whole(html: &str) {
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"), "{html}");
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(2) {
        let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("{piece:?} does not end"));
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "in {html}");
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed in {html}");
}
