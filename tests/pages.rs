//! The pages in a real browser: what people do on them, with the mouse, with keys alone, without scripts,
//! on narrow screens; and what people try to do to them.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, missing_docs, reason = "a test")]

mod support;

#[path = "support/browser.rs"]
#[allow(dead_code, unreachable_pub, reason = "what a browser can do")]
mod browser;
#[path = "support/folder.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the judge of pages")]
mod folder;
#[path = "support/town.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the judge of pages")]
mod town;

#[path = "pages/accounts.rs"]
mod accounts;
#[path = "pages/adding.rs"]
mod adding;
#[path = "pages/copying.rs"]
mod copying;
#[path = "pages/filtering.rs"]
mod filtering;
#[path = "pages/hostile.rs"]
mod hostile;
#[path = "pages/keyboard.rs"]
mod keyboard;
#[path = "pages/narrow.rs"]
mod narrow;
#[path = "pages/plain.rs"]
mod plain;
#[path = "pages/screens.rs"]
mod screens;
#[path = "pages/stage.rs"]
mod stage;
