//! Attributes of VPCs that only their own operations show.

use super::{Vpc, VpcManager};
use crate::{
    AttributeBooleanValue,
    calls::DryRun,
    check_dry_run, errors,
    network::{self, Member as _},
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Empty, IntoOptional as _, Record, Result, Text, choices, operation};

choices! {
    /// Name of an attribute of a VPC.
    pub enum VpcAttributeName {
        /// Resolution of names by the provider.
        EnableDnsSupport = "enableDnsSupport",
        /// DNS names for instances with public addresses.
        EnableDnsHostnames = "enableDnsHostnames",
        /// Metrics of the use of addresses.
        EnableNetworkAddressUsageMetrics = "enableNetworkAddressUsageMetrics",
    }
}

/// Attributes of a VPC. An answer has only the attribute that the call names.
#[derive(Record)]
#[record(answer, wire = "camel", name = "DescribeVpcAttributeResult")]
pub struct VpcAttributes {
    /// ID of the VPC.
    vpc_id: Option<Text>,
    /// Resolution of names by the provider.
    enable_dns_support: Option<AttributeBooleanValue>,
    /// DNS names for instances with public addresses.
    enable_dns_hostnames: Option<AttributeBooleanValue>,
    /// Metrics of the use of addresses.
    enable_network_address_usage_metrics: Option<AttributeBooleanValue>,
}

nephos_cloud::stored!(VpcAttributes in "ec2/vpc-attributes" by vpc_id);

impl VpcAttributes {
    /// Returns the attributes of a VPC, with the defaults of those that were never changed.
    fn of_vpc(cx: &Tx<'_>, vpc: &Vpc) -> Result<Self> {
        let row: Option<Self> = cx.get(&Self::table(cx.scope()).text(vpc.id()))?;
        let flag = |value: bool| value.into_optional();
        Ok(row.unwrap_or_else(|| Self {
            vpc_id: vpc.vpc_id.clone(),
            enable_dns_support: flag(true),
            enable_dns_hostnames: flag(vpc.is_default == Some(true)),
            enable_network_address_usage_metrics: flag(false),
        }))
    }

    /// Forgets the attributes of a VPC that is deleted.
    pub(super) fn remove(cx: &mut Tx<'_>, vpc: &Vpc) -> Result<()> {
        cx.remove_row(&Self::table(cx.scope()).text(vpc.id()))
    }
}

/// Returns one attribute of a VPC.
#[operation(
    of = Vpc, call = "get_attribute", on_model(attribute), include(DryRun), needs(vpc_id(wire = "VpcId", condition = "ec2:VpcID")),
    effect = read, output = VpcAttributes, access = list
)]
pub struct DescribeVpcAttribute {
    /// Name of the attribute.
    #[field(condition = "ec2:Attribute")]
    pub attribute: VpcAttributeName,
}

impl Handler for DescribeVpcAttribute {
    fn run(self, cx: &mut Tx<'_>) -> Result<VpcAttributes> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        check_dry_run(self.dry_run)?;
        let row = VpcAttributes::of_vpc(cx, &vpc)?;
        let asked = |name: VpcAttributeName| self.attribute == name;
        Ok(VpcAttributes {
            vpc_id: row.vpc_id,
            enable_dns_support: row.enable_dns_support.filter(|_| asked(VpcAttributeName::EnableDnsSupport)),
            enable_dns_hostnames: row
                .enable_dns_hostnames
                .filter(|_| asked(VpcAttributeName::EnableDnsHostnames)),
            enable_network_address_usage_metrics: row
                .enable_network_address_usage_metrics
                .filter(|_| asked(VpcAttributeName::EnableNetworkAddressUsageMetrics)),
        })
    }
}

/// Changes one attribute of a VPC.
#[operation(
    of = Vpc, call = "set_attribute", on_model, needs(vpc_id(wire = "vpcId", condition = "ec2:VpcID")), effect = write
)]
pub struct ModifyVpcAttribute {
    /// Resolution of names by the provider.
    pub enable_dns_support: Option<AttributeBooleanValue>,
    /// DNS names for instances with public addresses.
    pub enable_dns_hostnames: Option<AttributeBooleanValue>,
    /// Metrics of the use of addresses.
    pub enable_network_address_usage_metrics: Option<AttributeBooleanValue>,
}

impl Handler for ModifyVpcAttribute {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        let given = [
            ("enableDnsSupport", &self.enable_dns_support),
            ("enableDnsHostnames", &self.enable_dns_hostnames),
            ("enableNetworkAddressUsageMetrics", &self.enable_network_address_usage_metrics),
        ];
        let names: Vec<_> =
            given.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name).collect();
        match names.as_slice() {
            [_] => {}
            [] => return Err(errors::no_attribute()),
            _ => return Err(errors::several_attributes(names.join(", "))),
        }
        let mut row = VpcAttributes::of_vpc(cx, &vpc)?;
        row.take_given(&mut self);
        cx.put(row)?;
        Ok(Empty {})
    }
}
