//! Operations that change the subnets, security groups and addresses of load balancers.

use super::{
    LoadBalancer, LoadBalancerGet, LoadBalancerManager, LoadBalancerType, ModifyIpPools, RemoveIpamPool,
    SubnetMapping, Switch, capacity, fill_subnets, operations::replace, placement,
};
use crate::{
    attributes::{Attribute, ModifyLoadBalancerAttributes},
    errors,
    validation::wire_name,
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{
    FromModel, ManagerOperation, Record, Resource, Result, Text, WorkflowContext, operation, retag,
};

/// Replaces the subnets of a load balancer.
#[operation(
    of = LoadBalancer, needs(load_balancer_arn),
    takes(subnets, ip_address_type, enable_prefix_for_ipv6_source_nat),
    answers(availability_zones, ip_address_type, enable_prefix_for_ipv6_source_nat), effect = write
)]
pub struct SetSubnets {
    /// Subnets with addresses; instead of `Subnets`.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
}

impl Handler for SetSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        capacity::check_not_pending(cx, before.own_arn())?;
        let mut after = before.clone();
        after.ip_address_type = self.ip_address_type.or(after.ip_address_type);
        after.check_address_type()?;
        if self.enable_prefix_for_ipv6_source_nat.is_some() {
            after.enable_prefix_for_ipv6_source_nat = self.enable_prefix_for_ipv6_source_nat;
            after.check_source_nat()?;
        }
        let (mappings, field) =
            placement::to_mappings(self.subnets.as_deref(), self.subnet_mappings.as_deref())?;
        let (_, zones) = after.find_zones(cx, &mappings, field)?;
        if before.own_type() != LoadBalancerType::Application
            && let Some(removed) = before
                .own_zones()
                .find(|zone| !zones.iter().any(|new| new.zone_name.as_deref() == Some(*zone)))
        {
            let kind = if before.own_type() == LoadBalancerType::Network { "Network" } else { "Gateway" };
            return Err(errors::subnet_removal(kind)
                .with_field(field)
                .with_hint(format!("{removed} is missing")));
        }
        (after.availability_zones, after.subnets) = (Some(zones), None);
        fill_subnets(&mut after);
        replace(cx, &before, &after)?;
        Ok(after.into())
    }
}

/// Replaces the security groups of a load balancer.
#[operation(
    of = LoadBalancer, needs(load_balancer_arn, security_groups),
    effect = write, output = SetSecurityGroupsOutput
)]
pub struct SetSecurityGroups {
    /// `on` to enforce the inbound rules on traffic through a private link; for network load balancers.
    pub enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
}

/// Security groups of a load balancer after the change.
#[derive(Record)]
#[record(answer, name = "SetSecurityGroupsOutput")]
pub struct SetSecurityGroupsOutput {
    /// IDs of the security groups.
    security_group_ids: Option<Vec<Text>>,
    /// `on` if the inbound rules are enforced on traffic through a private link.
    enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
}

impl Handler for SetSecurityGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let balancer_type = before.own_type();
        if balancer_type == LoadBalancerType::Gateway {
            return Err(errors::security_groups_on_gateway().with_field("SecurityGroups"));
        }
        if balancer_type == LoadBalancerType::Network
            && before.security_groups.is_none()
            && !self.security_groups.is_empty()
        {
            return Err(errors::security_groups_added().with_field("SecurityGroups"));
        }
        if balancer_type == LoadBalancerType::Application && self.security_groups.is_empty() {
            return Err(errors::security_groups_missing().with_field("SecurityGroups"));
        }
        let vpc = before.vpc_id.as_deref().unwrap_or_default();
        placement::check_security_groups(cx, vpc, &self.security_groups)?;
        let mut after = before.clone();
        if let Some(enforce) = self.enforce_security_group_inbound_rules_on_private_link_traffic {
            if balancer_type != LoadBalancerType::Network {
                let what = "Inbound rules on PrivateLink traffic";
                return Err(errors::unsupported_for_type(what, wire_name(&balancer_type))
                    .with_field("EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic"));
            }
            after.enforce_security_group_inbound_rules_on_private_link_traffic =
                Some(wire_name(&enforce).into());
        }
        after.security_groups = Some(self.security_groups).filter(|groups| !groups.is_empty());
        replace(cx, &before, &after)?;
        let enforced = after.enforce_security_group_inbound_rules_on_private_link_traffic;
        Ok(SetSecurityGroupsOutput {
            security_group_ids: Some(after.security_groups.unwrap_or_default()),
            enforce_security_group_inbound_rules_on_private_link_traffic: enforced
                .map(|enforced| if enforced == "on" { Switch::On } else { Switch::Off }),
        })
    }
}

