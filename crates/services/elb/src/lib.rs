//! Classic load balancers: listeners that send connections to registered instances.
//!
//! ```
//! use nephos::elb::{ClassicELB, Listener, ListenerDescription};
//! use nephos::{Cloud, prelude::*};
//!
//! let session = Cloud::in_memory().session();
//! let http = Listener::builder().protocol("HTTP").load_balancer_port(80).instance_port(8080).build()?;
//! let web = ClassicELB::builder()
//!     .load_balancer_name("web")
//!     .availability_zones(["us-east-1a", "us-east-1b"])
//!     .listeners([ListenerDescription::from(http)])
//!     .build()?;
//! let web = ClassicELB::objects(&session).create(&web).wait()?;
//!
//! assert!(web.dns_name().unwrap_or_default().starts_with("web-"));
//! assert_eq!(web.health_check().and_then(|check| check.target()), Some("TCP:8080"));
//! # Ok::<(), nephos::Error>(())
//! ```

pub mod errors;
mod instance;
mod limits;
mod listener;
mod load_balancer;
mod map;
mod policy;
mod tagging;

pub use instance::*;
pub use limits::*;
pub use listener::*;
pub use load_balancer::*;
pub use policy::*;
pub use tagging::*;

pub use nephos_core::Empty;
use nephos_core::shape::Protocol;

nephos_cloud::service! {
    ELB = "elb", "Classic load balancers: listeners that send connections to registered instances.";
    shape {
        api_version: "2012-06-01",
        protocol: Protocol::AwsQuery { namespace: "http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/" },
        endpoint: "elasticloadbalancing",
        signing: "elasticloadbalancing",
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}", "elasticloadbalancing:ResourceTag/${TagKey}"])],
    }
    kinds {
        ClassicELB,
    }
    operations {
        CreateLoadBalancer, DescribeLoadBalancers, DeleteLoadBalancer,
        CreateLoadBalancerListeners, DeleteLoadBalancerListeners, SetLoadBalancerListenerSSLCertificate,
        RegisterInstancesWithLoadBalancer, DeregisterInstancesFromLoadBalancer, DescribeInstanceHealth,
        ConfigureHealthCheck, DescribeLoadBalancerAttributes, ModifyLoadBalancerAttributes,
        AttachLoadBalancerToSubnets, DetachLoadBalancerFromSubnets,
        EnableAvailabilityZonesForLoadBalancer, DisableAvailabilityZonesForLoadBalancer,
        ApplySecurityGroupsToLoadBalancer,
        CreateLoadBalancerPolicy, CreateAppCookieStickinessPolicy, CreateLBCookieStickinessPolicy,
        DescribeLoadBalancerPolicies, DescribeLoadBalancerPolicyTypes, DeleteLoadBalancerPolicy,
        SetLoadBalancerPoliciesOfListener, SetLoadBalancerPoliciesForBackendServer,
        AddTags, RemoveTags, DescribeTags, DescribeAccountLimits,
    }
    calls {
        ClassicELBCreate, ClassicELBUpdate, ClassicELBUpdateAttributes,
        ClassicELBTag, ClassicELBUntag, ClassicELBListTags,
    }
    controls {
        "instance-health" => SetInstanceHealth,
    }
    views { map::MAP }
    tables {
        ClassicELB, instance::registration::RegistrationRow, policy::PolicyRow,
    }
    access {
        find_resource: Some(tagging::find_resource),
    }
    tagged { tagging::TAGGED }
}
