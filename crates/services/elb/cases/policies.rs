//! Policies of listeners and of ports of the instances.

use super::{World, balancers, create, get, listener, secure_listener};
use nephos_core::Result;
use nephos_elb::{
    CreateAppCookieStickinessPolicy, CreateLBCookieStickinessPolicy, CreateLoadBalancerPolicy,
    DeleteLoadBalancerPolicy, DescribeLoadBalancerPolicies, PolicyAttribute, PolicyDescription,
    SetLoadBalancerPoliciesForBackendServer, SetLoadBalancerPoliciesOfListener, errors,
};
use nephos_testing::ask;

fn attribute(name: &str, value: &str) -> PolicyAttribute {
    PolicyAttribute::builder().attribute_name(name).attribute_value(value).build().unwrap()
}

fn request(name: &str, kind: &str, attributes: &[(&str, &str)]) -> CreateLoadBalancerPolicy {
    let attributes: Vec<_> = attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    CreateLoadBalancerPolicy::new("web", name, kind).policy_attributes(attributes)
}

fn value<'p>(policy: &'p PolicyDescription, name: &str) -> Option<&'p str> {
    let mut attributes = policy.policy_attribute_descriptions().unwrap().iter();
    attributes.find(|one| one.attribute_name() == Some(name)).and_then(|one| one.attribute_value())
}

const REFERENCE: (&str, &str) = ("Reference-Security-Policy", "ELBSecurityPolicy-TLS-1-2-2017-01");

pub(super) fn policies_are_created_described_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    ask(&session, CreateAppCookieStickinessPolicy::new("web", "app", "session"))?;
    ask(&session, CreateLBCookieStickinessPolicy::new("web", "lb").cookie_expiration_period(60))?;
    ask(&session, request("app-2", "AppCookieStickinessPolicyType", &[("CookieName", "id")]))?;
    ask(&session, request("browser", "LBCookieStickinessPolicyType", &[]))?;
    ask(&session, request("tls", "SSLNegotiationPolicyType", &[REFERENCE]))?;
    ask(
        &session,
        request("mine", "SSLNegotiationPolicyType", &[("Protocol-TLSv1.2", "true"), ("RC4-SHA", "true")]),
    )?;
    let described = balancers(&session).describe_policies().load_balancer_name("web").wait()?;
    let names: Vec<_> = described.iter().map(|policy| policy.policy_name().unwrap()).collect();
    assert_eq!(names, ["app", "app-2", "lb", "browser", "tls", "mine"]);
    assert_eq!(value(&described[0], "CookieName"), Some("session"));
    assert_eq!(described[1].policy_type_name(), Some("AppCookieStickinessPolicyType"));
    assert_eq!(value(&described[2], "CookieExpirationPeriod"), Some("60"));
    assert_eq!(value(&described[3], "CookieExpirationPeriod"), None);
    assert_eq!(value(&described[4], REFERENCE.0), Some(REFERENCE.1));
    assert_eq!(value(&described[4], "Protocol-TLSv1.1"), Some("false"));
    assert_eq!(value(&described[4], "AES128-SHA"), Some("false"));
    assert_eq!(value(&described[4], "AES128-SHA256"), Some("true"));
    assert_eq!(value(&described[5], "RC4-SHA"), Some("true"));
    assert_eq!(value(&described[5], "Protocol-TLSv1.1"), Some("false"));
    let found = get(world, "web")?;
    assert_eq!(found.policies().unwrap().other_policies().unwrap(), ["tls", "mine"]);

    world.refused(&errors::DUPLICATE_POLICY, "PolicyName", || {
        ask(&session, CreateLBCookieStickinessPolicy::new("web", "tls"))
    });
    world.refused(&errors::INVALID, "PolicyName", || {
        ask(&session, CreateLBCookieStickinessPolicy::new("web", "a b"))
    });
    world.refused(&errors::INVALID, "CookieExpirationPeriod", || {
        ask(&session, CreateLBCookieStickinessPolicy::new("web", "b").cookie_expiration_period(0))
    });
    let describe = DescribeLoadBalancerPolicies::new().load_balancer_name("web").policy_names(["none"]);
    let error = world.refused(&errors::POLICY_NOT_FOUND, "PolicyNames", || ask(&session, describe));
    assert_eq!(error.message(), "There is no policy with name none for load balancer web");
    for name in names {
        ask(&session, DeleteLoadBalancerPolicy::new("web", name))?;
    }
    assert_eq!(balancers(&session).describe_policies().load_balancer_name("web").wait()?, []);
    world.refused(&errors::POLICY_NOT_FOUND, "PolicyName", || {
        ask(&session, DeleteLoadBalancerPolicy::new("web", "tls"))
    });
    Ok(())
}

