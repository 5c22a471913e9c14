//! Service-linked roles.

use super::{DOCUMENT, TRUST, World, ask, errors};
use nephos_core::{Resource, Result, Tag};
use nephos_iam::{
    CreateRole, CreateServiceLinkedRole, DeleteServiceLinkedRole, DeletionTaskStatus,
    GetServiceLinkedRoleDeletionStatus, InstanceProfile, Role, UpdateAssumeRolePolicy, UpdateRole,
    UpdateRoleDescription,
};
use nephos_testing::DAY;

const NAME: &str = "AWSServiceRoleForECS";
const POLICY: &str = "arn:aws:iam::aws:policy/aws-service-role/AmazonECSServiceRolePolicy";

fn create(world: &World) -> Result<Role> {
    ask(&world.session(), CreateServiceLinkedRole::new("ecs.amazonaws.com"))?;
    Ok(Role::objects(&world.session()).get(NAME).wait()?.expect("the role exists"))
}

pub(super) fn service_linked_role_has_a_policy_of_the_provider(world: &World) -> Result<()> {
    let create = CreateServiceLinkedRole::new("ecs.amazonaws.com").description("Runs tasks.");
    let created = ask(&world.session(), create)?;
    let role = created.role().expect("the answer has the role");
    let arn = "arn:aws:iam::123456789012:role/aws-service-role/ecs.amazonaws.com/AWSServiceRoleForECS";
    assert_eq!((role.arn()?, role.description()), (Some(arn), Some("Runs tasks.")));
    let role = Role::objects(&world.session()).get(NAME).wait()?.expect("the role exists");
    let trust = role.assume_role_policy_document().unwrap_or_default();
    assert!(trust.contains(r#"{"Service":"ecs.amazonaws.com"}"#), "{trust}");
    let attached = role.list_attached_policies().wait()?;
    assert_eq!(attached.iter().map(|policy| policy.policy_arn()).collect::<Vec<_>>(), [Some(POLICY)]);
    Ok(())
}

pub(super) fn service_and_suffix_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let create = |service: &str| CreateServiceLinkedRole::new(service);
    let suffixed = || ask(&session, create("ecs.amazonaws.com").custom_suffix("blue"));
    let error = world.refused(&errors::INVALID_INPUT, "CustomSuffix", suffixed);
    assert_eq!(error.message(), "Custom suffix is not allowed for ecs.amazonaws.com");
    ask(&session, create("ecs.amazonaws.com"))?;
    let again = || ask(&session, create("ecs.amazonaws.com"));
    let error = world.refused(&errors::INVALID_INPUT, None, again);
    let taken = "has been taken in this account, please try a different suffix.";
    assert_eq!(error.message(), format!("Service role name {NAME} {taken}"));
    let suffixed = ask(&session, create("autoscaling.amazonaws.com").custom_suffix("blue"))?;
    let name = suffixed.role().and_then(|role| role.role_name());
    assert_eq!(name, Some("AWSServiceRoleForAutoScaling_blue"));
    ask(&session, create("autoscaling.amazonaws.com"))?;
    let unknown = || ask(&session, create("none.amazonaws.com"));
    world.refused(&errors::INVALID_INPUT, "AWSServiceName", unknown);
    let ordinary = || ask(&session, CreateRole::new("web", TRUST).path("/aws-service-role/x/"));
    world.refused(&errors::INVALID_INPUT, "Path", ordinary);
    Ok(())
}

pub(super) fn service_linked_role_cannot_be_changed(world: &World) -> Result<()> {
    let (role, session) = (create(world)?, world.session());
    let error = world.refused(&errors::UNMODIFIABLE, None, || role.delete().wait());
    let text = format!(
        "Cannot perform the operation on the protected role '{NAME}' - this role is only modifiable by AWS"
    );
    assert_eq!(error.message(), text);
    let own = world.create_policy("read")?;
    let arn = own.require_arn()?;
    world.refused(&errors::UNMODIFIABLE, None, || role.attach_policy(arn).wait());
    world.refused(&errors::UNMODIFIABLE, None, || role.detach_policy(POLICY).wait());
    world.refused(&errors::UNMODIFIABLE, None, || role.put_policy("inline", DOCUMENT).wait());
    world.refused(&errors::UNMODIFIABLE, None, || role.put_permission_boundary(arn).wait());
    world.refused(&errors::UNMODIFIABLE, None, || role.delete_permission_boundary().wait());
    world.refused(&errors::UNMODIFIABLE, None, || ask(&session, UpdateAssumeRolePolicy::new(NAME, TRUST)));
    let longer = || ask(&session, UpdateRole::new(NAME).max_session_duration(7200));
    world.refused(&errors::UNMODIFIABLE, None, longer);
    let profile = InstanceProfile::builder().instance_profile_name("web").build()?;
    let profile = InstanceProfile::objects(&session).create(&profile).wait()?;
    world.refused(&errors::UNMODIFIABLE, None, || profile.add_role(NAME).wait());
    ask(&session, UpdateRoleDescription::new(NAME, "Runs tasks."))?;
    Role::objects(&session).tag(NAME, vec![Tag::new("a", "1")]).wait()?;
    Ok(())
}

pub(super) fn service_linked_role_is_deleted_by_a_task(world: &World) -> Result<()> {
    let (session, before) = (world.session(), world.state()?);
    create(world)?;
    let deleted = ask(&session, DeleteServiceLinkedRole::new(NAME))?;
    let task = deleted.deletion_task_id().unwrap_or_default().to_owned();
    assert!(task.starts_with("task/aws-service-role/ecs.amazonaws.com/AWSServiceRoleForECS/"), "{task}");
    assert!(Role::objects(&session).get(NAME).wait()?.is_none());
    let status = |task: &str| ask(&session, GetServiceLinkedRoleDeletionStatus::new(task));
    assert_eq!(status(&task)?.status(), Some(&DeletionTaskStatus::Succeeded));
    world.refused(&errors::NOT_FOUND, None, || status("task/aws-service-role/none"));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, DeleteServiceLinkedRole::new(NAME)));
    world.advance(DAY)?;
    world.refused(&errors::NOT_FOUND, None, || status(&task));
    let rows = world.state()?;
    assert!(rows.iter().all(|row| before.contains(row) || is_clock(row)), "{rows:?}");
    world.create_role("web")?;
    world.refused(&errors::NOT_FOUND, None, || ask(&session, DeleteServiceLinkedRole::new("web")));
    Ok(())
}

/// True for the row of the clock, which the case advances.
fn is_clock((key, _): &(Vec<u8>, Vec<u8>)) -> bool {
    nephos_cloud::read_key(key).is_some_and(|(table, _)| table == "cloud")
}
