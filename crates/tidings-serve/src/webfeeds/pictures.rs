//! Pictures of posts: had by us, so that whoever made a post does not learn who reads it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use sha2::Sha256;
use tidings_base::{from_hex, to_hex};
use tidings_store::Site;
use tidings_syndication::Details;
use tidings_web::{Client, ClientOptions, FetchError, GetOptions, Origin, TimeOuts, Url};
use tidings_webfeed::Picture;
use tokio::sync::Semaphore;

use super::shelf::{Shelf, Shot, Shown};
use crate::api::Problem;
use crate::state::{Shared, State as Server};

/// How long an address may be that is handed out.
const LONGEST: usize = 2_000;
/// How many are fetched at once.
const AT_ONCE: usize = 16;
/// How many of them from one host.
const OF_ONE_HOST: usize = 4;
/// How long one waits for its turn, and then how long it may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What says that an address of a picture is one of ours.
pub(super) type Mark = [u8; 16];

/// What pictures are had by.
#[derive(Debug)]
pub(crate) struct Pictures {
    client: Result<Client, FetchError>,
    signer: Signer,
    shelf: Shelf,
    room: Semaphore,
    hosts: Hosts,
}

/// Room for the pictures of each host: one that is slow must not keep others from being seen.
#[derive(Debug, Default)]
struct Hosts(Mutex<HashMap<String, Arc<Semaphore>>>);

impl Hosts {
    fn room(&self, url: &Url) -> Arc<Semaphore> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody waits for are forgotten.
        hosts.retain(|_, room| Arc::strong_count(room) > 1);
        Arc::clone(hosts.entry(host).or_insert_with(|| Arc::new(Semaphore::new(OF_ONE_HOST))))
    }
}

/// What marks addresses of pictures as ours.
///
/// The key is of the state, so that one server shows what another has marked. Frames are asked for with
/// [`Signer::name`] in their address: were there another key, none would be shown from a browser's cache
/// with pictures that are not to be had any more.
#[derive(Debug, Clone)]
struct Signer {
    key: Option<Vec<u8>>,
    name: String,
}

impl Signer {
    /// With nothing random there is no key, and without one there are no pictures.
    fn new(key: Option<Vec<u8>>) -> Self {
        let mut signer = Self { key, name: String::new() };
        let name = signer.mark("name");
        signer.name = name.map(|name| URL_SAFE_NO_PAD.encode(&name[..6])).unwrap_or_default();
        signer
    }

    fn mac(&self, payload: &str) -> Option<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(self.key.as_ref()?).ok()?;
        Some(mac.chain_update(payload))
    }

    fn mark(&self, payload: &str) -> Option<Mark> {
        self.mac(payload)?.finalize().into_bytes().first_chunk().copied()
    }

    /// The mark that a text stands for, if it is that of the payload. The comparison takes the same time
    /// for all marks.
    fn verified(&self, payload: &str, text: &str) -> Option<Mark> {
        let mark: Mark = from_hex(text)?.try_into().ok()?;
        self.mac(payload)?.verify_truncated_left(&mark).ok().map(|()| mark)
    }
}

/// Says where the pictures of a webfeed's posts are to be had.
#[derive(Debug, Clone)]
pub(super) struct Marker {
    signer: Signer,
    root: String,
    /// An origin that somebody on this machine typed, which may be at a private address.
    trusted: Option<Origin>,
}

impl Marker {
    pub(super) fn of(state: &Server, site: &Site) -> Self {
        Self {
            signer: state.pictures.signer.clone(),
            root: state.root.clone(),
            trusted: trusted(site.settings.private, &site.details),
        }
    }

    /// Where a picture is to be had; none if it is not.
    pub(super) fn address(&self, url: &Url) -> Option<String> {
        let is_web = matches!(url.scheme(), "http" | "https");
        let has_login = !url.username().is_empty() || url.password().is_some();
        if !is_web || has_login || url.as_str().len() > LONGEST {
            return None;
        }
        let is_trusted = self.trusted.as_ref() == Some(&url.origin());
        let payload = format!("{}:{url}", if is_trusted { 'p' } else { 'g' });
        let mark = self.signer.mark(&payload)?;
        let (mark, name) = (to_hex(&mark), URL_SAFE_NO_PAD.encode(payload));
        Some(format!("{}webfeeds/pictures/{mark}/{name}", self.root))
    }
}

/// The origin that somebody on this machine typed, if that is where the webfeed was found to be private:
/// what a page offered was not typed by anybody.
fn trusted(is_private: bool, details: &str) -> Option<Origin> {
    let asked = Url::parse(&Details::read(details).asked).ok().filter(|_| is_private);
    asked.map(|url| url.origin())
}

