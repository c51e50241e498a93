//! W2: a reserved path has many spellings, and all of them get the same verdict from alias, router and
//! sitemap.

use std::collections::BTreeSet;
use std::fs;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};
use crate::support::follower::Answer;

const ADMIN: &str = "back-room7";
const RESERVED: [&str; 12] = [
    ADMIN,
    "robots.txt",
    "sitemap.xml",
    "sitemap_index.xml",
    "feed.atom",
    "sitemaps",
    "id",
    "login",
    "builtin",
    "api",
    "resourcesync",
    ".well-known",
];

/// At least 500 spellings of a path, none of them the usual one. Those of two words of the same length
/// are made in the same ways, in the same order.
fn spellings(path: &str) -> Vec<String> {
    let letters: Vec<char> = path.chars().collect();
    let count = letters.len();
    let with = |change: &dyn Fn(usize, char) -> String| -> String {
        letters.iter().enumerate().map(|(at, letter)| change(at, *letter)).collect()
    };
    let one = |place: usize, make: &dyn Fn(char) -> String| {
        with(&|at, letter| if at == place { make(letter) } else { letter.to_string() })
    };
    let code = |letter: char| u32::from(letter);
    let encoded = |letter: char| format!("%{:02x}", code(letter));
    let upper_encoded = |letter: char| format!("%{:02X}", code(letter));
    let twice = |letter: char| format!("%25{:02x}", code(letter));
    let thrice = |letter: char| format!("%2525{:02x}", code(letter));
    let overlong = |letter: char| {
        format!("%{:02x}%{:02x}", 0xc0 | code(letter) >> 6, 0x80 | code(letter) & 0x3f)
    };
    let overlonger = |letter: char| {
        format!("%e0%{:02x}%{:02x}", 0x80 | code(letter) >> 6, 0x80 | code(letter) & 0x3f)
    };
    let wide = |letter: char| char::from_u32(code(letter) + 0xfee0).unwrap();
    let wide_encoded = |letter: char| {
        wide(letter).to_string().bytes().map(|byte| format!("%{byte:02x}")).collect()
    };
    let unicode = |letter: char| format!("%u{:04x}", code(letter));
    let mut all: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for place in 0..count {
        let ways: [&dyn Fn(char) -> String; 11] = [
            &encoded,
            &upper_encoded,
            &twice,
            &thrice,
            &overlong,
            &overlonger,
            &wide_encoded,
            &unicode,
            &|letter| letter.to_uppercase().to_string(),
            &|_| "%c5%bf".to_owned(),
            &|_| "%e2%84%aa".to_owned(),
        ];
        words.extend(ways.iter().map(|way| one(place, way)));
        // Something between the letters that is not seen.
        for hidden in ["%00", "%ad", "%c2%ad", "%e2%80%8b", "%0a", "%09"] {
            words.push(one(place, &|letter| format!("{hidden}{letter}")));
        }
    }
    words.push(with(&|_, letter| encoded(letter)));
    words.push(with(&|_, letter| twice(letter)));
    words.push(with(&|_, letter| wide_encoded(letter)));
    words.push(path.to_uppercase());
    words.push(with(&|at, letter| {
        if at % 2 == 0 { letter.to_uppercase().to_string() } else { letter.to_string() }
    }));
    let capital: Vec<String> = words.clone();
    // A letter that has no capital is no other spelling.
    all.extend(words.iter().map(|word| format!("/{word}")));
    let around = [
        "/./*",
        "/x/../*",
        "/%2e/*",
        "/x/%2e%2e/*",
        "/x/%2E./*",
        "/x/.%2e/*",
        "/../*",
        "/%2e%2e/*",
        "/*/.",
        "/*/./",
        "/*/x/..",
        "/*/%2e",
        "/x/..%2f*",
        "/%2f*",
        "/%2F*",
        "/x%2f..%2f*",
        "/%5c*",
        "/x%5c..%5c*",
        "/\\*",
        "\\*",
        "/x\\..\\*",
        "/*\\",
        "/*%5c",
        "/*%2f",
        "/*.",
        "/*..",
        "/*%2e",
        "/*%20",
        "/%20*",
        "/*%20/",
        "/*%09",
        "/*%a0",
        "/*%c2%a0",
        "/*;x",
        "/*;x=y",
        "/*;",
        "/*;x/",
        "/*%3b",
        "/*%3bx=y",
        "/;x/*",
        "/*%00",
        "/%00*",
        "/*%00.html",
        "/*%0a",
        "/*%0d%0a",
        "/*%23",
        "/*%3f",
        "/*%3fx",
        "/*%2500",
        "/*%252f",
        "/*%",
        "/*%2",
        "/*%zz",
        "/%/*",
        "/*%ff",
        "/*%c0%af",
        "/%c0%af*",
        "/*%e3%80%82",
        "/*::$data",
        "/*%3a%3a%24data",
        "/%e2%80%8b*",
        "/*%e2%80%8b",
        "/%ef%bb%bf*",
        "/%ef%bc%8f*",
        "/*%ef%bc%8f",
        "/*~",
        "/*%7e1",
    ];
    all.extend(around.iter().map(|way| way.replace('*', path)));
    // Two ways at once.
    for way in
        ["//*", "///*", "/*//", "//*//", "/./*", "/*;x", "/*.", "/x/../*", "/*/", "/*%20", "/%2e/*"]
    {
        all.extend(capital.iter().map(|word| way.replace('*', word)));
    }
    // What is reserved by that name alone is another path with something below.
    assert!(all.len() >= 500, "{} of {path}", all.len());
    all
}