pub(super) fn policy_attributes_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    world.refused(&errors::POLICY_TYPE_NOT_FOUND, "PolicyTypeName", || {
        ask(&session, request("a", "None", &[]))
    });
    for (kind, attributes, field) in [
        ("ProxyProtocolPolicyType", &[][..], "PolicyAttributes"),
        ("ProxyProtocolPolicyType", &[("ProxyProtocol", "yes")], "PolicyAttributes[0]"),
        ("ProxyProtocolPolicyType", &[("Proxy", "true")], "PolicyAttributes[0]"),
        (
            "ProxyProtocolPolicyType",
            &[("ProxyProtocol", "true"), ("ProxyProtocol", "true")],
            "PolicyAttributes[1]",
        ),
        ("SSLNegotiationPolicyType", &[("Reference-Security-Policy", "none")], "PolicyAttributes[0]"),
        ("LBCookieStickinessPolicyType", &[("CookieExpirationPeriod", "-1")], "PolicyAttributes[0]"),
    ] {
        world
            .refused(&errors::INVALID_CONFIGURATION, field, || ask(&session, request("a", kind, attributes)));
    }
    ask(&session, request("proxy", "ProxyProtocolPolicyType", &[("ProxyProtocol", "true")]))?;
    let backend =
        |policy| request("auth", "BackendServerAuthenticationPolicyType", &[("PublicKeyPolicyName", policy)]);
    world.refused(&errors::POLICY_NOT_FOUND, "PolicyAttributes[0]", || ask(&session, backend("key")));
    world.refused(&errors::INVALID_CONFIGURATION, "PolicyAttributes[0]", || ask(&session, backend("proxy")));
    Ok(())
}

pub(super) fn listener_policies_depend_on_the_protocol(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    balancers(&session)
        .add_listeners("web", [listener("TCP", 81, 81), secure_listener("HTTPS", 443)])
        .wait()?;
    ask(&session, CreateLBCookieStickinessPolicy::new("web", "lb"))?;
    ask(&session, request("tls", "SSLNegotiationPolicyType", &[REFERENCE]))?;
    ask(&session, request("proxy", "ProxyProtocolPolicyType", &[("ProxyProtocol", "true")]))?;
    let set =
        |port: i64, names: &[&str]| ask(&session, SetLoadBalancerPoliciesOfListener::new("web", port, names));
    for (port, name) in [(81, "lb"), (80, "tls"), (443, "proxy")] {
        let error = world.refused(&errors::INVALID_CONFIGURATION, "PolicyNames", || set(port, &[name]));
        assert_eq!(error.message(), format!("{name} cannot be enabled"));
    }
    world.refused(&errors::LISTENER_NOT_FOUND, "LoadBalancerPort", || set(82, &["lb"]));
    // A predefined policy must be referred to by a policy of the load balancer.
    world.refused(&errors::POLICY_NOT_FOUND, "PolicyNames", || set(443, &[REFERENCE.1]));
    set(443, &["tls", "lb"])?;
    assert_eq!(get(world, "web")?.listeners().unwrap()[2].policy_names().unwrap(), ["tls", "lb"]);
    let error = world.refused(&errors::INVALID_CONFIGURATION, "PolicyName", || {
        ask(&session, DeleteLoadBalancerPolicy::new("web", "lb"))
    });
    assert_eq!(
        error.message(),
        "You cannot delete policy [lb] since it is enabled or referred by other enabled policy."
    );
    set(443, &["tls"])?;
    ask(&session, DeleteLoadBalancerPolicy::new("web", "lb"))?;
    set(443, &[])?;
    assert_eq!(get(world, "web")?.listeners().unwrap()[2].policy_names().unwrap(), [""; 0]);
    Ok(())
}

