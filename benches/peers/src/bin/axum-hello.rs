//! A web server that says hello, as axum's own example does: what answering costs at the least. It
//! also sends the bytes of a file, at `/body`.

use std::error::Error;

use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: axum-hello FILE")?;
    let body = Bytes::from(std::fs::read(file)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        let router = Router::new()
            .route("/", get(async || "Hello, World!"))
            .route("/body", get(async move || body.clone()));
        axum::serve(listener, router).await?;
        Ok(())
    })
}
