//! Past versions: TimeGate, TimeMap and mementos (RFC 7089).

use crate::content_root::id_of;
use crate::content_root::{Page, Root, Site, python, set_time, version_path};

/// When the three versions were written: 2020, 2021 and 2022, at the beginning of the year.
const TIMES: [u64; 3] = [1_577_836_800, 1_609_459_200, 1_640_995_200];
const DATES: [&str; 3] = [
    "Wed, 01 Jan 2020 00:00:00 GMT",
    "Fri, 01 Jan 2021 00:00:00 GMT",
    "Sat, 01 Jan 2022 00:00:00 GMT",
];

fn versions() -> (Root, Site, String) {
    let root = Root::new();
    let id = id_of("a");
    for (number, time) in TIMES.into_iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        root.version(id, number, &Page::new("a").sidecar(), format!("Version {number}.\n"));
        let path = version_path(id, number);
        set_time(&root.path(&path), time);
        set_time(&root.path(&format!("{path}.ron")), time);
    }
    let site = root.serve(&[]);
    (root, site, format!("{id:016x}"))
}

fn negotiated(site: &Site, id: &str, date: &str) -> crate::support::follower::Answer {
    site.get_with(&format!("/builtin/timegate/{id}"), &format!("Accept-Datetime: {date}\r\n"))
}

#[test]
fn the_timegate_leads_to_the_version_of_a_time() {
    let (_root, site, id) = versions();
    for (date, number) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        (DATES[0], 0),
        ("Thu, 31 Dec 2020 23:59:59 GMT", 0),
        (DATES[1], 1),
        ("Tue, 15 Jun 2021 12:00:00 GMT", 1),
        (DATES[2], 2),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 2),
    ] {
        let answer = negotiated(&site, &id, date);
        assert_eq!(answer.status, 302, "{date}: {}", answer.head);
        let to = answer.header("location").unwrap();
        assert_eq!(to, format!("{}builtin/memento/{id}.{number}", site.base), "{date}");
        let varies = answer.header("vary").unwrap().to_lowercase();
        assert!(varies.contains("accept-datetime"), "{varies}");
        assert_eq!(answer.header("memento-datetime"), None);
        let links = answer.header("link").unwrap();
        assert!(links.contains(&format!("<{}a>; rel=\"original\"", site.base)), "{links}");
        assert!(links.contains("rel=\"timemap\""), "{links}");
        let head = site.request(
            "HEAD",
            &format!("/builtin/timegate/{id}"),
            &format!("Accept-Datetime: {date}\r\n"),
            "",
        );
        assert_eq!((head.status, head.header("location")), (302, Some(to)));
    }
    let latest = site.get(&format!("/builtin/timegate/{id}"));
    assert!(latest.header("location").unwrap().ends_with(".2"), "{}", latest.head);
}

#[test]
fn a_time_that_is_none_is_refused() {
    let (_root, site, id) = versions();
    for date in [
        "yesterday",
        "2021-01-01T00:00:00Z",
        "Fri, 01 Jan 2021 00:00:00 +0000",
        "Fri, 32 Jan 2021 00:00:00 GMT",
        "Fri, 1 Jan 2021 00:00:00 GMT",
        "0",
    ] {
        assert_eq!(negotiated(&site, &id, date).status, 400, "{date}");
    }
    for unknown in ["0000000000000000", "x", ""] {
        assert_eq!(negotiated(&site, unknown, DATES[1]).status, 404, "{unknown}");
    }
}

#[test]
fn the_timemap_has_all_versions() {
    let (_root, site, id) = versions();
    let answer = site.get(&format!("/builtin/timemap/{id}"));
    let kind = answer.header("content-type").unwrap();
    assert!(kind.starts_with("application/link-format"), "{kind}");
    let text = answer.text();
    let links: Vec<&str> = text.trim_end().split(",\n").collect();
    assert_eq!(links.len(), 6, "{text}");
    for part in [
        format!("<{}a>; rel=\"original\"", site.base),
        format!("<{}builtin/timegate/{id}>; rel=\"timegate\"", site.base),
        format!(
            "<{}builtin/memento/{id}.0>; rel=\"first memento\"; datetime=\"{}\"",
            site.base, DATES[0]
        ),
        format!(
            "<{}builtin/memento/{id}.1>; rel=\"memento\"; datetime=\"{}\"",
            site.base, DATES[1]
        ),
        format!(
            "<{}builtin/memento/{id}.2>; rel=\"last memento\"; datetime=\"{}\"",
            site.base, DATES[2]
        ),
    ] {
        assert!(links.contains(&part.as_str()), "{part}\n{text}");
    }
    let own = links.iter().find(|link| link.contains("rel=\"self\"")).unwrap();
    assert!(own.contains(&format!("from=\"{}\"", DATES[0])), "{own}");
    assert!(own.contains(&format!("until=\"{}\"", DATES[2])), "{own}");
}

