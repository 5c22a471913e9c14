//! Summary, authorization details, alias and password policy of an account.

use super::{DOCUMENT, TRUST, World, ask, errors};
use nephos_core::{Resource, Result, Tag, Text};
use nephos_iam::{
    AccessKey, AccountSummary, AuthorizationDetails, CreatePolicyVersion, DeleteAccountPasswordPolicy,
    EntityType, GetAccountAuthorizationDetails, GetAccountPasswordPolicy, InstanceProfile, LoginProfile,
    PasswordPolicy, Policy, UpdateAccountPasswordPolicy, User,
};

fn summary(world: &World, name: &str) -> Result<i64> {
    let found = AccountSummary::objects(&world.session()).get().wait()?;
    let numbers = found.summary_map().expect("there are numbers");
    Ok(*numbers.get(name).unwrap_or_else(|| panic!("{name} is not in the summary")))
}

pub(super) fn summary_has_numbers_and_quotas(world: &World) -> Result<()> {
    let session = world.session();
    let numbers = [
        "Users",
        "Groups",
        "Roles",
        "Policies",
        "PolicyVersionsInUse",
        "InstanceProfiles",
        "MFADevices",
        "Providers",
        "AccountAccessKeysPresent",
        "AccountPasswordPresent",
        "MFADevicesInUse",
        "AccountMFAEnabled",
        "ServerCertificates",
        "AccountSigningCertificatesPresent",
    ];
    for name in numbers {
        assert_eq!(summary(world, name)?, 0, "{name}");
    }
    for (name, quota) in
        [("UsersQuota", 5000), ("AttachedPoliciesPerRoleQuota", 10), ("RolePolicySizeQuota", 10_240)]
    {
        assert_eq!(summary(world, name)?, quota, "{name}");
    }
    assert_eq!(AccountSummary::objects(&session).get().wait()?.summary_map().map(|map| map.len()), Some(34));
    world.create_user("ann")?;
    world.create_group("web")?;
    world.create_role("api")?;
    let policy = world.create_policy("read")?;
    ask(&session, CreatePolicyVersion::new(policy.require_arn()?, DOCUMENT))?;
    InstanceProfile::objects(&session)
        .create(&InstanceProfile::builder().instance_profile_name("p").build()?)
        .wait()?;
    world.create_device("phone")?;
    world.create_open_id_provider("https://a.example")?;
    AccessKey::objects(&session).create().wait()?;
    for name in &numbers[..9] {
        let expected = if *name == "PolicyVersionsInUse" { 2 } else { 1 };
        assert_eq!(summary(world, name)?, expected, "{name}");
    }
    world.refused(&errors::DELETE_CONFLICT, None, || policy.delete().wait());
    Policy::objects(&session).set_default_version(policy.require_arn()?, "v2").wait()?;
    nephos_iam::PolicyVersion::objects(&session).delete(policy.require_arn()?, "v1").wait()?;
    policy.delete().wait()?;
    assert_eq!(summary(world, "PolicyVersionsInUse")?, 0);
    Ok(())
}

fn details(world: &World, filter: Option<Vec<EntityType>>) -> Result<AuthorizationDetails> {
    let mut call = AccountSummary::objects(&world.session()).authorization_details();
    if let Some(filter) = filter {
        call = call.filter(filter);
    }
    call.wait()
}

fn count(details: &AuthorizationDetails) -> [usize; 4] {
    [
        details.user_detail_list().map_or(0, <[_]>::len),
        details.group_detail_list().map_or(0, <[_]>::len),
        details.role_detail_list().map_or(0, <[_]>::len),
        details.policies().map_or(0, <[_]>::len),
    ]
}

