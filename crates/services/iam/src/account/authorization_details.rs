//! Authorization details of an account: its users, groups, roles and policies with everything that decides permissions.

use crate::{
    AccountSummary, AccountSummaryManager, AttachedPolicy, EntityType, Group, InstanceProfile, Policy,
    PolicyVersion, Role, User,
    entity::Entity,
    group::membership,
    identity::last_use,
    paging::Page,
    policy::{attachment, document, inline_policy, managed, policy_version},
    role::instance_profile,
};
use nephos_cloud::{Direction, Handler, Tx, page_size};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation, record_of};

/// An inline policy with its document.
#[derive(Record)]
#[record(answer)]
pub struct PolicyDetail {
    /// Name of the policy.
    policy_name: Option<Text>,
    /// Policy document; percent-encoded in the answer of the service.
    policy_document: Option<Text>,
}

/// A user with its policies and groups.
#[record_of(of = User, answer, takes(all), except(password_last_used))]
pub struct UserDetail {
    /// Inline policies.
    user_policy_list: Option<Vec<PolicyDetail>>,
    /// Names of the groups of the user.
    group_list: Option<Vec<Text>>,
    /// Attached policies.
    attached_managed_policies: Option<Vec<AttachedPolicy>>,
}

/// A group with its policies.
#[record_of(of = Group, answer, takes(all))]
pub struct GroupDetail {
    /// Inline policies.
    group_policy_list: Option<Vec<PolicyDetail>>,
    /// Attached policies.
    attached_managed_policies: Option<Vec<AttachedPolicy>>,
}

/// A role with its policies and instance profiles. Its trust policy is percent-encoded in the answer of the service.
#[record_of(of = Role, answer, takes(all), except(description, max_session_duration, source_role_template))]
pub struct RoleDetail {
    /// Instance profiles with the role.
    instance_profile_list: Option<Vec<InstanceProfile>>,
    /// Inline policies.
    role_policy_list: Option<Vec<PolicyDetail>>,
    /// Attached policies.
    attached_managed_policies: Option<Vec<AttachedPolicy>>,
}

/// A managed policy with its versions.
#[record_of(of = Policy, answer, takes(all), except(tags))]
pub struct ManagedPolicyDetail {
    /// Versions with their documents, newest first.
    policy_version_list: Option<Vec<PolicyVersion>>,
}

/// Users, groups, roles and policies of an account.
#[derive(Record)]
#[record(answer, name = "GetAccountAuthorizationDetailsResponse")]
pub struct AuthorizationDetails {
    /// Users.
    user_detail_list: Option<Vec<UserDetail>>,
    /// Groups.
    group_detail_list: Option<Vec<GroupDetail>>,
    /// Roles.
    role_detail_list: Option<Vec<RoleDetail>>,
    /// Policies.
    policies: Option<Vec<ManagedPolicyDetail>>,
    /// True if there is another page.
    is_truncated: Option<bool>,
    /// Pagination token of the next page.
    marker: Option<Text>,
}

impl AuthorizationDetails {
    fn empty() -> Self {
        Self {
            user_detail_list: Some(Vec::new()),
            group_detail_list: Some(Vec::new()),
            role_detail_list: Some(Vec::new()),
            policies: Some(Vec::new()),
            is_truncated: Some(false),
            marker: None,
        }
    }

    /// Appends the items of another page, with decoded documents.
    fn append(&mut self, page: Self) {
        fn extend<T>(all: &mut Option<Vec<T>>, more: Option<Vec<T>>, decode: fn(T) -> T) {
            all.get_or_insert_default().extend(more.unwrap_or_default().into_iter().map(decode));
        }
        extend(&mut self.user_detail_list, page.user_detail_list, |mut user| {
            user.user_policy_list = decode_policies(user.user_policy_list);
            user
        });
        extend(&mut self.group_detail_list, page.group_detail_list, |mut group| {
            group.group_policy_list = decode_policies(group.group_policy_list);
            group
        });
        extend(&mut self.role_detail_list, page.role_detail_list, |mut role| {
            role.role_policy_list = decode_policies(role.role_policy_list);
            role.assume_role_policy_document =
                role.assume_role_policy_document.as_deref().map(document::decode);
            role.instance_profile_list = role.instance_profile_list.map(instance_profile::decode_roles);
            role
        });
        extend(&mut self.policies, page.policies, |mut policy| {
            let versions = policy.policy_version_list.unwrap_or_default().into_iter();
            policy.policy_version_list = Some(versions.map(PolicyVersion::with_decoded_document).collect());
            policy
        });
    }
}