#[test]
fn a_memento_is_the_page_as_it_was() {
    let (root, site, id) = versions();
    for (number, date) in DATES.iter().enumerate() {
        let answer = site.get(&format!("/builtin/memento/{id}.{number}"));
        assert_eq!(answer.status, 200);
        assert!(answer.text().contains(&format!("Version {number}.")));
        assert_eq!(answer.header("memento-datetime").as_deref(), Some(*date));
        let links = answer.header("link").unwrap();
        assert_eq!(links.matches("rel=\"original\"").count(), 1, "{links}");
        assert!(links.contains("rel=\"timegate\"") && links.contains("rel=\"timemap\""), "{links}");
        // Negotiation in time is the TimeGate's alone (section 4.2.1).
        let head = answer.head.to_lowercase();
        let varies: Vec<&str> = head.lines().filter(|line| line.starts_with("vary:")).collect();
        assert!(varies.iter().all(|line| !line.contains("accept-datetime")), "{varies:?}");
        assert_eq!(answer.header("x-robots-tag").as_deref(), Some("noindex"));
    }
    let page = site.get("/a");
    let links = page.header("link").unwrap();
    assert!(links.contains(&format!("<{}builtin/timegate/{id}>; rel=\"timegate\"", site.base)));
    assert!(!links.contains("rel=\"original\""), "{links}");
    assert_eq!(page.header("memento-datetime"), None);
    for wrong in [".3", ".01", ".-1", ".", "", ".0.ron", ".x"] {
        assert_eq!(site.status(&format!("/builtin/memento/{id}{wrong}")), 404, "{wrong}");
    }
    // A version that comes is there at once.
    root.version(id_of("a"), 3, &Page::new("a").sidecar(), "Version 3.\n");
    assert!(site.text(&format!("/builtin/memento/{id}.3")).contains("Version 3."));
    assert!(site.text(&format!("/builtin/timemap/{id}")).contains(".3>; rel=\"last memento\""));
}

#[test]
fn lists_name_the_timegate() {
    let (_root, site, id) = versions();
    let list = site.text("/resourcesync/resourcelist.xml");
    assert!(
        list.contains("rel=\"timegate\"") && list.contains(&format!("timegate/{id}")),
        "{list}"
    );
}

#[test]
fn a_client_of_others_finds_the_past() {
    let (_root, site, id) = versions();
    let script = "import sys, datetime, logging\n\
        from memento_client import MementoClient\n\
        client = MementoClient()\n\
        page = sys.argv[1]\n\
        for year in (1999, 2020, 2021, 2050):\n\
        \x20   when = datetime.datetime(year, 6, 15)\n\
        \x20   print(client.get_native_timegate_uri(page, when))\n\
        \x20   info = client.get_memento_info(page, when)\n\
        \x20   found = info['mementos']['closest']\n\
        \x20   print(found['uri'][0], found['datetime'].year)\n\
        \x20   print(MementoClient.is_memento(found['uri'][0]))\n";
    let Some(said) = python("memento_client", script, &[&format!("{}a", site.base)]) else {
        return;
    };
    let gate = format!("{}builtin/timegate/{id}", site.base);
    let mut expected = String::new();
    for (number, year) in [(0, 2020), (0, 2020), (1, 2021), (2, 2022)] {
        let uri = format!("{}builtin/memento/{id}.{number}", site.base);
        expected += &format!("{gate}\n{uri} {year}\nTrue\n");
    }
    assert_eq!(said, expected);
}
