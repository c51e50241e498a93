#![doc = include_str!("../README.md")]

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
    DiscoveryAttempt, DiscoveryDocument, DiscoveryError, DiscoveryFailure, DiscoveryPolicy, Offer,
    Search, Source, SourceSet, discover, discover_with,
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
pub use options::{ClientOptions, GetOptions, Remedies, TimeOuts, Validators};
pub use pace::Pace;
pub use retry::{Retry, jitter};
pub use robots::{
    Absence, Obstacle, Reason, Robots, RobotsAnswer, RobotsCache, RuleLine, Verdict, ask_robots,
    robots_of,
};
pub use url::{Origin, Url};
pub use web_link::WebLink;
pub use whole::Whole;
