//! Facts about the kind of the service for the laws over all kinds.

use nephos_elb::ClassicELB;
use nephos_testing::{Duplicate, KindFacts, LawFacts, Step};

const CLASSIC: KindFacts = KindFacts {
    examples: &[
        r#"{"LoadBalancerName": "inside", "AvailabilityZones": ["us-east-1a"], "Subnets": ["$Subnet0.SubnetId"], "Scheme": "internal",
        "Listeners": [{"Listener": {"Protocol": "SSL", "LoadBalancerPort": 443, "InstancePort": 8443,
            "SSLCertificateId": "arn:aws:acm:us-east-1:123456789012:certificate/one"}}]}"#,
        r#"{"LoadBalancerName": "web", "AvailabilityZones": ["us-east-1a"], "Subnets": ["$Subnet0.SubnetId"], "Tags": {"team": "web"},
        "SecurityGroups": ["$SecurityGroup.GroupId"],
        "Listeners": [{"Listener": {"Protocol": "HTTP", "LoadBalancerPort": 80, "InstancePort": 8080}}]}"#,
    ],
    duplicate: Duplicate::Idempotent,
    settings: &[
        r#"{"Policies": {"LBCookieStickinessPolicies": [{"PolicyName": "sticky", "CookieExpirationPeriod": 60}]}}"#,
        r#"{"HealthCheck": {"Target": "TCP:80", "Interval": 10, "Timeout": 3, "UnhealthyThreshold": 3,
        "HealthyThreshold": 4}}"#,
        r#"{"AccessLog": {"Enabled": true, "StorageBucketName": "logs", "EmitInterval": 5}}"#,
        r#"{"ConnectionDraining": {"Enabled": true, "Timeout": 30}}"#,
        r#"{"AdditionalAttributes": {"elb.http.desyncmitigationmode": "strictest"}}"#,
        r#"{"Instances": [{"InstanceId": "$Instance.InstanceId"}]}"#,
        r#"{"SecurityGroups": ["$SecurityGroup0.GroupId"]}"#,
    ],
    changes: &[
        r#"{"AvailabilityZones": ["us-east-1b"], "Subnets": ["$Subnet.SubnetId"]}"#,
        r#"{"Policies": {"AppCookieStickinessPolicies": [{"PolicyName": "sticky", "CookieName": "session"}]}}"#,
        r#"{"HealthCheck": {"Target": "HTTP:80/ping", "Interval": 10, "Timeout": 3, "UnhealthyThreshold": 3,
        "HealthyThreshold": 4}}"#,
        r#"{"AccessLog": {"Enabled": true, "StorageBucketName": "logs", "EmitInterval": 60}}"#,
        r#"{"ConnectionDraining": {"Enabled": true, "Timeout": 30}}"#,
        r#"{"AdditionalAttributes": {"elb.http.desyncmitigationmode": "monitor"}}"#,
        r#"{"Instances": [{"InstanceId": "$Instance.InstanceId"}]}"#,
        r#"{"SecurityGroups": ["$SecurityGroup0.GroupId"]}"#,
        r#"{"Listeners": [{"Listener": {"Protocol": "TCP", "LoadBalancerPort": 81, "InstancePort": 8081}}]}"#,
    ],
    extras: &[
        Step::last(
            "add_policy",
            r#"{"PolicyName": "proxy", "PolicyTypeName": "ProxyProtocolPolicyType",
            "PolicyAttributes": [{"AttributeName": "ProxyProtocol", "AttributeValue": "true"}]}"#,
        ),
        Step::last("set_backend_policies", r#"{"InstancePort": 8080, "PolicyNames": ["proxy"]}"#),
    ],
    dependent_fields: &[
        ("Listeners", &["Policies", "BackendServerDescriptions"]),
        ("Subnets", &["AvailabilityZones"]),
        ("SecurityGroups", &["SourceSecurityGroup"]),
    ],
    never_created: &[(
        "BackendServerDescriptions",
        "needs a policy with attributes, which models do not have",
    )],
    never_changed: &[(
        "BackendServerDescriptions",
        "needs a policy with attributes, which models do not have",
    )],
    idempotent_delete: true,
    ..KindFacts::of::<ClassicELB>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[CLASSIC],
    unchecked_references: &[(
        &["ClassicELB set_ssl_certificate SSLCertificateId"],
        "it is an ARN of a certificate, and not the ID of a signing certificate",
    )],
    unreachable: &[
        (&["ClassicELB add_policy", "elb CreateLoadBalancerPolicy"], "needs the attributes of a type"),
        (
            &["ClassicELB enable_availability_zones", "elb EnableAvailabilityZonesForLoadBalancer"],
            "needs a load balancer in the default VPC",
        ),
        (
            &["ClassicELB disable_availability_zones", "elb DisableAvailabilityZonesForLoadBalancer"],
            "needs a load balancer in the default VPC",
        ),
        (
            &["ClassicELB set_ssl_certificate", "elb SetLoadBalancerListenerSSLCertificate"],
            "needs the ARN of a certificate",
        ),
    ],
    ..LawFacts::of(&nephos_elb::SERVICE)
};