impl Pictures {
    /// With private addresses, if they are not refused to anybody; and with the key of the state.
    pub(crate) fn new(allow_private: bool, contact: Option<&str>, key: Option<String>) -> Self {
        let options = ClientOptions {
            allow_private,
            max_body_bytes: Some(Picture::MAX_BYTES),
            keep_alive: Duration::from_secs(5),
            time_outs: TimeOuts { whole: PATIENCE, ..TimeOuts::default() },
            ..ClientOptions::with_contact(contact)
        };
        Self {
            client: Client::new(options),
            signer: Signer::new(key.map(String::into_bytes)),
            shelf: Shelf::default(),
            room: Semaphore::new(AT_ONCE),
            hosts: Hosts::default(),
        }
    }

    /// What frames are asked for with, besides their number.
    pub(super) fn name(&self) -> &str {
        &self.signer.name
    }

    /// What an address of a picture says, if it is one of ours: its mark, whether it may be at a private
    /// address, and where it is.
    fn asked(&self, mark: &str, name: &str) -> Option<(Mark, bool, Url)> {
        let payload = String::from_utf8(URL_SAFE_NO_PAD.decode(name).ok()?).ok()?;
        let own = self.signer.verified(&payload, mark)?;
        let (kind, url) = payload.split_once(':')?;
        Some((own, kind == "p", Url::parse(url).ok()?))
    }

