//! Instance profiles: containers that give a role to instances.

use crate::{
    Role, User,
    entity::{self, Entity, PathPrefix},
    errors,
    paging::Page,
    role::ExistingRole,
    tagging,
};
use nephos_cloud::{Direction, Handler, Quota, Stored, Tx};
use nephos_core::{
    Empty, Error, Record, Resource, Result, Slot, Tag, Text, Timestamp, WorkflowContext, operation,
};

/// Quota of instance profiles in an account.
pub(crate) const PROFILES: Quota =
    Quota { counter: "iam/instance-profiles", max: 1000, what: "instance profiles" };

/// An instance profile: a container that gives a role to instances.
#[derive(Resource)]
#[resource(
    arn("Arn", "instance-profile{Path: /=/}{InstanceProfileName}"), name = "InstanceProfileName", pk = "InstanceProfileName", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::instance_profile_not_found(name)
)]
pub struct InstanceProfile {
    /// Path of the instance profile: `/` or `/team/web/`.
    #[field(fixed, like = User::path)]
    pub(crate) path: Option<Text>,
    /// Name of the instance profile, unique within the account, ignoring case.
    #[field(required, fixed, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(crate) instance_profile_name: Option<Text>,
    /// Unique ID of the instance profile.
    #[field(service_set)]
    pub(crate) instance_profile_id: Option<Text>,
    /// ARN of the instance profile.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    /// Role of the instance profile: at most one.
    #[field(service_set)]
    roles: Option<Vec<Role>>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(InstanceProfile in "iam/instance-profile" by instance_profile_name ignoring case; arn arn);

impl Entity for InstanceProfile {
    const ID: &'static str = "InstanceProfileId";
    const ID_PREFIX: &'static str = "AIPA";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::instance_profile_exists(name);
}

/// Row of the role of an instance profile.
#[derive(Record)]
#[record(row)]
pub(crate) struct ProfileRoleRow {
    /// Unique ID of the instance profile.
    profile_id: Option<Text>,
    /// Unique ID of the role.
    role_id: Option<Text>,
}

nephos_cloud::stored!(ProfileRoleRow in "iam/instance-profile-role" by profile_id);

/// Row of an instance profile of a role.
#[derive(Record)]
#[record(row)]
pub(crate) struct RoleProfileRow {
    /// Unique ID of the role.
    role_id: Option<Text>,
    /// Key of the name of the instance profile.
    profile_key: Option<Text>,
}

nephos_cloud::stored!(RoleProfileRow in "iam/role-instance-profile" by role_id, profile_key);

fn rows(profile: &InstanceProfile, role: &Role) -> (ProfileRoleRow, RoleProfileRow) {
    (
        ProfileRoleRow { profile_id: profile.instance_profile_id.clone(), role_id: role.role_id.clone() },
        RoleProfileRow { role_id: role.role_id.clone(), profile_key: Some(profile.key_of_name()) },
    )
}

pub(crate) fn role_of(cx: &Tx<'_>, profile: &InstanceProfile) -> Result<Option<Role>> {
    let row: Option<ProfileRoleRow> = cx.get(&ProfileRoleRow::table(cx.scope()).text(profile.id()))?;
    row.and_then(|row| row.role_id).map_or(Ok(None), |id| entity::find_by_id(cx, &id))
}

/// Returns the instance profiles of a role in order of their names, as they are listed.
pub(crate) fn profiles_of(cx: &Tx<'_>, role: &Role) -> Result<Vec<InstanceProfile>> {
    let rows: Vec<RoleProfileRow> = cx.all(&RoleProfileRow::table(cx.scope()).text(role.id()))?;
    let mut profiles = Vec::new();
    for row in rows {
        let found: Option<InstanceProfile> =
            entity::find(cx, row.profile_key.as_deref().unwrap_or_default())?;
        if let Some(mut profile) = found {
            profile.tags = None;
            profiles.push(profile.with_role(cx)?);
        }
    }
    Ok(profiles)
}

/// True if the role is in an instance profile.
pub(crate) fn contains_role(cx: &Tx<'_>, role: &Role) -> Result<bool> {
    let rows = RoleProfileRow::table(cx.scope()).text(role.id()).prefix_range();
    Ok(cx.first::<RoleProfileRow>(&rows, Direction::Ascending)?.is_some())
}

impl InstanceProfile {
    /// Adds the role, as the service returns it.
    fn with_role(mut self, cx: &Tx<'_>) -> Result<Self> {
        let role = role_of(cx, &self)?;
        self.roles = Some(role.into_iter().map(|role| role.for_listing().with_encoded_policy()).collect());
        Ok(self)
    }

