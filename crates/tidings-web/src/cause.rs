//! From an error chain of the HTTP stack to a sentence for people.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

use rustls::CertificateError;
use url::Url;

use crate::connect::ConnectTimedOut;
use crate::error::{FetchError, Phase};
use crate::guard::Refusal;
use crate::options::ClientOptions;
use crate::resolver::NameError;

/// What a request that got no answer means for its caller.
pub(crate) fn unanswered(
    url: &Url,
    options: &ClientOptions,
    error: &(dyn Error + 'static),
) -> FetchError {
    let url = url.clone();
    if let Some(reason) = find::<Refusal>(error) {
        FetchError::refused(url, reason.clone(), &options.remedies)
    } else if find::<ConnectTimedOut>(error).is_some() {
        FetchError::TimedOut { url, phase: Phase::Connect, limit: options.time_outs.connect }
    } else if let Some(error @ rustls::Error::InvalidCertificate(_)) = find(error) {
        FetchError::Certificate { url, reason: tls(error) }
    } else {
        FetchError::Unreachable { url, reason: sentence(error) }
    }
}

/// What lies at the bottom of the chain, said plainly where it is one of the usual things.
fn sentence(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = find::<NameError>(error) {
        return format!("{error}; check its spelling and the network");
    }
    if let Some(error) = find::<rustls::Error>(error) {
        return tls(error);
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(ErrorKind::ConnectionRefused) => {
            "the connection was refused; is the server up, and the port right?".to_owned()
        }
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted) => {
            "the server broke off the connection".to_owned()
        }
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            "there is no route to it from here; check the network".to_owned()
        }
        _ => format!("no usable answer came ({})", innermost(error)),
    }
}

fn tls(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let rustls::Error::InvalidCertificate(certificate) = error else {
        return match error {
            rustls::Error::InvalidMessage(_) => {
                "the server does not speak TLS on this port; is it an http URL?".to_owned()
            }
            _ => format!("no secure connection could be made: {error}"),
        };
    };
    let problem = match certificate {
        Bad::Expired | Bad::ExpiredContext { .. } => "has expired",
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            "is not valid yet; is the clock right?"
        }
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => "is for another host",
        Bad::UnknownIssuer => "is not signed by an authority that this machine trusts",
        Bad::Revoked => "has been revoked",
        other => return format!("the server's certificate is not valid: {other}"),
    };
    format!("the server's certificate {problem}")
}

/// The chain from the outside in. An [`io::Error`] that wraps another error skips it in `source`
/// (it gives that one's source), so it is opened here.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&error| {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

pub(crate) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    chain(error).find_map(|cause| cause.downcast_ref())
}

pub(crate) fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    chain(error).last().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("client error")]
    struct Outer(#[source] io::Error);

    fn say(error: io::Error) -> String {
        sentence(&Outer(error))
    }

    #[test]
    fn s11_certificate_problems_are_said_plainly() {
        for (certificate, word) in [
            (CertificateError::Expired, "expired"),
            (CertificateError::NotValidYet, "clock"),
            (CertificateError::NotValidForName, "another host"),
            (CertificateError::UnknownIssuer, "authority"),
            (CertificateError::Revoked, "revoked"),
            (CertificateError::BadSignature, "not valid"),
        ] {
            let error = rustls::Error::InvalidCertificate(certificate);
            let said = say(io::Error::new(ErrorKind::InvalidData, error));
            assert!(said.starts_with("the server's certificate") && said.contains(word), "{said}");
        }
    }

    #[test]
    fn system_errors_are_said_plainly() {
        for (kind, word) in [
            (ErrorKind::ConnectionRefused, "refused"),
            (ErrorKind::ConnectionReset, "broke off"),
            (ErrorKind::HostUnreachable, "no route"),
        ] {
            let said = say(kind.into());
            assert!(said.contains(word), "{kind}: {said}");
        }
        assert_eq!(say(io::Error::other("it rained")), "no usable answer came (it rained)");
    }
}
