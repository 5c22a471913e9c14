//! Decisions over identity policies, boundaries, session policies and resource policies.

use nephos_cloud::{
    AccessRequest, Decision, Effect, Layer, Mismatch, Policy, PolicyRules, PolicySet, Principal, Reason,
};
use nephos_core::{Error, ErrorKind, Text};
use proptest::prelude::*;

const ACCOUNT: &str = "123456789012";
const OTHER: &str = "210987654321";
const ACTION: &str = "logs:GetLogEvents";
const RESOURCE: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web";
const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const SESSION: &str = "arn:aws:sts::123456789012:assumed-role/web/one";

const IDENTITY: PolicyRules =
    PolicyRules::new("PolicyDocument", |reason| Error::new(ErrorKind::Invalid, reason.to_string()));
const OF_RESOURCE: PolicyRules = PolicyRules { has_principals: true, ..IDENTITY };

fn policy(rules: &PolicyRules, statements: &[String]) -> Policy {
    rules.parse(&format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(","))).unwrap()
}

fn statement(effect: &str, action: &str, more: &str) -> String {
    format!(r#"{{"Effect": "{effect}", "Action": "{action}", "Resource": "*"{more}}}"#)
}

/// Content of the policy of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// There is no policy.
    Absent,
    /// A policy about another action.
    Nothing,
    Allow,
    Deny,
}

const ALL: [Says; 4] = [Says::Absent, Says::Nothing, Says::Allow, Says::Deny];

impl Says {
    fn policy(self, rules: &PolicyRules, principal: &str) -> Option<Policy> {
        let (effect, action) = match self {
            Self::Absent => return None,
            Self::Nothing => ("Allow", "logs:PutLogEvents"),
            Self::Allow => ("Allow", ACTION),
            Self::Deny => ("Deny", ACTION),
        };
        let principal = match rules.has_principals {
            true => format!(r#", "Principal": {{"AWS": "{principal}"}}"#),
            false => String::new(),
        };
        Some(policy(rules, &[statement(effect, action, &principal)]))
    }
}

/// The way in which the policy of the resource names the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Itself,
    ByRole,
    ByAccount,
}

/// Callers, and their names in the policy of the resource.
const CALLERS: [(&str, &str, Named); 5] = [
    (ANN, ANN, Named::Itself),
    (ANN, ACCOUNT, Named::ByAccount),
    (SESSION, SESSION, Named::Itself),
    (SESSION, "arn:aws:iam::123456789012:role/web", Named::ByRole),
    ("arn:aws:iam::123456789012:root", ACCOUNT, Named::ByAccount),
];

/// The expected decision, and the layer that makes it; none if the caller is the root.
fn expected(caller: &str, named: Named, says: [Says; 4], is_other_account: bool) -> (bool, Option<Layer>) {
    let layers = [Layer::Identity, Layer::Boundary, Layer::Session, Layer::Resource];
    if let Some(at) = says.iter().position(|says| *says == Says::Deny) {
        return (false, Some(layers[at]));
    }
    let [identity, boundary, session, resource] = says;
    let limits = [(boundary, Layer::Boundary), (session, Layer::Session)];
    let limit = limits.into_iter().find(|(says, _)| *says == Says::Nothing).map(|(_, layer)| layer);
    let by_resource = resource == Says::Allow;
    let is_enough = by_resource && !is_other_account;
    let is_root = caller.ends_with(":root");
    match limit {
        _ if is_enough && named == Named::Itself => (true, Some(Layer::Resource)),
        Some(layer) => (false, Some(layer)),
        None if is_enough && named == Named::ByRole => (true, Some(Layer::Resource)),
        None if !is_root && identity != Says::Allow => (false, Some(Layer::Identity)),
        None if is_other_account => (by_resource, Some(Layer::Resource)),
        None => (true, (!is_root).then_some(Layer::Identity)),
    }
}

fn deciding_layer(decision: &Decision) -> Option<Layer> {
    match &decision.reason {
        Reason::Root => None,
        Reason::Statement { layer, .. } | Reason::NotAllowed { layer, .. } => Some(*layer),
    }
}

fn request(caller: &str) -> AccessRequest {
    AccessRequest::new(Principal::new(ACCOUNT, caller), ACTION, RESOURCE)
}

