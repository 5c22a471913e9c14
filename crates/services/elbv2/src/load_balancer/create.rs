//! Operations that make and delete balancers.

use super::{
    IpAddressType, LoadBalancer, LoadBalancerManager, LoadBalancerScheme, LoadBalancerState,
    LoadBalancerType, StateCode, SubnetMapping, Switch, arn_of, find, named,
    placing::{self, Placing},
    settle, zones,
};
use crate::{SERVICE, attributes, errors, limits, listener, names, network, tagging, targets};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Empty, Record, Result, Text, datum::DatumType, operation};

/// What names of balancers must not begin with.
const RESERVED: &str = "internal-";

/// The load balancer that was created.
#[derive(Record)]
#[record(name = "CreateLoadBalancerOutput")]
pub struct OneLoadBalancer {
    /// The load balancer.
    load_balancers: Option<Vec<LoadBalancer>>,
}

impl OneLoadBalancer {
    fn new(balancer: LoadBalancer) -> Self {
        Self { load_balancers: Some(vec![balancer]) }
    }
}

/// Creates a load balancer. The same settings again give the same load balancer back.
#[operation(
    service = SERVICE, of = LoadBalancer, takes(settable, tags(length(1..))), leaves(load_balancer_name),
    call = "create", model, beside(tags), gives(load_balancers: Vec<LoadBalancer>),
    effect = write, output = OneLoadBalancer,
    subject = "loadbalancer/{Type: application=app, network=net, gateway=gwy}/{Name}/*"
)]
pub struct CreateLoadBalancer {
    /// Name, unique within account and Region.
    #[field(from_model, like = LoadBalancer::load_balancer_name, from = "LoadBalancerName")]
    pub name: Text,
    /// Subnets with the addresses there, instead of subnets alone.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
}

impl Handler for CreateLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneLoadBalancer> {
        if self.name.starts_with(RESERVED) {
            return Err(names::invalid("Name", format!("names that begin with {RESERVED} are reserved")));
        }
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let mut balancer = self.settled(cx)?;
        if let Some(found) = named(cx, balancer.own_name())? {
            balancer.load_balancer_arn = found.load_balancer_arn.clone();
            balancer.dns_name = found.dns_name.clone();
            balancer.created_time = found.created_time;
            balancer.state = found.state.clone();
            if balancer != found || !tagging::are(cx, found.own_arn(), &tags)? {
                let why =
                    format!("there is a load balancer {} already, with other settings", found.own_name());
                return Err(errors::DUPLICATE_LOAD_BALANCER.because(why));
            }
            return Ok(OneLoadBalancer::new(found));
        }
        let of = balancer.own_type();
        limits::balancers(&of).add_one(cx, &errors::TOO_MANY_LOAD_BALANCERS)?;
        let id = cx.ids().hex(16);
        let region = cx.scope().region();
        balancer.dns_name = zones::dns_name(&of, balancer.scheme.as_ref(), balancer.own_name(), &id, region);
        balancer.load_balancer_arn = Some(arn_of(cx.scope(), &of, balancer.own_name(), &id).into());
        balancer.created_time = Some(cx.now());
        balancer.state = Some(state(StateCode::Provisioning));
        let groups = balancer.security_groups.clone().unwrap_or_default();
        network::attach(cx, balancer.own_arn(), &[], &balancer.own_subnets(), &groups)?;
        cx.put_and_go_on(balancer.clone())?;
        tagging::put(cx, balancer.own_arn(), tags)?;
        Ok(OneLoadBalancer::new(balancer))
    }
}

fn state(code: StateCode) -> LoadBalancerState {
    let mut state = LoadBalancerState::blank();
    state.code = Some(code);
    state
}

