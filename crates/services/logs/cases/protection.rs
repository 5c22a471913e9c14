//! Data protection policies of log groups and accounts.

use super::{HOUR, OTHER_ACCOUNT, THIRD_ACCOUNT, World, ask, errors, messages};
use nephos_core::{Resource, Result, Text};
use nephos_logs::{
    DataProtectionStatus, DeleteAccountPolicy, DescribeAccountPolicies, GetLogEvents, InheritedProperty,
    LinkAccounts, LogEvent, LogGroup, PolicyType, PutAccountPolicy, PutDataProtectionPolicy,
};

/// Policy that masks email addresses.
pub(super) const EMAIL_POLICY: &str = r#"{"Name": "policy", "Version": "2021-06-01", "Statement": [
    {"Sid": "audit", "DataIdentifier": ["arn:aws:dataprotection::aws:data-identifier/EmailAddress"],
     "Operation": {"Audit": {"FindingsDestination": {}}}},
    {"Sid": "redact", "DataIdentifier": ["arn:aws:dataprotection::aws:data-identifier/EmailAddress"],
     "Operation": {"Deidentify": {"MaskConfig": {}}}}]}"#;

/// Returns a policy that masks IP addresses.
fn ip_address_policy() -> String {
    EMAIL_POLICY.replace("EmailAddress", "IpAddress")
}

/// Puts the policy for email addresses on a group.
pub(super) fn put_email_policy(world: &World, group: &str) -> Result<()> {
    LogGroup::objects(&world.session()).put_data_protection_policy(group, EMAIL_POLICY).wait().map(drop)
}

pub(super) fn log_group_reports_data_protection_status(world: &World) -> Result<()> {
    let group = world.create_group("/web")?;
    let objects = LogGroup::objects(&world.session());
    assert_eq!(objects.get_data_protection_policy("/web").wait()?, None);
    let put = objects.put_data_protection_policy(group.require_arn()?, EMAIL_POLICY).wait()?;
    assert_eq!((put.log_group_identifier(), put.policy_document()), (Some("/web"), Some(EMAIL_POLICY)));
    assert_eq!(put.last_updated_time(), Some(world.now()));
    assert_eq!(world.get_group("/web")?.data_protection_status(), Some(&DataProtectionStatus::Activated));
    assert_eq!(objects.get_data_protection_policy("/web").wait()?.as_ref(), Some(&put));
    world.advance(HOUR)?;
    let again = objects.put_data_protection_policy("/web", ip_address_policy()).wait()?;
    assert_eq!(again.last_updated_time(), Some(world.now()));
    objects.delete_data_protection_policy("/web").wait()?;
    assert_eq!(world.get_group("/web")?.data_protection_status(), Some(&DataProtectionStatus::Deleted));
    assert_eq!(objects.get_data_protection_policy("/web").wait()?, None);
    world.refused(&errors::NOT_FOUND, None, || objects.delete_data_protection_policy("/web").wait());
    put_email_policy(world, "/web")?;
    assert_eq!(world.get_group("/web")?.data_protection_status(), Some(&DataProtectionStatus::Activated));
    Ok(())
}

/// `unmask` returns the original messages.
pub(super) fn policy_masks_events_ingested_after_it(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "before ann@example.com")])?;
    world.advance(HOUR)?;
    put_email_policy(world, "/web")?;
    world.put_events("/web", "main", &[(world.now(), "after ann@example.com")])?;
    let list = || LogEvent::objects(&world.session()).list("/web");
    let masked = ["before ann@example.com", "after ***************"];
    assert_eq!(messages(&list().results().all().wait()?), masked);
    assert_eq!(messages(&list().unmask(false).results().all().wait()?), masked);
    let unmasked = ["before ann@example.com", "after ann@example.com"];
    assert_eq!(messages(&list().unmask(true).results().all().wait()?), unmasked);
    let get = GetLogEvents::new("main").log_group_name("/web");
    let page = ask(&world.session(), get.clone())?;
    let messages: Vec<_> = page.events().into_iter().flatten().filter_map(|event| event.message()).collect();
    assert_eq!(messages, masked);
    let page = ask(&world.session(), get.unmask(true))?;
    let messages: Vec<_> = page.events().into_iter().flatten().filter_map(|event| event.message()).collect();
    assert_eq!(messages, unmasked);
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(22 + 21 + 2 * 26));
    LogGroup::objects(&world.session()).delete_data_protection_policy("/web").wait()?;
    assert_eq!(world.messages("/web")?, unmasked);
    Ok(())
}

