//! URIs that somebody made to do harm, and what becomes of them: rows U1 to U7 of the threats.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tidings_destination::{
    Mapping, Uri, conflict_as_file, conflict_as_folder, folded, with_suffix,
};

fn path(uri: &str) -> String {
    Mapping::new().path(&Uri::parse(uri).unwrap())
}

/// Each URI has this path, and the path leads back to the normal form of the URI.
fn check(table: &[(&str, &str)]) {
    for (uri, expected) in table {
        let mapping = Mapping::new();
        let uri = Uri::parse(uri).unwrap();
        assert_eq!(mapping.path(&uri), *expected, "{uri}");
        assert_eq!(mapping.uri(expected).as_deref(), Some(uri.as_str()), "{expected}");
        assert_inside(expected);
    }
}

fn assert_inside(path: &str) {
    assert!(!path.contains(['\\', '\0']), "{path}");
    for name in path.split('/') {
        assert!(!matches!(name, "" | "." | "..") && name.len() <= 255, "{path}");
        assert!(!name.ends_with(['.', ' ']) && !name.contains([':', '*', '?', '"', '<', '>', '|']));
    }
    assert_ne!(folded(path.split('/').next().unwrap()), ".tidings");
}

#[test]
fn u1_ways_upwards_stay_inside() {
    check(&[
        ("https://a.example/../../etc/passwd", "a.example/etc/passwd"),
        ("https://a.example/%2e%2e/%2E./x", "a.example/x"),
        ("https://a.example/a%2fb%2Fc", "a.example/a%2fb%2Fc"),
        ("https://a.example/..%2f..%2fx", "a.example/..%2f..%2fx"),
        ("https://a.example/..%5c..%5Cx", "a.example/..%5c..%5Cx"),
        ("https://a.example/%252e%252e/x", "a.example/%252e%252e/x"),
        ("https://a.example/..\\..\\x", "a.example/x"),
        ("https://a.example//etc//passwd", "a.example/%_/etc/%_/passwd"),
        ("https://a.example/./x/.", "a.example/x/%_index"),
        ("https://a.example/..;/x", "a.example/..;/x"),
        ("https://a.example/a;b=1/.../....", "a.example/a;b=1/..%_2E/...%_2E"),
        ("https://a.example/a%00b%0A", "a.example/a%00b%0A"),
        ("https://a.example/x?../../../etc", "a.example/x%_3F..%_2F..%_2F..%_2Fetc"),
        ("https://a.example/x?..\\..\\", "a.example/x%_3F..%_5C..%_5C"),
        ("https://a.example/C:/x", "a.example/C%_3A/x"),
    ]);
}

#[test]
fn u1_percent_signs_are_kept_apart() {
    check(&[
        ("https://a.example/caf%C3%A9", "a.example/café"),
        ("https://a.example/café", "a.example/café"),
        ("https://a.example/caf%c3%a9", "a.example/caf%c3%a9"),
        ("https://a.example/a%20b", "a.example/a b"),
        ("https://a.example/A%41", "a.example/A%41"),
        ("https://a.example/100%", "a.example/100%_25"),
        ("https://a.example/%zz%_5B%%41", "a.example/%_25zz%_25_5B%_25%41"),
        ("https://a.example/%_index", "a.example/%_25_index"),
        ("https://a.example/%7B{%23%60", "a.example/{{#`"),
        ("https://a.example/x?%7B{%27%23", "a.example/x%_3F%7B{'#"),
        ("https://a.example/%FF%FE%C3", "a.example/%FF%FE%C3"),
        ("https://a.example/%E2%80%AEtxt", "a.example/%E2%80%AEtxt"),
        ("https://a.example/%E2%80%8B%EF%BF%BD", "a.example/%E2%80%8B%EF%BF%BD"),
        ("https://a.example/%C0%AE%ED%A0%80", "a.example/%C0%AE%ED%A0%80"),
        ("https://a.example/%3Ca%3E%22%7C%2A", "a.example/%3Ca%3E%22%7C%2A"),
        ("https://a.example/a|b*c:d", "a.example/a%_7Cb%_2Ac%_3Ad"),
    ]);
}

