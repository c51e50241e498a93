//! JSON-LD, and other JSON in which the usual words are used.

use serde_json::{Map, Value};
use url::Url;

use super::Description;
use crate::{language, plain, uri};

/// The kinds of things that a whole collection may be.
const COLLECTIONS: [&str; 8] = [
    "WebSite",
    "Dataset",
    "DataCatalog",
    "Collection",
    "CollectionPage",
    "CreativeWork",
    "Blog",
    "Periodical",
];

/// Reads what is said of the thing that is most likely the collection, else of the first one.
pub(super) fn read(text: &str, url: &Url) -> Description {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Description::default() };
    let nodes = nodes(&value);
    let best = nodes.iter().find(|node| is_collection(node)).or(nodes.first());
    best.map_or_else(Description::default, |node| described(node, url))
}

/// The things in a document: one, a list of them, or a graph.
fn nodes(value: &Value) -> Vec<&Map<String, Value>> {
    match value {
        Value::Array(values) => values.iter().flat_map(nodes).collect(),
        Value::Object(node) => match node.get("@graph") {
            Some(graph @ (Value::Array(_) | Value::Object(_))) => nodes(graph),
            _ => vec![node],
        },
        _ => Vec::new(),
    }
}

fn is_collection(node: &Map<String, Value>) -> bool {
    let is = |value: &Value| value.as_str().is_some_and(|name| COLLECTIONS.contains(&local(name)));
    match node.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => false,
    }
}

fn described(node: &Map<String, Value>, url: &Url) -> Description {
    let first = |keys: &[&str]| keys.iter().find_map(|key| words(field(node, key)?, false));
    let icon = ["icon", "favicon", "logo", "image"].iter().find_map(|key| field(node, key));
    let author = ["author", "authors", "creator", "publisher"];
    Description {
        title: first(&["name", "title", "headline"]),
        author: author.iter().find_map(|key| words(field(node, key)?, true)),
        language: ["inLanguage", "language"].iter().find_map(|key| tag(field(node, key)?)),
        description: first(&["description", "abstract"]),
        icon: icon.and_then(|value| uri::resolve(url, address(value)?)),
    }
}

/// The value of a key, which may have a prefix or be a whole IRI: `dc:title`, `schema:name`.
fn field<'v>(node: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    node.get(name).or_else(|| node.iter().find(|(key, _)| local(key) == name).map(|(_, v)| v))
}

fn local(name: &str) -> &str {
    name.rsplit([':', '/', '#']).next().unwrap_or(name)
}

/// The words for people in a value: a string, something with a name, or a list of these, of which the
/// first counts, or `all` do.
fn words(value: &Value, all: bool) -> Option<String> {
    match value {
        Value::String(text) => plain::line(text),
        Value::Array(values) if all => {
            let each: Vec<String> = values.iter().filter_map(|value| words(value, all)).collect();
            plain::line(&each.join(", "))
        }
        Value::Array(values) => values.iter().find_map(|value| words(value, all)),
        Value::Object(node) => {
            let named = ["@value", "name", "title"].iter().find_map(|key| field(node, key));
            // Or there is one text for each language.
            let value =
                named.or_else(|| node.iter().find(|(key, _)| language::is_tag(key))?.1.into());
            plain::line(value?.as_str()?)
        }
        _ => None,
    }
}

fn tag(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => language::tag(text),
        Value::Array(values) => values.iter().find_map(tag),
        Value::Object(node) => {
            ["alternateName", "@value", "name"].iter().find_map(|key| tag(field(node, key)?))
        }
        _ => None,
    }
}

fn address(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(values) => values.iter().find_map(address),
        Value::Object(node) => {
            ["url", "contentUrl", "@id"].iter().find_map(|key| field(node, key)?.as_str())
        }
        _ => None,
    }
}