fn decode_policies(policies: Option<Vec<PolicyDetail>>) -> Option<Vec<PolicyDetail>> {
    let decode = |mut policy: PolicyDetail| {
        policy.policy_document = policy.policy_document.as_deref().map(document::decode);
        policy
    };
    policies.map(|policies| policies.into_iter().map(decode).collect())
}

fn inline_policies(cx: &Tx<'_>, entity: &impl Entity) -> Result<Option<Vec<PolicyDetail>>> {
    let detail = |row: inline_policy::InlinePolicyRow| PolicyDetail {
        policy_name: row.policy_name,
        policy_document: row.document.as_deref().map(document::encode),
    };
    Ok(Some(inline_policy::all(cx, entity)?.into_iter().map(detail).collect()))
}

fn user_detail(cx: &Tx<'_>, user: User) -> Result<UserDetail> {
    let groups = membership::groups(cx, &user)?;
    let mut detail = UserDetail::from(user.clone());
    detail.user_policy_list = inline_policies(cx, &user)?;
    detail.group_list = Some(groups.into_iter().filter_map(|group| group.group_name).collect());
    detail.attached_managed_policies = Some(attachment::attached_policies(cx, &user)?);
    detail.tags.get_or_insert_default();
    Ok(detail)
}

fn group_detail(cx: &Tx<'_>, group: Group) -> Result<GroupDetail> {
    let mut detail = GroupDetail::from(group.clone());
    detail.group_policy_list = inline_policies(cx, &group)?;
    detail.attached_managed_policies = Some(attachment::attached_policies(cx, &group)?);
    Ok(detail)
}

fn role_detail(cx: &Tx<'_>, role: Role) -> Result<RoleDetail> {
    let mut detail = RoleDetail::from(role.clone().with_encoded_policy());
    detail.instance_profile_list = Some(instance_profile::profiles_of(cx, &role)?);
    detail.role_policy_list = inline_policies(cx, &role)?;
    detail.attached_managed_policies = Some(attachment::attached_policies(cx, &role)?);
    detail.role_last_used = Some(last_use::of_role(cx, &role)?);
    detail.tags.get_or_insert_default();
    Ok(detail)
}

fn policy_detail(cx: &Tx<'_>, policy: Policy) -> Result<ManagedPolicyDetail> {
    let versions = policy_version::all(cx, &policy)?;
    let versions = versions.iter().rev().map(|row| row.to_version_with_document(&policy));
    let versions = versions.collect();
    let mut detail = ManagedPolicyDetail::from(policy);
    detail.policy_version_list = Some(versions);
    Ok(detail)
}

/// Entities of a page that is being filled, type after type.
struct Filling {
    /// Type and name of the last entity of the previous page.
    after: Option<(usize, Text)>,
    /// Number of entities that fit on the page.
    left: usize,
    /// Position of the last entity of the page.
    last: Option<Text>,
    /// True if there are entities after the page.
    is_truncated: bool,
}

