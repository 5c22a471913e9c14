//! Requests for access: the caller, the action, the resource, and facts about the request.

use nephos_core::Text;
use std::collections::BTreeMap;

/// Facts about a request by condition key, such as `aws:SourceIp`. Keys ignore case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context(BTreeMap<String, Vec<Text>>);

impl Context {
    /// Adds a value of a key.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Text>) -> Self {
        self.0.entry(key.to_ascii_lowercase()).or_default().push(value.into());
        self
    }

    /// Removes all values of a key.
    #[must_use]
    pub fn without(mut self, key: &str) -> Self {
        self.0.remove(&key.to_ascii_lowercase());
        self
    }

    /// True if a key has a value.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(&key.to_ascii_lowercase())
    }

    /// Keys in lower case, and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Text])> {
        self.0.iter().map(|(key, values)| (key.as_str(), values.as_slice()))
    }

    /// Returns the values of a key, which is in lower case; none if the request does not have the key.
    pub(super) fn get(&self, key: &str) -> &[Text] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The way in which a policy names a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedAs {
    /// By its account, which decides with policies of its own.
    Account,
    /// By the role that it has assumed.
    Role,
    /// By its own ARN, or as everybody.
    Caller,
}

/// Kind of a caller, by which policies name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrincipalKind {
    /// An account, user, role or session.
    Aws,
    /// An identity provider whose token or assertion the caller has.
    Federated,
    /// A service.
    Service,
    /// A user by the ID that one service knows it by.
    CanonicalUser,
}

/// Caller of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Kind of the caller.
    pub kind: PrincipalKind,
    /// Account of the caller.
    pub account: Text,
    /// ARN of the caller: `arn:aws:iam::123456789012:user/ann`, or of a session of a role
    /// `arn:aws:sts::123456789012:assumed-role/web/session`. The name of a service or of an identity provider.
    pub arn: Text,
}

impl Principal {
    /// A user, role or session of an account.
    pub fn new(account: impl Into<Text>, arn: impl Into<Text>) -> Self {
        Self { kind: PrincipalKind::Aws, account: account.into(), arn: arn.into() }
    }

    /// A caller with a token or an assertion of an identity provider.
    pub fn federated(account: impl Into<Text>, provider: impl Into<Text>) -> Self {
        Self { kind: PrincipalKind::Federated, ..Self::new(account, provider) }
    }

    /// A service, which belongs to no account: `logs.us-east-1.amazonaws.com`.
    pub fn service(name: impl Into<Text>) -> Self {
        Self { kind: PrincipalKind::Service, ..Self::new("", name) }
    }

    /// The root of an account.
    pub fn root(account: &str) -> Self {
        Self::new(account, format!("arn:aws:iam::{account}:root"))
    }

    /// Returns in which way `name`, from a policy, names the caller; `None` if it names others.
    pub(super) fn named_as(&self, name: &str) -> Option<NamedAs> {
        if name == "*" || name == self.arn {
            // The ARN of a root stands for the account, also for its root.
            let is_root = self.arn.ends_with(":root");
            return Some(if name == "*" || !is_root { NamedAs::Caller } else { NamedAs::Account });
        }
        if name == self.account || self.is_in_account(name) {
            return Some(NamedAs::Account);
        }
        self.has_role(name).then_some(NamedAs::Role)
    }

    /// True for the root of an account.
    pub fn is_root(&self) -> bool {
        self.arn.ends_with(":root")
    }

    /// True if `name` is the ARN of the root of the caller's account, which stands for the account.
    fn is_in_account(&self, name: &str) -> bool {
        let mut parts = name.splitn(6, ':');
        let is_iam = parts.next() == Some("arn") && parts.next().is_some() && parts.next() == Some("iam");
        is_iam
            && parts.next() == Some("")
            && parts.next() == Some(&*self.account)
            && parts.next() == Some("root")
    }

    /// True if `name` is the ARN of the role that the caller has assumed.
    fn has_role(&self, name: &str) -> bool {
        let Some((_, session)) = self.arn.split_once(":assumed-role/") else { return false };
        let role = session.split('/').next().unwrap_or_default();
        let Some((owner, path)) = name.split_once(":role/") else { return false };
        owner.ends_with(&format!(":iam::{}", self.account)) && path.rsplit('/').next() == Some(role)
    }
}

/// A request for access: may `principal` do `action` to `resource`?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRequest {
    /// Caller of the operation.
    pub principal: Principal,
    /// Action: `secretsmanager:GetSecretValue`.
    pub action: Text,
    /// ARN of the resource.
    pub resource: Text,
    /// Facts about the request.
    pub context: Context,
}

impl AccessRequest {
    /// Creates a request, with the facts about its caller in the context.
    pub fn new(principal: Principal, action: impl Into<Text>, resource: impl Into<Text>) -> Self {
        let context = Context::default()
            .with("aws:PrincipalAccount", principal.account.clone())
            .with("aws:PrincipalArn", principal.arn.clone());
        Self { principal, action: action.into(), resource: resource.into(), context }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caller_is_named_by_itself_its_account_or_its_role() {
        let ann = Principal::new("123456789012", "arn:aws:iam::123456789012:user/ann");
        for name in
            ["*", "123456789012", "arn:aws:iam::123456789012:root", "arn:aws:iam::123456789012:user/ann"]
        {
            assert!(ann.named_as(name).is_some(), "{name}");
        }
        for name in [
            "111111111111",
            "arn:aws:iam::111111111111:root",
            "arn:aws:iam::123456789012:user/an",
            "arn:aws:iam::123456789012:role/ann",
        ] {
            assert_eq!(ann.named_as(name), None, "{name}");
        }
        let arn = "arn:aws:sts::123456789012:assumed-role/web/one";
        let session = Principal::new("123456789012", arn);
        for name in [arn, "arn:aws:iam::123456789012:role/web", "arn:aws:iam::123456789012:role/path/web"] {
            assert!(session.named_as(name).is_some(), "{name}");
        }
        for name in [
            "arn:aws:iam::111111111111:role/web",
            "arn:aws:iam::123456789012:role/we",
            "arn:aws:sts::123456789012:assumed-role/web/two",
        ] {
            assert_eq!(session.named_as(name), None, "{name}");
        }
    }
}
