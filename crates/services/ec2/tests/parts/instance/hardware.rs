//! Tests of `instance::hardware`.

use nephos_ec2::parts::hardware::*;

#[test]
fn architecture_follows_from_the_family() {
    for (instance_type, expected) in [
        ("t3.micro", ArchitectureValues::X8664),
        ("t4g.micro", ArchitectureValues::Arm64),
        ("m6gd.large", ArchitectureValues::Arm64),
        ("g4dn.xlarge", ArchitectureValues::X8664),
        ("im4gn.large", ArchitectureValues::Arm64),
        ("u-6tb1.56xlarge", ArchitectureValues::X8664),
        ("mac1.metal", ArchitectureValues::X8664Mac),
        ("mac2-m2.metal", ArchitectureValues::Arm64Mac),
    ] {
        assert_eq!(architecture(instance_type), expected, "{instance_type}");
    }
}

#[test]
fn cores_follow_from_the_size() {
    for (instance_type, expected) in [
        ("t3.micro", (1, 2)),
        ("t2.micro", (1, 1)),
        ("m1.small", (1, 1)),
        ("t4g.micro", (2, 1)),
        ("m5.large", (1, 2)),
        ("m5.4xlarge", (8, 2)),
        ("m6g.2xlarge", (8, 1)),
    ] {
        assert_eq!(cores(instance_type), expected, "{instance_type}");
    }
}
