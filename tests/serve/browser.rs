//! What a browser does, without one: cookies are kept, forms are filled and sent.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::support::follower::{Answer, Serving};

/// A visitor with cookies of its own.
pub struct Tab<'s> {
    pub server: &'s Serving,
    pub cookies: RefCell<BTreeMap<String, String>>,
    /// Sent with each request, such as what a proxy adds.
    pub more: String,
}

impl<'s> Tab<'s> {
    pub fn new(server: &'s Serving) -> Self {
        Self { server, cookies: RefCell::default(), more: String::new() }
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.borrow().get(name).cloned()
    }

    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let cookies: Vec<String> = self
            .cookies
            .borrow()
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = match cookies.is_empty() {
            true => String::new(),
            false => format!("Cookie: {}\r\n", cookies.join("; ")),
        };
        let headers = format!("{cookies}{}{headers}", self.more);
        let answer = self.server.request(method, path, &headers, body);
        for line in answer.head.lines() {
            let Some((name, value)) = line.split_once(": ") else { continue };
            if name.eq_ignore_ascii_case("set-cookie") {
                let (name, value) = value.split(';').next().unwrap().split_once('=').unwrap();
                self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "")
    }

    /// What a form on that page would carry.
    pub fn guard(&self, path: &str) -> String {
        let page = self.get(path).text();
        let at = page.find("name=\"guard\" value=\"").unwrap_or_else(|| panic!("{page}"));
        page[at..].split('"').nth(3).unwrap().to_owned()
    }

    /// Sends a form to a path as the page at `from` would.
    pub fn send(&self, from: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let guard = self.guard(from);
        self.post(path, &guard, fields, "")
    }

    /// Sends a form with that guard, and more headers.
    pub fn post(&self, path: &str, guard: &str, fields: &[(&str, &str)], more: &str) -> Answer {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        body.append_pair("guard", guard).extend_pairs(fields);
        let headers = format!("Content-Type: application/x-www-form-urlencoded\r\n{more}");
        self.ask("POST", path, &headers, &body.finish())
    }

    pub fn sign_in(&self, name: &str, password: &str) -> Answer {
        self.send("/login", "/login", &[("name", name), ("password", password)])
    }
}

/// Where an answer leads.
pub fn to(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}\n{}", answer.head, answer.text());
    answer.header("location").unwrap()
}