pub(super) fn authorization_details_have_all_policies(world: &World) -> Result<()> {
    let session = world.session();
    let policy = world.create_policy("read")?;
    let user = world.create_user("ann")?;
    world.create_group("web")?;
    let role = world.create_role("api")?;
    user.add_to_group("web").wait()?;
    user.attach_policy(policy.require_arn()?).wait()?;
    user.put_policy("own", DOCUMENT).wait()?;
    User::objects(&session).tag("ann", vec![Tag::new("team", "web")]).wait()?;
    role.put_permission_boundary(policy.require_arn()?).wait()?;
    let profile = InstanceProfile::builder().instance_profile_name("p").build()?;
    let profile = InstanceProfile::objects(&session).create(&profile).wait()?;
    profile.add_role("api").wait()?;
    let all = details(world, None)?;
    assert_eq!(count(&all), [1, 1, 1, 1]);
    let ann = &all.user_detail_list().unwrap_or_default()[0];
    assert_eq!((ann.user_name(), ann.arn()), (Some("ann"), user.arn()?));
    assert_eq!(ann.group_list(), Some(&["web".into()][..]));
    assert_eq!(ann.attached_managed_policies().map(|list| list[0].policy_name()), Some(Some("read")));
    assert_eq!(ann.user_policy_list().map(|list| list[0].policy_document()), Some(Some(DOCUMENT)));
    assert_eq!(ann.tags().map(<[_]>::len), Some(1));
    let api = &all.role_detail_list().unwrap_or_default()[0];
    assert_eq!(api.assume_role_policy_document(), Some(TRUST));
    let boundary = api.permissions_boundary().and_then(|boundary| boundary.permissions_boundary_arn());
    assert_eq!(boundary, policy.arn()?);
    let profiles = api.instance_profile_list().unwrap_or_default();
    assert_eq!(profiles[0].instance_profile_name(), Some("p"));
    assert_eq!(profiles[0].roles().map(|roles| roles[0].assume_role_policy_document()), Some(Some(TRUST)));
    let read = &all.policies().unwrap_or_default()[0];
    assert_eq!((read.policy_name(), read.attachment_count()), (Some("read"), Some(1)));
    assert_eq!(read.permissions_boundary_usage_count(), Some(1));
    assert_eq!(read.policy_version_list().map(|list| list[0].document()), Some(Some(DOCUMENT)));
    Ok(())
}

pub(super) fn authorization_details_are_filtered_and_paginated(world: &World) -> Result<()> {
    for n in 0..3 {
        world.create_user(&format!("user-{n}"))?;
        world.create_group(&format!("group-{n}"))?;
        world.create_role(&format!("role-{n}"))?;
        world.create_policy(&format!("policy-{n}"))?;
    }
    assert_eq!(count(&details(world, None)?), [3; 4]);
    let managed = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    world.existing_user("user-0")?.attach_policy(managed).wait()?;
    use EntityType::*;
    for (filter, expected) in [
        (vec![User], [3, 0, 0, 0]),
        (vec![Role, Group], [0, 3, 3, 0]),
        (vec![LocalManagedPolicy], [0, 0, 0, 3]),
        (vec![AwsManagedPolicy], [0, 0, 0, 1]),
    ] {
        assert_eq!(count(&details(world, Some(filter))?), expected);
    }
    for size in [1, 2, 3, 5, 11, 12, 13, 14] {
        let (mut seen, mut marker): (Vec<Text>, Option<Text>) = (Vec::new(), None);
        loop {
            let page = GetAccountAuthorizationDetails::new().max_items(size).marker(marker);
            let page = ask(&world.session(), page)?;
            let number = seen.len();
            seen.extend(
                page.user_detail_list()
                    .into_iter()
                    .flatten()
                    .filter_map(|user| user.user_name().map(Text::new)),
            );
            seen.extend(
                page.group_detail_list()
                    .into_iter()
                    .flatten()
                    .filter_map(|group| group.group_name().map(Text::new)),
            );
            seen.extend(
                page.role_detail_list()
                    .into_iter()
                    .flatten()
                    .filter_map(|role| role.role_name().map(Text::new)),
            );
            seen.extend(
                page.policies()
                    .into_iter()
                    .flatten()
                    .filter_map(|policy| policy.policy_name().map(Text::new)),
            );
            marker = page.marker().map(Text::new);
            assert_eq!(page.is_truncated(), Some(marker.is_some()));
            if marker.is_none() {
                break;
            }
            assert_eq!(seen.len() - number, size as usize);
        }
        let expected = ["user", "group", "role", "policy"]
            .iter()
            .flat_map(|kind| (0..3).map(move |n| format!("{kind}-{n}")));
        let expected = expected.chain(["ReadOnlyAccess".to_owned()]);
        assert_eq!(seen, expected.collect::<Vec<_>>(), "{size}");
    }
    world.refused(&errors::INVALID, "Marker", || {
        ask(&world.session(), GetAccountAuthorizationDetails::new().marker("other"))
    });
    Ok(())
}

