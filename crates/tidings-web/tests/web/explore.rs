//! A Source as a tree, by a task of its own as a server has it.

use std::sync::{Arc, Mutex};

use tidings_web::explore::{ExploreOptions, Tree, VisitError, explore, visit};
use tidings_web::{Client, ClientOptions, FetchError, GetOptions, Login, Url, discover};

use crate::discovery::{site, two_sets};
use crate::server::Server;

/// The tree of a Source, and what was told on the way. It has to be one that can be spawned.
async fn tree(server: &Server, options: ExploreOptions) -> (Tree, Vec<usize>) {
    let mut start = server.url("/");
    start.set_username("me").unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let theirs = Arc::clone(&told);
    let tree = tokio::spawn(async move {
        let client = Client::new(ClientOptions::default()).unwrap();
        let get = GetOptions::trusting(&start);
        let source = discover(&client, &start, &get).await.unwrap();
        let login = Login::take(&mut start);
        let progress = |number: usize, _: &Url| theirs.lock().unwrap().push(number);
        explore(&client, &source, &get, login.as_ref(), &options, &progress).await
    })
    .await
    .unwrap();
    let told = told.lock().unwrap().clone();
    (tree, told)
}

/// `depth path`, for each document.
fn places(tree: &Tree) -> Vec<String> {
    tree.nodes.iter().map(|node| format!("{} {}", node.depth, node.url.path())).collect()
}

const ALL: [&str; 9] = [
    "0 /.well-known/resourcesync",
    "1 /rs/books/capabilitylist.xml",
    "2 /rs/books/resourcelist.xml",
    "3 /rs/books/list1.xml",
    "3 /rs/books/list2.xml",
    "2 /rs/books/changelist.xml",
    "2 /rs/books/resourcedump.xml",
    "1 /rs/maps/capabilitylist.xml",
    "2 /rs/maps/resourcelist.xml",
];

#[tokio::test]
async fn all_documents_are_looked_at_and_no_package() {
    let server = site(&two_sets()).await;
    let (tree, told) = tree(&server, ExploreOptions::default()).await;
    assert_eq!(places(&tree), ALL);
    assert_eq!(tree.left, 0);
    assert_eq!(told, (0..9).collect::<Vec<_>>());
    let dump = tree.nodes[6].seen.as_ref().unwrap();
    assert_eq!(dump.packages[0].url, server.url("/rs/books/dump.zip").as_str());
    // The one that is not there is told in its place.
    assert!(!tree.nodes[8].is_whole() && tree.nodes[..8].iter().all(|node| node.is_whole()));
    let error = tree.nodes[8].seen.as_ref().unwrap_err();
    assert!(matches!(error, VisitError::Fetch(FetchError::Status { .. })), "{error}");
    let requests = server.requests();
    assert!(!requests.iter().any(|head| head.contains("dump.zip")));
    // The login goes with each request, and is in no URL that is told.
    assert!(requests.iter().all(|head| head.contains("authorization: basic")), "{requests:?}");
    assert!(tree.nodes.iter().all(|node| node.url.username().is_empty()));
}

#[tokio::test]
async fn what_is_too_deep_or_too_much_is_counted() {
    let server = site(&two_sets()).await;
    let (two, _) = tree(&server, ExploreOptions { levels: 2, ..ExploreOptions::default() }).await;
    assert_eq!(places(&two), [ALL[0], ALL[1], ALL[7]]);
    assert_eq!(two.left, 4);
    let few = ExploreOptions { documents: 3, ..ExploreOptions::default() };
    let (few, told) = tree(&server, few).await;
    assert_eq!(places(&few), ALL[..3]);
    assert_eq!(told.len(), 3);
    assert_eq!(few.left, 5, "as far as they are known");
}

#[tokio::test]
async fn one_document_is_looked_at_alone() {
    let server = site(&two_sets()).await;
    let url = server.url("/rs/books/capabilitylist.xml");
    let client = Client::new(ClientOptions::default()).unwrap();
    let seen = visit(&client, &GetOptions::trusting(&url), &url).await.unwrap();
    assert!(seen.is_whole() && seen.is_open().is_none());
    assert_eq!((seen.children.len(), seen.links["describedby"]), (3, 1));
}