/// Another word of the same length that is nothing here.
fn missing(path: &str) -> String {
    path.chars()
        .map(|letter| match letter {
            'a'..='y' => char::from_u32(u32::from(letter) + 1).unwrap(),
            'z' => 'q',
            '0'..='8' => '9',
            other => other,
        })
        .collect()
}

/// An answer without its date.
fn alike(answer: &Answer) -> (String, Vec<u8>) {
    let lines = answer.head.lines().filter(|line| !line.to_lowercase().starts_with("date:"));
    (lines.collect::<Vec<_>>().join("\n"), answer.body.clone())
}

fn served() -> (Root, Site) {
    let root = Root::with(Layout::Plain, &[Page::new("fine")]);
    let site = root.serve(&["--admin-path", ADMIN]);
    (root, site)
}

/// Whether a spelling is the usual one of the path, or of something below it.
fn is_usual(spelling: &str, path: &str) -> bool {
    let spelling = spelling.split(['?', '#']).next().unwrap();
    let rest = spelling.strip_prefix('/').and_then(|it| it.strip_prefix(path));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[test]
fn w2_no_spelling_of_the_admin_path_differs_from_nothing() {
    let (root, site) = served();
    let reader = site.sign_in_as(&root, "ann", &["staff"]);
    let other = missing(ADMIN);
    // The usual spellings as well: to a stranger there is nothing.
    let usual = |path: &str| {
        [String::new(), "/".into(), "/x".into(), "/api".into(), "?q".into(), "/?q=1".into()]
            .map(|more| format!("/{path}{more}"))
    };
    let asked = spellings(ADMIN).into_iter().chain(usual(ADMIN));
    let sure = spellings(&other).into_iter().chain(usual(&other));
    let mut count = 0;
    for (asked, sure) in asked.zip(sure) {
        let (found, expected) = (site.get(&asked), site.get(&sure));
        assert!(matches!(expected.status, 400 | 404), "{sure}: {}", expected.head);
        assert_eq!(alike(&found), alike(&expected), "{asked} {sure}");
        count += 1;
    }
    assert!(count > 500, "{count}");
    for method in ["HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "X"] {
        for who in ["", &reader] {
            for (asked, sure) in usual(ADMIN).into_iter().zip(usual(&other)) {
                let found = site.request(method, &asked, who, "");
                let expected = site.request(method, &sure, who, "");
                assert_eq!(alike(&found), alike(&expected), "{method} {asked}");
            }
        }
    }
    for headers in [
        "Accept: application/json\r\n",
        "If-None-Match: *\r\n",
        "Range: bytes=0-\r\n",
        "Accept-Encoding: gzip\r\n",
    ] {
        let found = site.get_with(&format!("/{ADMIN}/"), headers);
        assert_eq!(
            alike(&found),
            alike(&site.get_with(&format!("/{other}/"), headers)),
            "{headers}"
        );
    }
    // And it is there for whom it is for, in its one spelling.
    let admin = site.sign_in_admin();
    assert_ne!(site.get_with(&format!("/{ADMIN}/"), &admin).status, 404);
    assert_eq!(site.get_with("/Back-Room7/", &admin).status, 404);
}

#[test]
fn w2_no_other_spelling_of_a_reserved_path_is_served() {
    let (_root, site) = served();
    for path in &RESERVED[1..] {
        let other = missing(path);
        for (asked, sure) in spellings(path).into_iter().zip(spellings(&other)) {
            if is_usual(&asked, path) {
                continue;
            }
            let (found, expected) = (site.get(&asked), site.get(&sure));
            assert!(matches!(found.status, 400 | 404), "{asked}: {}", found.head);
            assert_eq!(alike(&found), alike(&expected), "{asked} {sure}");
        }
    }
}

/// What an alias can be made of, of a spelling: as it is, and decoded once.
fn as_aliases(path: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([path.to_owned(), path.to_uppercase(), format!(" {path} ")]);
    for spelling in spellings(path) {
        let decoded = percent_encoding::percent_decode_str(&spelling).decode_utf8_lossy();
        all.insert(decoded.into_owned());
        all.insert(spelling);
    }
    // Other words: they have another letter, one that is not seen, or something at their end.
    let others = [
        "\u{17f}", "\u{212a}", "\u{fffd}", "\u{ad}", "\u{200b}", "\u{feff}", "\u{3002}", "~",
        "$data",
    ];
    let is_same = |alias: &String| {
        others.iter().all(|other| !alias.to_lowercase().contains(other))
            && !alias.contains('\u{212a}')
    };
    all.retain(is_same);
    all
}

#[test]
fn w2_no_spelling_is_an_alias() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("fine")]);
        let mut count = 0;
        for path in RESERVED {
            for alias in as_aliases(path) {
                count += 1;
                let name = format!("n{count}");
                root.put(layout, &Page::new(&name).alias(&alias).titled(&name).says("CANARY\n"));
            }
        }
        let site = root.serve(&["--admin-path", ADMIN]);
        let mut listed = site.listed_paths();
        assert!(listed.remove("/fine"));
        assert!(count > 4_000, "{count}");
        let is_reserved_in_some_spelling: Vec<&String> = listed
            .iter()
            .filter(|path| {
                let plain = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                RESERVED.iter().any(|reserved| is_usual(&plain.to_lowercase(), reserved))
            })
            .collect();
        assert!(is_reserved_in_some_spelling.is_empty(), "{is_reserved_in_some_spelling:?}");
        assert!(listed.is_empty(), "{layout:?}: {} of {count}: {listed:?}", listed.len());
        let list = site.text("/resourcesync/resourcelist.xml");
        assert_eq!(list.matches("<url>").count(), 1, "{layout:?}");
    }
}