#[test]
fn every_combination_of_layers_is_decided_in_order() {
    let mut count = 0;
    for (caller, name, named) in CALLERS {
        for n in 0..ALL.len().pow(4) {
            let says = [0, 1, 2, 3].map(|layer| ALL[n / ALL.len().pow(layer) % ALL.len()]);
            let [identity, boundary, session] =
                [says[0], says[1], says[2]].map(|says| says.policy(&IDENTITY, ""));
            let resource = says[3].policy(&OF_RESOURCE, name);
            for owner in [ACCOUNT, OTHER] {
                let set = PolicySet {
                    identity: identity.iter().map(|policy| ("i".into(), policy)).collect(),
                    boundary: boundary.as_ref().map(|policy| ("b".into(), policy)),
                    session: session.iter().map(|policy| ("s".into(), policy)).collect(),
                    resource: resource.as_ref().map(|policy| ("r".into(), policy)),
                    owner: Some(owner.into()),
                    ..PolicySet::default()
                };
                let decision = set.decide(&request(caller));
                let found = (decision.is_allowed, deciding_layer(&decision));
                let wanted = expected(caller, named, says, owner == OTHER);
                assert_eq!(found, wanted, "{caller} named {name}, {says:?}, owner {owner}: {decision:?}");
                check_needed_policy(&set, caller, says[3], (found, owner == OTHER));
                check_grants(&set, caller, (name, named), (found, says));
                count += 1;
            }
        }
    }
    assert_eq!(count, 5 * 256 * 2);
}

/// Checks the decision if the policy of the resource is needed: then it must allow the request, also if the policies of the
/// caller do.
#[track_caller]
fn check_needed_policy(
    set: &PolicySet<'_>,
    caller: &str,
    resource: Says,
    (found, is_other_account): ((bool, Option<Layer>), bool),
) {
    let needed = PolicySet { needs_resource_policy: true, ..set.clone() };
    let decision = needed.decide(&request(caller));
    let is_denied = !found.0 && decision.is_explicit_deny();
    let wanted = match resource {
        Says::Allow | Says::Deny => found,
        _ if is_denied || is_other_account => found,
        _ => (false, Some(Layer::Resource)),
    };
    assert_eq!((decision.is_allowed, deciding_layer(&decision)), wanted, "{caller}: {needed:?}");
}

/// Checks the decision if a grant allows the request to a name of the caller.
#[track_caller]
fn check_grants(
    set: &PolicySet<'_>,
    caller: &str,
    (name, named): (&str, Named),
    (found, says): ((bool, Option<Layer>), [Says; 4]),
) {
    let grant = Says::Allow.policy(&OF_RESOURCE, name).unwrap();
    let granted = PolicySet { grants: vec![("g".into(), &grant)], ..set.clone() };
    let decision = granted.decide(&request(caller));
    let is_limited = says[1] == Says::Nothing || says[2] == Says::Nothing;
    let is_effective = match named {
        Named::Itself => true,
        Named::ByRole => !is_limited,
        Named::ByAccount => !is_limited && (caller.ends_with(":root") || says[0] == Says::Allow),
    };
    let is_granted = !found.0 && !says.contains(&Says::Deny) && is_effective;
    let wanted = if is_granted { (true, Some(Layer::Grant)) } else { found };
    assert_eq!((decision.is_allowed, deciding_layer(&decision)), wanted, "{caller}: {granted:?}");
}

#[test]
fn refusals_have_the_words_of_the_provider() {
    let request = request(ANN);
    let refused = format!("User: {ANN} is not authorized to perform: {ACTION} on resource: {RESOURCE}");
    let silent = policy(&IDENTITY, &[statement("Allow", "logs:Put*", "")]);
    let allow = policy(&IDENTITY, &[statement("Allow", "*", "")]);
    let deny = policy(&IDENTITY, &[statement("Deny", "logs:*", "")]);
    let identity = |policy| PolicySet { identity: vec![("p".into(), policy)], ..PolicySet::default() };
    let text = |set: PolicySet<'_>| set.decide(&request).refusal(&request);
    let no = |layer: &str| format!("{refused} because no {layer} allows the {ACTION} action");
    assert_eq!(text(PolicySet::default()), no("identity-based policy"));
    assert_eq!(text(identity(&silent)), no("identity-based policy"));
    assert_eq!(text(identity(&deny)), format!("{refused} with an explicit deny in an identity-based policy"));
    let bounded = PolicySet { boundary: Some(("b".into(), &silent)), ..identity(&allow) };
    assert_eq!(text(bounded), no("permissions boundary"));
    let session = PolicySet { session: vec![("s".into(), &silent)], ..identity(&allow) };
    assert_eq!(text(session), no("session policy"));
    let other = PolicySet { owner: Some(OTHER.into()), ..identity(&allow) };
    assert_eq!(text(other), no("resource-based policy"));
    let denied = PolicySet { boundary: Some(("b".into(), &deny)), ..identity(&allow) };
    assert_eq!(text(denied), format!("{refused} with an explicit deny in a permissions boundary"));
}

