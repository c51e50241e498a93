//! Sources of many shapes, found from many places.

use std::collections::HashMap;
use std::io::Write;

use tidings_document::Capability;
use tidings_web::{
    Client, ClientOptions, DiscoveryError, DiscoveryPolicy, GetOptions, Search, Source, SourceSet,
    Url, discover, discover_with,
};

use crate::server::{Act, Server, answer, nobody, ok, redirect};

const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
    xmlns:rs=\"http://www.openarchives.org/rs/terms/\"";

/// A list with this capability, or a plain Sitemap without; links and entries as `rel href` and
/// `loc capability`.
fn document(
    root: &str,
    capability: &str,
    links: &[(&str, &str)],
    entries: &[(&str, &str)],
) -> String {
    let mut text = format!("<{root} {NS}>");
    for (rel, href) in links {
        text += &format!("<rs:ln rel=\"{rel}\" href=\"{href}\"/>");
    }
    let md = |capability: &str| match capability {
        "" => String::new(),
        name => format!("<rs:md capability=\"{name}\"/>"),
    };
    text += &md(capability);
    let entry = if root == "urlset" { "url" } else { "sitemap" };
    for (loc, capability) in entries {
        text += &format!("<{entry}><loc>{loc}</loc>{}</{entry}>", md(capability));
    }
    text + &format!("</{root}>")
}

fn list(capability: &str, links: &[(&str, &str)], entries: &[(&str, &str)]) -> String {
    document("urlset", capability, links, entries)
}

fn index(capability: &str, links: &[(&str, &str)], entries: &[(&str, &str)]) -> String {
    document("sitemapindex", capability, links, entries)
}

/// A site of these files; a text that begins with `->` redirects.
pub(crate) async fn site(files: &[(&str, String)]) -> Server {
    let files: HashMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
    Server::start(move |path| match files.get(path) {
        Some(text) => match text.strip_prefix("->") {
            Some(location) => redirect(location),
            None => ok(text.as_bytes()),
        },
        None => vec![Act::Send(answer("404 Not Found", &[], b"<html>not here</html>"))],
    })
    .await
}

async fn find(server: &Server, path: &str) -> Result<Source, DiscoveryError> {
    let start = server.url(path);
    let client = Client::new(ClientOptions::default()).unwrap();
    discover(&client, &start, &GetOptions::trusting(&start)).await
}

/// What a set offers, as `capability path`.
fn offers(set: &SourceSet) -> Vec<String> {
    set.offers.iter().map(|offer| format!("{} {}", offer.capability, offer.url.path())).collect()
}

fn path(url: Option<&Url>) -> Option<&str> {
    url.map(Url::path)
}

/// Two sets, one of them with a Resource List Index and a dump.
pub(crate) fn two_sets() -> Vec<(&'static str, String)> {
    let up = &[("up", "/rs/books/capabilitylist.xml")];
    let part = &[up[0], ("index", "resourcelist.xml")];
    vec![
        (
            "/.well-known/resourcesync",
            list(
                "description",
                &[],
                &[
                    ("/rs/books/capabilitylist.xml", "capabilitylist"),
                    ("/rs/maps/capabilitylist.xml", "capabilitylist"),
                ],
            ),
        ),
        (
            "/rs/books/capabilitylist.xml",
            list(
                "capabilitylist",
                &[("up", "/.well-known/resourcesync"), ("describedBy", "/about.html")],
                &[
                    ("resourcelist.xml", "resourcelist"),
                    ("/rs/books/changelist.xml", "changelist"),
                    ("resourcedump.xml", "resourcedump"),
                ],
            ),
        ),
        (
            "/rs/books/resourcelist.xml",
            index("resourcelist", up, &[("list1.xml", ""), ("list2.xml", "")]),
        ),
        ("/rs/books/list1.xml", list("resourcelist", part, &[("/a", "")])),
        ("/rs/books/list2.xml", list("resourcelist", part, &[("/b", "")])),
        ("/rs/books/changelist.xml", list("changelist", up, &[])),
        ("/rs/books/resourcedump.xml", list("resourcedump", up, &[("dump.zip", "")])),
        ("/rs/books/dump.xml", list("resourcedump-manifest", up, &[("/a", "")])),
        (
            "/rs/maps/capabilitylist.xml",
            list(
                "capabilitylist",
                &[("up", "/.well-known/resourcesync")],
                &[("resourcelist.xml", "resourcelist")],
            ),
        ),
    ]
}

