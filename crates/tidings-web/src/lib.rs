//! The outside world: one guarded HTTP client.
//!
//! Everything that Tidings has from the web comes through [`Client::get`]. It answers with a whole,
//! checked [`Fetched`], or with one [`FetchError`] that says what went wrong and what to do; never
//! with part of a document. On the way it
//!
//! - refuses addresses, ports and schemes that a document or a redirect has no business leading to
//!   ([`Refusal`]), except for the one origin that a person typed ([`GetOptions::trusted_origin`]);
//! - follows redirects itself, so that each hop passes the same checks;
//! - limits time, redirects and bytes ([`ClientOptions`]).
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use tidings_web::{Client, ClientOptions, GetOptions, Url};
//!
//! let client = Client::new(ClientOptions::default())?;
//! let url = Url::parse("https://example.org/.well-known/resourcesync")?;
//! let fetched = client.get(&url, &GetOptions::trusting(&url)).await?;
//! let document = std::io::read_to_string(fetched.body.into_reader())?;
//! # Ok(())
//! # }
//! ```

mod answer;
mod bandwidth;
mod body;
mod cause;
mod charset;
mod client;
mod connect;
mod discovery;
mod error;
pub mod explore;
mod fetched;
mod glance;
mod guard;
mod head;
mod headers;
mod html_links;
mod kept;
mod link_header;
mod login;
mod opening;
mod options;
mod pace;
mod redirect;
mod resolver;
mod retry;
mod robots;
mod special;
mod web_link;
mod whole;

pub use answer::Answer;
pub use bandwidth::Bandwidth;
pub use body::SpooledBody;
pub use charset::charset;
pub use client::Client;
pub use discovery::{
    Attempt, DiscoveryDocument, DiscoveryError, DiscoveryPolicy, Offer, Search, Source, SourceSet,
    discover, discover_with,
};
pub use error::{FetchError, Phase};
pub use fetched::Fetched;
pub use glance::Glance;
pub use guard::Refusal;
pub use head::Head;
pub use html_links::html_links;
pub use http::StatusCode;
pub use http::header::{HeaderMap, HeaderName, HeaderValue};
pub use link_header::link_header;
pub use login::Login;
pub use options::{ClientOptions, GetOptions, TimeOuts, Validators};
pub use pace::Pace;
pub use retry::{Retry, jitter};
pub use robots::{
    Absence, Obstacle, Reason, Robots, RobotsAnswer, RobotsCache, RuleLine, Verdict, ask_robots,
    robots_of,
};
pub use url::{Origin, Url};
pub use web_link::WebLink;
pub use whole::Whole;
