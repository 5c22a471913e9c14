//! The calls `create` and `update`, which carry out a whole model.

use super::{
    ApplySecurityGroupsToLoadBalancer, AttachLoadBalancerToSubnets, ClassicELB, ClassicELBGet,
    ClassicELBManager, ConfigureHealthCheck, CreateLoadBalancer, DeleteLoadBalancer,
    DetachLoadBalancerFromSubnets, DisableAvailabilityZonesForLoadBalancer,
    EnableAvailabilityZonesForLoadBalancer, LoadBalancerAttributes, ModifyLoadBalancerAttributes,
};
use crate::{
    BackendServerDescription, CreateAppCookieStickinessPolicy, CreateLBCookieStickinessPolicy,
    CreateLoadBalancerListeners, CreateLoadBalancerPolicy, DeleteLoadBalancerListeners,
    DeleteLoadBalancerPolicy, DeregisterInstancesFromLoadBalancer, Instance, Listener, ListenerDescription,
    Policies, RegisterInstancesWithLoadBalancer, SetLoadBalancerListenerSSLCertificate,
    SetLoadBalancerPoliciesForBackendServer, SetLoadBalancerPoliciesOfListener, errors,
};
use nephos_cloud::StoredResource;
use nephos_core::{
    ErrorKind, ManagerOperation, Resource, Result, Tag, Text, WorkflowContext, operation, record::Fields,
    retag,
};
use nephos_ec2::DescribeSubnets;

/// Creates a load balancer as the model describes it, with its policies, attributes, instances and tags.
#[operation(kind = ClassicELB, call = "create", effect = write, output = ClassicELB)]
pub struct ClassicELBCreate {
    /// Model of the load balancer. With subnets, its zones must be theirs, or none.
    #[field(model, name = "model")]
    pub model: ClassicELB,
}

impl ManagerOperation for ClassicELBCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<ClassicELB> {
        let model = &self.model;
        let listeners: Vec<_> = listeners_of(model).iter().filter_map(|one| one.listener.clone()).collect();
        let mut create = CreateLoadBalancer::new(model.own_name(), listeners);
        create.security_groups = model.security_groups.clone();
        create.scheme = model.scheme.clone().filter(|scheme| !scheme.is_empty());
        create.subnets = model.subnets.clone().filter(|subnets| !subnets.is_empty());
        if create.subnets.is_none() {
            create.availability_zones = model.availability_zones.clone();
        }
        let tags: Vec<_> =
            model.tags.iter().flatten().map(|(key, value)| Tag::from((key.clone(), value.clone()))).collect();
        create.tags = Some(tags).filter(|tags| !tags.is_empty());
        // What the service refuses later is refused before anything is created.
        if create.subnets.is_some() {
            check_zones(context, model).await?;
        }
        let names = model.policies.iter().flat_map(|policies| policies.other_policies.iter().flatten());
        names.map(|name| policy_of(model, name)).collect::<Result<Vec<_>>>()?;
        context.call(create).await?;
        let has_value = |field: &&'static str| {
            let found = model.shape().field(field);
            found.is_some_and(|(index, _)| !model.field(index).view().is_null())
        };
        let placement = ["AvailabilityZones", "Subnets", "SecurityGroups"];
        let given =
            UPDATED.into_iter().filter(has_value).filter(|field| !placement.contains(field)).collect();
        let complete = async {
            let current = read(context, model.own_name()).await?;
            Changes { context, model, current, fields: given, is_new: true }.carry_out().await?;
            read(context, model.own_name()).await
        };
        context.or_undo(complete, DeleteLoadBalancer::new(model.own_name())).await
    }
}

/// Changes a load balancer to what the model describes: what was changed since the model was read.
#[operation(kind = ClassicELB, call = "update", effect = write, output = ClassicELB)]
pub struct ClassicELBUpdate {
    /// The load balancer.
    #[field(model, name = "model")]
    pub model: ClassicELB,
}

