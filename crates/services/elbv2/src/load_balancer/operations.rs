//! Operations that create, delete and describe load balancers.

use super::{
    IpAddressType, LoadBalancer, LoadBalancerManager, LoadBalancerScheme, LoadBalancerState,
    LoadBalancerType, StateCode, SubnetMapping, Switch, capacity, dns, fill_subnets, placement,
};
use crate::{
    attributes, errors, limits, listener,
    paging::{self, Page},
    tagging,
    target_group::targets,
    validation::{self, refuse_fields, wire_name},
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Creates a load balancer. If one with the same settings exists, it is returned.
#[operation(
    of = LoadBalancer, takes(settable, tags(length(1..))), except(load_balancer_name),
    call = "create", model, overrides(tags), wraps(load_balancers: Vec<LoadBalancer>), effect = write,
    subject = "loadbalancer/{Type: application=app, network=net, gateway=gwy}/{Name}/*", also_requires("AddTags" = "Tags?")
)]
pub struct CreateLoadBalancer {
    /// Name, unique within account and Region.
    #[field(from_model, like = LoadBalancer::load_balancer_name, from_field = "LoadBalancerName")]
    pub name: Text,
    /// Subnets with addresses; instead of `Subnets`.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
}

impl Handler for CreateLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        validation::check_balancer_name(&self.name).map_err(|error| error.with_field("Name"))?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let mut balancer = self.build_balancer(cx)?;
        if let Some(found) = LoadBalancer::find_by(cx, &[balancer.own_name()])? {
            balancer.load_balancer_arn = found.load_balancer_arn.clone();
            balancer.dns_name = found.dns_name.clone();
            balancer.created_time = found.created_time;
            balancer.state = found.state.clone();
            if balancer != found || tagging::TagsRow::get(cx, found.own_arn())? != tags {
                return Err(errors::balancer_exists(found.own_name()));
            }
            return Ok(vec![found].into());
        }
        let balancer_type = balancer.own_type();
        limits::load_balancer_quota(&balancer_type).add_one(cx, errors::too_many_load_balancers)?;
        balancer.load_balancer_arn =
            Some(LoadBalancer::new_arn(cx, &[balancer_type.arn_name(), balancer.own_name()]));
        balancer.dns_name = dns::dns_name(&balancer, cx.scope().region());
        balancer.created_time = Some(cx.now());
        balancer.state = Some(LoadBalancerState { code: Some(StateCode::Provisioning), reason: None });
        let groups = balancer.security_groups.clone().unwrap_or_default();
        nephos_ec2::update_attachments(cx, balancer.own_arn(), &[], &balancer.own_subnets(), &groups)?;
        cx.put_and_schedule_transition(balancer.clone())?;
        tagging::TagsRow::put(cx, balancer.own_arn(), tags)?;
        Ok(vec![balancer].into())
    }
}

impl CreateLoadBalancer {
    /// Builds the load balancer with defaults and validates it. ARN, DNS name, time and state are not set.
    fn build_balancer(mut self, cx: &Tx<'_>) -> Result<LoadBalancer> {
        let mappings = self.subnet_mappings.take();
        let mut balancer = LoadBalancer::from_given(self);
        balancer.tags = None;
        let balancer_type = balancer.r#type.get_or_insert(LoadBalancerType::Application).clone();
        if balancer_type != LoadBalancerType::Gateway {
            balancer.scheme.get_or_insert(LoadBalancerScheme::InternetFacing);
        } else if balancer.scheme.is_some() {
            return Err(errors::scheme_unsupported(wire_name(&balancer_type)).with_field("Scheme"));
        }
        balancer.ip_address_type.get_or_insert(IpAddressType::Ipv4);
        balancer.check_address_type()?;
        balancer.check_source_nat()?;
        if balancer_type == LoadBalancerType::Network {
            balancer.enable_prefix_for_ipv6_source_nat.get_or_insert(Switch::Off);
        }
        let subnets = balancer.subnets.take();
        let (mappings, field) = placement::to_mappings(subnets.as_deref(), mappings.as_deref())?;
        let (vpc, availability_zones) = balancer.find_zones(cx, &mappings, field)?;
        if balancer_type != LoadBalancerType::Application {
            let refusal = |what| errors::unsupported_for_type(what, wire_name(&balancer_type));
            refuse_fields(&balancer, &["CustomerOwnedIpv4Pool"], |_| refusal("Customer-owned IPv4 pools"))?;
            refuse_fields(&balancer, &["IpamPools"], |_| refusal("IPAM pools"))?;
        }
        balancer.security_groups =
            choose_security_groups(cx, &balancer_type, &vpc, balancer.security_groups)?;
        if balancer_type == LoadBalancerType::Network && balancer.security_groups.is_some() {
            balancer.enforce_security_group_inbound_rules_on_private_link_traffic = Some("on".into());
        }
        balancer.canonical_hosted_zone_id = dns::hosted_zone(&balancer_type, cx.scope().region());
        (balancer.vpc_id, balancer.availability_zones) = (Some(vpc), Some(availability_zones));
        fill_subnets(&mut balancer);
        Ok(balancer)
    }
}

/// Noun for source NAT by IPv6 prefixes in errors.
pub(super) const SOURCE_NAT: &str = "Source NAT prefixes";

