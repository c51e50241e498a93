//! Copying over https, from a real nginx: certificates that are right, and such that are not (S11).
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use support::{Nginx, stderr, stdout, tidings, write_all};
use tempfile::TempDir;

/// A site behind https, with a certificate for that name.
struct Secure {
    server: Nginx,
    keys: TempDir,
    site: TempDir,
}

fn openssl(folder: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    command.args(arguments.split(' ')).current_dir(folder);
    let output = command.output().expect("openssl; `cargo xtask setup` installs it");
    assert!(output.status.success(), "openssl {arguments}: {}", stderr(&output));
}

impl Secure {
    fn new(name: &str, days: &str) -> Self {
        let keys = tempfile::tempdir().unwrap();
        let (folder, at) = (keys.path(), keys.path().display());
        openssl(
            folder,
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca",
        );
        openssl(
            folder,
            "req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=site",
        );
        fs::write(
            folder.join("names"),
            format!("subjectAltName={name}\nbasicConstraints=CA:FALSE\n"),
        )
        .unwrap();
        openssl(
            folder,
            &format!(
                "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days {days} -extfile names -out cert.pem"
            ),
        );
        let site = tempfile::tempdir().unwrap();
        write_all(site.path(), &[("a.html", "a"), ("b.html", "b")]);
        let extra = format!("ssl_certificate {at}/cert.pem; ssl_certificate_key {at}/key.pem;");
        let server = Nginx::serve_tls(site.path(), &extra);
        Self { server, keys, site }
    }

    fn url(&self, host: &str) -> String {
        self.server.url().replace("http://127.0.0.1", &format!("https://{host}"))
    }

    fn sync(&self, copy: &Path, trusts: bool) -> Output {
        let url = self.url("localhost");
        let mut command = tidings();
        let published = tidings()
            .args(["publish", self.site.path().to_str().unwrap(), "--base", &url])
            .output()
            .unwrap();
        assert!(published.status.success(), "{}", stderr(&published));
        let authority =
            if trusts { self.keys.path().join("ca.pem") } else { "/nonexistent".into() };
        command.env("SSL_CERT_FILE", authority).env_remove("SSL_CERT_DIR");
        command.args(["sync", &url, copy.to_str().unwrap()]).output().unwrap()
    }
}

#[test]
fn s11_a_certificate_that_is_right_will_do() {
    let secure = Secure::new("DNS:localhost", "1");
    let copy = tempfile::tempdir().unwrap();
    let output = secure.sync(copy.path(), true);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("2 created"), "{}", stdout(&output));
}

#[test]
fn s11_certificates_that_are_wrong_are_refused() {
    for (name, days, why) in [
        ("DNS:other.example", "1", "the certificate is for another name"),
        ("DNS:localhost", "-1", "the certificate has expired"),
    ] {
        let secure = Secure::new(name, days);
        let copy = tempfile::tempdir().unwrap();
        let output = secure.sync(copy.path(), true);
        assert_eq!(output.status.code(), Some(2), "{why}: {}", stdout(&output));
        assert!(stderr(&output).contains("certificate"), "{why}: {}", stderr(&output));
    }
}
