//! Identities for decisions about access: access keys, users and roles with their policies, and the last use of both.

use super::{
    Group, Role, User, access_key, attachment,
    entity::{self, Entity},
    inline_policy, last_use, membership, policy, policy_version,
};
use nephos_cloud::{Caller, Identities, Identity, LongTermKey, ResourceFacts, Scope, Tx};
use nephos_core::{Arn, Result, Tag, Text, global_region, shape::ServiceShape, tags};

/// The service as the source of identities.
#[derive(Debug)]
pub(crate) struct IamIdentities;

/// Calls `body` in the scope of the rows of an account.
pub(crate) fn in_account<T>(cx: &mut Tx<'_>, account: &str, body: impl FnOnce(&mut Tx<'_>) -> T) -> T {
    let scope = Scope::new(account, global_region(cx.scope().region()));
    cx.in_scope(&scope, body)
}

impl Identities for IamIdentities {
    fn find_key(&self, cx: &mut Tx<'_>, access_key_id: &str) -> Result<Option<LongTermKey>> {
        access_key::find_key(cx, access_key_id)
    }

    fn find(&self, cx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Identity>> {
        in_account(cx, account, |cx| {
            if let Some(user) = entity::find_by_id::<User>(cx, id)? {
                return user_identity(cx, user).map(Some);
            }
            entity::find_by_id::<Role>(cx, id)?.map(|role| role_identity(cx, role)).transpose()
        })
    }

    fn find_by_arn(&self, cx: &mut Tx<'_>, arn: &str) -> Result<Option<Identity>> {
        let Some([_, _, _, account, resource]) = Arn::parts(arn) else { return Ok(None) };
        let mut parts = resource.split('/');
        let (kind, name) = (parts.next(), parts.next_back());
        // The ARN of a session has the name of the role before that of the session.
        let role_name = parts.next_back();
        in_account(cx, account, |cx| match (kind, name, role_name) {
            (Some("user"), Some(name), _) => {
                entity::find::<User>(cx, name)?.map(|user| user_identity(cx, user)).transpose()
            }
            (Some("role"), Some(name), _) | (Some("assumed-role"), _, Some(name)) => {
                entity::find::<Role>(cx, name)?.map(|role| role_identity(cx, role)).transpose()
            }
            _ => Ok(None),
        })
    }

    fn find_policy(&self, cx: &mut Tx<'_>, account: &str, arn: &str) -> Result<Option<Text>> {
        find_policy_document(cx, account, arn)
    }

    fn note_use(
        &self,
        cx: &mut Tx<'_>,
        caller: &Caller,
        service: &'static ServiceShape,
        region: &str,
    ) -> Result<()> {
        in_account(cx, caller.account(), |cx| last_use::note(cx, caller, service, region))
    }
}

/// Returns the document of a policy that is in effect, by its ARN.
fn policy_document(cx: &Tx<'_>, arn: &str) -> Result<Option<Text>> {
    let found = policy::find(cx, arn, "PolicyArn").ok().flatten();
    found.map_or(Ok(None), |policy| policy_version::default_document(cx, &policy))
}

/// Adds the inline and attached policies of an entity.
fn add_policies(cx: &Tx<'_>, entity: &impl Entity, policies: &mut Vec<(Text, Text)>) -> Result<()> {
    policies.extend(inline_policy::documents(cx, entity)?);
    for policy in attachment::attached(cx, entity)? {
        let document = policy_version::default_document(cx, &policy)?;
        policies.push((policy.arn.clone().unwrap_or_default(), document.unwrap_or_default()));
    }
    Ok(())
}

fn user_identity(cx: &Tx<'_>, user: User) -> Result<Identity> {
    let mut policies = Vec::new();
    add_policies(cx, &user, &mut policies)?;
    for group in membership::groups(cx, &user)? {
        add_policies(cx, &group, &mut policies)?;
    }
    let boundary = user.permissions_boundary.as_ref().and_then(|boundary| boundary.arn());
    identity(cx, &user, user.arn.clone(), boundary, user.tags.as_deref(), policies)
}

fn role_identity(cx: &Tx<'_>, role: Role) -> Result<Identity> {
    let mut policies = Vec::new();
    add_policies(cx, &role, &mut policies)?;
    let boundary = role.permissions_boundary.as_ref().and_then(|boundary| boundary.arn());
    identity(cx, &role, role.arn.clone(), boundary, role.tags.as_deref(), policies)
}

fn identity(
    cx: &Tx<'_>,
    entity: &impl Entity,
    arn: Option<Text>,
    boundary: Option<&Text>,
    tags: Option<&[Tag]>,
    policies: Vec<(Text, Text)>,
) -> Result<Identity> {
    let [_, name, id] = entity.identity().map(Text::new);
    let boundary = match boundary {
        Some(arn) => policy_document(cx, arn)?.map(|document| (arn.clone(), document)),
        None => None,
    };
    Ok(Identity {
        id,
        arn: arn.unwrap_or_default(),
        name,
        policies,
        boundary,
        tags: tags.unwrap_or_default().to_vec(),
    })
}

/// Finds the tags of a user, role, policy or instance profile.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Some([_, _, _, _, resource]) = Arn::parts(arn.as_str()) else { return Ok(None) };
    let (kind, name) = resource.split_once('/').unwrap_or((resource, ""));
    let name = entity::name_in_arn(name);
    let found = match kind {
        "user" => entity::find::<User>(cx, name)?.map(|user| (user.arn, user.tags)),
        "role" => entity::find::<Role>(cx, name)?.map(|role| (role.arn, role.tags)),
        "policy" => entity::find::<super::Policy>(cx, name)?.map(|policy| (policy.arn, policy.tags)),
        "instance-profile" => {
            entity::find::<super::InstanceProfile>(cx, name)?.map(|profile| (profile.arn, profile.tags))
        }
        "group" => entity::find::<Group>(cx, name)?.map(|group| (group.arn, None)),
        _ => None,
    };
    Ok(found.map(|(arn, own)| {
        let tags = tags::to_map(own.as_deref().unwrap_or_default());
        ResourceFacts { arn, ..ResourceFacts::tagged(tags) }
    }))
}

/// Finds the document of a managed policy that is in effect in an account.
pub fn find_policy_document(cx: &mut Tx<'_>, account: &str, arn: &str) -> Result<Option<Text>> {
    in_account(cx, account, |cx| policy_document(cx, arn))
}

/// A role that a caller wants to assume.
#[derive(Clone, Debug)]
pub struct AssumableRole {
    /// Account of the role.
    pub account: Text,
    /// ARN of the role.
    pub arn: Text,
    /// Unique ID of the role.
    pub id: Text,
    /// Name of the role.
    pub name: Text,
    /// Trust policy in JSON.
    pub trust_policy: Text,
    /// Maximum duration of its sessions, in seconds.
    pub max_session_duration: i64,
    /// Tags of the role.
    pub tags: Vec<Tag>,
}

/// Finds the role with this ARN, of any account.
pub fn find_role(cx: &mut Tx<'_>, arn: &str) -> Result<Option<AssumableRole>> {
    let Some([_, "iam", _, account, resource]) = Arn::parts(arn) else { return Ok(None) };
    let Some(path) = resource.strip_prefix("role/") else { return Ok(None) };
    let role: Option<Role> = in_account(cx, account, |cx| entity::find(cx, entity::name_in_arn(path)))?;
    let account = Text::new(account);
    // Names ignore case, but the ARN of a role does not.
    Ok(role.filter(|role| role.arn.as_deref() == Some(arn)).map(|role| role.into_assumable(account)))
}