impl ManagerOperation for ClassicELBUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<ClassicELB> {
        let (model, changed) = (&self.model, self.model.changed());
        model.check_changes()?;
        let current = read(context, model.own_name()).await?;
        let fields: Vec<_> = UPDATED.into_iter().filter(|field| changed.contains(field)).collect();
        Changes { context, model, current: current.clone(), fields, is_new: false }.carry_out().await?;
        retag(context, model, &current).await?;
        read(context, model.own_name()).await
    }
}

async fn read(context: &WorkflowContext, name: &str) -> Result<ClassicELB> {
    let found = context.run(ClassicELBGet::new(name)).await?;
    found.ok_or_else(|| errors::load_balancer_not_found(name))
}

/// Refuses zones that are not those of the subnets. Subnets that do not exist are refused later.
async fn check_zones(context: &WorkflowContext, model: &ClassicELB) -> Result<()> {
    let mut given = model.availability_zones.clone().unwrap_or_default();
    if given.is_empty() {
        return Ok(());
    }
    let mut zones = match zones_of(context, model.subnets.clone().unwrap_or_default()).await {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?.into_iter().map(|(_, zone)| zone).collect::<Vec<_>>(),
    };
    given.sort();
    zones.sort();
    if given == zones {
        return Ok(());
    }
    let zones: Vec<_> = zones.iter().map(Text::as_str).collect();
    let hint = format!("the subnets are in {}", zones.join(", "));
    Err(errors::zones_differ().with_field("AvailabilityZones").with_hint(hint))
}

/// Returns subnets with their zones.
async fn zones_of(context: &WorkflowContext, ids: Vec<Text>) -> Result<Vec<(Text, Text)>> {
    let found = context.call(DescribeSubnets::new().subnet_ids(ids)).await?;
    let zone = |subnet: &nephos_ec2::Subnet| {
        Some((Text::new(subnet.subnet_id()?), Text::new(subnet.availability_zone()?)))
    };
    Ok(found.subnets().unwrap_or_default().iter().filter_map(zone).collect())
}

/// Returns the operation that creates a policy that a model has only the name of: it must be that of a predefined one.
fn policy_of(model: &ClassicELB, name: &Text) -> Result<CreateLoadBalancerPolicy> {
    let create = CreateLoadBalancerPolicy::of_predefined(model.own_name(), name);
    create.ok_or_else(|| errors::policy_needs_attributes(name).with_field("Policies.OtherPolicies"))
}

fn listeners_of(model: &ClassicELB) -> &[ListenerDescription] {
    model.listeners.as_deref().unwrap_or_default()
}

/// Fields that an update sends, in the order in which it sends them. Policies are deleted last.
const UPDATED: [&str; 13] = [
    "Subnets",
    "AvailabilityZones",
    "SecurityGroups",
    "Policies",
    "Listeners",
    "BackendServerDescriptions",
    "HealthCheck",
    "CrossZoneLoadBalancing",
    "AccessLog",
    "ConnectionDraining",
    "ConnectionSettings",
    "AdditionalAttributes",
    "Instances",
];

/// Fields of the attributes, and others that always have a value.
const NOT_REMOVABLE: [&str; 8] = [
    "Subnets",
    "AvailabilityZones",
    "HealthCheck",
    "CrossZoneLoadBalancing",
    "AccessLog",
    "ConnectionDraining",
    "ConnectionSettings",
    "AdditionalAttributes",
];

/// Changes of a load balancer: these fields of the model, against what the service has.
struct Changes<'m> {
    context: &'m WorkflowContext,
    model: &'m ClassicELB,
    current: ClassicELB,
    fields: Vec<&'static str>,
    /// True for a load balancer that was just created: it has no policies but the default one of secure listeners.
    is_new: bool,
}