pub(super) fn alias_is_unique_over_accounts(world: &World) -> Result<()> {
    let (own, other) =
        (AccountSummary::objects(&world.session()), AccountSummary::objects(&world.other_account()));
    assert!(own.list_aliases().wait()?.is_empty());
    own.create_alias("my-company").wait()?;
    assert_eq!(own.list_aliases().wait()?, ["my-company"]);
    for taken in [&own, &other] {
        let error = world.refused(&errors::EXISTS, None, || taken.create_alias("my-company").wait());
        assert_eq!(error.message(), "The account alias my-company already exists.");
    }
    other.create_alias("other").wait()?;
    own.create_alias("renamed").wait()?;
    assert_eq!(own.list_aliases().wait()?, ["renamed"]);
    other.create_alias("my-company").wait()?;
    assert_eq!(other.list_aliases().wait()?, ["my-company"]);
    world.refused(&errors::NOT_FOUND, None, || own.delete_alias("my-company").wait());
    own.delete_alias("renamed").wait()?;
    assert!(own.list_aliases().wait()?.is_empty());
    for alias in ["ab", "Abc", "-abc", "abc-", "a--b", "a b", &"a".repeat(64)] {
        world.refused(&errors::INVALID, "AccountAlias", || own.create_alias(alias).wait());
    }
    Ok(())
}

pub(super) fn password_policy_has_defaults(world: &World) -> Result<()> {
    let session = world.session();
    let objects = PasswordPolicy::objects(&session);
    assert!(objects.get().wait()?.is_none());
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, GetAccountPasswordPolicy::new()));
    assert_eq!(error.message(), "The Password Policy with domain name 123456789012 cannot be found.");
    let error = world.refused(&errors::NOT_FOUND, None, || ask(&session, DeleteAccountPasswordPolicy::new()));
    assert_eq!(error.message(), "The account policy with name PasswordPolicy cannot be found.");
    ask(&session, UpdateAccountPasswordPolicy::new())?;
    let policy = objects.get().wait()?.expect("there is a policy");
    assert_eq!((policy.minimum_password_length(), policy.expire_passwords()), (Some(6), Some(false)));
    assert_eq!((policy.require_symbols(), policy.require_numbers()), (Some(false), Some(false)));
    assert_eq!((policy.max_password_age(), policy.hard_expiry()), (None, None));
    assert!(PasswordPolicy::objects(&world.other_account()).get().wait()?.is_none());
    policy.delete().wait()?;
    assert!(objects.get().wait()?.is_none());
    Ok(())
}

pub(super) fn password_policy_is_replaced_as_a_whole(world: &World) -> Result<()> {
    let session = world.session();
    let objects = PasswordPolicy::objects(&session);
    let model =
        PasswordPolicy::builder().minimum_password_length(10).require_symbols(true).max_password_age(60);
    let mut policy = model.build()?;
    policy.set_session(session.clone());
    policy.save().wait()?;
    let found = objects.get().wait()?.expect("there is a policy");
    assert_eq!((found.expire_passwords(), found.max_password_age()), (Some(true), Some(60)));
    policy = found;
    policy.set_hard_expiry(true)?;
    policy.save().wait()?;
    let found = objects.get().wait()?.expect("there is a policy");
    assert_eq!((found.hard_expiry(), found.require_symbols()), (Some(true), Some(true)));
    ask(&session, UpdateAccountPasswordPolicy::new().require_numbers(true))?;
    let found = objects.get().wait()?.expect("there is a policy");
    assert_eq!(
        (found.hard_expiry(), found.require_symbols(), found.require_numbers()),
        (None, Some(false), Some(true))
    );
    let update = UpdateAccountPasswordPolicy::new;
    world.refused(&errors::INVALID, "MinimumPasswordLength", || {
        ask(&session, update().minimum_password_length(5))
    });
    world.refused(&errors::INVALID, "MaxPasswordAge", || ask(&session, update().max_password_age(1096)));
    world.refused(&errors::INVALID, "PasswordReusePrevention", || {
        ask(&session, update().password_reuse_prevention(25))
    });
    Ok(())
}

pub(super) fn root_user_can_have_a_password(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, nephos_iam::CreateLoginProfile::new().password("x"))?;
    assert_eq!(summary(world, "AccountPasswordPresent")?, 1);
    let found = ask(&session, nephos_iam::GetLoginProfile::new())?;
    assert_eq!(found.login_profile().and_then(LoginProfile::user_name), None);
    ask(&session, nephos_iam::DeleteLoginProfile::new())?;
    assert_eq!(summary(world, "AccountPasswordPresent")?, 0);
    Ok(())
}