const BOOKS: [&str; 3] = [
    "resourcelist /rs/books/resourcelist.xml",
    "changelist /rs/books/changelist.xml",
    "resourcedump /rs/books/resourcedump.xml",
];

#[tokio::test]
async fn rs6_3_2_a_site_has_its_description_at_the_well_known_place() {
    let server = site(&two_sets()).await;
    let source = find(&server, "").await.unwrap();
    assert_eq!(path(source.description.as_ref()), Some("/.well-known/resourcesync"));
    assert_eq!(source.found_by, "its /.well-known/resourcesync");
    let names: Vec<&str> = source.sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["books", "maps"]);
    let books = &source.sets[0];
    assert_eq!(offers(books), BOOKS);
    assert_eq!(path(books.described_by.as_ref()), Some("/about.html"));
    assert_eq!(books.links.len(), 2);
    assert!(
        books.is_called("books")
            && books.is_called(server.url("/rs/books/capabilitylist.xml").as_str())
    );
    assert!(books.offer(Capability::ChangeList).is_some());
    assert!(books.offers.iter().all(|offer| !offer.is_sitemap));
    // The lists themselves are not fetched to know that they are there.
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn any_document_leads_to_its_set() {
    let server = site(&two_sets()).await;
    for start in ["capabilitylist", "resourcelist", "list2", "changelist", "resourcedump", "dump"] {
        let source = find(&server, &format!("/rs/books/{start}.xml")).await.unwrap();
        assert_eq!(path(source.description.as_ref()), Some("/.well-known/resourcesync"));
        assert_eq!(source.found_by, "the document itself", "{start}");
        assert_eq!(source.sets.len(), 1, "{start}");
        assert_eq!(offers(&source.sets[0]), BOOKS, "{start}");
        assert_eq!(source.sets[0].name, "books");
    }
    let source = find(&server, "/rs/books/list2.xml").await.unwrap();
    assert_eq!(source.sets[0].offers[0].is_index, Some(true));
    assert_eq!(source.sets[0].offers[1].is_index, None);
    let source = find(&server, "/.well-known/resourcesync").await.unwrap();
    assert_eq!(source.sets.len(), 2);
}

#[tokio::test]
async fn references_are_resolved_where_the_document_came_from() {
    let mut files = two_sets();
    files[0].1 = "->../rs/description.xml".to_owned();
    let description =
        list("description", &[], &[(" books/capabilitylist.xml\n", "capabilitylist")]);
    files.push(("/rs/description.xml", description));
    let server = site(&files).await;
    let source = find(&server, "/").await.unwrap();
    // What is published is the place, not where it leads today.
    assert_eq!(path(source.description.as_ref()), Some("/.well-known/resourcesync"));
    assert_eq!(offers(&source.sets[0]), BOOKS);
}

