//! A small network: a VPC with a subnet and a security group, an instance in it, and filters over relations.
//!
//! `cargo run -p nephos-examples --example network`

use nephos::{
    Cloud, Instance, Result, SecurityGroup, Subnet, Vpc,
    services::ec2::{IpPermission, IpRange},
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let session = Cloud::in_memory().session();
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let subnet = Subnet::builder().vpc_id(vpc.vpc_id()).cidr_block("10.0.1.0/24").build()?;
    let subnet = Subnet::objects(&session).create(&subnet).wait()?;

    let group =
        SecurityGroup::builder().group_name("web").description("Web servers").vpc_id(vpc.vpc_id()).build()?;
    let group = SecurityGroup::objects(&session).create(&group).wait()?;
    let https = IpPermission::builder().ip_protocol("tcp").from_port(443).to_port(443);
    let https = https.ip_ranges([IpRange::builder().cidr_ip("0.0.0.0/0").build()?]).build()?;
    SecurityGroup::objects(&session)
        .authorize_ingress(group.group_id().expect("the service assigned an ID"), [https])
        .wait()?;

    let instance =
        Instance::builder().image_id("ami-12345678").instance_type("t3.micro").subnet_id(subnet.subnet_id());
    let instance = Instance::objects(&session).create(&instance.build()?).wait()?;
    println!("{:?}", instance);

    // A path may lead through a relation.
    let here = Instance::objects(&session).list().results().filter_by([("vpc__CidrBlock", "10.0.0.0/16")])?;
    println!("{} instance(s) in 10.0.0.0/16", here.count().wait()?);

    // A subnet that is in use cannot be deleted: the provider's error code, and nothing has changed.
    let refused =
        Subnet::objects(&session).delete(subnet.subnet_id().expect("it has an ID")).wait().unwrap_err();
    println!("{}: {refused}", refused.code());
    Ok(())
}
