//! The manager of load balancers.

use super::{
    CreateLoadBalancer, DeleteLoadBalancer, DescribeLoadBalancers, LoadBalancer, LoadBalancerManager,
    SetIpAddressType, SetSecurityGroups, SetSubnets, SubnetMapping, Switch,
};
use crate as elbv2;
use crate::{
    attributes::{Attribute, ModifyLoadBalancerAttributes},
    none_if_missing, tagging,
};
use nephos_core::{Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Tag, Text, operation};

impl LoadBalancer {
    /// The same as callers see it: with the subnets it is in.
    fn seen(mut self) -> Self {
        self.subnets = Some(self.own_subnets()).filter(|subnets| !subnets.is_empty());
        self
    }
}

/// Creates a load balancer, with its tags.
#[operation(kind = LoadBalancer, call = "create", effect = write, output = Vec<LoadBalancer>)]
pub struct Create {
    /// The load balancer.
    #[field(model, name = "model")]
    pub model: LoadBalancer,
    /// Subnets for it to be in, with its addresses there, instead of the model's subnets.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
    /// Its tags; they win over those of the model, key by key.
    pub tags: Option<Vec<Tag>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vec<LoadBalancer>> {
        let balancer = &self.model;
        let tags = tagging::merged(balancer.tags.as_deref(), self.tags.as_deref());
        let create = CreateLoadBalancer::new(balancer.load_balancer_name.clone().unwrap_or_default())
            .subnets(balancer.subnets.clone())
            .subnet_mappings(self.subnet_mappings.clone())
            .security_groups(balancer.security_groups.clone())
            .scheme(balancer.scheme.clone())
            .r#type(balancer.r#type.clone())
            .ip_address_type(balancer.ip_address_type.clone())
            .customer_owned_ipv4_pool(balancer.customer_owned_ipv4_pool.clone())
            .enable_prefix_for_ipv6_source_nat(balancer.enable_prefix_for_ipv6_source_nat.clone())
            .ipam_pools(balancer.ipam_pools.clone())
            .tags(tags.clone());
        let made = steps.call(create).await?.load_balancers.unwrap_or_default();
        Ok(made.into_iter().map(|made| LoadBalancer { tags: tags.clone(), ..made.seen() }).collect())
    }
}

/// A load balancer by its resource name or its name, if there is one.
#[operation(kind = LoadBalancer, call = "get", effect = read, output = Option<LoadBalancer>)]
pub struct Get {
    /// Its resource name.
    #[field(from = "LoadBalancerArn")]
    pub load_balancer_arn: Option<Text>,
    /// Its name.
    pub name: Option<Text>,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<LoadBalancer>> {
        elbv2::exactly_one("LoadBalancerArn", self.load_balancer_arn.is_some(), "Name", self.name.is_some())?;
        let one = |text: &Option<Text>| text.clone().map(|text| vec![text]);
        let describe = DescribeLoadBalancers::new()
            .load_balancer_arns(one(&self.load_balancer_arn))
            .names(one(&self.name));
        let Some(found) = none_if_missing(steps.call(describe).await)? else { return Ok(None) };
        let Some(balancer) = found.load_balancers.unwrap_or_default().into_iter().next() else {
            return Ok(None);
        };
        let tags = tagging::of(steps, balancer.own_arn()).await?;
        Ok(Some(LoadBalancer { tags, ..balancer.seen() }))
    }
}

/// The load balancers, in order of their names.
#[operation(kind = LoadBalancer, call = "list", effect = read, output = Page<LoadBalancer>, pages)]
pub struct List {
    /// Only these, by resource name.
    #[field(length(..=20))]
    pub load_balancer_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// How many to fetch at a time; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = LoadBalancer;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<LoadBalancer>> {
        if elbv2::any_empty([&self.load_balancer_arns, &self.names]) {
            return Ok(Page::default());
        }
        let describe = DescribeLoadBalancers::new()
            .load_balancer_arns(self.load_balancer_arns.clone())
            .names(self.names.clone())
            .page_size(self.limit)
            .marker(request.token.clone());
        let found = steps.call(describe).await?;
        let items = found.load_balancers.unwrap_or_default().into_iter().map(LoadBalancer::seen).collect();
        Ok(Page { items, next_token: found.next_marker })
    }
}

/// Changes the subnets, security groups, addresses and tags of a load balancer: those that differ from what the model was
/// read with.
#[operation(kind = LoadBalancer, call = "update", effect = write, output = LoadBalancer)]
pub struct Update {
    /// The load balancer.
    #[field(model, name = "model")]
    pub model: LoadBalancer,
    /// Subnets for it to be in, with its addresses there, instead of the model's subnets.
    pub subnet_mappings: Option<Vec<SubnetMapping>>,
    /// Whether traffic through a private link keeps the rules of security groups, for network balancers.
    pub enforce_security_group_inbound_rules_on_private_link_traffic: Option<Switch>,
    /// Attributes to set.
    pub attributes: Option<Vec<Attribute>>,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<LoadBalancer> {
        let (balancer, changed) = (&self.model, self.model.changed());
        balancer.check_changes()?;
        let arn = elbv2::marked(&balancer.load_balancer_arn, "LoadBalancerArn")?;
        let has = |field: &str| changed.contains(&field);
        let source_nat = balancer.enable_prefix_for_ipv6_source_nat.clone();
        let source_nat = source_nat.filter(|_| has("EnablePrefixForIpv6SourceNat"));
        let addresses = balancer.ip_address_type.clone().filter(|_| has("IpAddressType"));
        if has("Subnets") || self.subnet_mappings.is_some() || source_nat.is_some() {
            let subnets =
                balancer.subnets.clone().filter(|_| has("Subnets") || self.subnet_mappings.is_none());
            let set = SetSubnets::new(arn.clone())
                .subnets(subnets)
                .subnet_mappings(self.subnet_mappings.clone())
                .ip_address_type(addresses)
                .enable_prefix_for_ipv6_source_nat(source_nat);
            steps.call(set).await?;
        } else if let Some(addresses) = addresses {
            steps.call(SetIpAddressType::new(arn.clone(), addresses)).await?;
        }
        let enforce = self.enforce_security_group_inbound_rules_on_private_link_traffic.clone();
        if has("SecurityGroups") || enforce.is_some() {
            let groups = balancer.security_groups.clone().unwrap_or_default();
            let set = SetSecurityGroups::new(arn.clone(), groups)
                .enforce_security_group_inbound_rules_on_private_link_traffic(enforce);
            steps.call(set).await?;
        }
        if let Some(attributes) = self.attributes.clone().filter(|attributes| !attributes.is_empty()) {
            steps.call(ModifyLoadBalancerAttributes::new(arn.clone(), attributes)).await?;
        }
        tagging::retag(steps, &arn, balancer).await?;
        let found = steps.call(DescribeLoadBalancers::new().load_balancer_arns([arn.clone()])).await?;
        let found = found.load_balancers.unwrap_or_default().into_iter().next();
        let found = found.ok_or_else(|| super::missing(&arn))?;
        let tags = tagging::of(steps, &arn).await?;
        Ok(LoadBalancer { tags, ..found.seen() })
    }
}

/// Deletes a load balancer, with its listeners and rules. One that is not there is no error.
#[operation(kind = LoadBalancer, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its resource name.
    pub load_balancer_arn: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteLoadBalancer::new(self.load_balancer_arn.clone())).await?;
        Ok(())
    }
}