impl Filling {
    /// Takes the stored entities of one type, which is the `stage`th, that belong to the page.
    fn take<E: Entity, T>(
        &mut self,
        cx: &Tx<'_>,
        stage: usize,
        detail: fn(&Tx<'_>, E) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let table = E::table(cx.scope());
        let range = match &self.after {
            Some((after, _)) if *after > stage => return Ok(Some(Vec::new())),
            Some((after, name)) if *after == stage => table.prefix_range_after(&table.clone().text(name)),
            _ => table.prefix_range(),
        };
        let mut found: Vec<E> = Vec::new();
        cx.gather(cx.scope(), &range, Direction::Ascending, |_| true, self.left + 1, &mut found)?;
        self.cut(stage, &mut found);
        found.into_iter().map(|entity| detail(cx, entity)).collect::<Result<_>>().map(Some)
    }

    /// Takes the policies of the provider that the account uses and that belong to the page.
    fn take_managed(&mut self, cx: &Tx<'_>, stage: usize) -> Result<Vec<ManagedPolicyDetail>> {
        let used = managed::all(cx, true)?;
        let mut used = used.into_iter().map(|policy| policy.to_policy(cx)).collect::<Result<Vec<_>>>()?;
        let after = self.after.as_ref().filter(|(after, _)| *after == stage).map(|(_, name)| name);
        used.retain(|policy| after.is_none_or(|after| policy.key_of_name() > *after));
        used.sort_by_key(Entity::key_of_name);
        self.cut(stage, &mut used);
        used.into_iter().map(|policy| policy_detail(cx, policy)).collect()
    }

    /// Cuts entities of the `stage`th type to those that fit on the page.
    fn cut<E: Entity>(&mut self, stage: usize, found: &mut Vec<E>) {
        self.is_truncated |= found.len() > self.left;
        found.truncate(self.left);
        self.left -= found.len();
        if let Some(entity) = found.last() {
            self.last = Some(format!("{stage}{}", entity.key_of_name()).into());
        }
    }
}

/// Returns the users, groups, roles and policies of the account, and the policies of the provider that it uses, in this
/// order, each in order of their names.
#[operation(of = AccountSummary, include(Page), effect = read, output = AuthorizationDetails, subject = "*")]
pub struct GetAccountAuthorizationDetails {
    /// Types of the entities; all by default.
    pub filter: Option<Vec<EntityType>>,
}

impl Handler for GetAccountAuthorizationDetails {
    fn run(self, cx: &mut Tx<'_>) -> Result<AuthorizationDetails> {
        let position = |text: Text| Some((text.get(..1)?.parse().ok()?, Text::new(text.get(1..)?)));
        let mut filling = Filling {
            after: cx.page_after(&self)?.and_then(position),
            left: page_size(&self),
            last: None,
            is_truncated: false,
        };
        let is_listed =
            |kind| self.filter.as_ref().is_none_or(|filter| filter.is_empty() || filter.contains(&kind));
        let mut details = AuthorizationDetails::empty();
        if is_listed(EntityType::User) {
            details.user_detail_list = filling.take(cx, 0, user_detail)?;
        }
        if is_listed(EntityType::Group) {
            details.group_detail_list = filling.take(cx, 1, group_detail)?;
        }
        if is_listed(EntityType::Role) {
            details.role_detail_list = filling.take(cx, 2, role_detail)?;
        }
        if is_listed(EntityType::LocalManagedPolicy) {
            details.policies = filling.take(cx, 3, policy_detail)?;
        }
        if is_listed(EntityType::AwsManagedPolicy) {
            let managed = filling.take_managed(cx, 4)?;
            details.policies.get_or_insert_default().extend(managed);
        }
        details.is_truncated = Some(filling.is_truncated);
        let last = filling.last.filter(|_| filling.is_truncated);
        details.marker = last.map(|last| cx.page_token(&self, &last));
        Ok(details)
    }
}

/// Returns the users, groups, roles and policies of the account, in this order, each in order of their names.
#[operation(
    kind = AccountSummary, call = "authorization_details", effect = read, output = AuthorizationDetails
)]
pub struct AccountSummaryAuthorizationDetails {
    /// Types of the entities; all by default.
    pub filter: Option<Vec<EntityType>>,
}

impl ManagerOperation for AccountSummaryAuthorizationDetails {
    async fn run(&self, context: &WorkflowContext) -> Result<AuthorizationDetails> {
        let mut get = GetAccountAuthorizationDetails::new().max_items(1000);
        get.filter = self.filter.clone();
        let mut all = AuthorizationDetails::empty();
        loop {
            let page = context.call(get.clone()).await?;
            get.marker = page.marker.clone();
            all.append(page);
            if get.marker.is_none() {
                return Ok(all);
            }
        }
    }
}