#[tokio::test]
async fn descriptions_may_be_in_indexes_that_run_in_circles() {
    for form in [index, list] {
        let mut files = two_sets();
        let (description, top) = (files[0].1.clone(), "/.well-known/resourcesync");
        files[0].1 =
            form("description", &[], &[("/rs/more.xml", ""), (top, ""), ("/rs/1.xml", "")]);
        files.push((
            "/rs/more.xml",
            form("description", &[("index", top)], &[(top, ""), ("/rs/2.xml", "")]),
        ));
        let one = description.replacen(
            "<url>",
            &format!("<rs:ln rel=\"index\" href=\"{top}\"/><url>"),
            1,
        );
        files.push(("/rs/1.xml", one));
        files.push(("/rs/2.xml", list("description", &[("index", "/rs/2.xml")], &[])));
        let server = site(&files).await;
        for start in ["/", "/rs/1.xml", "/rs/more.xml"] {
            let source = find(&server, start).await.unwrap();
            assert_eq!(path(source.description.as_ref()), Some(top), "{start}");
            assert_eq!(source.sets.len(), 2, "{start}");
        }
    }
}

#[tokio::test]
async fn a_document_without_a_way_up_stands_alone() {
    let up = |target| list("changelist", &[("up", target)], &[("/a", "")]);
    let server = site(&[
        ("/gone/changes.xml", up("nowhere.xml")),
        ("/other/changes.xml", up("capabilitylist.xml")),
        ("/other/capabilitylist.xml", list("capabilitylist", &[], &[("x.xml", "changelist")])),
        ("/self/changes.xml", up("changes.xml")),
        ("/none/sitemap.xml", list("", &[], &[("/a", "")])),
        ("/parts/1.xml", list("resourcelist", &[("index", "all.xml")], &[("/a", "")])),
        ("/parts/all.xml", index("resourcelist", &[], &[("1.xml", "")])),
        ("/strange/1.xml", list("resourcelist", &[("index", "all.xml")], &[("/a", "")])),
        ("/strange/all.xml", index("resourcelist", &[], &[("2.xml", "")])),
    ])
    .await;
    for (start, expected, sitemap) in [
        ("/gone/changes.xml", "changelist /gone/changes.xml", false),
        ("/other/changes.xml", "changelist /other/changes.xml", false),
        ("/self/changes.xml", "changelist /self/changes.xml", false),
        ("/none/sitemap.xml", "resourcelist /none/sitemap.xml", true),
        ("/parts/1.xml", "resourcelist /parts/all.xml", false),
        ("/strange/1.xml", "resourcelist /strange/1.xml", false),
    ] {
        let source = find(&server, start).await.unwrap();
        assert_eq!(source.sets.len(), 1);
        assert_eq!(offers(&source.sets[0]), [expected]);
        assert_eq!(source.sets[0].offers[0].is_sitemap, sitemap);
        assert_eq!(path(source.sets[0].capability_list.as_ref()), None);
    }
    let source = find(&server, "/other/changes.xml").await.unwrap();
    let said = source.tried.iter().find_map(|attempt| attempt.result.clone().err()).unwrap();
    assert!(said.to_string().contains("does not list"), "{said}");
    assert!(!said.is_absence());
}

#[tokio::test]
async fn rs6_3_3_pages_and_answers_link_to_capability_lists_or_descriptions() {
    for target in ["/rs/books/capabilitylist.xml", "/.well-known/resourcesync"] {
        let mut files = two_sets();
        let page = format!("<!doctype html><base href=/><LINK REL='ResourceSync' HREF='{target}'>");
        files.push(("/folder/page.html", page));
        let server = site(&files).await;
        let source = find(&server, "/folder/page.html").await.unwrap();
        let expected = format!("the link in the page {}", server.url("/folder/page.html"));
        assert_eq!(source.found_by, expected);
        assert_eq!(offers(&source.sets[0]), BOOKS);
    }
    let files: HashMap<String, String> =
        two_sets().into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
    let server = Server::start(move |path| match (path, files.get(path)) {
        ("/folder/image.png", _) => {
            let link = "Link: </x>; rel=next, </rs/books/capabilitylist.xml>; rel=\"resourcesync\"";
            vec![Act::Send(answer("200 OK", &[link], b"\x89PNG"))]
        }
        (_, Some(text)) => ok(text.as_bytes()),
        _ => vec![Act::Send(answer("404 Not Found", &[], b""))],
    })
    .await;
    let source = find(&server, "/folder/image.png").await.unwrap();
    assert!(source.found_by.starts_with("the Link header of http://"), "{}", source.found_by);
    assert_eq!(offers(&source.sets[0]), BOOKS);
}

