//! What the API says about itself.

use axum::Json;
use serde_json::{Map, Value, json};

/// The OpenAPI document (3.1).
pub(super) async fn document() -> Json<Value> {
    Json(described())
}

/// One operation: method, path, what it does, what it wants, what it answers with.
struct Operation {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    /// Names in the query.
    query: &'static [(&'static str, &'static str, &'static str)],
    /// The schema of the body that is sent.
    body: Option<&'static str>,
    /// The status and schema of the answer.
    answer: (&'static str, Option<&'static str>),
    /// When the answer has the status 200 instead, with the same schema.
    done_before: Option<&'static str>,
    needs_token: bool,
}

const fn get(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    schema: &'static str,
) -> Operation {
    Operation {
        method: "get",
        path,
        id,
        summary,
        query: &[],
        body: None,
        answer: ("200", Some(schema)),
        done_before: None,
        needs_token: false,
    }
}

const OPERATIONS: &[Operation] = &[
    get("/api/openapi.json", "openapi", "This document", "Any"),
    get("/api/status", "status", "How the service is", "Status"),
    Operation {
        query: &[
            ("after", "string", "List the sites after this key"),
            ("limit", "integer", "List so many at the most, 1,000 being the most"),
            (
                "state",
                "string",
                "List only those that are new, well, partly-failing, failing or paused",
            ),
            ("text", "string", "List only those with this in their URL, title or key"),
        ],
        ..get("/api/sites", "listSites", "List what is followed", "Sites")
    },
    Operation {
        method: "post",
        body: Some("Follow"),
        answer: ("201", Some("Site")),
        done_before: Some("The site is followed already; only its settings were changed"),
        needs_token: true,
        ..get("/api/sites", "followSite", "Follow the site that a URL is on", "Site")
    },
    get("/api/sites/{key}", "showSite", "Show a site, its collections and their feeds", "Site"),
    Operation {
        method: "patch",
        body: Some("Wishes"),
        needs_token: true,
        ..get(
            "/api/sites/{key}",
            "changeSite",
            "Change how a site is followed, or pause it",
            "Site",
        )
    },
    Operation {
        method: "delete",
        answer: ("204", None),
        needs_token: true,
        ..get("/api/sites/{key}", "unfollowSite", "Forget a site, its feeds and all", "Any")
    },
    Operation {
        method: "post",
        needs_token: true,
        ..get("/api/sites/{key}/poll", "pollSite", "Poll a site now, whatever its state", "Polled")
    },
    get(
        "/api/sites/{key}/polls",
        "listPolls",
        "The last polls of a site, the newest first",
        "Polls",
    ),
    get("/api/collections/{key}", "showCollection", "Show a collection", "Collection"),
    Operation {
        query: &[
            ("skip", "integer", "Leave out so many of the newest"),
            ("limit", "integer", "List so many at the most, 1,000 being the most"),
        ],
        ..get(
            "/api/collections/{key}/changes",
            "listChanges",
            "The changes of a collection, the newest first",
            "Changes",
        )
    },
    Operation {
        query: &[("of", "string", "feeds, or sites for their addresses and settings")],
        ..get("/api/opml", "exportOpml", "All feeds, or all sites, as OPML", "Opml")
    },
    Operation {
        method: "post",
        body: Some("Opml"),
        needs_token: true,
        ..get("/api/opml", "importOpml", "Follow what is in a list of subscriptions", "Imported")
    },
    get("/api/searches", "listSearches", "List the saved searches that have no owner", "Searches"),
    Operation {
        method: "post",
        body: Some("NewSearch"),
        answer: ("201", Some("Search")),
        needs_token: true,
        ..get("/api/searches", "addSearch", "Save a search, with a feed of its own", "Search")
    },
    Operation {
        method: "delete",
        answer: ("204", None),
        needs_token: true,
        ..get("/api/searches/{id}", "removeSearch", "Remove a saved search and its feed", "Any")
    },
    Operation {
        needs_token: true,
        ..get("/api/tokens", "listTokens", "List the tokens that there are", "Tokens")
    },
    Operation {
        method: "post",
        body: Some("NewToken"),
        answer: ("201", Some("MadeToken")),
        needs_token: true,
        ..get("/api/tokens", "addToken", "Make a token; it is shown once", "MadeToken")
    },
    Operation {
        method: "delete",
        answer: ("204", None),
        needs_token: true,
        ..get("/api/tokens/{name}", "removeToken", "Take a token back", "Any")
    },
];

