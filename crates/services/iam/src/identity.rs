//! Identities for decisions about access: access keys, users and roles with their policies, and the last use of both.

pub(crate) mod last_use;
pub(crate) mod session_rules;
pub(crate) mod shared_rows;

use crate::{
    Group, InstanceProfile, Role, ServerCertificate, User,
    entity::{self, Entity},
    group::membership,
    policy::{self, attachment, inline_policy, policy_version},
    role::instance_profile,
    user::access_key,
};
use nephos_cloud::{
    Addressed as _, Caller, Identities, Identity, LongTermKey, ResourceFacts, Scope, StoredResource as _,
    TemporarySession, Tx,
};
use nephos_core::{
    Arn, Result, Tag, Text, global_region,
    shape::{OperationShape, ServiceShape},
    tags,
};

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

    fn find_profile_role(&self, cx: &mut Tx<'_>, profile: &Arn) -> Result<Option<Text>> {
        let name = entity::name_in_arn(profile.resource());
        in_account(cx, profile.account(), |cx| {
            let profile: Option<InstanceProfile> = entity::find(cx, name)?;
            let role = profile.map_or(Ok(None), |profile| instance_profile::role_of(cx, &profile))?;
            Ok(role.and_then(|role| role.arn))
        })
    }

    fn check_session(
        &self,
        session: &TemporarySession,
        service: &ServiceShape,
        operation: &OperationShape,
    ) -> Result<()> {
        session_rules::check(session, service.signing, operation.name)
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
pub(crate) fn policy_document(cx: &Tx<'_>, arn: &str) -> Result<Option<Text>> {
    let found = policy::find(cx, arn, "PolicyArn").ok().flatten();
    found.map_or(Ok(None), |policy| policy_version::default_document(cx, &policy))
}

/// A policy that applies to an entity.
#[derive(Clone, Debug)]
pub(crate) struct AppliedPolicy {
    /// Resource type and name of the entity with an inline policy; `None` for a managed policy.
    pub(crate) inline_of: Option<(&'static str, Text)>,
    /// Name of an inline policy, ARN of a managed policy.
    pub(crate) name: Text,
    /// Policy document.
    pub(crate) document: Text,
}

/// Returns the inline and attached policies of an entity.
pub(crate) fn own_policies<E: Entity>(cx: &Tx<'_>, entity: &E) -> Result<Vec<AppliedPolicy>> {
    let inline_of = Some((E::RESOURCE_TYPE, Text::new(entity.identity()[1])));
    let inline = inline_policy::documents(cx, entity)?.into_iter();
    let mut policies: Vec<_> = inline
        .map(|(name, document)| AppliedPolicy { inline_of: inline_of.clone(), name, document })
        .collect();
    for policy in attachment::attached(cx, entity)? {
        let document = policy_version::default_document(cx, &policy)?.unwrap_or_default();
        let name = policy.arn.clone().unwrap_or_default();
        policies.push(AppliedPolicy { inline_of: None, name, document });
    }
    Ok(policies)
}

/// Returns the policies of a user and of its groups.
pub(crate) fn user_policies(cx: &Tx<'_>, user: &User) -> Result<Vec<AppliedPolicy>> {
    let mut policies = own_policies(cx, user)?;
    for group in membership::groups(cx, user)? {
        policies.extend(own_policies(cx, &group)?);
    }
    Ok(policies)
}

fn user_identity(cx: &Tx<'_>, user: User) -> Result<Identity> {
    let policies = user_policies(cx, &user)?;
    identity(cx, &user, user.arn.clone(), user.boundary(), user.tags.as_deref(), policies)
}

fn role_identity(cx: &Tx<'_>, role: Role) -> Result<Identity> {
    let policies = own_policies(cx, &role)?;
    identity(cx, &role, role.arn.clone(), role.boundary(), role.tags.as_deref(), policies)
}

fn identity(
    cx: &Tx<'_>,
    entity: &impl Entity,
    arn: Option<Text>,
    boundary: Option<&Text>,
    tags: Option<&[Tag]>,
    policies: Vec<AppliedPolicy>,
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
        policies: policies.into_iter().map(|policy| (policy.name, policy.document)).collect(),
        boundary,
        tags: tags.unwrap_or_default().to_vec(),
    })
}

/// Returns the ARN, the tags and the boundary of an entity by its name, which ends the ARN of a subject; the path may be missing there.
fn facts<E: Entity>(cx: &Tx<'_>, arn: &str) -> Result<Option<ResourceFacts>> {
    let name = E::read_arn(arn).and_then(|parts| parts.last().copied());
    let found: Option<E> = name.map_or(Ok(None), |name| entity::find(cx, name))?;
    Ok(found.map(|entity| {
        let arn = Some(entity.own_arn().into());
        let boundary = entity.boundary().map(|arn| (Text::const_new("iam:PermissionsBoundary"), arn.clone()));
        let defaults = boundary.into_iter().collect();
        ResourceFacts { arn, defaults, ..ResourceFacts::tagged(tags::known(&entity)) }
    }))
}

/// Finds the ARN and the tags of a user, role, policy, instance profile, server certificate or group.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let kinds = [
        facts::<User>,
        facts::<Role>,
        facts::<super::Policy>,
        facts::<InstanceProfile>,
        facts::<ServerCertificate>,
        facts::<Group>,
    ];
    let found = kinds.iter().map(|find| find(cx, arn.as_str()));
    found.filter_map(Result::transpose).next().transpose()
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
    let Some([_, _, _, account, _]) = Arn::parts(arn) else { return Ok(None) };
    let role: Option<Role> = in_account(cx, account, |cx| entity::find_by_arn(cx, arn))?;
    Ok(role.map(|role| role.into_assumable(account.into())))
}