#[tokio::test]
async fn a_folder_may_have_a_well_known_place() {
    let description = list("description", &[], &[("../c.xml", "capabilitylist")]);
    let server = site(&[
        ("/user/me/.well-known/resourcesync", description),
        ("/user/me/c.xml", list("capabilitylist", &[], &[("r.xml", "resourcelist")])),
        ("/user/me/page", "<html>".to_owned()),
    ])
    .await;
    for start in ["/user/me/", "/user/me/page", "/user/me/nothing"] {
        let source = find(&server, start).await.unwrap();
        assert_eq!(source.found_by, "its /user/me/.well-known/resourcesync");
        assert_eq!(source.sets[0].name, "me");
    }
}

#[tokio::test]
async fn rs6_3_4_robots_name_resource_lists_or_sitemaps() {
    let page = "<!doctype html><title>Welcome, whatever you asked for</title>".to_owned();
    let plain = |path: &str| list("", &[], &[(path, "")]);
    let mut files = vec![
        // Pages in the place of documents are not documents.
        ("/.well-known/resourcesync", page.clone()),
        ("/", page),
        ("/robots.txt", "Sitemap: /one.xml\nSITEMAP: two.xml\nSitemap: /missing.xml\n".to_owned()),
        ("/one.xml", plain("/a")),
        ("/two.xml", index("", &[], &[("three.xml", "")])),
    ];
    let source = find(&site(&files).await, "/").await.unwrap();
    assert_eq!(source.found_by, "the Sitemap lines of robots.txt");
    assert_eq!(source.sets.len(), 1);
    assert_eq!(offers(&source.sets[0]), ["resourcelist /one.xml", "resourcelist /two.xml"]);
    assert!(source.sets[0].offers.iter().all(|offer| offer.is_sitemap));
    assert_eq!(source.sets[0].offers[1].is_index, Some(true));
    // The same with Resource Lists among them, one of a Sitemap that has a way up.
    files.extend(two_sets().into_iter().skip(1));
    files[2].1 += "Sitemap: /rs/books/resourcelist.xml\nSitemap: /rs/books/list1.xml\n";
    let source = find(&site(&files).await, "/").await.unwrap();
    assert_eq!(source.sets.len(), 1);
    assert_eq!(offers(&source.sets[0]), BOOKS);
}

#[tokio::test]
async fn a_sitemap_at_its_usual_place_is_better_than_nothing() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(list("", &[], &[("/a", "")]).as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    let server = Server::start(move |path| match path {
        "/sitemap.xml" => ok(&bytes),
        _ => vec![Act::Send(answer("404 Not Found", &[], b""))],
    })
    .await;
    let source = find(&server, "/some/page").await.unwrap();
    assert_eq!(source.found_by, "its /sitemap.xml");
    assert_eq!(source.sets[0].name, "sitemap");
    assert_eq!(source.tried.len(), 5);
}

#[tokio::test]
async fn wild_documents_are_understood() {
    let server = site(&[
        ("/.well-known/resourcesync", list("description", &[], &[("/c.xml", "")])),
        (
            "/c.xml",
            list(
                "capabilitylist",
                &[],
                &[
                    ("r.xml", ""),
                    ("changes.xml", "changelistindex"),
                    ("s.xml", ""),
                    ("lost.xml", ""),
                    ("/.well-known/resourcesync", "description"),
                ],
            ),
        ),
        ("/r.xml", list("resourcelist", &[], &[])),
        ("/s.xml", list("", &[], &[("/a", "")])),
    ])
    .await;
    let source = find(&server, "/").await.unwrap();
    assert_eq!(
        offers(&source.sets[0]),
        ["resourcelist /r.xml", "changelist /changes.xml", "resourcelist /s.xml"]
    );
    assert!(source.sets[0].offers[2].is_sitemap);
    assert_eq!(source.sets[0].name, "c");
}

