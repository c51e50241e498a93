//! What every store of accounts has to do, and whatever signs people in over it, as plain functions that are run with
//! the users of the followers' server and with the accounts of a site.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "account_stores/ground.rs"]
mod ground;
#[path = "account_stores/promises.rs"]
mod promises;
#[path = "account_stores/signing_in.rs"]
mod signing_in;

/// One test for each promise and each store.
macro_rules! promises {
    ($($file:ident: $($promise:ident),* $(,)?;)*) => {
        mod users {
            $($(#[test] fn $promise() {
                crate::ground::wait(async {
                    crate::$file::$promise(&crate::ground::Users::open().await).await;
                });
            })*)*
        }
        mod site {
            $($(#[test] fn $promise() {
                crate::ground::wait(async {
                    crate::$file::$promise(&crate::ground::Site::open()).await;
                });
            })*)*
        }
    };
}

promises! {
    promises:
        unknown_name_has_no_account,
        name_is_found_in_any_case,
        session_is_found_until_it_is_ended,
        session_without_lifetime_has_ended,
        session_needs_the_password_that_was_checked,
        session_needs_an_account,
        new_password_ends_the_sessions_of_one_account,
        replaced_hash_keeps_sessions,
        newest_of_many_sessions_are_kept,
        names_are_values_and_no_statements;
    signing_in:
        session_gets_a_secret_of_its_own_each_time,
        wrong_password_and_unknown_name_are_refused_alike,
        token_belongs_to_one_session,
        cookie_of_another_server_is_no_session,
        weak_hash_is_replaced_and_other_sessions_go_on,
        password_change_ends_all_other_sessions,
        session_that_begins_after_a_password_change_is_refused,
        attempts_of_one_network_count_together,
        attempts_at_one_name_count_in_any_spelling,
        attempts_at_the_old_password_count_from_everywhere,
        passwords_are_compared_whole,
        account_of_an_earlier_version_signs_in;
}