pub(super) fn replaced_policy_still_masks_earlier_events(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    put_email_policy(world, "/web")?;
    let account = || PutAccountPolicy::new("account", ip_address_policy(), PolicyType::DataProtection);
    ask(&world.session(), account())?;
    world.put_events("/web", "main", &[(world.now(), "ann@example.com at 10.0.0.1")])?;
    world.advance(HOUR)?;
    put_email_policy(world, "/web")?;
    ask(&world.session(), account())?;
    assert_eq!(world.messages("/web")?, ["*************** at ********"]);
    Ok(())
}

pub(super) fn invalid_policy_documents_are_rejected(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let unknown = EMAIL_POLICY.replace("EmailAddress", "ShoeSize");
    let large = format!("{EMAIL_POLICY}{}", " ".repeat(30_721 - EMAIL_POLICY.len()));
    let named = EMAIL_POLICY.replace("\"policy\"", "\"my policy\"");
    for document in ["", "{}", "policy", unknown.as_str(), large.as_str(), named.as_str()] {
        world.assert_invalid("policyDocument", || {
            ask(&world.session(), PutDataProtectionPolicy::new("/web", document))
        });
        let policy = PutAccountPolicy::new("account", document, PolicyType::DataProtection);
        world.assert_invalid("policyDocument", || ask(&world.session(), policy));
    }
    Ok(())
}

/// The groups report it in `inheritedProperties`.
pub(super) fn account_policy_is_inherited_by_log_groups(world: &World) -> Result<()> {
    for group in ["/api", "/web"] {
        world.create_group_with_stream(group)?;
    }
    let session = world.session();
    let put = PutAccountPolicy::new("account", EMAIL_POLICY, PolicyType::DataProtection);
    let answer = ask(&session, put.clone())?;
    let policy = answer.account_policy().expect("the answer has the policy");
    assert_eq!((policy.policy_name(), policy.account_id()), (Some("account"), Some("123456789012")));
    for group in ["/api", "/web"] {
        world.put_events(group, "main", &[(world.now(), "to ann@example.com")])?;
        assert_eq!(world.messages(group)?, ["to ***************"]);
    }
    let inherited = Some(&[InheritedProperty::AccountDataProtection][..]);
    assert_eq!(world.get_group("/web")?.inherited_properties(), inherited);
    let all = LogGroup::objects(&session).list().results().all().wait()?;
    assert!(all.iter().all(|group| group.inherited_properties() == inherited));
    assert_eq!(world.get_group("/web")?.data_protection_status(), None);
    let other_region = world.other_region();
    LogGroup::objects(&other_region).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
    let other_region = LogGroup::objects(&other_region).get("/web").wait()?.expect("the group exists");
    assert_eq!(other_region.inherited_properties(), None);

    ask(&session, DeleteAccountPolicy::new("account", PolicyType::DataProtection))?;
    assert_eq!(world.get_group("/web")?.inherited_properties(), None);
    assert_eq!(world.messages("/web")?, ["to ann@example.com"]);
    Ok(())
}