#[tokio::test]
async fn what_was_tried_is_said() {
    let files = [("/.well-known/resourcesync", "<html>".to_owned()), ("/page", "text".to_owned())];
    let server = site(&files).await;
    let error = find(&server, "/page").await.unwrap_err();
    let said = error.to_string().replace(server.url("/").as_str(), "http://host/");
    assert_eq!(
        said,
        "no ResourceSync Source and no Sitemap was found at http://host/page:
  what was named: http://host/page is no such document: the document begins with \"text\"
  the well-known place: http://host/.well-known/resourcesync is no such document: an HTML page where a document was expected
  the Sitemap lines of robots.txt: there is no robots.txt: the server answered 404 Not Found
  the usual place of a Sitemap: http://host/sitemap.xml answered 404 Not Found
name one of its documents, such as a Capability List or a Sitemap, if you know where it is"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_asked_once() {
    let start = nobody().await;
    let client = Client::new(ClientOptions::default()).unwrap();
    let error = discover(&client, &start, &GetOptions::trusting(&start)).await.unwrap_err();
    assert!(error.gone);
    assert_eq!(error.tried.len(), 1);
    assert!(error.to_string().ends_with("try again later"), "{error}");
}

#[tokio::test]
async fn c1_a_source_without_end_is_left_alone() {
    let many = |number: u32| -> String {
        let locs: Vec<String> = (0..600).map(|one| format!("/{number}/{one}")).collect();
        let entries: Vec<(&str, &str)> = locs.iter().map(|loc| (loc.as_str(), "")).collect();
        list("description", &[], &entries)
    };
    let server = Server::start(move |path| match path.split('/').nth(1) {
        Some(".well-known") => ok(many(0).as_bytes()),
        _ if path.ends_with("/7") => ok(many(path.len() as u32).as_bytes()),
        _ => ok(list("capabilitylist", &[], &[("r.xml", "resourcelist")]).as_bytes()),
    })
    .await;
    let source = find(&server, "/").await.unwrap();
    assert!(server.requests().len() <= 1_000, "{}", server.requests().len());
    assert!(source.sets.len() > 900);
    assert!(source.tried.iter().any(|attempt| {
        attempt
            .result
            .as_ref()
            .is_err_and(|failure| failure.to_string().contains("documents are enough"))
    }));
}

#[tokio::test]
async fn s3_a_login_goes_to_all_documents_of_its_origin_and_is_never_shown() {
    let server = site(&two_sets()).await;
    let client = Client::new(ClientOptions::default()).unwrap();
    for path in ["/rs/books/list1.xml", "/", "/rs/"] {
        let mut start = server.url(path);
        start.set_username("me").unwrap();
        start.set_password(Some("secret")).unwrap();
        let source = discover(&client, &start, &GetOptions::trusting(&start)).await.unwrap();
        assert!(!format!("{source:?}").contains("secret"), "{source:?}");
    }
    for request in server.requests() {
        assert!(request.contains("\r\nauthorization: basic "), "{request}");
    }
    let mut start = nobody().await;
    start.set_password(Some("secret")).unwrap();
    let error = discover(&client, &start, &GetOptions::trusting(&start)).await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains("secret"), "{error:?}");
}

/// The futures can be spawned.
#[test]
fn discovery_can_be_sent_to_another_thread() {
    fn sent(_: impl Send) {}
    let client = Client::new(ClientOptions::default()).unwrap();
    let start = Url::parse("http://a.example/").unwrap();
    let options = GetOptions::default();
    sent(discover(&client, &start, &options));
    let cache = tidings_web::RobotsCache::new();
    sent(cache.of(&client, &start, &options));
}

