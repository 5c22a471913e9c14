//! VPCs and instances of ec2, and the network interfaces of load balancers in subnets.

mod cidr;

pub(crate) use cidr::Cidr;

use nephos_cloud::Tx;
use nephos_core::{Resource, Result, Text, field_value::FieldValue};
use nephos_ec2::{self as ec2, Instance, Vpc};

/// Returns the CIDR blocks of a VPC; `None` if it does not exist.
pub(super) fn vpc_cidr_blocks(cx: &Tx<'_>, id: &str) -> Result<Option<Vec<Text>>> {
    let Some(vpc) = ec2::vpc(cx, id)? else { return Ok(None) };
    let more = vpc.cidr_block_association_set().unwrap_or_default();
    let blocks = vpc.cidr_block().into_iter().chain(more.iter().filter_map(|block| block.cidr_block()));
    Ok(Some(blocks.map(Text::new).collect()))
}

/// Returns the name of the state of an instance: `running`, for example.
pub(super) fn instance_state(instance: &Instance) -> &str {
    instance.state_name().and_then(|state| state.view().as_text()).unwrap_or_default()
}

/// Attaches a load balancer to its subnets and detaches it from all others. A subnet or security group with an
/// attachment cannot be deleted.
pub(super) fn update_attachments(
    cx: &mut Tx<'_>,
    balancer: &str,
    before: &[Text],
    subnets: &[Text],
    groups: &[Text],
) -> Result<()> {
    for removed in before.iter().filter(|removed| !subnets.contains(removed)) {
        ec2::detach(cx, balancer, removed)?;
    }
    for id in subnets {
        if let Some(subnet) = ec2::subnet(cx, id)? {
            ec2::attach(cx, balancer, &subnet, groups)?;
        }
    }
    Ok(())
}

/// Finds the VPC with that ID, as a relation of `model`.
pub(super) async fn find_vpc(model: &impl Resource, id: Option<&str>) -> Result<Option<Vpc>> {
    let Some(id) = id else { return Ok(None) };
    Vpc::objects(model.require_session()?).get(id).await
}