    /// Decodes the trust policy of the role of an answer.
    fn with_decoded_role(mut self) -> Self {
        self.roles = self.roles.map(crate::role::decode_policies);
        self
    }
}

/// Decodes the trust policies of the roles of listed instance profiles.
pub(crate) fn decode_roles(profiles: Vec<InstanceProfile>) -> Vec<InstanceProfile> {
    profiles.into_iter().map(InstanceProfile::with_decoded_role).collect()
}

/// Name of an existing instance profile.
#[derive(Record)]
#[record(shared)]
pub struct ExistingInstanceProfile {
    /// Name of the instance profile, ignoring case.
    #[field(required, like = InstanceProfile::instance_profile_name)]
    instance_profile_name: Option<Text>,
}

async fn decoded(_: &WorkflowContext, profile: InstanceProfile) -> Result<InstanceProfile> {
    Ok(profile.with_decoded_role())
}

/// Creates an instance profile without a role.
#[operation(
    of = InstanceProfile, call = "create", model, needs(instance_profile_name), takes(settable), overrides(tags),
    wraps(instance_profile), effect = write, also_requires("TagInstanceProfile" = "Tags?")
)]
pub struct CreateInstanceProfile {}

impl Handler for CreateInstanceProfile {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        entity::check_name_free::<InstanceProfile>(cx, &self.instance_profile_name)?;
        PROFILES.add_one(cx, || errors::quota_exceeded("InstanceProfilesPerAccount", PROFILES.max))?;
        let profile = entity::create(cx, InstanceProfile::from_given(self))?;
        Ok(profile.with_role(cx)?.into())
    }
}

/// Returns an instance profile with its role.
#[operation(
    of = InstanceProfile, call = "get", none_if_missing, include(ExistingInstanceProfile), wraps(instance_profile),
    with = decoded, effect = read
)]
pub struct GetInstanceProfile {}

impl Handler for GetInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        Ok(profile.with_role(cx)?.into())
    }
}

/// Lists instance profiles in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = InstanceProfile, call = "list", page(instance_profiles => decode_roles, marker, is_truncated),
    include(PathPrefix, Page), pushdown(path_prefix = "Path"), effect = read, subject = "instance-profile/*"
)]
pub struct ListInstanceProfiles {}

impl Handler for ListInstanceProfiles {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let convert = |profile: InstanceProfile| profile.with_role(cx).map(Some);
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), convert)?.into())
    }
}

/// Lists the instance profiles of a role in order of their names.
#[operation(
    of = InstanceProfile, call = "list_for_role",
    page(instance_profiles => decode_roles, marker, is_truncated), include(ExistingRole, Page), effect = read,
    subject = "role/{RoleName}"
)]
pub struct ListInstanceProfilesForRole {}

impl Handler for ListInstanceProfilesForRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let role: Role = entity::require(cx, &self.role_name)?;
        let rows = RoleProfileRow::table(cx.scope()).text(role.id());
        let convert = |row: RoleProfileRow| {
            let found: Option<InstanceProfile> =
                entity::find(cx, row.profile_key.as_deref().unwrap_or_default())?;
            found.map(|profile| profile.with_role(cx)).transpose()
        };
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}

/// Puts a role into an instance profile, which can have one role.
#[operation(
    of = InstanceProfile, call = "add_role", on_model(role_name), include(ExistingInstanceProfile, ExistingRole), effect = write,
    also_requires("PassRole" = "role/{RoleName}")
)]
pub struct AddRoleToInstanceProfile {}

impl Handler for AddRoleToInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        let role: Role = entity::require(cx, &self.role_name)?;
        role.check_modifiable()?;
        if role_of(cx, &profile)?.is_some() {
            return Err(errors::quota_exceeded("InstanceSessionsPerInstanceProfile", 1));
        }
        let (profile, role) = rows(&profile, &role);
        cx.put(profile)?;
        cx.put(role)?;
        Ok(Empty {})
    }
}

/// Removes a role from an instance profile.
#[operation(
    of = InstanceProfile, call = "remove_role", on_model(role_name), include(ExistingInstanceProfile, ExistingRole), effect = write
)]
pub struct RemoveRoleFromInstanceProfile {}

impl Handler for RemoveRoleFromInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        let role: Role = entity::require(cx, &self.role_name)?;
        if role_of(cx, &profile)?.is_none_or(|current| current.role_id != role.role_id) {
            return Err(
                errors::role_not_found(&self.role_name).with_hint("it is not in the instance profile")
            );
        }
        let (profile, role) = rows(&profile, &role);
        cx.remove(&profile)?;
        cx.remove(&role)?;
        Ok(Empty {})
    }
}

/// Changes the tags of an instance profile, where the model was changed.
#[operation(kind = InstanceProfile, call = "update", changes(), effect = write)]
pub struct InstanceProfileUpdate {}

/// Deletes an instance profile, which must have no role.
#[operation(of = InstanceProfile, call = "delete", on_model, include(ExistingInstanceProfile), effect = write)]
pub struct DeleteInstanceProfile {}

impl Handler for DeleteInstanceProfile {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let profile: InstanceProfile = entity::require(cx, &self.instance_profile_name)?;
        if role_of(cx, &profile)?.is_some() {
            return Err(errors::role_in_instance_profile());
        }
        PROFILES.remove_one(cx)?;
        entity::remove(cx, &profile)?;
        Ok(Empty {})
    }
}
