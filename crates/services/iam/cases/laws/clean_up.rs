//! Removal of what blocks the deletion of identities.

use nephos_core::{Resource, Result, Session};
use nephos_iam::{
    AccessKey, AccountSummary, DeleteLoginProfile, DeleteServiceLinkedRole, Group, InstanceProfile,
    LoginProfile, PasswordPolicy, Role, SSHPublicKey, ServiceSpecificCredential, SigningCertificate, User,
};
use nephos_testing::ask;

/// Detaches the managed policies of an identity, and deletes its inline policies.
macro_rules! remove_policies {
    ($identity:ident, $attached:ident, $inline:ident, $delete:ident) => {
        for policy in $identity.$attached().wait()? {
            $identity.detach_policy(policy.policy_arn().unwrap_or_default()).wait()?;
        }
        for policy in $identity.$inline().wait()? {
            $identity.$delete(policy).wait()?;
        }
    };
}

/// Removes memberships, policies, credentials, roles of instance profiles, and the settings of the account.
pub(super) fn clean_up(session: &Session) -> Result<()> {
    clear_account(session)?;
    for user in User::objects(session).list().results().all().wait()? {
        clear_user(session, &user)?;
    }
    for group in Group::objects(session).list().results().all().wait()? {
        remove_policies!(group, attached_policies, inline_policies, remove_inline_policy);
    }
    for role in Role::objects(session).list().results().all().wait()? {
        if role.path().is_some_and(|path| path.starts_with("/aws-service-role/")) {
            ask(session, DeleteServiceLinkedRole::new(role.require_name()?))?;
            continue;
        }
        remove_policies!(role, list_attached_policies, list_policies, delete_policy);
    }
    for profile in InstanceProfile::objects(session).list().results().all().wait()? {
        for role in profile.roles().unwrap_or_default() {
            profile.remove_role(role.require_name()?).wait()?;
        }
    }
    Ok(())
}

/// Removes the settings of the account, and the credentials of the root user, which no user leads to.
fn clear_account(session: &Session) -> Result<()> {
    let account = AccountSummary::objects(session);
    for alias in account.list_aliases().wait()? {
        account.delete_alias(alias).wait()?;
    }
    if let Some(policy) = PasswordPolicy::objects(session).get().wait()? {
        policy.delete().wait()?;
    }
    // The root user may have a password.
    let _ = ask(session, DeleteLoginProfile::new());
    let certificates = SigningCertificate::objects(session);
    for certificate in certificates.list().results().all().wait()? {
        certificates.delete(certificate.require_name()?).wait()?;
    }
    let keys = AccessKey::objects(session);
    for key in keys.list().results().all().wait()? {
        keys.delete(key.require_name()?).wait()?;
    }
    Ok(())
}

/// Removes memberships, policies and credentials of a user.
fn clear_user(session: &Session, user: &User) -> Result<()> {
    let name = user.require_name()?;
    for group in user.list_groups().wait()? {
        user.remove_from_group(group.require_name()?).wait()?;
    }
    remove_policies!(user, list_attached_policies, list_policies, delete_policy);
    if let Some(profile) = LoginProfile::objects(session).get(name).wait()? {
        profile.delete().wait()?;
    }
    for certificate in SigningCertificate::objects(session).list().user_name(name).results().all().wait()? {
        certificate.delete().wait()?;
    }
    for key in SSHPublicKey::objects(session).list().user_name(name).results().all().wait()? {
        key.delete().wait()?;
    }
    let credentials = ServiceSpecificCredential::objects(session);
    for credential in credentials.list().user_name(name).results().all().wait()? {
        credential.delete().wait()?;
    }
    Ok(())
}
