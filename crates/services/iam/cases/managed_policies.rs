//! Managed policies of the provider.

use super::{DOCUMENT, World, ask, errors};
use nephos_core::{Resource, Result, Session, Tag, Text};
use nephos_iam::{
    CreatePolicyVersion, DeletePolicyVersion, GetPolicy, GetPolicyVersion, ListEntitiesForPolicy,
    ListPolicies, ListPolicyVersions, Policy, PolicyScope, PolicyUsage, SetDefaultPolicyVersion,
};

const ADMINISTRATOR: &str = "arn:aws:iam::aws:policy/AdministratorAccess";
const VIEWER: &str = "arn:aws:iam::aws:policy/job-function/ViewOnlyAccess";
const LINKED: &str = "arn:aws:iam::aws:policy/aws-service-role/AmazonECSServiceRolePolicy";

/// Returns the number of attachments and of boundaries of a policy.
fn counts(session: &Session, arn: &str) -> Result<(Option<i64>, Option<i64>)> {
    let found = ask(session, GetPolicy::new(arn))?;
    let policy = found.policy().expect("the policy exists");
    Ok((policy.attachment_count(), policy.permissions_boundary_usage_count()))
}

/// Returns the ARNs of listed policies, page by page.
fn list(world: &World, query: ListPolicies, size: i64) -> Result<Vec<String>> {
    let (mut arns, mut query) = (Vec::new(), query.max_items(size));
    loop {
        let page = ask(&world.session(), query.clone())?;
        let policies = page.policies().unwrap_or_default().iter();
        arns.extend(policies.filter_map(|policy| policy.arn().ok()?).map(str::to_owned));
        query.marker = page.marker().map(Text::new);
        if query.marker.is_none() {
            return Ok(arns);
        }
    }
}

pub(super) fn policies_of_the_provider_are_read(world: &World) -> Result<()> {
    let policy = Policy::objects(&world.session()).get(VIEWER).wait()?.expect("the provider has the policy");
    assert_eq!((policy.policy_name(), policy.path()), (Some("ViewOnlyAccess"), Some("/job-function/")));
    assert_eq!((policy.arn()?, policy.is_attachable()), (Some(VIEWER), Some(true)));
    assert!(policy.description().is_some() && policy.create_date().is_some());
    let other = Policy::objects(&world.other_account()).get(VIEWER).wait()?;
    assert_eq!(other.as_ref().and_then(|policy| policy.policy_id()), policy.policy_id());
    let versions = policy.list_versions().wait()?;
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[0].version_id(), policy.default_version_id());
    let administrator = ask(&world.session(), GetPolicyVersion::new(ADMINISTRATOR, "v1"))?;
    let document = administrator.policy_version().and_then(|version| version.document()).unwrap_or_default();
    assert!(document.contains("%22Action%22%3A%22%2A%22"), "{document}");
    for name in ["AmazonS3ReadOnlyAccess", "job-function/DatabaseAdministrator", "service-role/AWSLambdaRole"]
    {
        let arn = format!("arn:aws:iam::aws:policy/{name}");
        assert_eq!(
            ask(&world.session(), GetPolicy::new(&*arn))?.policy().and_then(|policy| policy.arn().ok()?),
            Some(&*arn)
        );
    }
    for arn in ["arn:aws:iam::aws:policy/ViewOnlyAccess", "arn:aws:iam::aws:policy/none"] {
        let error = world.refused(&errors::NOT_FOUND, None, || ask(&world.session(), GetPolicy::new(arn)));
        assert_eq!(error.message(), format!("Policy {arn} was not found."));
    }
    Ok(())
}

pub(super) fn policies_are_listed_by_owner(world: &World) -> Result<()> {
    for name in ["aaa", "AdministratorAccess", "zzz"] {
        world.create_policy(name)?;
    }
    let own = "arn:aws:iam::123456789012:policy/";
    for size in [300, 1000] {
        let all = list(world, ListPolicies::new(), size)?;
        assert_eq!(all, list(world, ListPolicies::new().scope(PolicyScope::All), size)?);
        let provider = list(world, ListPolicies::new().scope(PolicyScope::Aws), size)?;
        let local = list(world, ListPolicies::new().scope(PolicyScope::Local), size)?;
        assert_eq!(local, ["aaa", "AdministratorAccess", "zzz"].map(|name| format!("{own}{name}")));
        assert!(provider.len() > 1_500, "{}", provider.len());
        assert_eq!(all.len(), provider.len() + local.len());
        let position = |arn: &str| all.iter().position(|listed| listed == arn).expect("it is listed");
        assert_eq!((&all[0], all.last()), (&local[0], local.last()));
        assert_eq!(position(&local[1]) + 1, position(ADMINISTRATOR));
    }
    let functions = || ListPolicies::new().path_prefix("/job-function/");
    let whole = list(world, functions(), 1000)?;
    assert!(whole.len() > 10 && whole.iter().any(|arn| arn == VIEWER), "{whole:?}");
    for size in [1, 7] {
        assert_eq!(list(world, functions(), size)?, whole, "pages of {size}");
    }
    Ok(())
}

