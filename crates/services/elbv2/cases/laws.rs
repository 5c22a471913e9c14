//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Record, Result};
use nephos_elbv2::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore};
use nephos_testing::{Duplicate, KindFacts, LawFacts, StateFileCheck, Step, World};

const TARGET_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "tcp", "Protocol": "TCP", "Port": 80, "VpcId": "$Vpc.VpcId"}"#,
        r#"{"Name": "fn", "TargetType": "function"}"#,
        r#"{"Name": "web", "Protocol": "HTTP", "Port": 80, "VpcId": "$Vpc.VpcId",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    unique: Some(("Name", "web#")),
    duplicate: Duplicate::Idempotent,
    ignored: &[("Port", ("TargetType", "function"))],
    dependent_fields: &[("HealthCheckProtocol", &["HealthCheckPath", "Matcher"])],
    extras: &[
        Step::last("register", r#"{"Targets": [{"Id": "10.0.1.9"}]}"#),
        Step::last("deregister", r#"{"Targets": [{"Id": "10.0.1.9"}]}"#),
        Step::last("register", r#"{"Targets": [{"Id": "10.0.1.8"}]}"#),
        Step::last(
            "set_attributes",
            r#"{"Attributes": [{"Key": "deregistration_delay.timeout_seconds", "Value": "20"}]}"#,
        ),
        Step::last(
            "tag",
            r#"{"ResourceArn": "$TargetGroup.TargetGroupArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
        ),
    ],
    ..KindFacts::of::<TargetGroup>()
};

const TRUST_STORE: KindFacts = KindFacts {
    examples: &[
        r#"{"Name": "api", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "api.pem"}"#,
        r#"{"Name": "web", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    not_returned: &[
        "CaCertificatesBundleS3Bucket",
        "CaCertificatesBundleS3Key",
        "CaCertificatesBundleS3ObjectVersion",
    ],
    changes: &[
        r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem"}"#,
        r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem",
        "CaCertificatesBundleS3ObjectVersion": "2"}"#,
    ],
    extras: &[
        Step::last(
            "add_revocations",
            r#"{"RevocationContents": [{"S3Bucket": "trust", "S3Key": "a.crl"}, {"S3Bucket": "trust", "S3Key": "b.crl"}]}"#,
        ),
        Step::last(
            "tag",
            r#"{"ResourceArn": "$TrustStore.TrustStoreArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
        ),
    ],
    ..KindFacts::of::<TrustStore>()
};

const LOAD_BALANCER: KindFacts = KindFacts {
    examples: &[
        r#"{"LoadBalancerName": "net", "Type": "network", "Scheme": "internal", "Subnets": ["$Subnet0.SubnetId"]}"#,
        r#"{"LoadBalancerName": "web", "Subnets": ["$Subnet0.SubnetId", "$Subnet.SubnetId"],
        "SecurityGroups": ["$SecurityGroup.GroupId"], "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    duplicate: Duplicate::Idempotent,
    changes: &[
        r#"{"SecurityGroups": ["$SecurityGroup0.GroupId"]}"#,
        r#"{"IpamPools": {"Ipv4IpamPoolId": "ipam-pool-0123456789abcdef0"}}"#,
    ],
    never_changed: &[(
        "EnablePrefixForIpv6SourceNat",
        "needs subnets with IPv6 addresses, which do not exist",
    )],
    extras: &[
        Step::last(
            "set_attributes",
            r#"{"Attributes": [{"Key": "idle_timeout.timeout_seconds", "Value": "20"}]}"#,
        ),
        Step::last("set_capacity_reservation", r#"{"MinimumLoadBalancerCapacity": {"CapacityUnits": 100}}"#),
    ],
    deletion_blockers: &[(
        "set_attributes",
        r#"{"Attributes": [{"Key": "deletion_protection.enabled", "Value": "false"}]}"#,
    )],
    idempotent_delete: true,
    never_created: &[("CustomerOwnedIpv4Pool", "there are no Outposts")],
    ..KindFacts::of::<LoadBalancer>()
};

const LISTENER: KindFacts = KindFacts {
    examples: &[
        r#"{"LoadBalancerArn": "$LoadBalancer0.LoadBalancerArn", "Port": 443, "Protocol": "TLS",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/one"}],
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup0.TargetGroupArn"}]}"#,
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 80, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}]}"#,
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 8080, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "503"}}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    unique: Some(("Port", "909#")),
    duplicate: Duplicate::Idempotent,
    changes: &[
        r#"{"AlpnPolicy": ["HTTP2Preferred"]}"#,
        r#"{"SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}"#,
        r#"{"Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/two"}],
        "MutualAuthentication": {"Mode": "verify", "TrustStoreArn": "$TrustStore.TrustStoreArn"}}"#,
    ],
    dependent_fields: &[("Protocol", &["AlpnPolicy", "Certificates", "SslPolicy"])],
    list_parameters: &[("LoadBalancerArn", "LoadBalancerArn")],
    extras: &[
        Step::last(
            "set_attributes",
            r#"{"Attributes": [{"Key": "routing.http.response.server.enabled", "Value": "false"}]}"#,
        ),
        Step::last(
            "add_certificates",
            r#"{"ListenerArn": "$Listener0.ListenerArn",
            "CertificateArns": ["arn:aws:acm:us-east-1:123456789012:certificate/three"]}"#,
        ),
    ],
    page_items: &[
        Step::nth(
            1,
            "update",
            r#"{"Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/two"}],
            "MutualAuthentication": {"Mode": "verify", "TrustStoreArn": "$TrustStore.TrustStoreArn"}}"#,
        ),
        Step::nth(
            2,
            "update",
            r#"{"Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/two"}],
            "MutualAuthentication": {"Mode": "verify", "TrustStoreArn": "$TrustStore.TrustStoreArn"}}"#,
        ),
    ],
    ..KindFacts::of::<Listener>()
};

const RULE: KindFacts = KindFacts {
    examples: &[
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "10",
        "Conditions": [{"Field": "path-pattern", "Values": ["/a"]}],
        "Actions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}]}"#,
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "20",
        "Conditions": [{"Field": "host-header", "Values": ["a.example.com"]}],
        "Actions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    unique: Some(("Priority", "5#")),
    changes: &[r#"{"Transforms": [{"Type": "url-rewrite",
        "UrlRewriteConfig": {"Rewrites": [{"Regex": "^/a", "Replace": "/b"}]}}]}"#],
    list_parameters: &[("ListenerArn", "ListenerArn")],
    extras: &[Step::last(
        "tag",
        r#"{"ResourceArn": "$Rule.RuleArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
    )],
    ..KindFacts::of::<Rule>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[TARGET_GROUP, TRUST_STORE, LOAD_BALANCER, LISTENER, RULE],
    unchecked_references: &[(&["Rule create ListenerArn"], "its own ARN continues that of the listener")],
    page_parameters: &[
        ("DescribeListeners", r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn"}"#),
        ("DescribeRules", r#"{"ListenerArn": "$Listener.ListenerArn"}"#),
    ],
    state_files: &[StateFileCheck {
        file: "state-1",
        opened: |world| assert_state(world, "provisioning"),
        later: |world| assert_state(world, "active"),
    }],
    ..LawFacts::of(&nephos_elbv2::SERVICE)
};

/// Asserts the state of a load balancer that was just created when the file was written.
fn assert_state(world: &World, expected: &str) -> Result<()> {
    let found = LoadBalancer::objects(&world.other_region()).get().name("web").wait()?;
    let state = found.expect("the load balancer exists").get("State.Code")?;
    assert_eq!(state, expected.into());
    Ok(())
}