#[test]
fn u2_each_authority_has_its_folder() {
    check(&[
        ("https://example.org/x", "example.org/x"),
        ("https://example.org:443/x", "example.org/x"),
        ("http://example.org/x", "example.org+80/x"),
        ("http://example.org:8080/x", "example.org+8080/x"),
        ("http://example.org:443/x", "example.org+443/x"),
        ("https://example.org:8443/x", "example.org+8443s/x"),
        ("https://example.org:80/x", "example.org+80s/x"),
        ("https://EXAMPLE.org/x", "example.org/x"),
        ("https://example.org./x", "example.org%_2E/x"),
        ("https://bücher.example/", "xn--bcher-kva.example/%_index"),
        ("https://[::1]/x", "%_5B%_3A%_3A1%_5D/x"),
        ("http://[2001:db8::1]:81/x", "%_5B2001%_3Adb8%_3A%_3A1%_5D+81/x"),
        ("https://0x7f.1/x", "127.0.0.1/x"),
        ("https://a+80/x", "a%_2B80/x"),
        ("https://aux.example/x", "%_61ux.example/x"),
    ]);
    for (uri, reason) in [
        ("https://user@a.example/x", "`https://a.example/x` was given with a user name"),
        ("https://user:secret@a.example/x", "`https://a.example/x` was given with a user name"),
        ("ftp://a.example/", "has the scheme `ftp`"),
        ("file:///etc/passwd", "has the scheme `file`"),
        ("../x", "is not a URI"),
        ("https://a b/", "is not a URI"),
    ] {
        let error = Uri::parse(uri).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn u3_twins_share_a_key_and_get_two_names() {
    for (one, other) in [
        ("https://a.example/Readme", "https://a.example/README"),
        ("https://a.example/%C3%A9", "https://a.example/e%CC%81"),
        ("https://a.example/stra%C3%9Fe", "https://a.example/STRASSE"),
        ("https://a.example/%E1%BA%9E", "https://a.example/ss"),
        ("https://a.example/%C4%B0.txt", "https://a.example/i.txt"),
        ("https://a.example/%C4%B1.txt", "https://a.example/I.txt"),
        ("https://a.example/%CF%82", "https://a.example/%CE%A3"),
    ] {
        let (one, other) = (Uri::parse(one).unwrap(), Uri::parse(other).unwrap());
        let mapping = Mapping::new();
        let (first, second) = (mapping.path(&one), mapping.path(&other));
        assert_ne!(first, second);
        assert_eq!(folded(&first), folded(&second));
        let suffixed = with_suffix(&second, &other);
        assert_ne!(folded(&suffixed), folded(&first));
        assert_eq!(mapping.uri(&suffixed), None);
    }
    assert_ne!(folded(&path("https://a.example/a")), folded(&path("https://a.example/b")));
    let uri = Uri::parse("https://a.example/A.TXT").unwrap();
    assert_eq!(with_suffix("a.example/A.TXT", &uri), "a.example/A%_~1dffc498.TXT");
    assert_eq!(with_suffix("a.example/A", &uri), "a.example/A%_~1dffc498");
    assert_eq!(with_suffix("a.example/.A", &uri), "a.example/.A%_~1dffc498");
}

#[test]
fn u4_queries_are_part_of_the_name() {
    check(&[
        ("https://a.example/x?a=1&b=2", "a.example/x%_3Fa=1&b=2"),
        ("https://a.example/x?b=2&a=1", "a.example/x%_3Fb=2&a=1"),
        ("https://a.example/x%3Fa=1", "a.example/x%3Fa=1"),
        ("https://a.example/x?", "a.example/x%_3F"),
        ("https://a.example/x#top", "a.example/x"),
        ("https://a.example/x?q=a+b", "a.example/x%_3Fq=a+b"),
        ("https://a.example/x?q=a%20b", "a.example/x%_3Fq=a b"),
        ("https://a.example/?q", "a.example/%_index%_3Fq"),
        ("https://a.example/x?u=http://b/?c.", "a.example/x%_3Fu=http%_3A%_2F%_2Fb%_2F%_3Fc%_2E"),
    ]);
}

#[test]
fn u5_what_is_too_long_is_shortened() {
    let mapping = Mapping::new();
    let of = |segment: &str| path(&format!("https://a.example/{segment}"));
    let most = "a".repeat(240);
    assert_eq!(of(&most), format!("a.example/{most}"));
    for long in [
        "a".repeat(241),
        "b".repeat(255),
        format!("{}b", "a".repeat(2_000)),
        format!("{}c", "a".repeat(2_000)),
        "%E6%97%A5".repeat(100),
        "%2F".repeat(100),
        format!("{}{}", "a".repeat(203), ":".repeat(60)),
        format!("q?{}", "d".repeat(64_000)),
    ] {
        let path = of(&long);
        let (_, name) = path.split_once('/').unwrap();
        assert!((230..=240).contains(&name.len()), "{name}");
        assert_eq!(name.rfind("%_~"), Some(name.len() - 35), "{name}");
        assert_eq!(mapping.uri(&path), None);
    }
    assert_ne!(of(&format!("{}b", "a".repeat(2_000))), of(&format!("{}c", "a".repeat(2_000))));
    assert!(of(&format!("{}{}", "a".repeat(203), ":".repeat(60))).contains("aaa%_~"));

    let deep = "a/".repeat(1_490);
    assert_eq!(of(&deep), format!("a.example/{deep}%_index"));
    let deeper = of(&"a/".repeat(1_500));
    assert_eq!(deeper.len(), "a.example/%_long/".len() + 64);
    assert_ne!(deeper, of(&"a/".repeat(1_501)));
    assert_eq!(mapping.uri(&deeper), None);
    let mapped = Mapping::new().with("https://a.example/", "books").unwrap();
    let uri = format!("https://a.example/{}", "bcd/".repeat(1_000));
    assert!(mapped.path(&Uri::parse(&uri).unwrap()).starts_with("books/%_long/"));
}

#[test]
fn u6_files_and_folders_of_one_name_are_both_kept() {
    check(&[
        ("https://a.example/a", "a.example/a"),
        ("https://a.example/a/", "a.example/a/%_index"),
        ("https://a.example/a//", "a.example/a/%_/%_index"),
        ("https://a.example/a/b", "a.example/a/b"),
        ("https://a.example/a/%_self", "a.example/a/%_25_self"),
    ]);
    let mapping = Mapping::new();
    for conflict in [
        conflict_as_file("a.example/a"),
        conflict_as_folder("a.example/a/b", 1),
        conflict_as_folder("a.example/a/b", 0),
    ] {
        assert_inside(&conflict);
        assert_eq!(mapping.uri(&conflict), None, "{conflict}");
    }
}

#[test]
fn u7_reserved_names_are_not_used() {
    check(&[
        ("https://a.example/CON", "a.example/%_43ON"),
        ("https://a.example/nul.txt", "a.example/%_6Eul.txt"),
        ("https://a.example/Com1/LPT9.x", "a.example/%_43om1/%_4CPT9.x"),
        ("https://a.example/com%C2%B9", "a.example/%_63om¹"),
        ("https://a.example/con.", "a.example/%_63on%_2E"),
        ("https://a.example/con%20", "a.example/%_63on%20"),
        ("https://a.example/a.%20/b%20", "a.example/a.%20/b%20"),
        ("https://a.example/.htaccess", "a.example/.htaccess"),
        ("https://a.example/.tidings/x", "a.example/.tidings/x"),
    ]);
    let root = Mapping::new().with("https://a.example/", ".").unwrap();
    for (uri, expected) in [
        ("https://a.example/.tidings/x", "%_2Etidings/x"),
        ("https://a.example/.TiDings", "%_2ETiDings"),
        ("https://a.example/.t%C4%B1dings/x", "%_2Etıdings/x"),
        ("https://a.example/TIDING~1/x", "%_54IDING~1/x"),
        ("https://a.example/b/.tidings", "b/.tidings"),
        ("https://a.example/", "%_index"),
        ("https://a.example/b.example/x", "b.example/x"),
        ("https://b.example/x", "%_@b.example/x"),
    ] {
        assert_eq!(root.path(&Uri::parse(uri).unwrap()), expected);
        assert_eq!(root.uri(expected).as_deref(), Some(uri));
        assert_inside(expected);
    }
}

#[test]
fn the_longest_prefix_counts() {
    let mapping = Mapping::new()
        .with("https://a.example", "all")
        .unwrap()
        .with_rule("https://a.example/x=books/new")
        .unwrap()
        .with_rule("https://c.example/k=v/=b.example")
        .unwrap();
    for (uri, expected) in [
        ("https://a.example/y", "all/y"),
        ("https://a.example/x/y", "books/new/y"),
        ("https://a.example/x/", "books/new/%_index"),
        ("https://a.example/x", "all/x"),
        ("https://a.example/xy", "all/xy"),
        ("http://a.example/x/y", "a.example+80/x/y"),
        ("https://c.example/k=v/y", "b.example/y"),
        ("https://b.example/y", "%_@b.example/y"),
        ("https://books/new/y", "%_@books/new/y"),
        ("https://BOOKS.example/new/y", "books.example/new/y"),
    ] {
        let uri = Uri::parse(uri).unwrap();
        assert_eq!(mapping.path(&uri), expected);
        assert_eq!(mapping.uri(expected).as_deref(), Some(uri.as_str()));
    }
    for nobodys in ["all/x/y", "books/new", "books/y", "b.example", "all/%_43ON%", "", "/", "all//"]
    {
        assert_eq!(mapping.uri(nobodys), None, "{nobodys}");
    }
}

#[test]
fn rules_that_could_do_harm_are_refused() {
    let mapping = Mapping::new().with("https://a.example/x/", "books/new").unwrap();
    for (rule, reason) in [
        ("https://b.example/=/etc", "it is absolute"),
        ("https://b.example/=../etc", "it leads upwards"),
        ("https://b.example/=a/../../etc", "it leads upwards"),
        ("https://b.example/=.tidings", "keeps its state"),
        ("https://b.example/=./.TIDINGS/x", "keeps its state"),
        ("https://b.example/=C:", "not every system"),
        ("https://b.example/=a\\b", "not every system"),
        ("https://b.example/=%_long", "not every system"),
        ("https://b.example/=nul", "not every system"),
        ("https://b.example/=books/new", "not apart"),
        ("https://b.example/=Books/New/2", "not apart"),
        ("https://b.example/=books", "not apart"),
        ("https://b.example/=.", "not apart"),
        ("https://b.example/=", "not apart"),
        ("https://a.example/x=c", "mapped twice"),
        ("https://A.example:443/y/../x/=c", "mapped twice"),
        ("https://b.example/?x=c", "has a query"),
        ("https://b.example/", "is not `URI=FOLDER`"),
        ("books=c", "cannot map what is below this URI"),
    ] {
        let error = mapping.clone().with_rule(rule).unwrap_err();
        assert!(error.to_string().contains(reason), "{rule}: {error}");
    }
    assert!(mapping.with_rule("https://b.example/=books/newer").is_ok());
}

/// Pieces of URIs of which every two next to each other may be misread.
const PIECES: &[&str] = &[
    "/",
    "/",
    "/",
    ".",
    "..",
    "...",
    "%2e",
    "%2E",
    "%2f",
    "%2F",
    "%5c",
    "%5C",
    "\\",
    "%",
    "%%",
    "%_",
    "_",
    "%25",
    "%41",
    "A",
    "a",
    "%61",
    "%C3%A9",
    "%c3%a9",
    "é",
    "e%CC%81",
    "%C3",
    "%A9",
    "ß",
    "%20",
    " ",
    "+",
    "%2B",
    "?",
    "%3F",
    "#",
    "%23",
    "'",
    "%27",
    "{",
    "%7B",
    "`",
    "%60",
    ":",
    "%3A",
    "*",
    "|",
    "\"",
    "<",
    "con",
    "CON",
    "nul",
    "com1",
    "%C2%B9",
    ".txt",
    ".tidings",
    ".TIDINGS",
    "TIDING~1",
    "~",
    "index",
    "%_index",
    "self",
    "d",
    "%_d",
    "%_~",
    "%_long",
    "%_3F",
    "3F",
    "%E2%80%AE",
    "%EF%BF%BD",
    "%00",
    "%7F",
    "=",
    "&",
    ";",
    "@",
    "%40",
    "long-name-that-is-repeated-",
    "b.example",
    "%E6%97%A5%E6%9C%AC",
    "0",
    "00000000",
];

const ORIGINS: &[&str] = &[
    "https://a.example/",
    "https://a.example/",
    "http://a.example/",
    "http://a.example:8080/",
    "https://a.example:8080/",
    "https://b.example/",
    "https://a.example+80/",
    "https://con/",
    "https://[::1]/",
    "https://.tidings/",
    "https://x/",
    "http://a.example:443/",
    "https://a.example./",
];

fn text() -> impl Strategy<Value = (usize, Vec<usize>)> {
    (0..ORIGINS.len(), vec(0..PIECES.len(), 0..9))
}

fn assembled((origin, pieces): &(usize, Vec<usize>)) -> Option<Uri<'static>> {
    let mut text = ORIGINS[*origin].to_owned();
    for &piece in pieces {
        // Now and then a name that is too long.
        let times = if PIECES[piece].starts_with("long") { 9 } else { 1 };
        text.push_str(&PIECES[piece].repeat(times));
    }
    Uri::parse(&text).ok().map(Uri::into_owned)
}

/// Two texts that differ in one piece, or in the origin.
fn pair() -> impl Strategy<Value = (Option<Uri<'static>>, Option<Uri<'static>>)> {
    (text(), any::<Index>(), 0..PIECES.len(), 0..ORIGINS.len()).prop_map(
        |(one, at, piece, origin)| {
            let mut other = one.clone();
            match at.index(one.1.len() + 2) {
                0 => other.0 = origin,
                1 => other.1.push(piece),
                place => other.1[place - 2] = piece,
            }
            (assembled(&one), assembled(&other))
        },
    )
}

fn mappings() -> impl Strategy<Value = Mapping> {
    select(vec![
        Mapping::new(),
        Mapping::new().with("https://a.example/", ".").unwrap(),
        Mapping::new().with("https://a.example/a/", "").unwrap(),
        Mapping::new().with("https://a.example/", "b.example").unwrap(),
        Mapping::new()
            .with("https://a.example/", "x")
            .and_then(|mapping| mapping.with("https://a.example/con/", "a.example+80/a"))
            .unwrap(),
    ])
}

fn verify(mapping: &Mapping, one: &Uri<'_>, other: &Uri<'_>) {
    let (first, second) = (mapping.path(one), mapping.path(other));
    assert_eq!(one == other, first == second, "{one} and {other}: {first}");
    for (uri, path) in [(one, &first), (other, &second)] {
        assert_inside(path);
        assert_eq!(&mapping.path(uri), path, "{uri}");
        let is_short = path.contains("%_~") || path.contains("%_long");
        let back = mapping.uri(path);
        assert_eq!(back.as_deref(), (!is_short).then_some(uri.as_str()), "{path}");
        assert_eq!(mapping.uri(&with_suffix(path, uri)), None);
        assert_eq!(mapping.uri(&conflict_as_file(path)), None);
        assert_eq!(mapping.uri(&conflict_as_folder(path, 0)), None);
        assert_inside(&with_suffix(&conflict_as_folder(path, path.split('/').count() - 1), uri));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn paths_are_apart_inside_stable_and_reversible(mapping in mappings(), (one, other) in pair()) {
        if let (Some(one), Some(other)) = (one, other) {
            verify(&mapping, &one, &other);
        }
    }

    #[test]
    fn no_path_is_read_wrongly(mapping in mappings(), names in vec(0..PIECES.len(), 1..6)) {
        let path: String = names.iter().map(|&name| PIECES[name]).collect();
        if let Some(uri) = mapping.uri(&path) {
            prop_assert_eq!(mapping.path(&Uri::parse(&uri).unwrap()), path);
        }
    }
}

#[test]
fn a_hundred_thousand_pairs_are_apart() {
    let begun = Instant::now();
    let mut dice = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = |below: usize| {
        // Xorshift: chance enough, and the same every time.
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 11) as usize % below
    };
    let mapping = Mapping::new();
    let (mut pairs, mut same) = (0, 0);
    while pairs < 100_000 {
        let pieces: Vec<usize> = (0..roll(9) + 1).map(|_| roll(PIECES.len())).collect();
        let one = (roll(ORIGINS.len()), pieces);
        let mut other = one.clone();
        match roll(8) {
            0 => other.0 = roll(ORIGINS.len()),
            _ => other.1[roll(one.1.len())] = roll(PIECES.len()),
        }
        let (Some(one), Some(other)) = (assembled(&one), assembled(&other)) else { continue };
        let (first, second) = (mapping.path(&one), mapping.path(&other));
        assert_eq!(one == other, first == second, "{one} and {other}: {first}");
        pairs += 1;
        same += usize::from(one == other);
    }
    println!("{pairs} pairs, {same} of them the same URI, in {:?}", begun.elapsed());
}
