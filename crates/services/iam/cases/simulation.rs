//! Simulated requests.

use super::{World, ask, errors};
use nephos_core::{Result, Text};
use nephos_iam::{
    AttachmentType, ContextEntry, EvaluationDecision, EvaluationResult, ExcludedPolicyType,
    GetContextKeysForCustomPolicy, GetContextKeysForPrincipalPolicy, InlinePolicyIdentifier,
    OrganizationPolicies, Policy, PolicyExclusion, PolicySourceType, SimulateCustomPolicy,
    SimulatePrincipalPolicy,
};

const ALLOWED: Option<&EvaluationDecision> = Some(&EvaluationDecision::Allowed);
const EXPLICIT: Option<&EvaluationDecision> = Some(&EvaluationDecision::ExplicitDeny);
const IMPLICIT: Option<&EvaluationDecision> = Some(&EvaluationDecision::ImplicitDeny);

const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const GROUP: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web";

/// Returns a policy with one statement.
fn policy(effect: &str, action: &str, more: &str) -> Text {
    format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"{effect}","Action":"{action}","Resource":"*"{more}}}]}}"#
    )
    .into()
}

/// Returns a policy of a resource that allows its use to a principal.
fn resource_policy(principal: &str) -> Text {
    policy("Allow", "logs:*", &format!(r#","Principal":{{"AWS":"{principal}"}}"#))
}

fn entry(key: &str, values: &[&str]) -> Result<ContextEntry> {
    let values: Vec<Text> = values.iter().map(|value| (*value).into()).collect();
    ContextEntry::builder().context_key_name(key).context_key_values(values).build()
}

fn custom(policies: &[Text], actions: &[&str]) -> SimulateCustomPolicy {
    let actions: Vec<Text> = actions.iter().map(|action| (*action).into()).collect();
    SimulateCustomPolicy::new(actions, policies.to_vec())
}

fn principal(arn: &str, actions: &[&str]) -> SimulatePrincipalPolicy {
    let actions: Vec<Text> = actions.iter().map(|action| (*action).into()).collect();
    SimulatePrincipalPolicy::new(actions, arn)
}

/// Returns the only result of a simulation of custom policies.
fn one(world: &World, query: SimulateCustomPolicy) -> Result<EvaluationResult> {
    let answer = ask(&world.session(), query)?;
    let results = answer.evaluation_results().unwrap_or_default();
    assert_eq!(results.len(), 1);
    Ok(results[0].clone())
}

/// Returns the sources of the statements that decide.
fn sources(result: &EvaluationResult) -> Vec<&str> {
    let matched = result.matched_statements().unwrap_or_default().iter();
    matched.filter_map(|statement| statement.source_policy_id()).collect()
}

pub(super) fn custom_policies_decide(world: &World) -> Result<()> {
    let policies =
        [policy("Allow", "logs:*", ""), policy("Deny", "logs:Delete*", ""), policy("Allow", "logs:Get*", "")];
    let actions = ["logs:GetLogEvents", "logs:DeleteLogGroup", "ec2:RunInstances"];
    let answer = ask(&world.session(), custom(&policies, &actions))?;
    let results = answer.evaluation_results().unwrap_or_default();
    let found: Vec<_> = results
        .iter()
        .map(|result| (result.eval_action_name(), result.eval_decision(), sources(result)))
        .collect();
    assert_eq!(
        found,
        [
            (Some(actions[0]), ALLOWED, vec!["PolicyInputList.1", "PolicyInputList.3"]),
            (Some(actions[1]), EXPLICIT, vec!["PolicyInputList.2"]),
            (Some(actions[2]), IMPLICIT, vec![]),
        ]
    );
    let first = &results[0];
    assert_eq!((first.eval_resource_name(), first.resource_specific_results()), (Some("*"), None));
    assert_eq!((first.eval_decision_details(), first.missing_context_values()), (None, Some(&[][..])));
    let statement = &first.matched_statements().unwrap_or_default()[0];
    assert_eq!(statement.source_policy_type(), Some(&PolicySourceType::IamPolicy));
    let [start, end] = [statement.start_position(), statement.end_position()]
        .map(|position| position.map(|position| (position.line(), position.column())));
    let length = policies[0].len() as i64;
    assert_eq!((start, end), (Some((Some(1), Some(38))), Some((Some(1), Some(length - 1)))));
    Ok(())
}

pub(super) fn actions_and_resources_are_combined_and_paginated(world: &World) -> Result<()> {
    let limited =
        policy("Allow", "logs:*", "").replace(r#""Resource":"*""#, &format!(r#""Resource":"{GROUP}""#));
    let other = "arn:aws:logs:us-east-1:123456789012:log-group:/api";
    let query = custom(&[limited.into()], &["logs:GetLogEvents", "logs:PutLogEvents"]);
    let query = query.resource_arns(vec![GROUP.into(), other.into()]);
    let objects = Policy::objects(&world.session());
    let actions: Vec<Text> = query.action_names.clone();
    for size in [1, 2, 3, 4, 5] {
        let call = objects.simulate_custom(actions.clone(), query.policy_input_list.clone());
        let results = call.resource_arns(vec![GROUP.into(), other.into()]).max_items(size).wait()?;
        let found: Vec<_> =
            results.iter().map(|result| (result.eval_resource_name(), result.eval_decision())).collect();
        let each = [(Some(GROUP), ALLOWED), (Some(other), IMPLICIT)];
        assert_eq!(found, [each, each].concat(), "{size}");
        let specific = results[0].resource_specific_results().unwrap_or_default();
        assert_eq!((specific.len(), specific[0].eval_resource_name()), (1, Some(GROUP)));
        assert_eq!(specific[0].eval_resource_decision(), ALLOWED);
        assert!(results[0].eval_decision_details().is_some_and(|details| details.is_empty()));
    }
    let page = ask(&world.session(), query.max_items(3))?;
    assert_eq!((page.evaluation_results().map(<[_]>::len), page.is_truncated()), (Some(3), Some(true)));
    Ok(())
}

pub(super) fn long_policies_make_short_pages(world: &World) -> Result<()> {
    let resources: Vec<_> = (0..3900).map(|n| format!(r#""arn:aws:logs:*:*:*a{n}*b?""#)).collect();
    let long = policy("Allow", "logs:*", "")
        .replace(r#""Resource":"*""#, &format!(r#""Resource":[{}]"#, resources.join(",")));
    let actions: Vec<String> = (0..100).map(|n| format!("logs:Action{n}")).collect();
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    let query = custom(&[long.into()], &actions).resource_arns(vec![GROUP.into()]);
    let page = ask(&world.session(), query.clone().max_items(1000))?;
    let size = page.evaluation_results().map_or(0, <[_]>::len);
    assert!(size > 0 && size < 100 && page.is_truncated() == Some(true), "{size}");
    let call = Policy::objects(&world.session()).simulate_custom(query.action_names, query.policy_input_list);
    let results = call.resource_arns(vec![GROUP.into()]).max_items(1000).wait()?;
    let found: Vec<_> = results.iter().filter_map(|result| result.eval_action_name()).collect();
    assert_eq!(found, actions, "each request once");
    Ok(())
}

pub(super) fn principal_has_policies_of_its_groups_and_a_boundary(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    web.add_user("ann").wait()?;
    ann.put_policy("own", policy("Allow", "logs:Get*", "")).wait()?;
    web.put_inline_policy("shared", policy("Deny", "logs:GetQueryResults", "")).wait()?;
    web.attach_policy("arn:aws:iam::aws:policy/CloudWatchLogsFullAccess").wait()?;
    let decide = |query: SimulatePrincipalPolicy| -> Result<Vec<EvaluationResult>> {
        let answer = ask(&world.session(), query)?;
        Ok(answer.evaluation_results().unwrap_or_default().to_vec())
    };
    let actions = ["logs:GetLogEvents", "logs:GetQueryResults", "ec2:RunInstances"];
    let results = decide(principal(ANN, &actions))?;
    let found: Vec<_> = results.iter().map(|result| (result.eval_decision(), sources(result))).collect();
    assert_eq!(
        found,
        [
            (ALLOWED, vec!["user_ann_own", "CloudWatchLogsFullAccess"]),
            (EXPLICIT, vec!["group_web_shared"]),
            (IMPLICIT, vec![]),
        ]
    );
    assert_eq!(results[0].permissions_boundary_decision_detail(), None);
    let group = decide(principal("arn:aws:iam::123456789012:group/web", &actions[..1]))?;
    assert_eq!(sources(&group[0]), ["CloudWatchLogsFullAccess"]);

    let more = principal(ANN, &actions[2..]).policy_input_list(vec![policy("Allow", "ec2:*", "")]);
    assert_eq!(sources(&decide(more)?[0]), ["PolicyInputList.1"]);

    let inline = InlinePolicyIdentifier::builder()
        .policy_name("own")
        .attachment_type(AttachmentType::User)
        .attachment_name("ann")
        .build()?;
    let excluded = PolicyExclusion::builder().policy_type(ExcludedPolicyType::Inline);
    let excluded = excluded.inline_policy_identifier(inline).build()?;
    let managed = PolicyExclusion::builder().policy_type(ExcludedPolicyType::AwsManaged);
    let managed = managed.policy_arn("arn:aws:iam::aws:policy/CloudWatchLogsFullAccess").build()?;
    let without = principal(ANN, &actions[..1]).policy_exclusion_list(vec![excluded.clone()]);
    assert_eq!(sources(&decide(without)?[0]), ["CloudWatchLogsFullAccess"]);
    let without = principal(ANN, &actions[..1]).policy_exclusion_list(vec![excluded, managed]);
    assert_eq!(decide(without)?[0].eval_decision(), IMPLICIT);

    ann.put_permission_boundary("arn:aws:iam::aws:policy/AmazonEC2FullAccess").wait()?;
    let bounded = &decide(principal(ANN, &actions[..1]))?[0];
    let allowed = bounded.permissions_boundary_decision_detail();
    let allowed = allowed.and_then(|detail| detail.allowed_by_permissions_boundary());
    assert_eq!((bounded.eval_decision(), allowed), (IMPLICIT, Some(false)));
    let without = PolicyExclusion::builder().policy_type(ExcludedPolicyType::PermissionBoundary).build()?;
    let without = principal(ANN, &actions[..1]).policy_exclusion_list(vec![without]);
    assert_eq!(decide(without)?[0].eval_decision(), ALLOWED);
    Ok(())
}

pub(super) fn context_keys_are_given_and_missing(world: &World) -> Result<()> {
    let condition =
        r#","Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"},"StringEquals":{"aws:username":"ann"}}"#;
    let limited = policy("Allow", "logs:*", condition);
    let unrelated = policy("Allow", "ec2:*", r#","Condition":{"Bool":{"aws:SecureTransport":"true"}}"#);
    let policies = [limited, unrelated];
    let missing = one(world, custom(&policies, &["logs:GetLogEvents"]))?;
    assert_eq!(missing.eval_decision(), IMPLICIT);
    assert_eq!(missing.missing_context_values().unwrap_or_default(), ["aws:SourceIp", "aws:username"]);
    for (address, expected) in [("10.1.2.3", ALLOWED), ("11.1.2.3", IMPLICIT)] {
        let entries = vec![entry("aws:sourceip", &[address])?, entry("aws:username", &["ann"])?];
        let result = one(world, custom(&policies, &["logs:GetLogEvents"]).context_entries(entries))?;
        assert_eq!((result.eval_decision(), result.missing_context_values()), (expected, Some(&[][..])));
    }
    // The name of a user is known.
    world.create_user("ann")?.put_policy("own", policies[0].clone()).wait()?;
    let answer = ask(&world.session(), principal(ANN, &["logs:GetLogEvents"]))?;
    let result = &answer.evaluation_results().unwrap_or_default()[0];
    assert_eq!(result.missing_context_values().unwrap_or_default(), ["aws:SourceIp"]);

    let keys = ask(&world.session(), GetContextKeysForCustomPolicy::new(policies.to_vec()))?;
    let all = ["aws:SourceIp", "aws:username", "aws:SecureTransport"];
    assert_eq!(keys.context_key_names().unwrap_or_default(), all);
    let own = GetContextKeysForPrincipalPolicy::new(ANN);
    let keys = ask(&world.session(), own.clone())?;
    assert_eq!(keys.context_key_names().unwrap_or_default(), &all[..2]);
    let keys = ask(&world.session(), own.policy_input_list(vec![policies[1].clone()]))?;
    assert_eq!(keys.context_key_names().unwrap_or_default(), all);
    Ok(())
}

pub(super) fn resource_policy_decides_with_caller(world: &World) -> Result<()> {
    let nothing = policy("Allow", "ec2:*", "");
    let simulate = |identity: &Text, principal: &str, resource: &str| {
        let query = custom(std::slice::from_ref(identity), &["logs:GetLogEvents"]).caller_arn(ANN);
        one(world, query.resource_policy(resource_policy(principal)).resource_arns(vec![resource.into()]))
    };
    let named = simulate(&nothing, ANN, GROUP)?;
    assert_eq!((named.eval_decision(), sources(&named)), (ALLOWED, vec!["ResourcePolicy"]));
    let account = simulate(&nothing, "123456789012", GROUP)?;
    assert_eq!(account.eval_decision(), IMPLICIT);
    let foreign = GROUP.replace("123456789012", "210987654321");
    let crossing = simulate(&nothing, ANN, &foreign)?;
    let details = |result: &EvaluationResult| -> Vec<Option<EvaluationDecision>> {
        let details = result.eval_decision_details().cloned().unwrap_or_default();
        ["IAM Policy", "Resource Policy"].map(|kind| details.get(kind).cloned()).to_vec()
    };
    assert_eq!(crossing.eval_decision(), IMPLICIT);
    assert_eq!(details(&crossing), [IMPLICIT.cloned(), ALLOWED.cloned()]);
    let both = simulate(&policy("Allow", "logs:*", ""), ANN, &foreign)?;
    assert_eq!((both.eval_decision(), details(&both)), (ALLOWED, vec![ALLOWED.cloned(), ALLOWED.cloned()]));
    let bucket = "arn:aws:s3:::web";
    let owned = custom(&[nothing], &["s3:ListBucket"]).caller_arn(ANN).resource_arns(vec![bucket.into()]);
    let owned = owned.resource_policy(resource_policy(ANN).replace("logs:*", "s3:*"));
    assert_eq!(one(world, owned.clone())?.eval_decision(), ALLOWED);
    let owned = owned.resource_owner("arn:aws:iam::210987654321:root");
    assert_eq!(one(world, owned)?.eval_decision(), IMPLICIT);
    Ok(())
}

pub(super) fn organization_limits_custom_policies(world: &World) -> Result<()> {
    let simulate = |levels: &[&[Text]]| -> Result<(Option<EvaluationDecision>, Option<bool>)> {
        let level = |level: &&[Text]| {
            OrganizationPolicies::builder().service_control_policy_input_list(level.to_vec()).build()
        };
        let levels = levels.iter().map(level).collect::<Result<Vec<_>>>()?;
        let query = custom(&[policy("Allow", "logs:*", "")], &["logs:GetLogEvents"]);
        let result = one(world, query.ordered_organization_policy_input_list(levels))?;
        let detail = result.organizations_decision_detail();
        Ok((result.eval_decision().cloned(), detail.and_then(|detail| detail.allowed_by_organizations())))
    };
    let (all, logs, ec2) =
        (policy("Allow", "*", ""), policy("Allow", "logs:*", ""), policy("Allow", "ec2:*", ""));
    let deny = policy("Deny", "logs:Get*", "");
    let (all, some) = ([all], [ec2, logs]);
    assert_eq!(simulate(&[&all, &some])?, (ALLOWED.cloned(), Some(true)));
    assert_eq!(simulate(&[&all, &some[..1]])?, (IMPLICIT.cloned(), Some(false)));
    let [all] = all;
    assert_eq!(simulate(&[&[all, deny], &some])?, (EXPLICIT.cloned(), Some(false)));
    Ok(())
}

pub(super) fn invalid_simulations_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    world.create_user("ann")?;
    let allow = || policy("Allow", "logs:*", "");
    let query = || custom(&[allow()], &["logs:GetLogEvents"]);
    let refused = |field: &str, query: SimulateCustomPolicy| {
        world.refused(&errors::INVALID_INPUT, field, || ask(&session, query.clone()))
    };
    let error = refused("ResourceArns", query().resource_arns(vec!["web".into()]));
    assert_eq!(error.message(), "ResourceNames are not in a valid ARN format: web.");
    let owner = query().resource_owner("123456789012");
    assert_eq!(
        refused("ResourceOwner", owner).message(),
        "'123456789012' is not a valid as a Resource Owner."
    );
    refused("ActionNames", custom(&[allow()], &["GetLogEvents"]));
    refused("PolicyInputList", custom(&["{".into()], &["logs:GetLogEvents"]));
    refused("ResourcePolicy", query().caller_arn(ANN).resource_policy(allow()));
    refused("CallerArn", query().resource_policy(resource_policy(ANN)));
    let role = "arn:aws:iam::123456789012:role/web";
    refused("CallerArn", query().caller_arn(role));
    let boundary = "PermissionsBoundaryPolicyInputList";
    refused(boundary, query().permissions_boundary_policy_input_list(vec![allow(), allow()]));
    let simulate = |arn: &str| ask(&session, principal(arn, &["logs:GetLogEvents"]));
    let assumed = "arn:aws:sts::123456789012:assumed-role/web/one";
    let error = world.refused(&errors::INVALID_INPUT, "PolicySourceArn", || simulate(assumed));
    let text = format!("Invalid Entity Arn: {assumed} does not clearly define entity type and name.");
    assert_eq!(error.message(), text);
    for arn in [role, "arn:aws:iam::123456789012:user/web/ann", "arn:aws:iam::210987654321:user/ann"] {
        world.refused(&errors::NOT_FOUND, None, || simulate(arn));
    }
    world.refused(&errors::NOT_FOUND, None, || ask(&session, GetContextKeysForPrincipalPolicy::new(role)));
    let keys = || ask(&session, GetContextKeysForCustomPolicy::new(vec!["{}".into()]));
    world.refused(&errors::INVALID_INPUT, "PolicyInputList", keys);
    Ok(())
}