async fn find_with(
    server: &Server,
    path: &str,
    search: Search,
    all_sets: bool,
) -> Result<Source, DiscoveryError> {
    let start = server.url(path);
    let client = Client::new(ClientOptions::default()).unwrap();
    let policy = DiscoveryPolicy { search, all_sets };
    discover_with(&client, &start, &GetOptions::trusting(&start), policy).await
}

/// A site with a Sitemap, whose well-known place answers so.
async fn with_sitemap(well_known: Vec<Act>) -> Server {
    let sitemap = list("", &[], &[("/a", "")]);
    Server::start(move |path| match path {
        "/.well-known/resourcesync" => well_known.clone(),
        "/sitemap.xml" => ok(sitemap.as_bytes()),
        _ => vec![Act::Send(answer("404 Not Found", &[], b""))],
    })
    .await
}

#[tokio::test]
async fn a_strict_search_takes_a_sitemap_only_where_there_is_no_resourcesync() {
    for status in ["404 Not Found", "410 Gone"] {
        let server = with_sitemap(vec![Act::Send(answer(status, &[], b""))]).await;
        let source = find_with(&server, "/", Search::Strict, false).await.unwrap();
        assert!(source.is_sitemap(), "{status}");
    }
    let send = |status: &str, body: &[u8]| vec![Act::Send(answer(status, &[], body))];
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<urlset".to_vec();
    for (name, answers, said) in [
        ("403", send("403 Forbidden", b""), "answered 403"),
        ("429", send("429 Too Many Requests", b""), "answered 429"),
        ("503", send("503 Service Unavailable", b""), "answered 503"),
        ("page", ok(b"<!doctype html><title>Log in</title>"), "an HTML page"),
        ("empty", ok(b""), "/.well-known/resourcesync is no such document"),
        ("cut", vec![Act::Send(cut)], "broke off"),
    ] {
        let server = with_sitemap(answers).await;
        for start in ["/", "/page"] {
            let error = find_with(&server, start, Search::Strict, false).await.unwrap_err();
            let text = error.to_string();
            assert!(text.contains(said), "{name}: {text}");
            assert!(text.ends_with("retry later, or copy its Sitemap instead"), "{name}: {text}");
        }
        let asked = server.requests();
        assert!(asked.iter().all(|one| !one.contains("/sitemap.xml")), "{name}: {asked:?}");
        assert!(find(&server, "/").await.unwrap().is_sitemap(), "{name}, leniently");
        let source = find_with(&server, "/", Search::Sitemaps, false).await.unwrap();
        assert!(source.is_sitemap(), "{name}, of its own accord");
    }
}

#[tokio::test]
async fn a_strict_search_does_not_end_at_what_is_broken() {
    let mut files = two_sets();
    files.push(("/sitemap.xml", list("", &[], &[("/a", "")])));
    files.push(("/page.html", "<link rel=resourcesync href=/rs/broken.xml>".to_owned()));
    files.push(("/rs/lone.xml", list("changelist", &[("up", "/rs/broken.xml")], &[])));
    files.push((
        "/rs/description.xml",
        list(
            "description",
            &[],
            &[("/rs/broken.xml", ""), ("/rs/maps/capabilitylist.xml", "capabilitylist")],
        ),
    ));
    let files: HashMap<String, String> =
        files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
    let server = Server::start(move |path| match (path, files.get(path)) {
        ("/rs/broken.xml", _) => vec![Act::Send(answer("500 Broken", &[], b""))],
        (_, Some(text)) => ok(text.as_bytes()),
        _ => vec![Act::Send(answer("404 Not Found", &[], b""))],
    })
    .await;
    for start in ["/rs/broken.xml", "/page.html", "/rs/lone.xml"] {
        let error = find_with(&server, start, Search::Strict, false).await.unwrap_err();
        assert!(error.to_string().contains("broken.xml answered 500"), "{start}: {error}");
    }
    let source = find_with(&server, "/rs/description.xml", Search::Strict, true).await.unwrap();
    assert_eq!((source.sets.len(), source.unread.len()), (1, 1), "{source:?}");
}

