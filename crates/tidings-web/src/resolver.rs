//! Name lookup, with the guard behind it.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::guard;

/// The addresses of a name, or why there are none.
pub(crate) type Answers = Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>>;

/// What finds the addresses of names.
pub(crate) trait Resolve: Send + Sync {
    fn resolve(&self, name: Name) -> Pin<Box<dyn Future<Output = Answers> + Send>>;
}

/// A resolver as connectors want it.
#[derive(Clone)]
pub(crate) struct Lookup(pub(crate) Arc<dyn Resolve>);

impl Service<Name> for Lookup {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let answers = self.0.resolve(name);
        Box::pin(async move { Ok(answers.await?.into_iter()) })
    }
}

/// The system's resolver.
#[derive(Debug)]
pub(crate) struct System;

/// A name that leads nowhere.
#[derive(Debug, thiserror::Error)]
#[error("no address was found for the host {host}: {error}")]
pub(crate) struct NameError {
    host: String,
    error: io::Error,
}

impl Resolve for System {
    fn resolve(&self, name: Name) -> Pin<Box<dyn Future<Output = Answers> + Send>> {
        Box::pin(async move {
            let host = name.as_str();
            let found = tokio::net::lookup_host((host, 0))
                .await
                .map_err(|error| NameError { host: host.to_owned(), error })?;
            Ok(found.collect())
        })
    }
}

/// A resolver whose answers a stranger may be at. It stands in the connector, so what it lets
/// through is what is connected to: there is no second lookup that could answer otherwise (DNS
/// rebinding). Of a mixed answer the public addresses stay; an answer without any is a
/// [`Refusal`](crate::Refusal).
pub(crate) struct Guarded(pub(crate) Arc<dyn Resolve>);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Pin<Box<dyn Future<Output = Answers> + Send>> {
        let answers = self.0.resolve(name);
        Box::pin(async move {
            let mut allowed: Vec<SocketAddr> = Vec::new();
            let mut refusal = None;
            for address in answers.await? {
                match guard::check_address(address.ip()) {
                    Ok(()) => allowed.push(address),
                    Err(reason) => refusal = refusal.or(Some(reason)),
                }
            }
            match refusal {
                Some(reason) if allowed.is_empty() => Err(reason.into()),
                _ => Ok(allowed),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{Read, Write};
    use std::net::{IpAddr, TcpListener};

    use url::Url;

    use super::*;
    use crate::{Client, ClientOptions, FetchError, GetOptions, Refusal};

    /// A resolver that answers each name from a script, the last answer for ever.
    struct Scripted(HashMap<&'static str, std::sync::Mutex<Vec<Vec<&'static str>>>>);

    impl Scripted {
        fn new(names: &[(&'static str, &[&[&'static str]])]) -> Arc<Self> {
            let answers = |script: &&[&[&'static str]]| {
                script.iter().rev().map(|answer| answer.to_vec()).collect::<Vec<_>>().into()
            };
            Arc::new(Self(names.iter().map(|(name, script)| (*name, answers(script))).collect()))
        }
    }

    impl Resolve for Scripted {
        fn resolve(&self, name: Name) -> Pin<Box<dyn Future<Output = Answers> + Send>> {
            let mut script = self.0[name.as_str()].lock().unwrap();
            let answer = if script.len() > 1 { script.pop() } else { script.last().cloned() };
            let addresses: Vec<SocketAddr> = answer
                .unwrap()
                .iter()
                .map(|address| SocketAddr::new(address.parse().unwrap(), 0))
                .collect();
            Box::pin(async { Ok(addresses) })
        }
    }

    async fn allowed(guarded: &Guarded, name: &str) -> Result<Vec<String>, Refusal> {
        match guarded.resolve(name.parse().unwrap()).await {
            Ok(found) => Ok(found.iter().map(|address| address.ip().to_string()).collect()),
            Err(error) => Err(*error.downcast().unwrap()),
        }
    }

    #[tokio::test]
    async fn s4_only_the_public_addresses_of_a_mixed_answer_are_connected_to() {
        let names = Scripted::new(&[
            ("mixed.test", &[&["127.0.0.1", "1.1.1.1", "::1", "2606:4700::1", "10.0.0.1"]]),
            ("private.test", &[&["10.0.0.1", "192.168.0.1"]]),
        ]);
        let guarded = Guarded(names);
        assert_eq!(allowed(&guarded, "mixed.test").await.unwrap(), ["1.1.1.1", "2606:4700::1"]);
        assert!(allowed(&guarded, "private.test").await.is_err());
    }

    #[tokio::test]
    async fn s4_every_lookup_is_checked_so_a_name_that_turns_private_is_refused() {
        let guarded =
            Guarded(Scripted::new(&[("rebind.test", &[&["1.1.1.1"], &["169.254.169.254"]])]));
        assert!(allowed(&guarded, "rebind.test").await.is_ok());
        assert!(allowed(&guarded, "rebind.test").await.is_err());
    }

    #[tokio::test]
    async fn s2_a_name_of_a_metadata_service_is_refused_by_where_it_leads() {
        let names = Scripted::new(&[("metadata.google.internal", &[&["169.254.169.254"]])]);
        let client = Client::with_resolver(ClientOptions::default(), names).unwrap();
        let url = Url::parse("http://metadata.google.internal/computeMetadata/v1/").unwrap();
        let error = client.get(&url, &GetOptions::default()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "refused to fetch http://metadata.google.internal/computeMetadata/v1/: it leads to \
             169.254.169.254, a link-local or cloud metadata address (RFC 3927)"
        );
    }

    /// A server for `count` requests, each answered with a redirect to `location`.
    fn redirecting(location: String, count: usize) -> (u16, std::thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            for _ in 0..count {
                let (mut socket, _) = listener.accept().unwrap();
                let _ = socket.read(&mut [0; 4096]).unwrap();
                let head = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\n\r\n");
                socket.write_all(head.as_bytes()).unwrap();
            }
        });
        (port, thread)
    }

    #[tokio::test]
    async fn s4_a_trusted_name_may_be_private_and_the_name_that_it_redirects_to_may_not() {
        let bait = TcpListener::bind("127.0.0.1:0").unwrap();
        bait.set_nonblocking(true).unwrap();
        let bait_port = bait.local_addr().unwrap().port();
        // Another name, and the trusted name at another port: each is another origin.
        for host in ["inner.test", "typed.test"] {
            let (port, server) = redirecting(format!("http://{host}:{bait_port}/"), 1);
            let names = Scripted::new(&[
                ("typed.test", &[&["127.0.0.1"]]),
                ("inner.test", &[&["127.0.0.1"]]),
            ]);
            let client = Client::with_resolver(ClientOptions::default(), names).unwrap();
            let url = Url::parse(&format!("http://typed.test:{port}/")).unwrap();
            let error = client.get(&url, &GetOptions::trusting(&url)).await.unwrap_err();
            let loopback: IpAddr = [127, 0, 0, 1].into();
            match error {
                FetchError::Refused { url, reason: Refusal::Address { address }, .. } => {
                    assert_eq!((url.port(), address), (Some(bait_port), loopback));
                }
                other => panic!("{host}: {other:?}"),
            }
            server.join().unwrap();
        }
        assert_eq!(bait.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
