//! Forms that pages of this server sent, and the proof that they did.

use axum::body::Body;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};

use crate::same_origin::{is_cross_site, is_foreign};
use crate::secret::{is_same, unmasked};

/// The field that carries the CSRF token.
const TOKEN_FIELD: &str = "guard";
/// The number of bytes that this field may have.
const MAX_TOKEN_BYTES: usize = 200;

/// The reason why a form is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// The browser says that a page of another site sent it.
    #[error("the request comes from a page of another site")]
    CrossSite,
    /// It does not carry the CSRF token of its visitor.
    #[error(
        "this form is too old, or was not made by this server; go back, load the page again and send \
         it once more"
    )]
    Token,
    /// It has another media type.
    #[error("this is not a form")]
    MediaType,
    /// It is longer than it may be.
    #[error("the form is too long: {limit_bytes} bytes are enough")]
    TooLong {
        /// The number of bytes that it may have.
        limit_bytes: usize,
    },
    /// It ends before its end, or its parts cannot be told apart.
    #[error("the form is truncated or malformed; send it once more")]
    Malformed,
}

impl FormError {
    /// The status of the response.
    pub fn status(self) -> StatusCode {
        match self {
            Self::CrossSite | Self::Token => StatusCode::FORBIDDEN,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }

    fn from_multipart(error: &MultipartError, limit_bytes: usize) -> Self {
        match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLong { limit_bytes },
            _ => Self::Malformed,
        }
    }
}

/// What each form of a visitor is checked against.
///
/// Three things are asked of a form: the browser does not say that it comes from elsewhere (`Origin`,
/// `Sec-Fetch-Site`), it carries a token that only a page of this server could know, and this token belongs
/// to a cookie that came with it.
#[derive(Debug, Clone, Copy)]
pub struct FormGuard<'a> {
    /// The URL at which browsers reach this server.
    pub base: &'a str,
    /// The CSRF token of the visitor, as [`guard_of`](crate::secret::guard_of) made it; none if no cookie came.
    pub token: Option<&'a str>,
}

impl FormGuard<'_> {
    /// Refuses a request that a page of another site sent, as far as the browser says so.
    pub fn verify_origin(&self, headers: &HeaderMap) -> Result<(), FormError> {
        if is_cross_site(headers) || is_foreign(headers, self.base) {
            return Err(FormError::CrossSite);
        }
        Ok(())
    }

    /// Refuses a form unless the token that it carries is that of its visitor.
    pub fn verify_token(&self, carried: &str) -> Result<(), FormError> {
        match unmasked(carried).zip(self.token) {
            Some((carried, own)) if is_same(&carried, own) => Ok(()),
            _ => Err(FormError::Token),
        }
    }

    /// Reads a form of at most `limit_bytes`, and refuses it unless a page of this server sent it.
    pub async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit_bytes: usize,
    ) -> Result<Form, FormError> {
        self.verify_origin(headers)?;
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
        if !essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(FormError::MediaType);
        }
        let body = axum::body::to_bytes(body, limit_bytes).await;
        let body = body.map_err(|_| FormError::TooLong { limit_bytes })?;
        let form = Form(url::form_urlencoded::parse(&body).into_owned().collect());
        self.verify_token(form.get(TOKEN_FIELD))?;
        Ok(form)
    }

    /// Begins to read a form with files, of at most `limit_bytes`.
    ///
    /// Its first field is the token. Unless it is that of the visitor, nothing else of the form is read.
    pub async fn open_multipart(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit_bytes: usize,
    ) -> Result<Multipart, FormError> {
        self.verify_origin(headers)?;
        let mut request = Request::new(body);
        if let Some(media_type) = headers.get(CONTENT_TYPE) {
            request.headers_mut().insert(CONTENT_TYPE, media_type.clone());
        }
        DefaultBodyLimit::max(limit_bytes).apply(&mut request);
        let form = Multipart::from_request(request, &()).await;
        let mut form = form.map_err(|_| FormError::MediaType)?;
        let wrong = |error: MultipartError| FormError::from_multipart(&error, limit_bytes);
        let first = form.next_field().await.map_err(wrong)?;
        let carried = match first.filter(|field| field.name() == Some(TOKEN_FIELD)) {
            Some(field) => token_text(field).await.map_err(wrong)?,
            None => String::new(),
        };
        self.verify_token(&carried)?;
        Ok(form)
    }
}

