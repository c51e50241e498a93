//! Servers that hang up on a connection that was kept for the next request.

use std::net::SocketAddr;
use std::time::Duration;

use tidings_web::{Client, ClientOptions, FetchError, GetOptions, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const WELL: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server that takes one connection after the other, answers so many requests on each, hears one more
/// and hangs up. It ends after the last, and says how many requests it heard.
async fn server(connections: &'static [usize]) -> (Url, JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let mut heard = 0;
        for answers in connections {
            let (mut socket, _) = listener.accept().await.unwrap();
            for _ in 0..*answers {
                heard += usize::from(hear(&mut socket).await);
                socket.write_all(WELL).await.unwrap();
            }
            heard += usize::from(hear(&mut socket).await);
        }
        heard
    });
    (Url::parse(&format!("http://{address}/")).unwrap(), task)
}

/// Hears one request, if one comes.
async fn hear(socket: &mut TcpStream) -> bool {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return false,
        }
    }
    true
}

/// How many requests were heard. Who waits for one that never comes is not waited for.
async fn heard(server: JoinHandle<usize>) -> usize {
    tokio::time::timeout(Duration::from_secs(20), server).await.unwrap().unwrap()
}

/// A client that tries each request once.
fn client() -> Client {
    Client::new(ClientOptions { tries: 1, ..ClientOptions::default() }).unwrap()
}

#[tokio::test]
async fn a_request_that_came_too_late_for_its_connection_is_sent_on_another() {
    let (url, server) = server(&[1, 2]).await;
    let (client, options) = (client(), GetOptions::trusting(&url));
    client.get(&url, &options).await.unwrap();
    client.get(&url, &options).await.unwrap();
    client.head(&url, &options).await.unwrap();
    drop(client);
    assert_eq!(heard(server).await, 4, "the second was sent twice");
}

#[tokio::test]
async fn a_server_that_never_answers_is_not_asked_again() {
    let (url, server) = server(&[0]).await;
    let client = client();
    let error = client.get(&url, &GetOptions::trusting(&url)).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
    assert_eq!(heard(server).await, 1);
}

#[tokio::test]
async fn a_server_that_answers_no_more_is_found_out() {
    let (url, server) = server(&[1, 0]).await;
    let (client, options) = (client(), GetOptions::trusting(&url));
    client.get(&url, &options).await.unwrap();
    let error = client.get(&url, &options).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
    assert_eq!(heard(server).await, 3, "once more on a connection of its own, and that is all");
}
