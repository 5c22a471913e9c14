//! VPCs of ec2.

pub mod cidr;

pub(crate) use cidr::Cidr;

use nephos_cloud::Tx;
use nephos_core::{Resource, Result, Text};
use nephos_ec2::{self as ec2, Vpc};

/// Returns the CIDR blocks of a VPC; `None` if it does not exist.
pub(super) fn vpc_cidr_blocks(cx: &Tx<'_>, id: &str) -> Result<Option<Vec<Text>>> {
    let Some(vpc) = ec2::vpc(cx, id)? else { return Ok(None) };
    let more = vpc.cidr_block_association_set().unwrap_or_default();
    let blocks = vpc.cidr_block().into_iter().chain(more.iter().filter_map(|block| block.cidr_block()));
    Ok(Some(blocks.map(Text::new).collect()))
}

/// Finds the VPC with that ID, as a relation of `model`.
pub(super) async fn find_vpc(model: &impl Resource, id: Option<&str>) -> Result<Option<Vpc>> {
    let Some(id) = id else { return Ok(None) };
    Vpc::objects(model.require_session()?).get(id).await
}
