//! What a load balancer refers to: its VPC, subnets, security groups and instances.

use super::ClassicELB;
use nephos_core::{Resource, Result, Text};
use nephos_ec2::{self as ec2, Instance, SecurityGroup, Subnet, Vpc};

pub(super) async fn find_vpc(balancer: &ClassicELB) -> Result<Option<Vpc>> {
    let Some(id) = &balancer.vpc_id else { return Ok(None) };
    Vpc::objects(balancer.require_session()?).get(id.clone()).await
}

pub(super) async fn find_subnets(balancer: &ClassicELB) -> Result<Vec<Subnet>> {
    ec2::find_subnets(balancer.require_session()?, ids(&balancer.subnets)).await
}

pub(super) async fn find_security_groups(balancer: &ClassicELB) -> Result<Vec<SecurityGroup>> {
    ec2::find_security_groups(balancer.require_session()?, ids(&balancer.security_groups)).await
}

pub(super) async fn find_instances(balancer: &ClassicELB) -> Result<Vec<Instance>> {
    let ids: Vec<_> =
        balancer.instances.iter().flatten().filter_map(|instance| instance.instance_id.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Instance::objects(balancer.require_session()?).list().instance_ids(ids).results().await
}

fn ids(ids: &Option<Vec<Text>>) -> Vec<Text> {
    ids.clone().unwrap_or_default()
}