#[tokio::test]
async fn all_sets_are_found_from_any_document_if_all_are_wanted() {
    let mut files = two_sets();
    files.push(("/page.html", "<link rel=resourcesync href=/rs/books/capabilitylist.xml>".into()));
    let server = site(&files).await;
    for start in ["/page.html", "/rs/books/capabilitylist.xml", "/rs/books/list2.xml"] {
        for search in [Search::Lenient, Search::Strict] {
            let source = find_with(&server, start, search, true).await.unwrap();
            assert_eq!(source.sets.len(), 2, "{start}");
            assert_eq!(offers(&source.sets[0]), BOOKS);
            let source = find_with(&server, start, search, false).await.unwrap();
            assert_eq!(source.sets.len(), 1, "{start}");
        }
    }
    // With an index of Capability Lists in between.
    let mut between = files.clone();
    between[0].1 = list("description", &[], &[("/rs/sets.xml", "capabilitylist")]);
    let sets = [("/rs/books/capabilitylist.xml", ""), ("/rs/maps/capabilitylist.xml", "")];
    let up = [("up", "/.well-known/resourcesync")];
    between.push(("/rs/sets.xml", index("capabilitylist", &up, &sets)));
    between[1].1 = between[1].1.replace("/.well-known/resourcesync", "/rs/sets.xml");
    let server = site(&between).await;
    for start in ["/page.html", "/rs/sets.xml", "/rs/books/list2.xml"] {
        let source = find_with(&server, start, Search::Strict, true).await.unwrap();
        assert_eq!(source.sets.len(), 2, "{start}: {:?}", source.tried);
    }
    // A Source Description that does not know the set is of another Source.
    files[0].1 = list("description", &[], &[("/rs/maps/capabilitylist.xml", "capabilitylist")]);
    let server = site(&files).await;
    let source = find_with(&server, "/page.html", Search::Strict, true).await.unwrap();
    assert_eq!(offers(&source.sets[0]), BOOKS);
    assert_eq!(source.sets.len(), 1);
}

#[tokio::test]
async fn only_a_server_that_says_so_makes_a_document_absent() {
    let page = "<urlset><x> answered 404 and has none";
    for (reply, is_absent) in [
        (answer("404 Not Found", &[], b""), true),
        (answer("410 Gone", &[], b""), true),
        (answer("403 Forbidden", &[], b""), false),
        (answer("500 Broken", &[], b""), false),
        (answer("200 OK", &[], page.as_bytes()), false),
    ] {
        let files: HashMap<&str, String> = two_sets().into_iter().collect();
        let server = Server::start(move |path| match (path, files.get(path)) {
            ("/rs/maps/capabilitylist.xml", _) => vec![Act::Send(reply.clone())],
            (_, Some(text)) => ok(text.as_bytes()),
            _ => vec![Act::Send(answer("404 Not Found", &[], b""))],
        })
        .await;
        let source = find(&server, "/").await.unwrap();
        let attempt = source.tried.iter().find(|attempt| attempt.is_listed).unwrap();
        let failure = attempt.result.as_ref().unwrap_err();
        assert_eq!(failure.is_absence(), is_absent, "{failure}");
        assert_eq!(source.unread.len(), usize::from(!is_absent), "{failure}");
    }
    let robots = |text: &str| ("/robots.txt", text.to_owned());
    for (files, is_absent) in [(vec![robots("User-agent: *")], true), (Vec::new(), true)] {
        let error = find(&site(&files).await, "/").await.unwrap_err();
        let attempt = error.tried.iter().find(|attempt| attempt.url.path() == "/robots.txt");
        let failure = attempt.unwrap().result.as_ref().unwrap_err();
        assert_eq!(failure.is_absence(), is_absent, "{failure}");
    }
}