/// The text of the field with the token; empty if it is too long to be one.
async fn token_text(mut field: Field<'_>) -> Result<String, MultipartError> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await? {
        if bytes.len() + piece.len() > MAX_TOKEN_BYTES {
            return Ok(String::new());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The fields of a form, in their order.
#[derive(Debug, Clone, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// The first field of that name, without the blanks around it; empty if there is none.
    pub fn get(&self, name: &str) -> &str {
        self.exact(name).trim()
    }

    /// The same as it was typed: for texts and passwords.
    pub fn exact(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// All fields of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a box is ticked, or a button was pressed.
    pub fn is(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::secret::{MaskedToken, guard_of};

    async fn read(more: &[(&'static str, &'static str)], body: String) -> Result<Form, FormError> {
        let mut headers = HeaderMap::new();
        let form = "application/x-www-form-urlencoded; charset=utf-8";
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(form));
        for (name, value) in more {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        let token = guard_of("secret");
        let guard = FormGuard { base: "https://news.example/", token: Some(&token) };
        guard.read(&headers, body.into(), 200).await
    }

    #[tokio::test]
    async fn form_of_another_site_type_or_visitor_is_refused() {
        let token = MaskedToken::new(&guard_of("secret"));
        let body = || format!("guard={token}&a=+b+&c&a=d");
        let form = read(&[("sec-fetch-site", "same-origin")], body()).await.unwrap();
        assert_eq!((form.get("a"), form.exact("a"), form.get("none")), ("b", " b ", ""));
        assert_eq!(form.all("a").collect::<Vec<_>>(), [" b ", "d"]);
        assert!(form.is("c") && !form.is("d"));
        assert_eq!(form.names().collect::<Vec<_>>(), ["guard", "a", "c", "a"]);
        for (more, error) in [
            (("origin", "https://evil.example"), FormError::CrossSite),
            (("sec-fetch-site", "cross-site"), FormError::CrossSite),
            (("sec-fetch-site", "same-site"), FormError::CrossSite),
            (("content-type", "text/plain"), FormError::MediaType),
            (("content-type", "multipart/form-data; boundary=x"), FormError::MediaType),
        ] {
            assert_eq!(read(&[more], body()).await.unwrap_err(), error, "{more:?}");
        }
        let other = MaskedToken::new(&guard_of("other"));
        for body in [format!("guard={other}"), format!("a={token}"), String::new()] {
            assert_eq!(read(&[], body.clone()).await.unwrap_err(), FormError::Token, "{body}");
        }
        let long = format!("{}&{}", body(), "x".repeat(200));
        assert_eq!(read(&[], long).await.unwrap_err(), FormError::TooLong { limit_bytes: 200 });
        let guard = FormGuard { base: "", token: None };
        assert_eq!(guard.verify_token(&token.to_string()), Err(FormError::Token));
    }

    #[tokio::test]
    async fn multipart_form_is_read_only_after_its_token() {
        let token = guard_of("secret");
        let own = MaskedToken::new(&token).to_string();
        let guard = FormGuard { base: "https://news.example/", token: Some(&token) };
        let part = |name: &str, value: &str| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let open = async |media_type: &'static str, body: String, limit_bytes: usize| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            let body = Body::from(format!("{body}--x--\r\n"));
            guard.open_multipart(&headers, body, limit_bytes).await.map(drop)
        };
        let kind = "multipart/form-data; boundary=x";
        let whole = part("guard", &own) + &part("list", "some");
        assert_eq!(open(kind, whole.clone(), 1_000).await, Ok(()));
        for (media_type, body, limit_bytes, error) in [
            (kind, part("list", "some") + &part("guard", &own), 1_000, FormError::Token),
            (kind, part("guard", &(own.clone() + &" ".repeat(200))), 1_000, FormError::Token),
            (kind, part("guard", ""), 1_000, FormError::Token),
            (kind, String::new(), 1_000, FormError::Token),
            (kind, whole.clone(), 60, FormError::TooLong { limit_bytes: 60 }),
            ("multipart/form-data; boundary=y", whole.clone(), 1_000, FormError::Malformed),
            ("multipart/form-data", whole.clone(), 1_000, FormError::MediaType),
            ("application/x-www-form-urlencoded", whole, 1_000, FormError::MediaType),
        ] {
            let opened = open(media_type, body.clone(), limit_bytes).await;
            assert_eq!(opened, Err(error), "{media_type} {body}");
        }
    }
}
