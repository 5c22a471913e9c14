//! Operations that create, describe and delete load balancers.

use super::{
    ClassicELB, ClassicELBManager, HealthCheck, LoadBalancerAttributes, check_name, placement, require,
};
use crate::{
    DescribeLoadBalancerAttributes, Empty, Listener, errors,
    instance::registration,
    limits::{self, Page},
    listener,
    policy::{self, Policies},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx, own_arn};
use nephos_core::{
    Result, Tag, Text, WorkflowContext, field_value::FieldType, nearest, operation, with_tags,
};
use nephos_elbv2::{LoadBalancerType, dns_name_with_number, hosted_zone};

/// Schemes of load balancers. The first is the default.
const SCHEMES: [&str; 2] = ["internet-facing", "internal"];

/// Creates a load balancer. If one with the same settings exists, its DNS name is returned.
#[operation(
    of = ClassicELB, needs(load_balancer_name), takes(availability_zones, subnets, security_groups, scheme), answers(dns_name),
    effect = write, also_requires("AddTags" = "Tags?")
)]
pub struct CreateLoadBalancer {
    /// Listeners.
    pub listeners: Vec<Listener>,
    /// Tags.
    #[field(length(1..))]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CreateLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        check_name(&self.load_balancer_name)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let scheme = self.scheme.as_deref().filter(|scheme| !scheme.is_empty()).unwrap_or(SCHEMES[0]);
        if !SCHEMES.contains(&scheme) {
            let hint = nearest::hint(scheme, SCHEMES);
            return Err(errors::scheme_invalid(scheme).with_field("Scheme").with_hint(hint));
        }
        let mut balancer = ClassicELB::blank();
        balancer.load_balancer_name = Some(self.load_balancer_name);
        balancer.scheme = Some(scheme.into());
        balancer.policies = Some(Policies::none());
        balancer.put_listeners(cx, self.listeners)?;
        let (zones, subnets) =
            (self.availability_zones.unwrap_or_default(), self.subnets.unwrap_or_default());
        let by_zones = match (zones.is_empty(), subnets.is_empty()) {
            (true, true) => return Err(errors::zones_or_subnets_missing().with_field("AvailabilityZones")),
            (false, false) => return Err(errors::zones_and_subnets_given().with_field("AvailabilityZones")),
            (zones_missing, _) => !zones_missing,
        };
        if by_zones {
            balancer.place_in_zones(cx, &zones)?;
        } else {
            balancer.place_in(cx, &subnets)?;
        }
        balancer.tags = Some(tags).filter(|tags| !tags.is_empty());
        let groups = self.security_groups.filter(|groups| !groups.is_empty());
        if let Some(groups) = &groups {
            balancer.put_in_groups(cx, groups.clone())?;
        }
        if let Some(found) = ClassicELB::find_by(cx, &[balancer.own_name()])? {
            return if found.was_created_like(&balancer) {
                Ok(found.into())
            } else {
                Err(errors::load_balancer_exists(balancer.own_name()).with_field("LoadBalancerName"))
            };
        }
        limits::LOAD_BALANCERS.add_one(cx, errors::too_many_load_balancers)?;
        if groups.is_none() {
            balancer.set_default_security_group(cx, by_zones)?;
        }
        balancer.complete_new(cx);
        listener::update_certificate_uses(cx, &balancer, &[])?;
        placement::put(cx, balancer.clone(), &[])?;
        Ok(balancer.into())
    }
}

impl ClassicELB {
    /// Sets what the service sets on a new load balancer: names, time, health check and attributes.
    fn complete_new(&mut self, cx: &Tx<'_>) {
        let (name, region) = (self.own_name().to_ascii_lowercase(), cx.scope().region());
        let is_internal = self.scheme.as_deref() == Some(SCHEMES[1]);
        let dns_name = dns_name_with_number(&name, is_internal, cx.ids().below(u64::MAX), region);
        self.canonical_hosted_zone_name = (!is_internal).then(|| dns_name.clone());
        self.dns_name = Some(dns_name);
        self.canonical_hosted_zone_name_id = hosted_zone(&LoadBalancerType::Application, region);
        self.created_time = Some(cx.now());
        self.health_check =
            self.own_listeners().first().map(|first| HealthCheck::of_port(first.instance_port()));
        self.instances = Some(Vec::new());
        self.backend_server_descriptions = Some(Vec::new());
        LoadBalancerAttributes::defaults().put_into(self);
    }

    /// True if the settings of a new load balancer are those of this one.
    fn was_created_like(&self, new: &Self) -> bool {
        let listeners = |balancer: &Self| -> Vec<_> {
            balancer.own_listeners().iter().map(|described| described.listener.clone()).collect()
        };
        let groups = new.security_groups.is_none() || new.security_groups == self.security_groups;
        groups
            && (&self.scheme, &self.subnets, &self.tags) == (&new.scheme, &new.subnets, &new.tags)
            && listeners(self) == listeners(new)
    }
}

/// Deletes a load balancer. A missing load balancer is not an error.
#[operation(of = ClassicELB, call = "delete", on_model, needs(load_balancer_name), effect = write)]
pub struct DeleteLoadBalancer {}

impl Handler for DeleteLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_name(&self.load_balancer_name)?;
        let Some(mut balancer) = ClassicELB::find_by(cx, &[&self.load_balancer_name])? else {
            return Ok(Empty {});
        };
        let listeners = balancer.listeners.take().unwrap_or_default();
        listener::update_certificate_uses(cx, &balancer, &listeners)?;
        let arn = own_arn(&balancer, cx.scope()).unwrap_or_default();
        let subnets = balancer.subnets.clone().unwrap_or_default();
        nephos_ec2::update_attachments(cx, &arn, &subnets, &[], &[])?;
        registration::remove_all(cx, balancer.own_name())?;
        policy::remove_all(cx, balancer.own_name())?;
        limits::LOAD_BALANCERS.remove_one(cx)?;
        cx.remove(&balancer)?;
        Ok(Empty {})
    }
}

/// Describes load balancers, in order of their names, or in the order of the given names.
#[operation(
    of = ClassicELB, call = "list", page(load_balancer_descriptions, next_marker),
    find(load_balancer_name in load_balancer_names), with = with_attributes_and_tags,
    include(Page), effect = read, access = list
)]
pub struct DescribeLoadBalancers {
    /// Names of the load balancers.
    pub load_balancer_names: Option<Vec<Text>>,
}

impl Handler for DescribeLoadBalancers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let page = match self.load_balancer_names.as_deref().unwrap_or_default() {
            [] => cx.page_rows(&self, &ClassicELB::table(cx.scope()), |balancer| Ok(Some(balancer)))?,
            names => {
                let selected = names.iter().map(|name| require(cx, name)).collect::<Result<Vec<_>>>()?;
                cx.page_list(&self, selected)?
            }
        };
        Ok(page.into())
    }
}

/// Adds the attributes and tags of a load balancer, which the service describes by operations of their own.
pub(super) async fn with_attributes_and_tags(
    context: &WorkflowContext,
    mut balancer: ClassicELB,
) -> Result<ClassicELB> {
    let described = context.call(DescribeLoadBalancerAttributes::new(balancer.own_name())).await?;
    if let Some(attributes) = described.load_balancer_attributes {
        attributes.put_into(&mut balancer);
    }
    with_tags(context, balancer).await
}