/// Changes the address type of a load balancer.
#[operation(
    of = LoadBalancer, needs(load_balancer_arn, ip_address_type), answers(ip_address_type), effect = write
)]
pub struct SetIpAddressType {}

impl Handler for SetIpAddressType {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        let mut after = before.clone();
        after.ip_address_type = Some(self.ip_address_type);
        after.check_address_type()?;
        after.check_source_nat()?;
        replace(cx, &before, &after)?;
        Ok(after.into())
    }
}

/// Updates the subnets, security groups, addresses, pools and tags of a load balancer: those that changed since the model was read.
#[operation(kind = LoadBalancer, call = "update", effect = write, output = LoadBalancer)]
pub struct LoadBalancerUpdate {
    /// The load balancer.
    #[field(model, name = "model")]
    pub model: LoadBalancer,
    /// Subnets with addresses; instead of the subnets of the model.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
    /// `on` to enforce the inbound rules of security groups on traffic through a private link; for network load balancers.
    pub enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
    /// Attributes to set.
    pub attributes: Option<Vec<Attribute>>,
}

impl ManagerOperation for LoadBalancerUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<LoadBalancer> {
        let (balancer, changed) = (&self.model, self.model.changed());
        balancer.check_changes()?;
        let arn = crate::saved_arn(balancer)?;
        let is_changed = |field: &str| changed.contains(&field);
        let changes = SetSubnets::changes_of(balancer)?.unwrap_or_else(|| SetSubnets::new(arn.clone()));
        let mut set_subnets = changes.subnet_mappings(self.subnet_mappings.clone());
        let changes_subnets = is_changed("Subnets") || set_subnets.subnet_mappings.is_some();
        if changes_subnets || set_subnets.enable_prefix_for_ipv6_source_nat.is_some() {
            if !changes_subnets {
                set_subnets.subnets = balancer.subnets.clone();
            }
            context.call(set_subnets).await?;
        } else if let Some(addresses) = set_subnets.ip_address_type {
            context.call(SetIpAddressType::new(arn.clone(), addresses)).await?;
        }
        let enforce = self.enforce_security_group_inbound_rules_on_private_link_traffic.clone();
        if is_changed("SecurityGroups") || enforce.is_some() {
            let groups = balancer.security_groups.clone().unwrap_or_default();
            let set = SetSecurityGroups::new(arn.clone(), groups)
                .enforce_security_group_inbound_rules_on_private_link_traffic(enforce);
            context.call(set).await?;
        }
        if is_changed("IpamPools") {
            let removed = balancer.ipam_pools.is_none().then(|| vec![RemoveIpamPool::Ipv4]);
            let set = ModifyIpPools::new(arn.clone()).ipam_pools(balancer.ipam_pools.clone());
            context.call(set.remove_ipam_pools(removed)).await?;
        }
        if let Some(attributes) = self.attributes.clone().filter(|attributes| !attributes.is_empty()) {
            context.call(ModifyLoadBalancerAttributes::new(arn.clone(), attributes)).await?;
        }
        retag(context, balancer, balancer).await?;
        let found = context.run(LoadBalancerGet::new().load_balancer_arn(arn.clone())).await?;
        found.ok_or_else(|| LoadBalancer::not_found(&arn))
    }
}
