//! Listeners and their certificates.

use super::{World, balancers, create, get, listener, secure_listener};
use nephos_core::{Result, prelude::*};
use nephos_elb::{
    CreateLoadBalancer, CreateLoadBalancerListeners, Listener, ListenerDescription,
    SetLoadBalancerListenerSSLCertificate, errors,
};
use nephos_testing::ask;

fn ports(world: &World) -> Result<Vec<i64>> {
    Ok(get(world, "web")?.listeners().unwrap().iter().map(ListenerDescription::port).collect())
}

pub(super) fn listeners_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let web = balancers(&session);
    web.add_listeners("web", [listener("TCP", 81, 81), listener("http", 82, 8080)]).wait()?;
    assert_eq!(ports(world)?, [80, 81, 82]);
    let before = world.state()?;
    web.add_listeners("web", [listener("HTTP", 82, 8080)]).wait()?;
    world.assert_unchanged(&before)?;
    let error = world.refused(&errors::DUPLICATE_LISTENER, "Listeners[0].LoadBalancerPort", || {
        web.add_listeners("web", [listener("HTTP", 82, 8081)]).wait()
    });
    assert_eq!(
        error.message(),
        "A listener already exists for web with LoadBalancerPort 82, but with a different InstancePort, Protocol, or \
         SSLCertificateId"
    );
    web.remove_listeners("web", [80, 81, 99]).wait()?;
    assert_eq!(ports(world)?, [82]);
    Ok(())
}

pub(super) fn listeners_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let add = |listener: Listener| ask(&session, CreateLoadBalancerListeners::new("web", [listener]));
    let without_certificate = listener("HTTPS", 443, 80);
    let error = world.refused(&errors::INVALID, "Listeners[0].SSLCertificateId", || add(without_certificate));
    assert_eq!(error.message(), "Secure Listeners need to specify a SSLCertificateId");
    let mixed = Listener::builder().protocol("TCP").load_balancer_port(81).instance_port(81);
    let mixed = mixed.instance_protocol("HTTP").build()?;
    world.refused(&errors::INVALID_CONFIGURATION, "Listeners[0].InstanceProtocol", || add(mixed));
    world.refused(&errors::UNSUPPORTED_PROTOCOL, "Listeners[0].Protocol", || add(listener("UDP", 81, 81)));
    let secure = Listener::builder().protocol("HTTP").load_balancer_port(81).instance_port(8080);
    let secure = secure.instance_protocol("HTTPS").build()?;
    world.refused(&errors::INVALID_CONFIGURATION, "Listeners[0].InstancePort", || add(secure));
    for (arn, message) in [
        ("arn:aws:acm:us-east-1:999999999999:certificate/one", "of another account"),
        ("arn:aws:acm:eu-west-1:123456789012:certificate/one", "of another Region"),
        ("one", "no ARN"),
    ] {
        let listener = Listener::builder().protocol("SSL").load_balancer_port(443).instance_port(443);
        let listener = listener.ssl_certificate_id(arn).build()?;
        let error =
            world.refused(&errors::CERTIFICATE_NOT_FOUND, "Listeners[0].SSLCertificateId", || add(listener));
        assert_eq!(error.message(), format!("Server Certificate not found for the key: {arn}"), "{message}");
    }
    world.refused(&errors::INVALID, "Listeners", || {
        ask(&session, CreateLoadBalancer::new("other", Vec::new()).availability_zones(["us-east-1a"]))
    });
    world.refused(&errors::INVALID, "Listeners", || {
        ask(&session, CreateLoadBalancerListeners::new("web", Vec::new()))
    });
    // The certificate of a listener that is not secure is dropped.
    let mut plain = secure_listener("TCP", 82);
    plain.set("Protocol", "TCP")?;
    add(plain)?;
    let found = get(world, "web")?;
    assert_eq!(found.listeners().unwrap()[1].listener().unwrap().ssl_certificate_id(), None);
    Ok(())
}

pub(super) fn secure_listener_has_the_default_policy(world: &World) -> Result<()> {
    create(world, "web")?;
    balancers(&world.session()).add_listeners("web", [secure_listener("SSL", 443)]).wait()?;
    let found = get(world, "web")?;
    assert_eq!(found.listeners().unwrap()[1].policy_names().unwrap(), ["ELBSecurityPolicy-2016-08"]);
    assert_eq!(found.policies().unwrap().other_policies().unwrap(), ["ELBSecurityPolicy-2016-08"]);
    Ok(())
}

pub(super) fn certificates_are_replaced(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web")?;
    let web = balancers(&session);
    web.add_listeners("web", [secure_listener("HTTPS", 443)]).wait()?;
    let other = "arn:aws:acm:us-east-1:123456789012:certificate/two";
    web.set_ssl_certificate("web", 443, other).wait()?;
    let mut found = get(world, "web")?;
    assert_eq!(found.listeners().unwrap()[1].listener().unwrap().ssl_certificate_id(), Some(other));
    let set = |port| SetLoadBalancerListenerSSLCertificate::new("web", port, other);
    world.refused(&errors::LISTENER_NOT_FOUND, "LoadBalancerPort", || ask(&session, set(444)));
    world.refused(&errors::INVALID_CONFIGURATION, "LoadBalancerPort", || ask(&session, set(80)));
    // A model with another certificate keeps the listener and its policies.
    let mut listeners = found.listeners().unwrap().to_vec();
    listeners[1].set("Listener.SSLCertificateId", "arn:aws:acm:us-east-1:123456789012:certificate/three")?;
    found.set_listeners(listeners.clone())?;
    found.save().wait()?;
    assert_eq!(get(world, "web")?.listeners().unwrap(), listeners);
    Ok(())
}
