//! Content of reports: the users and roles that an ARN covers, the services that policies allow, and their last uses.

use super::{AccessingEntityType, EntityDetails, EntityInfo, ServiceLastAccessed};
use crate::{
    Group, Role, User,
    entity::{self, Entity},
    errors,
    group::membership,
    identity::{self, AppliedPolicy, last_use},
    policy::{
        self,
        attachment::{PolicyEntityRow, Use},
        policy_version,
    },
};
use nephos_cloud::{AccessRequest, Effect, Mismatch, Policy, PolicyForm, Principal, Stored as _, Tx};
use nephos_core::{Arn, Result, Text, shape::ServiceShape};
use std::{collections::BTreeMap, sync::Arc};

/// Names of services for people, by their names in actions.
const NAMES: &[(&str, &str)] = &[
    ("ec2", "Amazon EC2"),
    ("elasticloadbalancing", "AWS Elastic Load Balancing"),
    ("iam", "AWS Identity and Access Management"),
    ("kms", "AWS Key Management Service"),
    ("logs", "Amazon CloudWatch Logs"),
    ("schemas", "Amazon EventBridge Schemas"),
    ("secretsmanager", "AWS Secrets Manager"),
    ("sts", "AWS Security Token Service"),
];

/// The entities that a report is about, and the documents of the policies that count.
pub(super) struct Covered {
    /// Users and roles by their unique IDs.
    entities: BTreeMap<Text, EntityInfo>,
    documents: Vec<Text>,
}

impl Covered {
    /// Finds the entities of the ARN of a user, group, role or policy; `None` if it does not exist.
    pub(super) fn find(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let invalid = || errors::arn_invalid(arn).with_field("Arn");
        let Some([_, "iam", _, _, resource]) = Arn::parts(arn) else { return Err(invalid()) };
        let (kind, _) = resource.split_once('/').ok_or_else(invalid)?;
        let mut covered = Self { entities: BTreeMap::new(), documents: Vec::new() };
        let is_found = match kind {
            "user" => match entity::find_by_arn::<User>(cx, arn)? {
                Some(user) => {
                    covered.add_policies(identity::user_policies(cx, &user)?);
                    covered.add(&user, AccessingEntityType::User, user.arn.clone());
                    true
                }
                None => false,
            },
            "role" => match entity::find_by_arn::<Role>(cx, arn)? {
                Some(role) => {
                    covered.add_policies(identity::own_policies(cx, &role)?);
                    covered.add(&role, AccessingEntityType::Role, role.arn.clone());
                    true
                }
                None => false,
            },
            "group" => match entity::find_by_arn::<Group>(cx, arn)? {
                Some(group) => {
                    covered.add_policies(identity::own_policies(cx, &group)?);
                    covered.add_users(cx, &group)?;
                    true
                }
                None => false,
            },
            "policy" => match policy::find(cx, arn, "Arn")? {
                Some(policy) => {
                    covered.documents.extend(policy_version::default_document(cx, &policy)?);
                    covered.add_attached(cx, policy.id())?;
                    true
                }
                None => false,
            },
            _ => return Err(invalid()),
        };
        Ok(is_found.then_some(covered))
    }

    fn add_policies(&mut self, policies: Vec<AppliedPolicy>) {
        self.documents.extend(policies.into_iter().map(|policy| policy.document));
    }

