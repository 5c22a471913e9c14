//! What balancers and target groups need to know of the network, and the addresses that balancers have in it.

use nephos_cloud::Tx;
use nephos_core::{Resource, Result, Text, datum::Datum};
use nephos_ec2::{self as ec2, Vpc};

/// An instance: which network and zone it is in, and how it is.
pub(super) struct Instance {
    pub(super) vpc: Text,
    pub(super) zone: Text,
    pub(super) state: Text,
}

fn text(text: Option<&str>) -> Text {
    text.unwrap_or_default().into()
}

/// The blocks of addresses of a network; none if there is no such network.
pub(super) fn vpc(cx: &Tx<'_>, id: &str) -> Result<Option<Vec<Text>>> {
    let Some(vpc) = ec2::vpc(cx, id)? else { return Ok(None) };
    let more = vpc.cidr_block_association_set().unwrap_or_default();
    let blocks = vpc.cidr_block().into_iter().chain(more.iter().filter_map(|block| block.cidr_block()));
    Ok(Some(blocks.map(Text::new).collect()))
}

/// The network of a security group, if there is one.
pub(super) fn security_group(cx: &Tx<'_>, id: &str) -> Result<Option<Text>> {
    Ok(ec2::security_group(cx, id)?.map(|group| text(group.vpc_id())))
}

/// The security group of a network that is meant when none is named.
pub(super) fn default_security_group(cx: &Tx<'_>, vpc: &str) -> Result<Option<Text>> {
    Ok(ec2::default_security_group(cx, vpc)?.map(|group| text(group.group_id())))
}

/// The instance, if there is one.
pub(super) fn instance(cx: &Tx<'_>, id: &str) -> Result<Option<Instance>> {
    let found = ec2::instance(cx, id)?;
    Ok(found.map(|instance| Instance {
        vpc: text(instance.vpc_id()),
        zone: text(instance.placement().and_then(|placement| placement.availability_zone())),
        state: text(instance.state_name().and_then(|state| state.view().as_text())),
    }))
}

/// Gives a balancer an address in each of its subnets, and takes back those it has in others: while it has one, neither
/// the subnet nor the security groups can be deleted.
pub(super) fn attach(
    cx: &mut Tx<'_>,
    balancer: &str,
    before: &[Text],
    subnets: &[Text],
    groups: &[Text],
) -> Result<()> {
    for left in before.iter().filter(|left| !subnets.contains(left)) {
        ec2::detach(cx, balancer, left)?;
    }
    for id in subnets {
        if let Some(subnet) = ec2::subnet(cx, id)? {
            ec2::attach(cx, balancer, &subnet, groups)?;
        }
    }
    Ok(())
}

/// The network with that id, as a relation of `model`.
pub(super) async fn related(model: &impl Resource, id: Option<&str>) -> Result<Option<Vpc>> {
    let Some(id) = id else { return Ok(None) };
    Vpc::objects(model.require_session()?).get(id).await
}