pub(super) fn backend_policies_are_set_by_port(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    ask(&session, request("proxy", "ProxyProtocolPolicyType", &[("ProxyProtocol", "true")]))?;
    ask(&session, request("key", "PublicKeyPolicyType", &[("PublicKey", "MIIB")]))?;
    let auth = [("PublicKeyPolicyName", "key")];
    ask(&session, request("auth", "BackendServerAuthenticationPolicyType", &auth))?;
    let set = |port: i64, names: &[&str]| {
        ask(&session, SetLoadBalancerPoliciesForBackendServer::new("web", port, names))
    };
    set(8080, &["proxy", "auth"])?;
    let found = get(world, "web")?;
    let ports = found.backend_server_descriptions().unwrap();
    assert_eq!((ports[0].instance_port(), ports[0].policy_names().unwrap().len()), (Some(8080), 2));
    world.refused(&errors::INVALID_CONFIGURATION, "PolicyNames", || set(8080, &["key"]));
    world.refused(&errors::INVALID_CONFIGURATION, "InstancePort", || set(8081, &["proxy"]));
    world.refused(&errors::INVALID_CONFIGURATION, "PolicyName", || {
        ask(&session, DeleteLoadBalancerPolicy::new("web", "key"))
    });
    set(8080, &[])?;
    assert_eq!(get(world, "web")?.backend_server_descriptions().unwrap(), []);
    set(8080, &["proxy"])?;
    balancers(&session).remove_listeners("web", [80]).wait()?;
    assert_eq!(get(world, "web")?.backend_server_descriptions().unwrap(), [], "no listener has the port");
    Ok(())
}

pub(super) fn policy_types_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let types = balancers(&session).describe_policy_types().wait()?;
    assert_eq!(types.len(), 6);
    let one =
        balancers(&session).describe_policy_types().policy_type_names(["SSLNegotiationPolicyType"]).wait()?;
    let attributes = one[0].policy_attribute_type_descriptions().unwrap();
    assert_eq!(attributes[0].attribute_name(), Some("Reference-Security-Policy"));
    assert!(attributes[1..].iter().all(|attribute| attribute.attribute_type() == Some("Boolean")));
    world.refused(&errors::POLICY_TYPE_NOT_FOUND, "PolicyTypeNames", || {
        balancers(&session).describe_policy_types().policy_type_names(["None"]).wait()
    });
    Ok(())
}

pub(super) fn predefined_policies_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let all = balancers(&session).describe_policies().wait()?;
    assert_eq!(all.len(), 13);
    assert_eq!(all[0].policy_name(), Some("ELBSecurityPolicy-2016-08"));
    let enabled = |policy: &PolicyDescription| {
        let attributes = policy.policy_attribute_descriptions().unwrap().iter();
        attributes.filter(|one| one.attribute_value() == Some("true")).count()
    };
    // Protocols, the order of ciphers, and ciphers.
    let counts: Vec<_> = all.iter().take(6).map(enabled).collect();
    assert_eq!(counts, [3 + 1 + 18, 1 + 1 + 12, 2 + 1 + 18, 3 + 1 + 19, 3 + 1 + 21, 3 + 1 + 20]);
    let one = balancers(&session).describe_policies().policy_names(["ELBSecurityPolicy-2015-05"]).wait()?;
    assert_eq!(value(&one[0], "DES-CBC3-SHA"), Some("true"));
    world.refused(&errors::POLICY_NOT_FOUND, "PolicyNames", || {
        balancers(&session).describe_policies().policy_names(["none"]).wait()
    });
    Ok(())
}
