//! Names and passwords. Passwords are kept as Argon2id hashes, and checked in a time that says nothing.

use std::sync::{Arc, LazyLock};

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, PasswordHash, Version};
use tokio::sync::Semaphore;

/// The shortest that is taken: NIST SP 800-63B, section 3.1.1.2, wants 15 where there is nothing
/// besides, and 8 at the least; 10 is what people put up with.
const SHORTEST: usize = 10;
/// The longest: more would only take time to hash.
const LONGEST: usize = 200;

/// How long a name may be.
const LONGEST_NAME: usize = 60;

/// Why a name or a password is not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordError {
    /// It could not be typed, or be mistaken for another.
    #[error(
        "a name has 1 to {LONGEST_NAME} letters, digits, dots, hyphens, underscores or @, and no spaces"
    )]
    Name,
    /// Too short.
    #[error("the password is too short: it needs {SHORTEST} characters")]
    Short,
    /// Too long.
    #[error("the password is too long: {LONGEST} bytes are enough")]
    Long,
    /// The first that others would try.
    #[error("this password is among the first that somebody would try; take another one")]
    Common,
    /// It was typed twice, and differently.
    #[error("the two passwords are not the same")]
    Different,
    /// There is no memory or no randomness for it.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

/// What OWASP's password storage cheat sheet has as its first choice with 19 MiB: it takes some 20 ms.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// The hash of a password that is good enough for that name, which can be one, as a PHC string.
pub fn hash_password(password: &str, name: &str) -> Result<String, PasswordError> {
    let is_letter = |one: char| one.is_alphanumeric() || matches!(one, '.' | '-' | '_' | '@');
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_letter) {
        return Err(PasswordError::Name);
    }
    if password.chars().count() < SHORTEST {
        return Err(PasswordError::Short);
    }
    if password.len() > LONGEST {
        return Err(PasswordError::Long);
    }
    let lower = password.to_lowercase();
    let is_common = COMMON.contains(&lower.as_str())
        || lower.contains(&name.to_lowercase()) && name.len() >= 4
        || lower.chars().all(|letter| lower.starts_with(letter));
    if is_common {
        return Err(PasswordError::Common);
    }
    rehash(password)
}

/// The hash of a password, good enough or not.
pub(crate) fn rehash(password: &str) -> Result<String, PasswordError> {
    let hash = argon2().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| PasswordError::Hash(error.to_string()))
}

/// Whether a hash takes less work to try passwords against than those that are made today.
pub(crate) fn is_outdated(hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    let Ok(params) = Params::try_from(&hash) else { return true };
    let current = argon2();
    let current = current.params();
    hash.algorithm != Algorithm::Argon2id.ident()
        || params.m_cost() < current.m_cost()
        || params.t_cost() < current.t_cost()
}

/// A hash that no password has: who is not known is checked against it, so that it takes as long.
static NOBODY: LazyLock<String> = LazyLock::new(|| {
    let made = argon2().hash_password(b"nobody's password, and nobody can have it");
    made.map(|hash| hash.to_string()).unwrap_or_default()
});

/// Whether a password is the one of that hash; never if there is none, which takes as long.
pub(crate) async fn is_right(room: &Arc<Semaphore>, password: &str, hash: Option<String>) -> bool {
    let Ok(permit) = Arc::clone(room).acquire_owned().await else { return false };
    // Who types more than a password can have is wrong, and takes no more time than others.
    let end = password.floor_char_boundary(LONGEST);
    let is_whole = end == password.len();
    let password = password[..end].to_owned();
    let checked = tokio::task::spawn_blocking(move || {
        // It is room for the work, whether or not somebody still waits for it.
        let _permit = permit;
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        let Ok(hash) = PasswordHash::new(&hash) else { return false };
        let is_right = argon2().verify_password(password.as_bytes(), &hash).is_ok();
        is_right && is_known
    });
    checked.await.unwrap_or(false) && is_whole
}

/// The most common ones that are long enough.
const COMMON: [&str; 24] = [
    "1234567890",
    "0123456789",
    "0987654321",
    "12345678910",
    "123456789a",
    "1q2w3e4r5t",
    "1qaz2wsx3edc",
    "abcdefghij",
    "administrator",
    "changeme123",
    "iloveyou123",
    "letmein123",
    "passw0rd123",
    "password12",
    "password123",
    "password1234",
    "qazwsxedcrfv",
    "qwerty12345",
    "qwerty123456",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl;",
    "welcome123",
    "zaq12wsxcde3",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_right_if_it_is_the_same() {
        let room = Arc::new(Semaphore::new(1));
        let hash = hash_password("correct horse battery", "ann").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(is_right(&room, "correct horse battery", Some(hash.clone())).await);
        assert!(!is_right(&room, "correct horse batterx", Some(hash.clone())).await);
        assert!(!is_right(&room, "", Some(hash.clone())).await);
        assert!(!is_right(&room, "correct horse battery", None).await);
        assert!(!is_right(&room, "nobody's password, and nobody can have it", None).await);
        let long = "x".repeat(100_000);
        assert!(!is_right(&room, &long, Some(hash.clone())).await);
        assert!(!is_right(&room, "x", Some("no hash".to_owned())).await);
    }

    #[tokio::test]
    async fn hash_with_less_work_is_outdated_and_still_right() {
        let room = Arc::new(Semaphore::new(1));
        let of = |algorithm, memory, rounds| {
            let params = Params::new(memory, rounds, 1, None).unwrap();
            let argon2 = Argon2::new(algorithm, Version::V0x13, params);
            argon2.hash_password(b"an old password").unwrap().to_string()
        };
        for (hash, outdated) in [
            (of(Algorithm::Argon2id, 19 * 1024, 2), false),
            (of(Algorithm::Argon2id, 20 * 1024, 3), false),
            (of(Algorithm::Argon2id, 8 * 1024, 2), true),
            (of(Algorithm::Argon2id, 19 * 1024, 1), true),
            (of(Algorithm::Argon2i, 19 * 1024, 2), true),
        ] {
            assert_eq!(is_outdated(&hash), outdated, "{hash}");
            assert!(is_right(&room, "an old password", Some(hash)).await);
        }
        assert!(!is_outdated("no hash"));
    }

    #[test]
    fn what_somebody_would_try_first_is_not_taken() {
        for bad in ["", "short", "password123", "Password123", "aaaaaaaaaaaa", "annabella-1"] {
            assert!(hash_password(bad, "annabella").is_err(), "{bad}");
        }
        assert!(hash_password(&"é".repeat(150), "ann").is_err());
        for bad in ["", " bob ", "a b", "a\u{0}", &"x".repeat(61)] {
            assert!(
                matches!(hash_password("a long password", bad), Err(PasswordError::Name)),
                "{bad}"
            );
        }
    }
}