    async fn fetch(&self, url: &Url, is_trusted: bool) -> Shown {
        let broken = |_| StatusCode::BAD_GATEWAY;
        let client = self.client.as_ref().map_err(|error| {
            tracing::error!(%error, "no picture can be had");
            StatusCode::INTERNAL_SERVER_ERROR
        })?;
        let options = if is_trusted { GetOptions::trusting(url) } else { GetOptions::default() };
        let fetched = client.get(url, &options).await.map_err(|error| {
            tracing::debug!(%error, "a picture could not be had");
            StatusCode::BAD_GATEWAY
        })?;
        let picture = tokio::task::spawn_blocking(move || {
            let bytes = fetched
                .body
                .opening(Picture::MAX_BYTES + 1)
                .map_err(|_| StatusCode::BAD_GATEWAY)?;
            // What was packed may be more than what came.
            if bytes.len() as u64 > Picture::MAX_BYTES {
                return Err(StatusCode::BAD_GATEWAY);
            }
            Picture::read(&bytes).map_err(|_| StatusCode::BAD_GATEWAY)
        });
        let Picture { bytes, media_type, .. } = picture.await.map_err(broken)??;
        Ok(Shot { bytes: bytes.into(), media_type })
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Instead {
    /// The letter that is shown instead of somebody's picture, if that is not to be had.
    #[serde(default)]
    initial: String,
}

/// A picture, for whoever got its address from us.
pub(super) async fn picture(
    State(state): State<Shared>,
    Path((mark, name)): Path<(String, String)>,
    Query(Instead { initial }): Query<Instead>,
) -> Response<Body> {
    let pictures = &state.pictures;
    let Some((mark, is_trusted, url)) = pictures.asked(&mark, &name) else {
        return refused(StatusCode::NOT_FOUND);
    };
    let shown = match pictures.shelf.get(&mark) {
        Some(shown) => shown,
        None => {
            let host = pictures.hosts.room(&url);
            let turns = async { (host.acquire().await, pictures.room.acquire().await) };
            let Ok((Ok(_of_host), Ok(_of_all))) = tokio::time::timeout(PATIENCE, turns).await
            else {
                return refused(StatusCode::SERVICE_UNAVAILABLE);
            };
            // Somebody else may have waited for the same.
            match pictures.shelf.get(&mark) {
                Some(shown) => shown,
                None => {
                    let shown = pictures.fetch(&url, is_trusted).await;
                    pictures.shelf.keep(mark, shown.clone());
                    shown
                }
            }
        }
    };
    match shown {
        Ok(shot) => answer(shot),
        Err(status) => initial.chars().next().map_or_else(|| refused(status), letter),
    }
}

/// A letter where somebody's picture should be.
fn letter(letter: char) -> Response<Body> {
    let letter = if letter.is_alphanumeric() { letter } else { ' ' };
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 24 24\"><rect width=\"24\" \
         height=\"24\" fill=\"#b9d6ee\"/><text x=\"12\" y=\"16.5\" font-family=\"system-ui,sans-serif\" \
         font-size=\"12\" font-weight=\"600\" text-anchor=\"middle\" fill=\"#1d1f21\">{letter}</text></svg>"
    );
    let mut response = answer(Shot { bytes: svg.into(), media_type: "image/svg+xml" });
    // There may be a picture soon.
    let soon = HeaderValue::from_static("private, max-age=300");
    response.headers_mut().insert(CACHE_CONTROL, soon);
    response
}

/// No words about where it was looked for: they could be about a network that is not the reader's.
fn refused(status: StatusCode) -> Response<Body> {
    Problem::new(status, "this picture is not to be had").into_response()
}

fn answer(shot: Shot) -> Response<Body> {
    let mut response = Response::new(Body::from(shot.bytes));
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, shot.media_type),
        (CACHE_CONTROL, "private, max-age=86400"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Frames are of no origin, and so of none that is ours.
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    headers.insert("content-disposition", HeaderValue::from_static("inline"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pictures(key: &str) -> Pictures {
        Pictures::new(false, None, Some(key.to_owned()))
    }

    fn marker(pictures: &Pictures, trusted: Option<&str>) -> Marker {
        let trusted = trusted.map(|url| Url::parse(url).unwrap().origin());
        Marker { signer: pictures.signer.clone(), root: "/tid/".to_owned(), trusted }
    }

    fn parts(address: &str) -> (String, String) {
        let rest = address.strip_prefix("/tid/webfeeds/pictures/").unwrap();
        let (mark, name) = rest.split_once('/').unwrap();
        (mark.to_owned(), name.to_owned())
    }

    #[test]
    fn only_addresses_of_ours_lead_to_pictures() {
        let (ours, others) = (pictures("one"), pictures("other"));
        let url = Url::parse("https://a.example/p.png?a=b").unwrap();
        let (mark, name) = parts(&marker(&ours, None).address(&url).unwrap());
        assert_eq!(mark.len(), 32);
        let (_, is_trusted, found) = ours.asked(&mark, &name).unwrap();
        assert!(found == url && !is_trusted);
        assert!(others.asked(&mark, &name).is_none(), "by another key");
        let other = URL_SAFE_NO_PAD.encode("p:https://a.example/p.png?a=b");
        assert!(ours.asked(&mark, &other).is_none(), "as private");
        let other = URL_SAFE_NO_PAD.encode("g:http://169.254.169.254/");
        assert!(ours.asked(&mark, &other).is_none(), "elsewhere");
        for bad in ["", "00", &mark[..31], &"0".repeat(32), &mark.to_uppercase()] {
            assert!(bad == mark || ours.asked(bad, &name).is_none(), "{bad}");
        }
    }

    #[test]
    fn only_the_origin_that_somebody_typed_may_be_private() {
        let pictures = pictures("one");
        let marker = marker(&pictures, Some("http://127.0.0.1:8000/index.txt"));
        for (url, trusted) in [
            ("http://127.0.0.1:8000/a.png", true),
            ("http://127.0.0.1:8001/a.png", false),
            ("https://127.0.0.1:8000/a.png", false),
            ("https://a.example/a.png", false),
        ] {
            let (mark, name) = parts(&marker.address(&Url::parse(url).unwrap()).unwrap());
            assert_eq!(pictures.asked(&mark, &name).map(|(_, is, _)| is), Some(trusted), "{url}");
        }
        for bad in ["data:image/png,x", "file:///etc/passwd", "https://u:p@a.example/"] {
            assert_eq!(marker.address(&Url::parse(bad).unwrap()), None, "{bad}");
        }
    }

    #[test]
    fn what_a_page_offered_was_typed_by_nobody() {
        let asked = "http://192.168.1.10/".to_owned();
        let details = Details { asked: asked.clone(), ..Details::default() }.write();
        assert_eq!(trusted(true, &details), Some(Url::parse(&asked).unwrap().origin()));
        assert_eq!(trusted(false, &details), None);
        assert_eq!(trusted(true, "{}"), None);
    }

    #[test]
    fn marks_are_hmac_sha256_of_the_payload() {
        // RFC 4231, test case 2.
        let signer = Signer::new(Some(b"Jefe".to_vec()));
        let mark = signer.mark("what do ya want for nothing?").unwrap();
        assert_eq!(to_hex(&mark), "5bdcc146bf60754e6a042426089575c7");
        let verified = |text: &str| signer.verified("what do ya want for nothing?", text);
        assert_eq!(verified(&to_hex(&mark)), Some(mark));
        for bad in ["", "5b", "5bdcc146bf60754e6a042426089575c8", &to_hex(&mark).to_uppercase()] {
            assert_eq!(verified(bad), None, "{bad}");
        }
    }

    #[test]
    fn without_a_key_there_are_no_pictures() {
        let signer = Signer::new(None);
        assert_eq!(signer.mark("g:https://a.example/"), None);
    }
}
