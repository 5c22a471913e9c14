//! Behaviour cases of security tokens.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod chains;
mod enforcement;
mod federation;
mod identity;
mod identity_provider;
mod laws;
mod roles;
mod saml;
mod saml_signatures;
mod session_policies;
mod web_identity;

use nephos_core::{Credentials, Resource, Result, Session};
use nephos_iam::{AccessKey, Role, User};
use nephos_sts::{AssumeRole, CallerIdentity, operations};
use nephos_testing::ask;

pub use laws::LAWS;

nephos_testing::world!(nephos_sts::STS, nephos_iam::IAM);

nephos_testing::cases! {
    "sts", World;
    chains {
        chained_session_lasts_an_hour,
        session_tags_need_permission,
        source_identity_is_kept,
        transitive_tags_are_inherited,
    }
    enforcement {
        federated_users_cannot_call_iam,
        role_of_account_needs_permission_of_caller,
        session_policy_limits_the_role,
    }
    federation {
        federated_user_is_the_caller,
        federation_token_is_validated,
        mfa_code_is_verified_once,
        session_token_is_for_its_user,
        temporary_credentials_cannot_create_tokens,
    }
    identity {
        access_key_has_an_account,
        caller_is_the_root_of_its_account,
        identity_cannot_be_changed,
        invalid_messages_are_not_decoded,
    }
    roles {
        credentials_expire,
        duration_is_limited_by_the_role,
        external_id_is_compared,
        invalid_requests_are_refused,
        role_is_no_user_with_the_same_name,
        root_with_credentials_is_refused,
        secrets_are_not_printed_or_stored,
        session_has_the_identity_of_the_role,
        session_with_a_role_is_in_its_account,
        trust_policy_decides_in_every_mode,
    }
    saml {
        assertion_is_exchanged_for_a_session,
        assertion_with_tags_and_source_identity,
        attributes_name_role_and_session,
        conditions_of_assertions_are_checked,
        saml_requests_are_validated,
        session_ends_with_that_of_the_identity_provider,
        trust_policy_compares_the_assertion,
    }
    saml_signatures {
        changed_responses_are_refused,
        comments_do_not_shorten_names,
        malformed_responses_are_refused,
        signatures_of_all_forms_are_verified,
    }
    session_policies {
        managed_policies_must_exist,
        malformed_policies_are_refused,
        packed_size_is_limited,
    }
    web_identity {
        token_is_exchanged_for_a_session,
        token_with_tags_and_source_identity,
        trust_policy_compares_claims,
        unverified_tokens_are_refused,
    }
}

/// A trust policy that allows these actions, in JSON, to these principals, in JSON, under conditions, in JSON.
fn trust(actions: &str, principals: &str, conditions: &str) -> String {
    format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": {actions}, "Principal": {principals},
            "Condition": {conditions}}}]}}"#
    )
}

/// All actions on roles, in JSON.
const ALL_ACTIONS: &str = r#"["sts:AssumeRole", "sts:TagSession", "sts:SetSourceIdentity"]"#;

/// The default account, as a principal in JSON.
const ACCOUNT: &str = r#"{"AWS": "arn:aws:iam::123456789012:root"}"#;

/// Returns the ARN of a role of the default account.
fn role_arn(name: &str) -> String {
    format!("arn:aws:iam::123456789012:role/{name}")
}

impl World {
    /// Creates a role with a trust policy.
    fn create_role(&self, name: &str, trust: &str) -> Result<Role> {
        let model = Role::builder().role_name(name).assume_role_policy_document(trust).build()?;
        Role::objects(&self.session()).create(&model).wait()
    }

    /// Creates a role that everybody in the default account can assume.
    fn create_open_role(&self, name: &str) -> Result<Role> {
        self.create_role(name, &trust(ALL_ACTIONS, ACCOUNT, "{}"))
    }

    /// Creates a user, and a session with an access key of it.
    fn create_user(&self, name: &str) -> Result<Session> {
        User::objects(&self.session()).create(&User::builder().user_name(name).build()?).wait()?;
        let key = AccessKey::objects(&self.session()).create().user_name(name).wait()?;
        Ok(self.session_with_key(&key))
    }

    /// Returns a session with an access key.
    fn session_with_key(&self, key: &AccessKey) -> Session {
        self.session_with(Credentials {
            access_key_id: key.access_key_id().unwrap().into(),
            secret_access_key: key.secret_access_key().cloned().unwrap(),
            session_token: None,
            expiration: None,
        })
    }
}

/// Assumes a role of the default account, in a session with the name `web`.
fn assume(session: &Session, role: &str) -> Result<AssumeRole> {
    AssumeRole::objects(session).assume(role_arn(role), "web").wait()
}

/// Executes the operation `AssumeRole` on a role of the default account, in a session with the name `web`.
fn assume_with(
    session: &Session,
    role: &str,
    set: impl FnOnce(operations::AssumeRole) -> operations::AssumeRole,
) -> Result<AssumeRole> {
    ask(session, set(operations::AssumeRole::new(role_arn(role), "web")))
}

/// Returns the ARN of the caller in a session.
fn caller_arn(session: &Session) -> Result<String> {
    let identity = CallerIdentity::objects(session).get().wait()?;
    identity.require_arn().map(str::to_owned)
}
