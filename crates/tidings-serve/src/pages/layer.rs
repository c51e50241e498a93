//! What is around all pages: who asks, whether they may, and what is said when something goes wrong.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse};
use tidings_base::{Quotes, escape_html};
use tidings_http::listener::Peer;
use tidings_http::request_body::BodyProgress;
use tidings_http::text_format::capitalised;

use crate::access::address_of;
use crate::api::Problem;
use crate::frame::{Frame, ProblemPage, heading, show_as};
use crate::state::Shared;
use crate::visitor::Visitor;

/// Finds out who asks, lets them look if they may, and says what went wrong as a page.
pub(super) async fn around(
    State(state): State<Shared>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let peer = request.extensions().get::<Peer>().copied();
    let address =
        peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| address_of(&state, &headers, peer));
    let visitor = match Visitor::of(&state, &headers, &method, request.uri(), address).await {
        Ok(visitor) => Arc::new(visitor),
        Err(problem) => return bare(&problem),
    };
    // Whoever may not look can still sign in.
    let is_door = matches!(request.uri().path(), "/login" | "/setup" | "/look" | "/shortcuts");
    let allowed = if is_door { Ok(()) } else { visitor.may_look(&state, &headers) };
    let mut response = match allowed {
        Ok(()) => {
            if visitor.role().is_some() {
                BodyProgress::trust(request.extensions());
            }
            request.extensions_mut().insert(Arc::clone(&visitor));
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let problem = response.extensions_mut().remove::<Problem>().or_else(|| unsaid(&response));
    if let Some(problem) = problem {
        let is_read = matches!(method, Method::GET | Method::HEAD);
        response = said(&state, &visitor, &problem, is_read).unwrap_or_else(Problem::into_response);
    }
    // A frame may have been asked for without what the page around it is known by.
    if headers.get("sec-fetch-dest").is_none_or(|dest| dest != "iframe") {
        keep(&visitor.cookies, &mut response);
    }
    response
}

/// Has the browser keep what was found out about it, unless the page has it keep something else under
/// the same name.
fn keep(cookies: &[String], response: &mut Response<Body>) {
    let name = |cookie: &str| cookie.split('=').next().unwrap_or_default().to_owned();
    let set = response.headers().get_all(SET_COOKIE).iter();
    let set: Vec<String> = set.filter_map(|value| value.to_str().ok()).map(name).collect();
    for cookie in cookies.iter().filter(|cookie| !set.contains(&name(cookie))) {
        if let Ok(cookie) = HeaderValue::from_str(cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

/// A page for when it is not even known who asks.
fn bare(problem: &Problem) -> Response<Body> {
    let (heading, status) = (heading(problem.status), problem.status.as_u16());
    let message = escape_html(&capitalised(&problem.message), Quotes::Double);
    let body = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{heading}</title>\n\
         <h1>{heading}</h1>\n<p>{message}.</p>\n<p>HTTP status {status}</p>\n</html>\n"
    );
    let mut response = Html(body).into_response();
    *response.status_mut() = problem.status;
    if problem.status == StatusCode::UNAUTHORIZED {
        let realm = HeaderValue::from_static("Basic realm=\"tidings\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, realm);
    }
    response
}

/// What was refused on the way, without words of ours.
fn unsaid(response: &Response<Body>) -> Option<Problem> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    let is_refused = status.is_client_error() || status.is_server_error();
    (is_refused && !is_page).then(|| {
        let message = match status {
            StatusCode::METHOD_NOT_ALLOWED => {
                "this address takes what a form sends, and has no page"
            }
            StatusCode::BAD_REQUEST => "the address of this page is not as it should be",
            _ => "the request could not be answered",
        };
        Problem::new(status, message)
    })
}

/// A problem as a page; or the way to sign in, where that would solve it.
fn said(
    state: &Shared,
    visitor: &Visitor,
    problem: &Problem,
    is_read: bool,
) -> Result<Response<Body>, Problem> {
    if problem.status == StatusCode::UNAUTHORIZED && is_read && visitor.has_accounts {
        let next: String = url::form_urlencoded::byte_serialize(visitor.at.as_bytes()).collect();
        let to = format!("{}login?next={next}", state.root);
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response());
    }
    let heading = heading(problem.status);
    let mut message = capitalised(&problem.message);
    if !message.ends_with(['.', '?', '!']) {
        message.push('.');
    }
    let page = ProblemPage {
        f: Frame::new(state, visitor, "", heading),
        status: problem.status.as_u16(),
        heading,
        message,
    };
    let mut response = show_as(problem.status, &page)?;
    // Where nobody can sign in, a token is as good as a name and a password.
    if problem.status == StatusCode::UNAUTHORIZED && !visitor.has_accounts {
        let realm = HeaderValue::from_static("Basic realm=\"tidings\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, realm);
    }
    if let Some(seconds) = problem.seconds() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    Ok(response)
}
