//! Where the client does not go.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::process::Command;

use tidings_web::{Client, ClientOptions, FetchError, GetOptions, Refusal, Remedies, Url};

use crate::server::{Server, ok, redirect};

/// A listener that must not be connected to.
pub(crate) struct Bait(TcpListener);

impl Bait {
    pub(crate) fn at(ip: &str) -> Self {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    #[track_caller]
    pub(crate) fn assert_untouched(&self) {
        assert_eq!(self.0.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

fn client() -> Client {
    Client::new(ClientOptions::default()).unwrap()
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[tokio::test]
async fn s1_a_private_address_is_refused_before_any_connection() {
    let bait = Bait::at("127.0.0.1");
    let hosts = ["127.0.0.1", "2130706433", "0x7f.1", "0", "[::ffff:127.0.0.1]", "localhost"];
    for host in hosts {
        let url = url(&format!("http://{host}:{}/", bait.port()));
        let error = client().get(&url, &GetOptions::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::Refused { .. }), "{host}: {error:?}");
    }
    bait.assert_untouched();
}

#[tokio::test]
async fn s1_the_message_says_what_and_why_and_what_to_do() {
    let options = ClientOptions {
        remedies: Remedies { private_address: "; say so if you mean it", ..Remedies::default() },
        ..ClientOptions::default()
    };
    // What helps, only the program knows; who has no options is told of none.
    for (options, remedy) in [(ClientOptions::default(), ""), (options, "; say so if you mean it")]
    {
        let client = Client::new(options).unwrap();
        for (target, refused) in [
            ("http://10.0.0.1/a", "it leads to 10.0.0.1, a private address (RFC 1918)"),
            ("http://localhost/a", "localhost is this machine"),
        ] {
            let error = client.get(&url(target), &GetOptions::default()).await.unwrap_err();
            assert_eq!(error.to_string(), format!("refused to fetch {target}: {refused}{remedy}"));
        }
        let error = client.get(&url("http://a.example:22/"), &GetOptions::default()).await;
        assert!(error.unwrap_err().to_string().ends_with("port blocking)"), "nothing helps here");
    }
}

#[tokio::test]
async fn s1_a_private_address_may_be_allowed() {
    let server = Server::start(|_| ok(b"here")).await;
    let options = ClientOptions { allow_private: true, ..ClientOptions::default() };
    let client = Client::new(options).unwrap();
    assert!(client.get(&server.url("/"), &GetOptions::default()).await.is_ok());
}

#[tokio::test]
async fn s1_trust_is_for_one_origin_exactly() {
    let bait = Bait::at("127.0.0.1");
    let target = url(&format!("http://127.0.0.1:{}/", bait.port()));
    for typed in ["http://127.0.0.1/", "http://localhost:PORT/", "https://127.0.0.1:PORT/"] {
        let typed = url(&typed.replace("PORT", &bait.port().to_string()));
        let error = client().get(&target, &GetOptions::trusting(&typed)).await.unwrap_err();
        assert!(matches!(error, FetchError::Refused { .. }), "{typed}: {error:?}");
    }
    bait.assert_untouched();
}

#[tokio::test]
async fn s3_a_trusted_origin_cannot_redirect_to_a_private_address() {
    for host in ["127.0.0.2", "2130706434", "127.2"] {
        let bait = Bait::at("127.0.0.2");
        let location = format!("http://{host}:{}/", bait.port());
        let server = Server::start(move |_| redirect(&location)).await;
        let typed = server.url("/");
        let error = client().get(&typed, &GetOptions::trusting(&typed)).await.unwrap_err();
        match error {
            FetchError::Refused { url, reason: Refusal::Address { address }, .. } => {
                assert_eq!(url.port(), Some(bait.port()));
                assert_eq!(address.to_string(), "127.0.0.2");
            }
            other => panic!("{host}: {other:?}"),
        }
        bait.assert_untouched();
    }
}

#[tokio::test]
async fn s3_a_redirect_out_of_the_web_is_refused() {
    for location in ["file:///etc/passwd", "gopher://h/_x", "ftp://h/", "data:text/xml,<urlset/>"] {
        let server = Server::start(move |_| redirect(location)).await;
        let typed = server.url("/");
        let error = client().get(&typed, &GetOptions::trusting(&typed)).await.unwrap_err();
        let scheme = location.split(':').next().unwrap();
        match &error {
            FetchError::Refused { reason: Refusal::Scheme { scheme: found }, .. } => {
                assert_eq!(found, scheme);
            }
            other => panic!("{location}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn s7_a_blocked_port_is_refused_even_when_typed_or_allowed() {
    let options = ClientOptions { allow_private: true, ..ClientOptions::default() };
    let client = Client::new(options).unwrap();
    for port in [22, 25, 6379] {
        let typed = url(&format!("http://127.0.0.1:{port}/"));
        let error = client.get(&typed, &GetOptions::trusting(&typed)).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Refused { reason: Refusal::Port { port: p }, .. } if p == port),
            "{error:?}"
        );
    }
}

/// The proxy variables are read once for a process, so the test runs itself in one that has them.
#[tokio::test]
async fn s6_proxy_variables_are_not_obeyed() {
    const TARGET: &str = "TIDINGS_WEB_TEST_TARGET";
    if let Ok(target) = std::env::var(TARGET) {
        let typed = url(&target);
        client().get(&typed, &GetOptions::trusting(&typed)).await.unwrap();
        return;
    }
    let server = Server::start(|_| ok(b"direct")).await;
    let proxy = Bait::at("127.0.0.1");
    let proxy_url = format!("http://127.0.0.1:{}", proxy.port());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "guard::s6_proxy_variables_are_not_obeyed"]);
    child.env(TARGET, server.url("/").as_str());
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        child.env(name, &proxy_url);
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(server.requests().len(), 1);
    proxy.assert_untouched();
}
