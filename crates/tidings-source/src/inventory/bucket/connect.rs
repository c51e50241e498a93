//! The connections of a store's client, with listings that it can read.

use std::time::Duration;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesText, Event};
use quick_xml::{Reader, Writer};

use super::carry::packed;

/// How long a store may be silent. The client's own limit is on the whole answer, 30 s, which large
/// objects take longer than.
const SILENCE: Duration = Duration::from_secs(60);

/// Makes the connections of every store.
#[derive(Debug, Default)]
pub(super) struct Connector {
    plain: ReqwestConnector,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Fails only if the process has a provider already, and any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = options.clone().with_timeout_disabled().with_read_timeout(SILENCE);
        Ok(HttpClient::new(Connection(self.plain.connect(&options)?)))
    }
}

/// A connection that packs the keys in listings.
#[derive(Debug)]
struct Connection(HttpClient);

#[async_trait]
impl HttpService for Connection {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let lists = request.uri().query().is_some_and(is_listing);
        let response = self.0.execute(request).await?;
        if !lists || !response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        let page = body.bytes().await?;
        let page = with_packed_keys(&page)
            .map_err(|error| HttpError::new_boxed(HttpErrorKind::Decode, error))?;
        Ok(HttpResponse::from_parts(head, page.into()))
    }
}

/// True for the queries that ask S3 and Google (`list-type`) or Azure (`comp`) for a listing.
fn is_listing(query: &str) -> bool {
    query.split('&').any(|pair| pair == "list-type=2" || pair == "comp=list")
}

/// A page of a listing with its keys packed: the text of each `Key` in `Contents` (S3, Google) and
/// `Name` in `Blob` (Azure).
fn with_packed_keys(page: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let mut reader = Reader::from_str(std::str::from_utf8(page)?);
    let mut writer = Writer::new(Vec::with_capacity(page.len()));
    let mut parents: Vec<Vec<u8>> = Vec::new();
    let mut key: Option<String> = None;
    loop {
        let event = reader.read_event()?;
        match (&event, &mut key) {
            (Event::Eof, _) => return Ok(writer.into_inner()),
            (Event::Text(text), Some(key)) => key.push_str(&text.xml10_content()?),
            (Event::CData(text), Some(key)) => key.push_str(&text.xml10_content()?),
            (Event::GeneralRef(reference), Some(key)) => match reference.resolve_char_ref()? {
                Some(character) => key.push(character),
                None => {
                    let name = reference.decode()?;
                    let text = resolve_xml_entity(&name).ok_or_else(|| {
                        format!("it has an entity that XML does not know: {name}")
                    })?;
                    key.push_str(text);
                }
            },
            (Event::Start(start), _) => {
                let name = start.local_name().as_ref().to_vec();
                let parent = parents.last().map(Vec::as_slice);
                let is_key = matches!(
                    (parent, name.as_slice()),
                    (Some(b"Contents"), b"Key") | (Some(b"Blob"), b"Name")
                );
                key = is_key.then(String::new);
                parents.push(name);
                writer.write_event(event)?;
            }
            (Event::End(_), _) => {
                parents.pop();
                if let Some(key) = key.take() {
                    writer.write_event(Event::Text(BytesText::new(&packed(&key))))?;
                }
                writer.write_event(event)?;
            }
            _ => writer.write_event(event)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::carry::unpacked;
    use super::*;

    #[test]
    fn only_keys_are_packed_and_the_rest_stays() {
        let page = |key: &str| {
            format!(
                "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"u\"><Name>b//</Name>\
                 <Contents><Key>{key}</Key><Size>1</Size></Contents></ListBucketResult>"
            )
        };
        let plain = page("a&amp;b &#252;");
        let same = String::from_utf8(with_packed_keys(plain.as_bytes()).unwrap()).unwrap();
        assert_eq!(same, page("a&amp;b ü"));
        for (written, key) in [
            ("a//b", "a//b"),
            (" a", " a"),
            ("a&#x1;&lt;/", "a\u{1}</"),
            ("<![CDATA[../&amp;]]>", "../&amp;"),
            ("", ""),
        ] {
            let packed = with_packed_keys(page(written).as_bytes()).unwrap();
            let packed = String::from_utf8(packed).unwrap();
            let start = packed.find("<Key>").unwrap() + "<Key>".len();
            let end = packed.find("</Key>").unwrap();
            assert_eq!(unpacked(&packed[start..end]), key);
        }
    }

    #[test]
    fn azure_has_other_names() {
        let page = "<EnumerationResults><Blobs><Blob><Name>/a</Name></Blob><BlobPrefix>\
                    <Name>/p</Name></BlobPrefix></Blobs></EnumerationResults>";
        let packed = String::from_utf8(with_packed_keys(page.as_bytes()).unwrap()).unwrap();
        assert!(packed.contains("key:2f61</Name>") && packed.contains("<Name>/p</Name>"));
    }

    #[test]
    fn what_is_no_listing_is_an_error() {
        for page in [&b"\xff"[..], b"<a><b></a>", b"<Contents><Key>&what;</Key></Contents>"] {
            assert!(with_packed_keys(page).is_err());
        }
        assert!(is_listing("list-type=2&prefix=a%2F") && is_listing("comp=list&restype=container"));
        assert!(!is_listing("uploads") && !is_listing("prefix=list-type=2"));
    }
}