pub(super) fn policy_of_the_provider_is_attached(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_role("web")?);
    let before = world.state()?;
    ann.attach_policy(ADMINISTRATOR).wait()?;
    web.attach_policy(ADMINISTRATOR).wait()?;
    web.put_permission_boundary(ADMINISTRATOR).wait()?;
    web.put_permission_boundary(VIEWER).wait()?;
    assert_eq!(counts(&world.session(), ADMINISTRATOR)?, (Some(2), Some(0)));
    assert_eq!(counts(&world.session(), VIEWER)?, (Some(0), Some(1)));
    assert_eq!(counts(&world.other_account(), ADMINISTRATOR)?, (Some(0), Some(0)));
    let attached = ann.list_attached_policies().wait()?;
    assert_eq!(attached[0].policy_arn(), Some(ADMINISTRATOR));
    let entities = ask(&world.session(), ListEntitiesForPolicy::new(ADMINISTRATOR))?;
    let found = (entities.policy_users().map(<[_]>::len), entities.policy_roles().map(<[_]>::len));
    assert_eq!(found, (Some(1), Some(1)));
    let used = list(world, ListPolicies::new().only_attached(true), 1)?;
    assert_eq!(used, [ADMINISTRATOR, VIEWER]);
    let boundaries = ListPolicies::new().policy_usage_filter(PolicyUsage::PermissionsBoundary);
    assert_eq!(list(world, boundaries, 100)?, [VIEWER]);
    ann.detach_policy(ADMINISTRATOR).wait()?;
    web.detach_policy(ADMINISTRATOR).wait()?;
    web.delete_permission_boundary().wait()?;
    world.assert_unchanged(&before)
}

pub(super) fn policies_of_the_provider_cannot_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    let objects = Policy::objects(&session);
    let error = world.refused(&errors::ACCESS_DENIED, None, || objects.delete(ADMINISTRATOR).wait());
    let text = "User: arn:aws:iam::123456789012:root is not authorized to perform: iam:DeletePolicy on resource: policy \
                arn:aws:iam::aws:policy/AdministratorAccess";
    assert_eq!(error.message(), text);
    let create = || ask(&session, CreatePolicyVersion::new(ADMINISTRATOR, DOCUMENT));
    world.refused(&errors::ACCESS_DENIED, None, create);
    let set = || ask(&session, SetDefaultPolicyVersion::new(ADMINISTRATOR, "v1"));
    world.refused(&errors::ACCESS_DENIED, None, set);
    let delete = || ask(&session, DeletePolicyVersion::new(ADMINISTRATOR, "v1"));
    world.refused(&errors::ACCESS_DENIED, None, delete);
    let tag = || objects.tag(ADMINISTRATOR, vec![Tag::new("a", "1")]).wait();
    world.refused(&errors::ACCESS_DENIED, None, tag);
    world.refused(&errors::ACCESS_DENIED, None, || objects.untag(ADMINISTRATOR, vec!["a".into()]).wait());
    assert_eq!(objects.list_tags(ADMINISTRATOR).wait()?, []);
    let versions = ask(&session, ListPolicyVersions::new(ADMINISTRATOR))?;
    assert_eq!(versions.versions().map(<[_]>::len), Some(1));
    Ok(())
}

pub(super) fn policies_of_service_linked_roles_cannot_be_attached(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_role("web")?);
    let error = world.refused(&errors::NOT_ATTACHABLE, "PolicyArn", || web.attach_policy(LINKED).wait());
    assert_eq!(error.message(), "Cannot attach a Service Role Policy to a Customer Role.");
    world.refused(&errors::NOT_ATTACHABLE, "PolicyArn", || ann.attach_policy(LINKED).wait());
    world.refused(&errors::NOT_ATTACHABLE, "PermissionsBoundary", || {
        web.put_permission_boundary(LINKED).wait()
    });
    Ok(())
}