#[test]
fn w2_no_file_takes_a_spelling() {
    let root = Root::with(Layout::Plain, &[Page::new("fine")]);
    for path in RESERVED {
        for alias in as_aliases(path) {
            let name = alias.trim_start_matches('/');
            // Blanks are hyphens in what files are called by, and what cannot be decoded is itself.
            let mut plain = name.to_owned();
            for _ in 0..4 {
                plain =
                    percent_encoding::percent_decode_str(&plain).decode_utf8_lossy().into_owned();
            }
            let is_other = |letter: char| {
                letter.is_whitespace()
                    || letter.is_control()
                    || "%~\u{fffd}\u{ad}\u{200b}\u{feff}\u{3002}\u{17f}\u{212a}#?".contains(letter)
            };
            if name.contains(['/', '\0'])
                || name.is_empty()
                || name.starts_with('.')
                || plain.contains(is_other)
                || plain.to_lowercase().contains("$data")
            {
                continue;
            }
            let _ = fs::write(root.path(&format!("pages/{name}.md")), "# CANARY\n");
            let _ = fs::create_dir_all(root.path(&format!("pages/{name}")));
            let _ = fs::write(root.path(&format!("pages/{name}/index.md")), "# CANARY\n");
        }
    }
    let site = root.serve(&["--admin-path", ADMIN]);
    let mut listed = site.listed_paths();
    assert!(listed.remove("/fine"));
    assert!(listed.is_empty(), "{listed:?}");
}

#[test]
fn w2_fourteen_spellings_have_one_verdict() {
    let spellings = [
        "/login",
        "/login/",
        "/LOGIN",
        "/Login/",
        "//login",
        "/login//",
        "/%6cogin",
        "/%6Cogin",
        "/%256cogin",
        "/./login",
        "/x/../login",
        "/\\login",
        "/login%20",
        "/login;x",
    ];
    for layout in LAYOUTS {
        for (number, spelling) in spellings.iter().enumerate() {
            let name = format!("n{number}");
            let root = Root::with(layout, &[Page::new(&name).alias(spelling).says("CANARY\n")]);
            let site = root.serve(&[]);
            // As an alias it is refused, the router never gets to it, and the sitemap has none of it.
            assert_eq!(
                site.ready["findings"].as_array().unwrap().len(),
                1,
                "{layout:?} {spelling}"
            );
            assert!(site.listed().is_empty(), "{layout:?} {spelling}");
            let body = site.get(spelling).body;
            assert!(!String::from_utf8_lossy(&body).contains("CANARY"), "{layout:?} {spelling}");
        }
    }
}
