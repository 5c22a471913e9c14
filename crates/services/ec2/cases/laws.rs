//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Result, Session};
use nephos_ec2::{Instance, RunInstances, SecurityGroup, Subnet, Vpc};
use nephos_testing::{
    Duplicate, FilledResource, KindFacts, LawFacts, RemainingRows, Step, ask, filled_resource,
};

const VPC: KindFacts = KindFacts {
    examples: &[
        r#"{"CidrBlock": "10.1.0.0/16", "InstanceTenancy": "dedicated"}"#,
        r#"{"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    duplicate: Duplicate::Allowed,
    fits_on_one_page: true,
    ..KindFacts::of::<Vpc>()
};

const SUBNET: KindFacts = KindFacts {
    examples: &[
        r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-east-1a"}"#,
        r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.1.0/24", "AvailabilityZone": "us-east-1b",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    unique: Some(("CidrBlock", "10.0.3#.0/24")),
    settings: &[r#"{"AvailabilityZone": null, "AvailabilityZoneId": "use1-az1"}"#],
    never_created: &[("OutpostArn", "there are no Outposts")],
    ..KindFacts::of::<Subnet>()
};

const SECURITY_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"GroupName": "api", "Description": "d", "VpcId": "$Vpc.VpcId"}"#,
        r#"{"GroupName": "db", "Description": "d"}"#,
        r#"{"GroupName": "web", "Description": "d", "VpcId": "$Vpc.VpcId", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    extras: &[Step::last(
        "authorize_ingress",
        r#"{"IpPermissions": [{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80,
            "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}]}"#,
    )],
    ..KindFacts::of::<SecurityGroup>()
};

const INSTANCE: KindFacts = KindFacts {
    examples: &[
        r#"{"ImageId": "ami-12345678"}"#,
        r#"{"ImageId": "ami-12345678", "SubnetId": "$Subnet.SubnetId", "InstanceType": "t3.micro", "KeyName": "key",
        "PrivateIpAddress": "10.0.1.10", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    unique: Some(("PrivateIpAddress", "10.0.1.20#")),
    duplicate: Duplicate::Allowed,
    extras: &[Step::last("run", r#"{"ImageId": "ami-12345678", "MaxCount": 2}"#)],
    never_created: &[("KernelId", "there are no kernels"), ("RamdiskId", "there are no RAM disks")],
    ..KindFacts::of::<Instance>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[VPC, SUBNET, SECURITY_GROUP, INSTANCE],
    unchecked_references: &[(
        &["Instance run SecurityGroupIds", "Instance run SubnetId"],
        "needs an image; the call create tries the same operation",
    )],
    unpaged: &[(
        "DescribeInstances",
        "a reservation may be on two pages; the list call of the kind is compared",
    )],
    remaining_rows: &[(RemainingRows::Table("ec2/gone"), "tombstone of a deleted part of the default VPC")],
    fill_tables,
    ..LawFacts::of(&nephos_ec2::SERVICE)
};

/// Adds the token of a launch, a terminated instance, and the tombstone of a default subnet.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let instances = Instance::objects(session).list().results().all().wait()?;
    instances.last().expect("an example exists").delete().wait()?;
    ask(session, RunInstances::new(1, 1).image_id("ami-12345678").client_token("once"))?;
    let subnets = Subnet::objects(session).list().results().all().wait()?;
    let is_default = |subnet: &&Subnet| subnet.default_for_az() == Some(true);
    let default = subnets.iter().rfind(is_default).expect("the default VPC has subnets");
    default.delete().wait()?;
    Ok(vec![filled_resource(default)])
}