#[test]
fn nearest_statement_is_the_one_that_matches_most() {
    let request = request(ANN);
    let elsewhere = statement("Allow", "logs:*", "")
        .replace(r#""Resource": "*""#, r#""Resource": "arn:aws:logs:*:*:log-group:/api""#);
    let mfa = r#", "Condition": {"Bool": {"aws:MultiFactorAuthPresent": true}}"#;
    let condition = statement("Allow", "logs:*", mfa);
    let nearest = |statements: &[String]| {
        let policy = policy(&IDENTITY, statements);
        let set = PolicySet { identity: vec![("p".into(), &policy)], ..PolicySet::default() };
        match set.decide(&request).reason {
            Reason::NotAllowed { nearest, .. } => nearest.map(|(_, number, mismatch)| (number, mismatch)),
            other => panic!("{other:?}"),
        }
    };
    let silent = statement("Allow", "s3:*", "");
    assert_eq!(nearest(std::slice::from_ref(&silent)), Some((0, Mismatch::Action)));
    assert_eq!(nearest(&[silent.clone(), elsewhere.clone()]), Some((1, Mismatch::Resource)));
    let expected = Mismatch::Condition { operator: "Bool".into(), key: "aws:MultiFactorAuthPresent".into() };
    assert_eq!(nearest(&[silent, condition, elsewhere]), Some((1, expected)));
}

/// Statements, some of which match the request.
fn any_statement() -> impl Strategy<Value = String> {
    let action =
        prop_oneof![Just("*"), Just("logs:*"), Just("logs:Get*"), Just("logs:Put*"), Just("s3:GetObject")];
    let resource = prop_oneof![Just("*"), Just("arn:aws:logs:*:*:log-group:/*"), Just("arn:aws:s3:::web/*")];
    let condition = prop_oneof![
        Just(""),
        Just(r#", "Condition": {"StringEquals": {"aws:PrincipalAccount": "123456789012"}}"#),
        Just(r#", "Condition": {"StringNotEquals": {"aws:PrincipalAccount": "123456789012"}}"#),
    ];
    let parts = (any::<bool>(), any::<bool>(), action, resource, condition);
    parts.prop_map(|(is_deny, is_negated, action, resource, condition)| {
        let effect = if is_deny { "Deny" } else { "Allow" };
        let element = if is_negated { "NotAction" } else { "Action" };
        format!(r#"{{"Effect": "{effect}", "{element}": "{action}", "Resource": "{resource}"{condition}}}"#)
    })
}

/// Decides with one identity policy and one boundary.
fn decide(identity: &[String], boundary: &[String]) -> bool {
    let (identity, boundary) = (policy(&IDENTITY, identity), policy(&IDENTITY, boundary));
    let set = PolicySet {
        identity: vec![("p".into(), &identity)],
        boundary: Some(("b".into(), &boundary)),
        ..PolicySet::default()
    };
    set.decide(&request(ANN)).is_allowed
}

proptest! {
    #[test]
    fn allow_never_takes_away_deny_never_gives_and_order_does_not_matter(
        identity in proptest::collection::vec(any_statement(), 1..6),
        boundary in proptest::collection::vec(any_statement(), 1..4),
        added in any_statement(),
        rotation in 0_usize..6,
    ) {
        let before = decide(&identity, &boundary);
        let is_deny = added.contains(r#""Deny""#);
        for (identity, boundary) in [
            ([identity.clone(), vec![added.clone()]].concat(), boundary.clone()),
            (identity.clone(), [boundary.clone(), vec![added]].concat()),
        ] {
            let after = decide(&identity, &boundary);
            let is_kept = if is_deny { before || !after } else { !before || after };
            prop_assert!(is_kept);
        }
        let mut turned = identity.clone();
        turned.rotate_left(rotation % identity.len());
        prop_assert_eq!(decide(&turned, &boundary), before);
        turned.reverse();
        prop_assert_eq!(decide(&turned, &boundary), before);
    }

    #[test]
    fn hostile_policies_are_refused_or_decided_without_a_panic(text in r#"[{}\[\]",:*?$a-z]{0,200}"#) {
        if let Ok(policy) = IDENTITY.parse(&text) {
            let _: Option<(Effect, _)> = policy.evaluate(&request(ANN));
        }
    }
}

#[test]
fn allowed_request_names_its_policy_and_statement() {
    let name = Text::from("p");
    let policy = policy(&IDENTITY, &[statement("Allow", ACTION, "")]);
    let set = PolicySet { identity: vec![(name.clone(), &policy)], ..PolicySet::default() };
    let by = Reason::Statement { layer: Layer::Identity, policy: name, number: 0, sid: None };
    assert_eq!(set.decide(&request(ANN)), Decision { is_allowed: true, reason: by });
}