impl Changes<'_> {
    fn name(&self) -> &str {
        self.model.own_name()
    }

    fn has(&self, field: &str) -> bool {
        self.fields.contains(&field)
    }

    async fn carry_out(&self) -> Result<()> {
        self.check_removed()?;
        if self.has("Subnets") {
            if self.has("AvailabilityZones") {
                check_zones(self.context, self.model).await?;
            }
            self.set_subnets().await?;
        } else if self.has("AvailabilityZones") {
            self.set_zones().await?;
        }
        if self.has("SecurityGroups") {
            let groups = self.model.security_groups.clone().unwrap_or_default();
            self.context.call(ApplySecurityGroupsToLoadBalancer::new(self.name(), groups)).await?;
        }
        if self.has("Policies") {
            self.create_policies().await?;
        }
        if self.has("Listeners") {
            self.set_listeners().await?;
        }
        if self.has("BackendServerDescriptions") {
            self.set_backend_policies().await?;
        }
        if self.has("Policies") && !self.is_new {
            self.delete_policies().await?;
        }
        let check = self.model.health_check.clone().filter(|_| self.has("HealthCheck"));
        if let Some(check) = check.filter(|check| Some(check) != self.current.health_check.as_ref()) {
            self.context.call(ConfigureHealthCheck::new(self.name(), check)).await?;
        }
        self.set_attributes().await?;
        if self.has("Instances") {
            self.set_instances().await?;
        }
        Ok(())
    }

    /// Refuses to remove what a load balancer always has.
    fn check_removed(&self) -> Result<()> {
        for field in NOT_REMOVABLE.into_iter().filter(|field| self.has(field)) {
            let value = self.model.shape().field(field).map(|(index, _)| self.model.field(index).view());
            if value.is_none_or(|value| value.is_null()) {
                return Err(errors::not_removable(field).with_field(field));
            }
        }
        Ok(())
    }

    async fn attach(&self, subnets: Vec<Text>) -> Result<()> {
        if !subnets.is_empty() {
            self.context.call(AttachLoadBalancerToSubnets::new(self.name(), subnets)).await?;
        }
        Ok(())
    }

    async fn detach(&self, subnets: Vec<Text>) -> Result<()> {
        if !subnets.is_empty() {
            self.context.call(DetachLoadBalancerFromSubnets::new(self.name(), subnets)).await?;
        }
        Ok(())
    }

    /// Replaces the subnets. There is one in each zone, and never none at all, so that some are removed before the others are
    /// added.
    async fn set_subnets(&self) -> Result<()> {
        let before = self.current.subnets.clone().unwrap_or_default();
        let after = self.model.subnets.clone().unwrap_or_default();
        let (mut removed, mut added) = (missing_in(&before, &after), missing_in(&after, &before));
        if removed.len() == before.len() && !added.is_empty() && !removed.is_empty() {
            // One stays until a subnet of another zone is attached.
            let kept = removed.remove(0);
            self.detach(removed).await?;
            let zones = zones_of(self.context, [&added[..], std::slice::from_ref(&kept)].concat()).await?;
            let zone_of = |id: &Text| zones.iter().find(|(known, _)| known == id).map(|(_, zone)| zone);
            let kept_zone = zone_of(&kept);
            let (same_zone, others): (Vec<_>, Vec<_>) =
                added.into_iter().partition(|id| zone_of(id) == kept_zone);
            self.attach(others).await?;
            self.detach(vec![kept]).await?;
            added = same_zone;
        } else {
            self.detach(removed).await?;
        }
        self.attach(added).await?;
        Ok(())
    }

    async fn set_zones(&self) -> Result<()> {
        let before = self.current.availability_zones.clone().unwrap_or_default();
        let after = self.model.availability_zones.clone().unwrap_or_default();
        let (removed, added) = (missing_in(&before, &after), missing_in(&after, &before));
        if !added.is_empty() {
            self.context.call(EnableAvailabilityZonesForLoadBalancer::new(self.name(), added)).await?;
        }
        if !removed.is_empty() {
            self.context.call(DisableAvailabilityZonesForLoadBalancer::new(self.name(), removed)).await?;
        }
        Ok(())
    }

    fn policies(&self) -> [Policies; 2] {
        [&self.current, self.model].map(|model| model.policies.clone().unwrap_or_else(Policies::none))
    }

    /// Creates the policies that the load balancer does not have. Those with other settings are refused, because a policy cannot
    /// be changed.
    async fn create_policies(&self) -> Result<()> {
        let [before, after] = self.policies();
        let known: Vec<_> = before.names().cloned().collect();
        let is_changed = |name: &Text| {
            errors::policy_not_changeable(name)
                .with_field("Policies")
                .with_hint("create one with another name")
        };
        for policy in after.app_cookie_stickiness_policies.iter().flatten() {
            let name = policy.policy_name.clone().unwrap_or_default();
            if before.app_cookie_stickiness_policies.iter().flatten().any(|other| other == policy) {
                continue;
            }
            if known.contains(&name) {
                return Err(is_changed(&name));
            }
            let cookie = policy.cookie_name.clone().unwrap_or_default();
            self.context.call(CreateAppCookieStickinessPolicy::new(self.name(), name, cookie)).await?;
        }
        for policy in after.lb_cookie_stickiness_policies.iter().flatten() {
            let name = policy.policy_name.clone().unwrap_or_default();
            if before.lb_cookie_stickiness_policies.iter().flatten().any(|other| other == policy) {
                continue;
            }
            if known.contains(&name) {
                return Err(is_changed(&name));
            }
            let create = CreateLBCookieStickinessPolicy::new(self.name(), name);
            self.context.call(create.cookie_expiration_period(policy.cookie_expiration_period)).await?;
        }
        for name in after.other_policies.iter().flatten().filter(|name| !known.contains(name)) {
            let create = policy_of(self.model, name)?;
            self.context.call(create).await?;
        }
        Ok(())
    }

    async fn delete_policies(&self) -> Result<()> {
        let [before, after] = self.policies();
        let kept: Vec<_> = after.names().collect();
        for name in before.names().filter(|name| !kept.contains(name)) {
            self.context.call(DeleteLoadBalancerPolicy::new(self.name(), name.clone())).await?;
        }
        Ok(())
    }

    async fn set_listeners(&self) -> Result<()> {
        let (before, after) = (listeners_of(&self.current), listeners_of(self.model));
        let same_port = |port: i64| move |other: &&ListenerDescription| other.port() == port;
        let is_kept = |old: &ListenerDescription| {
            let new = after.iter().find(same_port(old.port()));
            new.is_some_and(|new| differ_by_certificate_only(old, new))
        };
        let removed: Vec<_> =
            before.iter().filter(|old| !is_kept(old)).map(ListenerDescription::port).collect();
        if !removed.is_empty() {
            self.context.call(DeleteLoadBalancerListeners::new(self.name(), removed.clone())).await?;
        }
        let is_new = |new: &&ListenerDescription| {
            removed.contains(&new.port()) || !before.iter().any(|old| old.port() == new.port())
        };
        let added: Vec<_> = after.iter().filter(is_new).filter_map(|new| new.listener.clone()).collect();
        if !added.is_empty() {
            self.context.call(CreateLoadBalancerListeners::new(self.name(), added)).await?;
        }
        for new in after {
            let old = before.iter().find(same_port(new.port())).filter(|old| is_kept(old));
            let certificate = |described: &ListenerDescription| {
                described.listener.as_ref().and_then(|listener| listener.ssl_certificate_id.clone())
            };
            if let (Some(old), Some(arn)) = (old, certificate(new))
                && certificate(old).as_ref() != Some(&arn)
            {
                let set = SetLoadBalancerListenerSSLCertificate::new(self.name(), new.port(), arn);
                self.context.call(set).await?;
            }
            let enabled = old.and_then(|old| old.policy_names.clone());
            if let Some(names) = new.policy_names.clone().filter(|names| Some(names) != enabled.as_ref())
                && (old.is_some() || !names.is_empty())
            {
                let set = SetLoadBalancerPoliciesOfListener::new(self.name(), new.port(), names);
                self.context.call(set).await?;
            }
        }
        Ok(())
    }

    async fn set_backend_policies(&self) -> Result<()> {
        let ports = |model: &ClassicELB| model.backend_server_descriptions.clone().unwrap_or_default();
        let (before, after) = (ports(&self.current), ports(self.model));
        let names_of = |all: &[BackendServerDescription], port: Option<i64>| -> Vec<Text> {
            let found = all.iter().find(|described| described.instance_port == port);
            found.and_then(|described| described.policy_names.clone()).unwrap_or_default()
        };
        let mut all: Vec<_> = before.iter().chain(&after).map(|described| described.instance_port).collect();
        all.sort_unstable();
        all.dedup();
        for port in all {
            let names = names_of(&after, port);
            if names != names_of(&before, port) {
                let port = port.unwrap_or_default();
                let set = SetLoadBalancerPoliciesForBackendServer::new(self.name(), port, names);
                self.context.call(set).await?;
            }
        }
        Ok(())
    }

    /// Sends the attributes among the fields that differ.
    async fn set_attributes(&self) -> Result<()> {
        let mut changed = self.model.clone();
        let attributes = changed.shape().fields.iter().enumerate().filter(|(_, field)| field.not_in_list);
        for (index, field) in attributes.filter(|(_, field)| field.name != "Tags") {
            let is_same =
                changed.field(index).view().to_value() == self.current.field(index).view().to_value();
            if is_same || !self.has(field.name) {
                changed.field_mut(index).clear();
            }
        }
        let attributes = LoadBalancerAttributes::of_model(&changed);
        if !attributes.is_empty() {
            self.context.call(ModifyLoadBalancerAttributes::new(self.name(), attributes)).await?;
        }
        Ok(())
    }

    async fn set_instances(&self) -> Result<()> {
        let ids = |model: &ClassicELB| -> Vec<Text> {
            model.instances.iter().flatten().map(|instance| instance.id().into()).collect()
        };
        let (before, after) = (ids(&self.current), ids(self.model));
        let instances = |ids: Vec<Text>| ids.into_iter().map(Instance::from).collect::<Vec<_>>();
        let (removed, added) = (missing_in(&before, &after), missing_in(&after, &before));
        if !added.is_empty() {
            let register = RegisterInstancesWithLoadBalancer::new(self.name(), instances(added));
            self.context.call(register).await?;
        }
        if !removed.is_empty() {
            let deregister = DeregisterInstancesFromLoadBalancer::new(self.name(), instances(removed));
            self.context.call(deregister).await?;
        }
        Ok(())
    }
}

/// Returns the texts that are not among `others`.
fn missing_in(texts: &[Text], others: &[Text]) -> Vec<Text> {
    texts.iter().filter(|text| !others.contains(text)).cloned().collect()
}

/// True if a listener can become the other by another certificate.
fn differ_by_certificate_only(old: &ListenerDescription, new: &ListenerDescription) -> bool {
    let (Some(old), Some(new)) = (&old.listener, &new.listener) else { return false };
    let same = |one: &Option<Text>, other: &Option<Text>| {
        one.as_deref().unwrap_or_default().eq_ignore_ascii_case(other.as_deref().unwrap_or_default())
    };
    let backs = |listener: &Listener| listener.instance_protocol.clone();
    let instance_protocol = new.instance_protocol.is_none() || same(&backs(old), &backs(new));
    same(&old.protocol, &new.protocol) && old.instance_port == new.instance_port && instance_protocol
}