fn described() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described_operation(operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tidings",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Follow any site; read what changed on it, collection by collection.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
    })
}

fn described_operation(operation: &Operation) -> Value {
    let mut parameters: Vec<Value> = operation
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(operation.query.iter().map(|(name, kind, about)| {
        json!({ "name": name, "in": "query", "description": about, "schema": { "type": kind } })
    }));
    let (status, schema) = operation.answer;
    let mut answer = json!({ "description": operation.summary });
    if let Some(schema) = schema {
        answer["content"] = content(schema);
    }
    let problem = json!({ "description": "Why it was not done", "content": content("Problem") });
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters,
        "responses": { (status): answer, "default": problem },
    });
    if let (Some(when), Some(schema)) = (operation.done_before, schema) {
        described["responses"]["200"] = json!({ "description": when, "content": content(schema) });
    }
    if let Some(body) = operation.body {
        described["requestBody"] = json!({ "required": true, "content": content(body) });
    }
    if operation.needs_token {
        described["security"] = json!([{ "token": [] }]);
    }
    described
}

fn content(schema: &str) -> Value {
    if schema == "Opml" {
        return json!({ "text/x-opml": { "schema": { "type": "string" } } });
    }
    json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
}

fn schemas() -> Value {
    let text = || json!({ "type": "string" });
    let number = || json!({ "type": "integer" });
    let flag = || json!({ "type": "boolean" });
    let time = || json!({ "type": ["string", "null"], "format": "date-time" });
    let maybe = || json!({ "type": ["string", "null"] });
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let list = |name: &str| json!({ "type": "array", "items": { "$ref": format!("#/components/schemas/{name}") } });
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let wishes = json!({
        "split": { "type": "boolean", "description": "Of a Sitemap: a collection for each first segment of a path" },
        "strict": { "type": "boolean", "description": "Ignore changes without datetime, whatever the source" },
        "titles": { "type": "integer", "description": "For how many changed pages the title is fetched" },
        "diff": { "type": "boolean", "description": "Show what is different in changed pages" },
        "every": { "type": "integer", "description": "Poll this often, in seconds; 0: as its changes suggest" },
        "pages": { "type": "integer", "description": "Of a site that offers nothing else: read up to so many pages, 1000 at the most" },
        "tiles": { "type": "integer", "description": "Of a webfeed: how many tiles a day it has in the grid; the rest share one" },
        "paused": { "type": "boolean", "description": "Do not poll it" },
    });
    let mut follow = wishes.clone();
    follow["webfeed"] =
        json!({ "type": "boolean", "description": "A webfeed is meant, and nothing else" });
    follow["url"] = json!({ "type": "string", "description": "Any URL on the site" });
    let mut followed = object(follow);
    followed["required"] = json!(["url"]);
    let feeds = object(json!({ "atom": text(), "rss": text(), "json": text(), "changes": text() }));
    let state =
        json!({ "type": "string", "enum": ["new", "well", "partly-failing", "failing", "paused"] });
    json!({
        "Any": {},
        "Problem": object(json!({ "error": text() })),
        "Follow": followed,
        "Wishes": object(wishes),
        "Feeds": feeds,
        "Site": object(json!({
            "key": text(), "url": text(), "asked": text(), "title": maybe(),
            "via": { "type": "string", "enum": ["resourcesync", "sitemap", "feed", "webfeed", "pages"] },
            "found_by": text(), "state": state, "reason": maybe(), "failures": number(),
            "followed_at": time(), "polled_at": time(), "succeeded_at": time(), "changed_at": time(),
            "next_poll_at": time(), "interval": number(), "settings": object(json!({})),
            "quality": object(json!({ "documents": number(), "errors": number(), "warnings": number(), "notes": number(), "findings": { "type": "array" } })),
            "left_out": number(), "feeds": reference("Feeds"), "collections": list("Collection"),
        })),
        "Sites": object(json!({ "sites": list("Site"), "next": maybe() })),
        "Collection": object(json!({
            "key": text(), "identity": text(), "title": maybe(), "author": maybe(), "language": maybe(),
            "about": maybe(), "reason": maybe(), "is_gone": flag(), "change_list": maybe(),
            "processed_until": time(), "ignored": number(), "changes": number(), "batches": number(),
            "changed_at": time(), "feeds": reference("Feeds"),
        })),
        "Change": object(json!({
            "uri": text(), "change": { "type": "string", "enum": ["created", "updated", "deleted"] },
            "datetime": maybe(), "time": time(), "title": maybe(), "note": maybe(),
        })),
        "Changes": list("Change"),
        "Polled": object(json!({ "changes": number(), "site": reference("Site") })),
        "Poll": object(json!({
            "at": time(), "state": text(), "reason": maybe(), "changes": number(), "requests": number(), "took": number(),
        })),
        "Polls": list("Poll"),
        "ImportedLine": object(json!({ "url": text(), "site": maybe(), "is_new": flag(), "error": maybe() })),
        "Imported": list("ImportedLine"),
        "Search": object(json!({
            "id": number(), "name": text(), "query": text(), "created_at": time(),
            "feeds": object(json!({ "atom": text(), "rss": text(), "json": text() })),
        })),
        "Searches": list("Search"),
        "NewSearch": object(json!({
            "name": text(),
            "kind": { "type": "string", "description": "created, updated or deleted, or several with commas" },
            "path": { "type": "string", "description": "In the address" },
            "text": { "type": "string", "description": "Words in title, address or note" },
            "day": { "type": "string", "description": "A day, such as 2026-01-31" },
        })),
        "Token": object(json!({ "name": text(), "scope": text(), "created_at": time(), "used_at": time() })),
        "Tokens": list("Token"),
        "NewToken": object(json!({ "name": text(), "scope": { "type": "string", "enum": ["read", "write", "admin"] } })),
        "MadeToken": object(json!({ "name": text(), "scope": text(), "token": text() })),
        "Status": object(json!({
            "version": text(), "sites": number(), "new": number(), "well": number(), "failing": number(),
            "partly_failing": number(), "paused": number(), "collections": number(), "due": number(), "lag": number(),
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The routes as the router has them, read from its source.
    fn routes() -> Vec<(String, String)> {
        let source = include_str!("mod.rs");
        let mut routes = Vec::new();
        for line in source.lines().filter_map(|line| line.trim().strip_prefix(".route(\"")) {
            let (path, methods) = line.split_once('"').unwrap();
            for method in ["get", "post", "patch", "delete"] {
                if methods.contains(&format!("{method}(")) {
                    routes.push((method.to_owned(), format!("/api{path}")));
                }
            }
        }
        routes
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let mut routes = routes();
        let mut described: Vec<(String, String)> = OPERATIONS
            .iter()
            .map(|operation| (operation.method.to_owned(), operation.path.to_owned()))
            .collect();
        routes.sort();
        described.sort();
        assert_eq!(routes, described);
    }

    #[test]
    fn to_follow_a_site_again_is_answered_with_200() {
        let document = described();
        let responses = &document["paths"]["/api/sites"]["post"]["responses"];
        for status in ["200", "201"] {
            let schema = &responses[status]["content"]["application/json"]["schema"];
            assert_eq!(schema["$ref"], "#/components/schemas/Site", "{status}");
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = described();
        let text = document.to_string();
        for name in text.split("#/components/schemas/").skip(1) {
            let name = name.split('"').next().unwrap();
            assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
        }
    }
}
