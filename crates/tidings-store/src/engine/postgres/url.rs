//! The URL of a database.

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::StoreError;
use crate::error::Result;

/// How to connect, and what to call the database where people read it: that has no password.
pub(super) fn read(url: &str) -> Result<(Config, String)> {
    // The reason is not repeated: it may quote what was given, and with it a password.
    let Ok(mut config) = url.parse::<Config>() else {
        return Err(StoreError::Refused {
            place: "the database".to_owned(),
            detail: "its URL is not understood; give one such as \
                     postgres://user:password@host:5432/database"
                .to_owned(),
        });
    };
    let place = place(&config);
    if !matches!(config.get_ssl_mode(), SslMode::Disable | SslMode::Prefer) {
        let detail = "its URL demands TLS, which is not built in: leave sslmode out, and connect \
                      over a network that can be trusted or through a tunnel"
            .to_owned();
        return Err(StoreError::Refused { place, detail });
    }
    if config.get_hosts().is_empty() {
        let detail = "its URL names no host: postgres://user@host/database".to_owned();
        return Err(StoreError::Refused { place, detail });
    }
    if config.get_application_name().is_none() {
        config.application_name("tidings");
    }
    Ok((config, place))
}

fn place(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(number, host)| {
        let port = ports.get(number).or(ports.first()).copied().unwrap_or(5432);
        let port = if port == 5432 { String::new() } else { format!(":{port}") };
        match host {
            Host::Tcp(name) => format!("{name}{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}{port}", path.display()),
        }
    });
    let hosts: Vec<_> = hosts.collect();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{database}", hosts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_password() {
        let (_, place) = read("postgres://u:secret@db.example:5433/state").unwrap();
        assert_eq!(place, "postgres://u@db.example:5433/state");
        let (_, place) = read("postgres://db.example/state?user=u&password=secret").unwrap();
        assert_eq!(place, "postgres://u@db.example/state");
    }

    #[test]
    fn no_error_has_the_password() {
        for url in [
            "postgres://u:secret@db.example/state?sslmode=require",
            "postgres://u:secret@db.example/state?secret=secret",
            "postgres://u:secret@/state",
            "user=u password=secret what",
            "secret",
        ] {
            let error = read(url).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        let error = read("postgres://u@h/d?sslmode=require").unwrap_err().to_string();
        assert!(error.contains("TLS"), "{error}");
    }
}