    fn add(&mut self, entity: &impl Entity, kind: AccessingEntityType, arn: Option<Text>) {
        let [path, name, id] = entity.identity().map(Text::new);
        let info =
            EntityInfo { arn, name: Some(name), r#type: Some(kind), id: Some(id.clone()), path: Some(path) };
        self.entities.insert(id, info);
    }

    fn add_users(&mut self, cx: &Tx<'_>, group: &Group) -> Result<()> {
        for user in membership::users(cx, group)? {
            self.add(&user, AccessingEntityType::User, user.arn.clone());
        }
        Ok(())
    }

    /// Adds the entities that a policy is attached to.
    fn add_attached(&mut self, cx: &Tx<'_>, policy_id: &str) -> Result<()> {
        let rows: Vec<PolicyEntityRow> = cx.all(&PolicyEntityRow::table(cx.scope()).text(policy_id))?;
        for row in rows.into_iter().filter(|row| row.usage == Use::Attached.key()) {
            let name = row.name_key.as_deref().unwrap_or_default();
            match row.resource_type.as_deref() {
                Some(Group::RESOURCE_TYPE) => {
                    let group: Option<Group> = entity::find(cx, name)?;
                    group.iter().try_for_each(|group| self.add_users(cx, group))?;
                }
                Some(Role::RESOURCE_TYPE) => {
                    let role: Option<Role> = entity::find(cx, name)?;
                    role.iter().for_each(|role| self.add(role, AccessingEntityType::Role, role.arn.clone()));
                }
                _ => {
                    let user: Option<User> = entity::find(cx, name)?;
                    user.iter().for_each(|user| self.add(user, AccessingEntityType::User, user.arn.clone()));
                }
            }
        }
        Ok(())
    }

    /// Returns the services that the policies allow, and their last uses by the entities.
    pub(super) fn services(&self, cx: &Tx<'_>) -> Result<Vec<ServiceLastAccessed>> {
        let documents = self.documents.iter().map(|document| cx.parse_policy(document, PolicyForm::Identity));
        let policies = documents.collect::<Result<Vec<_>>>()?;
        let mut services = BTreeMap::new();
        for shape in cx.service_shapes().filter(|shape| allows_some(&policies, shape)) {
            let name = NAMES.iter().find(|(namespace, _)| *namespace == shape.signing);
            services.insert(
                shape.signing,
                ServiceLastAccessed {
                    service_name: Some(name.map_or(shape.signing, |(_, name)| name).into()),
                    last_authenticated: None,
                    service_namespace: Some(shape.signing.into()),
                    last_authenticated_entity: None,
                    last_authenticated_region: None,
                    total_authenticated_entities: Some(0),
                    tracked_actions_last_accessed: None,
                },
            );
        }
        for (id, info) in &self.entities {
            for used in last_use::services_of(cx, id)? {
                let Some(service) = services.get_mut(used.service.as_deref().unwrap_or_default()) else {
                    continue;
                };
                service.total_authenticated_entities = service.total_authenticated_entities.map(|n| n + 1);
                if service.last_authenticated < used.time {
                    service.last_authenticated = used.time;
                    service.last_authenticated_entity = info.arn.clone();
                    service.last_authenticated_region = used.region;
                }
            }
        }
        Ok(services.into_values().collect())
    }

    /// Returns the entities, and their last uses of a service.
    pub(super) fn entities(self, cx: &Tx<'_>, service: &str) -> Result<Vec<EntityDetails>> {
        let details = |(id, info): (Text, EntityInfo)| {
            let used = last_use::services_of(cx, &id)?;
            let used = used.into_iter().find(|used| used.service.as_deref() == Some(service));
            let last_authenticated = used.and_then(|used| used.time);
            Ok(EntityDetails { entity_info: Some(info), last_authenticated })
        };
        self.entities.into_iter().map(details).collect()
    }
}

/// True if a statement allows an action of the service, on whatever resources and conditions.
fn allows_some(policies: &[Arc<Policy>], service: &ServiceShape) -> bool {
    let statements = policies.iter().flat_map(|policy| policy.statements());
    let mut allowing = statements.filter(|statement| statement.effect == Effect::Allow);
    let request = |action: Text| AccessRequest::new(Principal::root(""), action, "*");
    let requests: Vec<_> =
        service.operations.iter().map(|operation| request(operation.action(service))).collect();
    allowing.any(|statement| {
        let is_about = |request: &AccessRequest| {
            !matches!(statement.check(request), Err(Mismatch::Principal | Mismatch::Action))
        };
        requests.iter().any(is_about)
    })
}
