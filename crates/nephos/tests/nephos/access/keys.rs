//! Key policies, grants and identity policies in decisions about crypto keys.

use super::world::{ACCOUNT, OTHER, Who, World, allow, ann, call, deny, set, text_at, worker};
use nephos::{AccessQuery, Permissions, Session, Value};
use serde_json::json as object;

const DESCRIBE: &str = "kms:DescribeKey";
const KEY: &str = r#"{"KeyId": "$key"}"#;
const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const OTHER_ANN: &str = "arn:aws:iam::222222222222:user/ann";

/// A world with a key, whose ARN is `$key`.
struct Keys {
    world: World,
    key: String,
}

impl Keys {
    fn new() -> Self {
        let world = World::new();
        let created =
            world.as_root(ACCOUNT, "kms:CreateKey", &object!({"Tags": [{"Key": "team", "Value": "web"}]}));
        let key = text_at(&created, &["KeyMetadata", "Arn"]);
        let alias = object!({"AliasName": "alias/web", "TargetKeyId": key});
        world.as_root(ACCOUNT, "kms:CreateAlias", &alias);
        Self { world, key }
    }

    /// Runs an operation that policies do not decide over: they bind the root, too.
    fn prepare(&self, action: &str, input: &serde_json::Value) -> Value {
        let before = self.world.cloud.permissions();
        set(&self.world.cloud, Permissions::Off);
        let answer = self.world.as_root(ACCOUNT, action, input);
        set(&self.world.cloud, before);
        answer
    }