/// The policy can be replaced under its name.
pub(super) fn account_has_at_most_one_policy(world: &World) -> Result<()> {
    let session = world.session();
    let put = |name: &str, document: &str| {
        ask(&session, PutAccountPolicy::new(name, document, PolicyType::DataProtection))
    };
    let count_policies = || -> Result<usize> {
        let policies = ask(&session, DescribeAccountPolicies::new(PolicyType::DataProtection))?;
        Ok(policies.account_policies().map_or(0, <[_]>::len))
    };
    assert_eq!(count_policies()?, 0);
    put("account", EMAIL_POLICY)?;
    world.refused(&errors::LIMIT_EXCEEDED, None, || put("second", EMAIL_POLICY));
    put("account", &ip_address_policy())?;
    assert_eq!(count_policies()?, 1);
    let named = DescribeAccountPolicies::new(PolicyType::DataProtection).policy_name("other");
    assert_eq!(ask(&session, named)?.account_policies(), Some(&[][..]));
    world.refused(&errors::NOT_FOUND, None, || {
        ask(&session, DeleteAccountPolicy::new("second", PolicyType::DataProtection))
    });
    world.assert_invalid("policyType", || {
        ask(&session, DescribeAccountPolicies::new(PolicyType::Unknown("OTHER".into())))
    });
    ask(&session, DeleteAccountPolicy::new("account", PolicyType::DataProtection))?;
    assert_eq!(count_policies()?, 0);
    Ok(())
}

/// Only other types of policies can be tried, or apply to some log groups.
pub(super) fn dry_run_and_selection_criteria_are_rejected(world: &World) -> Result<()> {
    let session = world.session();
    let put = || PutAccountPolicy::new("account", EMAIL_POLICY, PolicyType::DataProtection);
    world.assert_invalid("dryRun", || ask(&session, put().dry_run(true)));
    world.assert_invalid("selectionCriteria", || {
        ask(&session, put().selection_criteria(r#"LogGroupNamePrefix IN ["/web"]"#))
    });
    let answer = ask(&session, put().dry_run(false))?;
    assert!(answer.account_policy().is_some() && answer.dry_run_result().is_none());
    let delete = || DeleteAccountPolicy::new("account", PolicyType::DataProtection);
    world.assert_invalid("dryRun", || ask(&session, delete().dry_run(true)));
    assert_eq!(ask(&session, delete().dry_run(false))?.dry_run_result(), None);
    Ok(())
}

/// A linked account is named by its ID.
pub(super) fn account_policies_of_a_linked_account_are_described(world: &World) -> Result<()> {
    world.control(LinkAccounts::new("123456789012", OTHER_ACCOUNT))?;
    let put = PutAccountPolicy::new("theirs", EMAIL_POLICY, PolicyType::DataProtection);
    ask(&world.other_account(), put)?;
    let describe = |accounts: &[&str]| {
        let accounts: Vec<Text> = accounts.iter().map(|account| Text::new(account)).collect();
        let describe = DescribeAccountPolicies::new(PolicyType::DataProtection);
        ask(&world.session(), describe.account_identifiers(accounts))
    };
    let found = describe(&[OTHER_ACCOUNT])?;
    let found = found.account_policies().unwrap_or_default();
    assert_eq!((found[0].policy_name(), found[0].account_id()), (Some("theirs"), Some(OTHER_ACCOUNT)));
    assert_eq!(describe(&["123456789012"])?.account_policies(), Some(&[][..]));
    assert_eq!(describe(&[])?.account_policies(), Some(&[][..]));
    world.assert_invalid("accountIdentifiers", || describe(&[THIRD_ACCOUNT]));
    world.assert_invalid("accountIdentifiers", || describe(&[OTHER_ACCOUNT, "123456789012"]));
    world.assert_invalid("accountIdentifiers[0]", || describe(&["12"]));
    world.assert_invalid("nextToken", || {
        ask(&world.session(), DescribeAccountPolicies::new(PolicyType::DataProtection).next_token("x"))
    });
    Ok(())
}

pub(super) fn group_and_account_policies_mask_together(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    put_email_policy(world, "/web")?;
    ask(&world.session(), PutAccountPolicy::new("account", ip_address_policy(), PolicyType::DataProtection))?;
    world.put_events("/web", "main", &[(world.now(), "ann@example.com at 10.0.0.1")])?;
    assert_eq!(world.messages("/web")?, ["*************** at ********"]);
    Ok(())
}