impl LoadBalancer {
    /// Refuses source NAT by IPv6 prefixes if the load balancer cannot have it.
    pub(super) fn check_source_nat(&self) -> Result<()> {
        let Some(given) = &self.enable_prefix_for_ipv6_source_nat else { return Ok(()) };
        let dualstack = self.ip_address_type == Some(IpAddressType::Dualstack);
        let error = if self.own_type() != LoadBalancerType::Network {
            errors::unsupported_for_type(SOURCE_NAT, wire_name(&self.own_type()))
        } else if *given == Switch::On && !dualstack {
            errors::unsupported_for_address_type(SOURCE_NAT, self.address_type_name())
        } else {
            return Ok(());
        };
        Err(error.with_field("EnablePrefixForIpv6SourceNat"))
    }

    /// Refuses an address type that the load balancer cannot have.
    pub(super) fn check_address_type(&self) -> Result<()> {
        let public = self.own_type() == LoadBalancerType::Application
            && self.scheme != Some(LoadBalancerScheme::Internal);
        if self.ip_address_type == Some(IpAddressType::DualstackWithoutPublicIpv4) && !public {
            let kind = self.own_type();
            return Err(errors::address_type_unsupported(
                self.address_type_name(),
                wire_name(&kind),
                self.scheme_name(),
            )
            .with_field("IpAddressType"));
        }
        Ok(())
    }

    /// Returns the name of the address type; IPv4 if absent.
    pub(super) fn address_type_name(&self) -> &str {
        self.ip_address_type.as_ref().map_or("ipv4", wire_name)
    }
}

/// Returns the security groups of a new load balancer: the given ones, or, for an application load balancer, the default
/// security group of the VPC.
fn choose_security_groups(
    cx: &Tx<'_>,
    balancer_type: &LoadBalancerType,
    vpc: &str,
    given: Option<Vec<Text>>,
) -> Result<Option<Vec<Text>>> {
    let given = given.filter(|groups| !groups.is_empty());
    match (balancer_type, given) {
        (LoadBalancerType::Gateway, Some(_)) => {
            Err(errors::security_groups_on_gateway().with_field("SecurityGroups"))
        }
        (_, Some(groups)) => {
            placement::check_security_groups(cx, vpc, &groups)?;
            Ok(Some(groups))
        }
        (LoadBalancerType::Application, None) => {
            let group = nephos_ec2::default_security_group(cx, vpc)?;
            Ok(group.and_then(|group| group.group_id().map(|id| vec![id.into()])))
        }
        (_, None) => Ok(None),
    }
}

/// Deletes a load balancer, with its listeners and rules. A missing load balancer is not an error.
#[operation(of = LoadBalancer, call = "delete", on_model, needs(load_balancer_arn), effect = write)]
pub struct DeleteLoadBalancer {}

impl Handler for DeleteLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let Some(balancer) = LoadBalancer::find(cx, &self.load_balancer_arn, "LoadBalancerArn")? else {
            return Ok(Empty {});
        };
        let (arn, name) = (balancer.own_arn(), balancer.own_name());
        if attributes::value(cx, arn, attributes::DELETION_PROTECTION)?.as_deref() == Some("true") {
            return Err(errors::balancer_protected(arn));
        }
        if let Some(group) = targets::group_with_balancer(cx, arn)? {
            return Err(errors::balancer_in_use(arn).with_hint(format!("it is a target of {group}")));
        }
        for listener in listener::listeners_of(cx, name)? {
            listener::remove(cx, &listener)?;
        }
        nephos_ec2::update_attachments(cx, arn, &balancer.own_subnets(), &[], &[])?;
        capacity::remove(cx, arn)?;
        attributes::AttributesRow::remove(cx, arn)?;
        tagging::TagsRow::remove(cx, arn)?;
        limits::load_balancer_quota(&balancer.own_type()).remove_one(cx)?;
        cx.remove(&balancer)?;
        Ok(Empty {})
    }
}

/// Describes load balancers, in order of their names, or in the order of the given ARNs or names.
#[operation(
    of = LoadBalancer, call = "list", page(load_balancers, next_marker),
    find(load_balancer_arn in load_balancer_arns, name in names), with = nephos_core::with_tags,
    include(Page), effect = read, access = list
)]
pub struct DescribeLoadBalancers {
    /// ARNs of the load balancers, at most 20.
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Names of the load balancers, at most 20.
    pub names: Option<Vec<Text>>,
}

impl Handler for DescribeLoadBalancers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let selectors = [("LoadBalancerArns", &self.load_balancer_arns), ("Names", &self.names)];
        paging::check_count(selectors, errors::too_many_balancers_selected)?;
        let selected = paging::select(cx, &self.load_balancer_arns, &self.names)?;
        Ok(paging::page_selected_or_all(cx, &self, selected)?.into())
    }
}

/// Stores a changed load balancer and updates its attachments to subnets and security groups.
pub(super) fn replace(cx: &mut Tx<'_>, before: &LoadBalancer, after: &LoadBalancer) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let groups = after.security_groups.clone().unwrap_or_default();
    nephos_ec2::update_attachments(
        cx,
        after.own_arn(),
        &before.own_subnets(),
        &after.own_subnets(),
        &groups,
    )?;
    cx.put(after.clone())
}