impl CreateLoadBalancer {
    /// The balancer, without what only a new one is given.
    fn settled(self, cx: &Tx<'_>) -> Result<LoadBalancer> {
        let of = self.r#type.clone().unwrap_or(LoadBalancerType::Application);
        let scheme = self.own_scheme(&of)?;
        let addresses = self.ip_address_type.clone().unwrap_or(IpAddressType::Ipv4);
        check_address_type(&of, scheme.as_ref(), &addresses)?;
        let source_nat = self.own_source_nat(&of, &addresses)?;
        let (mappings, field) = placing::mappings(self.subnets.as_deref(), self.subnet_mappings.as_deref())?;
        let placing = Placing {
            of: &of,
            scheme: scheme.as_ref(),
            addresses: &addresses,
            source_nat: source_nat.as_ref(),
            vpc: None,
            here: &[],
        };
        let (vpc, availability_zones) = placing.place(cx, &mappings, field)?;
        let application = of == LoadBalancerType::Application;
        for (given, field) in [
            (self.customer_owned_ipv4_pool.is_some(), "CustomerOwnedIpv4Pool"),
            (self.ipam_pools.is_some(), "IpamPools"),
        ] {
            if given && !application {
                return Err(errors::INVALID_CONFIGURATION
                    .because("is only for application balancers")
                    .with_field(field));
            }
        }
        let mut balancer = LoadBalancer::from_given(self);
        (balancer.subnets, balancer.tags) = (None, None);
        balancer.security_groups = own_security_groups(cx, &of, &vpc, balancer.security_groups)?;
        if of == LoadBalancerType::Network && balancer.security_groups.is_some() {
            balancer.enforce_security_group_inbound_rules_on_private_link_traffic = Some("on".into());
        }
        balancer.canonical_hosted_zone_id = zones::hosted_zone(&of, cx.scope().region());
        (balancer.scheme, balancer.vpc_id, balancer.r#type) = (scheme, Some(vpc), Some(of));
        balancer.availability_zones = Some(availability_zones);
        balancer.ip_address_type = Some(addresses);
        balancer.enable_prefix_for_ipv6_source_nat = source_nat;
        settle(&mut balancer);
        Ok(balancer)
    }

    fn own_scheme(&self, of: &LoadBalancerType) -> Result<Option<LoadBalancerScheme>> {
        match (of, &self.scheme) {
            (LoadBalancerType::Gateway, None) => Ok(None),
            (LoadBalancerType::Gateway, Some(_)) => {
                Err(errors::INVALID_SCHEME.because("a gateway balancer has no scheme").with_field("Scheme"))
            }
            (_, scheme) => Ok(Some(scheme.clone().unwrap_or(LoadBalancerScheme::InternetFacing))),
        }
    }

    fn own_source_nat(&self, of: &LoadBalancerType, addresses: &IpAddressType) -> Result<Option<Switch>> {
        match (of, &self.enable_prefix_for_ipv6_source_nat) {
            (LoadBalancerType::Network, Some(Switch::On)) if *addresses != IpAddressType::Dualstack => {
                Err(source_nat_refused())
            }
            (LoadBalancerType::Network, given) => Ok(Some(given.clone().unwrap_or(Switch::Off))),
            (_, Some(_)) => Err(source_nat_refused()),
            (_, None) => Ok(None),
        }
    }
}

pub(super) fn source_nat_refused() -> nephos_core::Error {
    let why = "is only for network balancers with IPv6 addresses";
    errors::INVALID_CONFIGURATION.because(why).with_field("EnablePrefixForIpv6SourceNat")
}

/// Refuses addresses that balancers of the type cannot have.
pub(super) fn check_address_type(
    of: &LoadBalancerType,
    scheme: Option<&LoadBalancerScheme>,
    addresses: &IpAddressType,
) -> Result<()> {
    let public = *of == LoadBalancerType::Application && scheme != Some(&LoadBalancerScheme::Internal);
    if *addresses == IpAddressType::DualstackWithoutPublicIpv4 && !public {
        let why = "only application balancers that everybody can reach are without public IPv4 addresses";
        return Err(errors::INVALID_CONFIGURATION.because(why).with_field("IpAddressType"));
    }
    Ok(())
}

/// The security groups that a new balancer is in.
fn own_security_groups(
    cx: &Tx<'_>,
    of: &LoadBalancerType,
    vpc: &str,
    given: Option<Vec<Text>>,
) -> Result<Option<Vec<Text>>> {
    let given = given.filter(|groups| !groups.is_empty());
    match (of, given) {
        (LoadBalancerType::Gateway, Some(_)) => {
            let why = "a gateway balancer is in no security group";
            Err(errors::INVALID_CONFIGURATION.because(why).with_field("SecurityGroups"))
        }
        (_, Some(groups)) => {
            placing::check_security_groups(cx, vpc, &groups)?;
            Ok(Some(groups))
        }
        (LoadBalancerType::Application, None) => {
            Ok(network::default_security_group(cx, vpc)?.map(|group| vec![group]))
        }
        (_, None) => Ok(None),
    }
}

/// Deletes a load balancer, with its listeners and rules. One that is not there is no error.
#[operation(
    service = SERVICE, of = LoadBalancer, call = "delete", instance, needs(load_balancer_arn),
    effect = write, output = Empty, subject = "{LoadBalancerArn}"
)]
pub struct DeleteLoadBalancer {}

impl Handler for DeleteLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let Some(balancer) = find(cx, &self.load_balancer_arn, "LoadBalancerArn")? else {
            return Ok(Empty {});
        };
        let (arn, name) = (balancer.own_arn(), balancer.own_name());
        if attributes::value(cx, arn, attributes::DELETION_PROTECTION)?.as_deref() == Some("true") {
            let why = format!("load balancer {name} is protected from deletion");
            return Err(errors::NOT_PERMITTED.because(why));
        }
        if let Some(group) = targets::group_of_balancer(cx, arn)? {
            let why = format!("load balancer {name} is a target of the group {group}");
            return Err(errors::IN_USE.because(why));
        }
        for listener in listener::within(cx, name)? {
            listener::remove(cx, &listener)?;
        }
        network::attach(cx, arn, &balancer.own_subnets(), &[], &[])?;
        attributes::forget(cx, arn)?;
        tagging::forget(cx, arn)?;
        limits::balancers(&balancer.own_type()).remove_one(cx)?;
        cx.remove(&balancer)?;
        Ok(Empty {})
    }
}

/// Puts a balancer in the place of what it was, and in its subnets and security groups.
pub(super) fn put(cx: &mut Tx<'_>, before: &LoadBalancer, after: &LoadBalancer) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let groups = after.security_groups.clone().unwrap_or_default();
    network::attach(cx, after.own_arn(), &before.own_subnets(), &after.own_subnets(), &groups)?;
    cx.put(after.clone())
}
