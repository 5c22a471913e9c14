//! Policies: the first line has the action, the resource and condition keys as `key=value`; the rest is the document.

use crate::message;
use nephos::services::iam;
use nephos_cloud::{AccessRequest, Effect, PolicyRules, PolicySet, Principal, Resources};

/// Rules for policies of identities.
const IDENTITY: PolicyRules = PolicyRules::new("PolicyDocument", iam::malformed_policy);

/// Rules for policies of resources.
const RESOURCE: PolicyRules = PolicyRules { has_principals: true, ..IDENTITY };

/// Rules for trust policies.
const TRUST: PolicyRules = PolicyRules { resources: Resources::None, ..RESOURCE };

const ACCOUNT: &str = "123456789012";

pub(crate) fn check(data: &[u8]) {
    let (first, document) = message::split_line(data);
    let Ok(document) = std::str::from_utf8(document) else { return };
    let mut words = first.split(' ');
    let (action, resource) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let principal = Principal::new(ACCOUNT, "arn:aws:iam::123456789012:user/ann");
    let mut request = AccessRequest::new(principal, action, resource);
    for (key, value) in words.filter_map(|word| word.split_once('=')) {
        request.context = request.context.with(key, value);
    }
    for rules in [&IDENTITY, &RESOURCE, &TRUST] {
        let policy = match rules.parse(document) {
            Ok(policy) => policy,
            Err(error) => {
                assert!(!error.code().is_empty(), "an error has a code");
                continue;
            }
        };
        let effect = policy.evaluate(&request).map(|(effect, _)| effect);
        let named = Some(("policy".into(), &policy));
        let identity = PolicySet { identity: named.iter().cloned().collect(), ..PolicySet::default() };
        let decision = identity.decide(&request);
        if !rules.has_principals {
            assert_eq!(decision.is_allowed, effect == Some(Effect::Allow), "{decision}");
        }
        let both = PolicySet { resource: named, owner: Some(ACCOUNT.into()), ..identity };
        let with_resource = both.decide(&request);
        assert!(effect != Some(Effect::Deny) || !with_resource.is_allowed, "a denial wins");
        for decision in [decision, with_resource] {
            let _ = (decision.to_string(), decision.nearest(), decision.refusal(&request));
        }
    }
}