    /// Sets the policy of the key: statements with their principals.
    fn set_policy(&self, statements: &[(&str, String)]) {
        let with_principal = |(principal, statement): &(&str, String)| {
            statement.replacen('{', &format!(r#"{{"Principal": {principal}, "#), 1)
        };
        let statements: Vec<_> = statements.iter().map(with_principal).collect();
        let policy = format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(", "));
        let input = object!({"KeyId": self.key, "Policy": policy, "BypassPolicyLockoutSafetyCheck": true});
        self.prepare("kms:PutKeyPolicy", &input);
    }

    /// Creates a grant of the key to a principal; returns its ID.
    fn grant(&self, principal: &str, operations: &[&str], others: &serde_json::Value) -> String {
        let mut input = object!({"KeyId": self.key, "GranteePrincipal": principal, "Operations": operations});
        let others = others.as_object().unwrap().clone();
        input.as_object_mut().unwrap().extend(others);
        text_at(&self.prepare("kms:CreateGrant", &input), &["GrantId"])
    }

    /// Creates a caller, and enforces policies.
    fn session(&self, who: &Who) -> Session {
        let session = self.world.session(who);
        set(&self.world.cloud, Permissions::Enforce);
        session
    }

    fn call(&self, session: &Session, action: &str, input: &str) -> Result<(), String> {
        let input = input.replace("$key", &self.key);
        call(session, action, &input).map(drop).map_err(|error| error.message().to_owned())
    }

    /// Text of a refusal of an action on the key.
    fn refusal(&self, caller: &str, action: &str, reason: &str) -> Result<(), String> {
        let key = &self.key;
        let refused = format!("User: {caller} is not authorized to perform: {action} on resource: {key} ");
        Err(refused + &reason.replace('#', action))
    }
}

const NO_IDENTITY_POLICY: &str = "because no identity-based policy allows the # action";
const NO_KEY_POLICY: &str = "because no resource-based policy allows the # action";

fn user(arn: &str) -> String {
    format!(r#"{{"AWS": "{arn}"}}"#)
}

#[test]
fn default_policy_lets_the_account_decide() {
    let keys = Keys::new();
    let session = keys.session(&ann());
    assert_eq!(keys.call(&session, DESCRIBE, KEY), keys.refusal(ANN, DESCRIBE, NO_IDENTITY_POLICY));
    let keys = Keys::new();
    let session = keys.session(&ann().inline(allow(DESCRIBE, &keys.key)));
    assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
    // Aliases are resolved to the key.
    for alias in ["alias/web", "arn:aws:kms:us-east-1:123456789012:alias/web"] {
        assert_eq!(keys.call(&session, DESCRIBE, &format!(r#"{{"KeyId": "{alias}"}}"#)), Ok(()), "{alias}");
    }
    assert_eq!(
        keys.call(&session, "kms:DisableKey", KEY),
        keys.refusal(ANN, "kms:DisableKey", NO_IDENTITY_POLICY)
    );
}

#[test]
fn key_policy_can_allow_a_user_without_identity_policies() {
    let keys = Keys::new();
    let session = keys.session(&ann());
    keys.set_policy(&[(&user(ANN), allow(DESCRIBE, "*"))]);
    assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
    let refused = keys.refusal(ANN, "kms:DisableKey", NO_KEY_POLICY);
    assert_eq!(keys.call(&session, "kms:DisableKey", KEY), refused);
}

#[test]
fn identity_policies_do_not_count_without_the_account_in_the_key_policy() {
    let keys = Keys::new();
    let session = keys.session(&ann().inline(allow("kms:*", "*")));
    keys.set_policy(&[(&user("arn:aws:iam::123456789012:role/deliver"), allow("kms:*", "*"))]);
    assert_eq!(keys.call(&session, DESCRIBE, KEY), keys.refusal(ANN, DESCRIBE, NO_KEY_POLICY));
    // Operations on no key, or on none that exists, need no key policy.
    assert_eq!(keys.call(&session, "kms:ListKeys", "{}"), Ok(()));
    let missing = r#"{"KeyId": "00000000-0000-4000-8000-000000000000"}"#;
    assert!(keys.call(&session, DESCRIBE, missing).unwrap_err().ends_with("does not exist"));
    // The key policy binds the root of the account, too.
    let root = "arn:aws:iam::123456789012:root";
    let refused = keys.call(&keys.world.cloud.session(), DESCRIBE, KEY);
    assert_eq!(refused, keys.refusal(root, DESCRIBE, NO_KEY_POLICY));
    keys.set_policy(&[(&user("123456789012"), allow(DESCRIBE, "*"))]);
    assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
}

#[test]
fn denials_win() {
    let keys = Keys::new();
    let session = keys.session(&ann().inline(allow("kms:*", "*")));
    keys.grant(ANN, &["DescribeKey"], &object!({}));
    keys.set_policy(&[(&user("123456789012"), allow("kms:*", "*")), (r#""*""#, deny(DESCRIBE, "*"))]);
    let refused = keys.refusal(ANN, DESCRIBE, "with an explicit deny in a resource-based policy");
    assert_eq!(keys.call(&session, DESCRIBE, KEY), refused);
    let keys = Keys::new();
    let session = keys.session(&ann().inline(deny(DESCRIBE, "*")));
    keys.set_policy(&[(&user(ANN), allow(DESCRIBE, "*"))]);
    keys.grant(ANN, &["DescribeKey"], &object!({}));
    let refused = keys.refusal(ANN, DESCRIBE, "with an explicit deny in an identity-based policy");
    assert_eq!(keys.call(&session, DESCRIBE, KEY), refused);
}

#[test]
fn both_accounts_must_allow_the_use_of_a_key_of_another_account() {
    let guest = || ann().of_other_account();
    for (allowed_there, allowed_here, reason) in
        [(true, true, None), (true, false, Some(NO_KEY_POLICY)), (false, true, Some(NO_IDENTITY_POLICY))]
    {
        let keys = Keys::new();
        let who = if allowed_there { guest().inline(allow(DESCRIBE, "*")) } else { guest() };
        let session = keys.session(&who);
        if allowed_here {
            let own = (user(ACCOUNT), allow("kms:*", "*"));
            keys.set_policy(&[(&own.0, own.1.clone()), (&user(OTHER), allow(DESCRIBE, "*"))]);
        }
        let expected = reason.map_or(Ok(()), |reason| keys.refusal(OTHER_ANN, DESCRIBE, reason));
        assert_eq!(keys.call(&session, DESCRIBE, KEY), expected);
    }
}

/// A grant is enough, also in another account, and also without the account in the key policy.
#[test]
fn grants_allow_their_operations_until_they_are_retired_or_revoked() {
    for (who, principal) in [(ann(), ANN), (ann().of_other_account(), OTHER_ANN)] {
        let keys = Keys::new();
        let session = keys.session(&who);
        keys.set_policy(&[(&user("arn:aws:iam::123456789012:role/deliver"), allow("kms:*", "*"))]);
        let before = keys.call(&session, DESCRIBE, KEY).unwrap_err();
        let grant = keys.grant(principal, &["DescribeKey", "RetireGrant"], &object!({}));
        assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
        let retire = format!(r#"{{"KeyId": "$key", "GrantId": "{grant}"}}"#);
        assert_eq!(keys.call(&session, "kms:RetireGrant", &retire), Ok(()));
        assert_eq!(keys.call(&session, DESCRIBE, KEY), Err(before.clone()));
        let grant = keys.grant(principal, &["DescribeKey"], &object!({}));
        let retire = format!(r#"{{"KeyId": "$key", "GrantId": "{grant}"}}"#);
        assert!(keys.call(&session, "kms:RetireGrant", &retire).is_err(), "the grant does not allow it");
        assert!(keys.call(&session, "kms:RevokeGrant", &retire).is_err());
        let revoke = object!({"KeyId": keys.key, "GrantId": grant});
        keys.prepare("kms:RevokeGrant", &revoke);
        assert_eq!(keys.call(&session, DESCRIBE, KEY), Err(before));
    }
}

#[test]
fn grants_to_a_role_are_for_its_sessions() {
    let keys = Keys::new();
    let session = keys.session(&worker());
    let role = "arn:aws:iam::123456789012:role/worker";
    keys.grant(role, &["DescribeKey"], &object!({}));
    assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
    let keys = Keys::new();
    let session = keys.session(&worker().session(allow("logs:*", "*")));
    keys.grant(role, &["DescribeKey"], &object!({}));
    let caller = "arn:aws:sts::123456789012:assumed-role/worker/job";
    let reason = "because no session policy allows the # action";
    assert_eq!(keys.call(&session, DESCRIBE, KEY), keys.refusal(caller, DESCRIBE, reason));
}

#[test]
fn retiring_principal_can_retire_without_other_permissions() {
    let keys = Keys::new();
    let session = keys.session(&ann());
    let role = "arn:aws:iam::123456789012:role/deliver";
    let grant = keys.grant(role, &["DescribeKey"], &object!({"RetiringPrincipal": ANN}));
    let other = keys.grant(role, &["DescribeKey"], &object!({}));
    let retire = |id: &str| {
        keys.call(&session, "kms:RetireGrant", &format!(r#"{{"KeyId": "$key", "GrantId": "{id}"}}"#))
    };
    assert_eq!(retire(&grant), Ok(()));
    assert_eq!(retire(&other), keys.refusal(ANN, "kms:RetireGrant", NO_KEY_POLICY));
}

/// Decides over the use of the key by ann with an encryption context.
fn decrypt(keys: &Keys, pairs: &[(&str, &str)]) -> (bool, String) {
    let context = pairs.iter().flat_map(|(name, value)| {
        let pair = (format!("kms:EncryptionContext:{name}").into(), (*value).into());
        [pair, ("kms:EncryptionContextKeys".into(), (*name).into())]
    });
    let query = AccessQuery {
        principal: ANN.into(),
        action: "kms:Decrypt".into(),
        resource: keys.key.as_str().into(),
        context: context.collect(),
    };
    let explained = keys.world.cloud.explain_access(&query).unwrap();
    (explained.allowed.unwrap(), explained.reason.unwrap().to_string())
}

#[test]
fn constraints_of_grants_hold_for_the_encryption_context() {
    let not_allowed = (false, "no identity-based policy allows it".to_owned());
    for (constraint, cases) in [
        (
            "EncryptionContextSubset",
            [(&[("Team", "web"), ("id", "1")][..], true), (&[("team", "db")], false), (&[], false)],
        ),
        (
            "EncryptionContextEquals",
            [(&[("Team", "web")][..], true), (&[("Team", "web"), ("id", "1")], false), (&[], false)],
        ),
    ] {
        let keys = Keys::new();
        keys.session(&ann());
        let constraints = object!({"Constraints": {constraint: {"Team": "web"}}});
        let grant = keys.grant(ANN, &["Decrypt", "DescribeKey"], &constraints);
        for (pairs, is_allowed) in cases {
            let allowed = (true, format!("statement 1 of the grant {grant} allows it"));
            let expected = if is_allowed { &allowed } else { &not_allowed };
            assert_eq!(&decrypt(&keys, pairs), expected, "{constraint} {pairs:?}");
        }
        // Descriptions have no encryption context.
        let session = keys.world.cloud.session().with_credentials(Some(keys.world.new_key(ACCOUNT, "ann")));
        assert_eq!(keys.call(&session, DESCRIBE, KEY), Ok(()));
    }
}

/// Grants that are created by a grantee allow at most what its own grant allows.
#[test]
fn grantee_can_pass_on_only_what_it_was_granted() {
    let keys = Keys::new();
    let session = keys.session(&ann());
    let constraints = object!({"Constraints": {"EncryptionContextSubset": {"Team": "web"}}});
    keys.grant(ANN, &["Decrypt", "CreateGrant"], &constraints);
    let create = |operation: &str, constraints: &str| {
        let input = format!(
            r#"{{"KeyId": "$key", "GranteePrincipal": "arn:aws:iam::123456789012:role/deliver", "Operations": ["{operation}"],
            "Constraints": {{{constraints}}}}}"#
        );
        keys.call(&session, "kms:CreateGrant", &input)
    };
    let (same, stricter) =
        (r#""EncryptionContextSubset": {"Team": "web"}"#, r#""EncryptionContextEquals": {"Team": "web"}"#);
    assert_eq!(create("Decrypt", same), Ok(()));
    assert_eq!(create("Decrypt", stricter), Ok(()));
    let refused = keys.refusal(ANN, "kms:CreateGrant", NO_IDENTITY_POLICY);
    assert_eq!(create("Encrypt", same), refused);
    assert_eq!(create("Decrypt", ""), refused);
}

#[test]
fn conditions_refer_to_the_key_its_aliases_and_the_grant() {
    let allow_if = |action: &str, condition: &str| super::world::allow_if(action, condition);
    let grant = r#"{"KeyId": "$key", "GranteePrincipal": "arn:aws:iam::123456789012:role/deliver", "Operations": ["Decrypt"]}"#;
    let by_alias = r#"{"KeyId": "alias/web"}"#;
    for (action, input, condition, is_allowed) in [
        (
            DESCRIBE,
            KEY,
            r#""StringEquals": {"kms:KeySpec": "SYMMETRIC_DEFAULT", "kms:KeyOrigin": "AWS_KMS"}"#,
            true,
        ),
        (DESCRIBE, KEY, r#""StringEquals": {"kms:KeyUsage": "SIGN_VERIFY"}"#, false),
        (DESCRIBE, KEY, r#""Bool": {"kms:MultiRegion": "false"}"#, true),
        (DESCRIBE, KEY, r#""ForAnyValue:StringEquals": {"kms:ResourceAliases": "alias/web"}"#, true),
        (DESCRIBE, KEY, r#""StringEquals": {"aws:ResourceTag/team": "web"}"#, true),
        (DESCRIBE, KEY, r#""StringEquals": {"kms:CallerAccount": "123456789012"}"#, true),
        (DESCRIBE, KEY, r#""StringEquals": {"kms:RequestAlias": "alias/web"}"#, false),
        (DESCRIBE, by_alias, r#""StringEquals": {"kms:RequestAlias": "alias/web"}"#, true),
        (
            "kms:CreateGrant",
            grant,
            r#""ForAllValues:StringEquals": {"kms:GrantOperations": ["Decrypt", "Encrypt"]}"#,
            true,
        ),
        (
            "kms:CreateGrant",
            grant,
            r#""ForAllValues:StringEquals": {"kms:GrantOperations": ["Encrypt"]}"#,
            false,
        ),
        ("kms:CreateGrant", grant, r#""StringLike": {"kms:GranteePrincipal": "*:role/deliver"}"#, true),
        ("kms:CreateGrant", grant, r#""Bool": {"kms:GrantIsForAWSResource": true}"#, false),
        ("kms:CreateGrant", grant, r#""Null": {"kms:GrantConstraintType": true}"#, true),
    ] {
        let keys = Keys::new();
        let session = keys.session(&ann().inline(allow_if(action, condition)));
        let expected = if is_allowed { Ok(()) } else { keys.refusal(ANN, action, NO_IDENTITY_POLICY) };
        assert_eq!(keys.call(&session, action, input), expected, "{condition}");
    }
}

/// Changing and deleting an alias needs permissions for the alias and for its key.
#[test]
fn aliases_and_their_keys_are_checked() {
    let alias_arn = "arn:aws:kms:us-east-1:123456789012:alias/web";
    let delete = r#"{"AliasName": "alias/web"}"#;
    let keys = Keys::new();
    let session = keys.session(&ann().inline(allow("kms:DeleteAlias", alias_arn)));
    assert_eq!(
        keys.call(&session, "kms:DeleteAlias", delete),
        keys.refusal(ANN, "kms:DeleteAlias", NO_IDENTITY_POLICY)
    );
    let keys = Keys::new();
    let both = ann().inline(allow("kms:DeleteAlias", alias_arn)).inline(allow("kms:DeleteAlias", &keys.key));
    assert_eq!(keys.call(&keys.session(&both), "kms:DeleteAlias", delete), Ok(()));
}

#[test]
fn principals_of_policies_and_grants_must_exist() {
    let keys = Keys::new();
    let nobody = "arn:aws:iam::123456789012:user/nobody";
    let root = keys.world.cloud.session();
    let policy = object!({"Statement": [
        {"Effect": "Allow", "Principal": {"AWS": [nobody, "123456789012"]}, "Action": "kms:*", "Resource": "*"}]});
    let put = object!({"KeyId": keys.key, "Policy": policy.to_string()});
    let refused = keys.call(&root, "kms:PutKeyPolicy", &put.to_string()).unwrap_err();
    assert_eq!(refused, "Policy contains a statement with one or more invalid principals.");
    let grant = object!({"KeyId": keys.key, "GranteePrincipal": nobody, "Operations": ["Decrypt"]});
    assert!(keys.call(&root, "kms:CreateGrant", &grant.to_string()).is_err());
}
