//! Listeners: create, get, list, update, delete.

use super::{
    World, ask, balancers, create_balancer, create_group, create_http_group, create_listener, fixed_response,
    forward_to, group_builder, listeners, network,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    Certificate, CreateListener, Listener, LoadBalancer, LoadBalancerType, ModifyListener, Protocol, errors,
};

pub(super) const CERTIFICATE: &str = "arn:aws:acm:us-east-1:123456789012:certificate/one";

pub(super) fn certificate(arn: &str) -> Certificate {
    Certificate::builder().certificate_arn(arn).build().unwrap()
}

/// Creates an HTTPS listener.
pub(super) fn create_https_listener(world: &World, balancer: &LoadBalancer, port: i64) -> Result<Listener> {
    let model = Listener::builder()
        .load_balancer_arn(balancer.require_arn()?)
        .port(port)
        .certificates([certificate(CERTIFICATE)])
        .default_actions([fixed_response("404")])
        .build()?;
    Ok(listeners(&world.session()).create(&model).wait()?.remove(0))
}

pub(super) fn create_then_get_returns_listener(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let model = Listener::builder()
        .load_balancer_arn(web.require_arn()?)
        .port(443)
        .certificates([certificate(CERTIFICATE)])
        .default_actions([forward_to(&group)])
        .tags([("team", "web")])
        .build()?;
    assert_eq!(model.protocol(), Some(&Protocol::Https));
    let created = listeners(&session).create(&model).wait()?.remove(0);
    let arn = created.require_arn()?.to_owned();
    assert!(arn.contains(":listener/app/web/") && arn.split('/').count() == 5, "{arn}");
    let found = listeners(&session).get(arn.as_str()).wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.load_balancer_arn(), Some(web.require_arn()?));
    assert_eq!(found.ssl_policy(), Some("ELBSecurityPolicy-2016-08"));
    assert_eq!(found.mutual_authentication().unwrap().mode(), Some("off"));
    assert_eq!(found.certificates().unwrap()[0].certificate_arn(), Some(CERTIFICATE));
    let action = &found.default_actions().unwrap()[0];
    assert_eq!((action.target_group_arn(), action.order()), (Some(group.require_arn()?), None));
    assert_eq!(action.forward_config().unwrap().target_groups().unwrap()[0].weight(), Some(1));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert!(found.name().is_err(), "a listener has no name");
    assert_eq!(found.pk()?, nephos_core::Pk::Single(arn.as_str().into()));

    let found = super::groups(&session).get().name("web").wait()?.unwrap();
    assert_eq!(found.load_balancer_arns().unwrap(), [web.require_arn()?]);
    assert!(listeners(&session).get(arn.replace("/web/", "/gone/")).wait()?.is_none());
    world.refused(&errors::INVALID, "ListenerArns", || listeners(&session).get("web").wait());
    Ok(())
}

pub(super) fn duplicate_listener_port_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let created = create_listener(world, &web, 80, fixed_response("404"))?;
    let before = world.state()?;
    assert_eq!(
        create_listener(world, &web, 80, fixed_response("404"))?.require_arn()?,
        created.require_arn()?,
        "the same settings return the same listener"
    );
    world.assert_unchanged(&before)?;
    world.refused(&errors::DUPLICATE_LISTENER, None, || {
        create_listener(world, &web, 80, fixed_response("503"))
    });
    let other = create_listener(world, &web, 81, fixed_response("404"))?;
    world.refused(&errors::DUPLICATE_LISTENER, None, || {
        ask(&session, ModifyListener::new(other.require_arn().unwrap()).port(80))
    });
    Ok(())
}

pub(super) fn listener_protocol_must_match_load_balancer_type(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let web = create_balancer(world, "web")?;
    let model = LoadBalancer::builder().load_balancer_name("net").r#type(LoadBalancerType::Network);
    let net_balancer =
        balancers(&session).create(&model.subnets(net.subnets.clone()).build()?).wait()?.remove(0);
    let plain = |balancer: &LoadBalancer| {
        CreateListener::new(balancer.require_arn().unwrap(), [fixed_response("404")]).port(80)
    };
    for protocol in [Protocol::Tcp, Protocol::Tls, Protocol::Udp, Protocol::Geneve] {
        let name = protocol.name().to_owned();
        let create = plain(&web).protocol(protocol);
        let error = world.refused(&errors::INVALID, "Protocol", || ask(&session, create));
        assert_eq!(error.message(), format!("Listener protocol '{name}' must be one of 'HTTPS, HTTP'"));
    }
    for protocol in [Protocol::Http, Protocol::Https, Protocol::Geneve] {
        let name = protocol.name().to_owned();
        let create = plain(&net_balancer).protocol(protocol);
        let error = world.refused(&errors::INVALID, "Protocol", || ask(&session, create));
        let own = "TLS, TCP, TCP_UDP, UDP, QUIC, TCP_QUIC";
        assert_eq!(error.message(), format!("Listener protocol '{name}' must be one of '{own}'"));
    }
    world
        .refused(&errors::INVALID, "Port", || ask(&session, plain(&web).port(None).protocol(Protocol::Http)));
    world.refused(&errors::INVALID, "Protocol", || ask(&session, plain(&web)));
    let missing = web.require_arn()?.replace("/web/", "/gone/");
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        ask(
            &session,
            CreateListener::new(missing.as_str(), [fixed_response("404")]).port(80).protocol(Protocol::Http),
        )
    });
    assert_eq!(
        Listener::builder().load_balancer_arn(web.require_arn()?).build().unwrap_err().field(),
        Some("Port")
    );
    assert_eq!(Listener::builder().port(80).build().unwrap_err().field(), Some("LoadBalancerArn"));

    let udp = create_group(world, &group_builder(&net, "udp").protocol(Protocol::Udp).port(53).build()?)?;
    let listening =
        CreateListener::new(net_balancer.require_arn()?, [forward_to(&udp)]).port(53).protocol(Protocol::Udp);
    ask(&session, listening)?;
    let tls = create_group(world, &group_builder(&net, "tls").protocol(Protocol::Tls).port(443).build()?)?;
    let secure = || {
        CreateListener::new(net_balancer.require_arn().unwrap(), [forward_to(&tls)])
            .port(443)
            .protocol(Protocol::Tls)
            .certificates([certificate(CERTIFICATE)])
    };
    world.refused(&errors::ALPN_POLICY_NOT_FOUND, "AlpnPolicy", || {
        ask(&session, secure().alpn_policy(["HTTP3"]))
    });
    world.refused(&errors::INVALID_CONFIGURATION, "AlpnPolicy", || {
        ask(&session, plain(&web).protocol(Protocol::Http).alpn_policy(["HTTP2Only"]))
    });
    ask(&session, secure().alpn_policy(["HTTP2Preferred"]))?;
    Ok(())
}

/// A gateway has a single listener, without port and protocol.
pub(super) fn gateway_listener_has_no_port_and_no_protocol(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let model = LoadBalancer::builder().load_balancer_name("gw").r#type(LoadBalancerType::Gateway);
    let gateway = balancers(&session).create(&model.subnets(net.subnets.clone()).build()?).wait()?.remove(0);
    let targets =
        create_group(world, &group_builder(&net, "gw").protocol(Protocol::Geneve).port(6081).build()?)?;
    let model = Listener::builder()
        .load_balancer_arn(gateway.require_arn()?)
        .default_actions([forward_to(&targets)])
        .build()?;
    assert_eq!((model.port(), model.protocol()), (None, None));
    let created = listeners(&session).create(&model).wait()?.remove(0);
    let found = listeners(&session).get(created.require_arn()?).wait()?.unwrap();
    assert_eq!((found.port(), found.protocol()), (None, None));
    assert_eq!(listeners(&session).create(&model).wait()?[0].require_arn()?, created.require_arn()?);
    let create = || CreateListener::new(gateway.require_arn().unwrap(), [forward_to(&targets)]);
    let error = world.refused(&errors::INVALID, "Port", || ask(&session, create().port(80)));
    assert_eq!(error.message(), "A port cannot be specified for gateway listeners");
    let error =
        world.refused(&errors::INVALID, "Protocol", || ask(&session, create().protocol(Protocol::Geneve)));
    assert_eq!(error.message(), "A protocol cannot be specified for gateway listeners");
    let error =
        world.refused(&errors::DUPLICATE_LISTENER, None, || ask(&session, create().tags([("team", "net")])));
    let arn = gateway.require_arn()?;
    assert_eq!(
        error.message(),
        format!("A listener already exists on this port for this load balancer '{arn}'")
    );
    assert!(!error.to_string().contains("port 0"), "{error}");
    Ok(())
}

pub(super) fn update_changes_listener_settings_and_protocol(world: &World) -> Result<()> {
    let session = world.session();
    let (web, group) = (create_balancer(world, "web")?, create_http_group(world, "web")?);
    let mut found = create_https_listener(world, &web, 443)?;
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;
    found.set_port(8443)?;
    found.set_default_actions([forward_to(&group)])?;
    found.set_ssl_policy("ELBSecurityPolicy-TLS13-1-2-2021-06")?;
    found.tags_mut().wait()?.insert("team", "web")?;
    found.save().wait()?;
    let again = listeners(&session).get(found.require_arn()?).wait()?.unwrap();
    assert_eq!(again, found);
    assert_eq!((again.port(), again.ssl_policy()), (Some(8443), Some("ELBSecurityPolicy-TLS13-1-2-2021-06")));
    let mut wrong = again.clone();
    wrong
        .set_load_balancer_arn("arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/x/1")?;
    world.refused(&errors::INVALID, "LoadBalancerArn", || listeners(&session).update(&wrong).wait());

    let modify = || ModifyListener::new(again.require_arn().unwrap());
    ask(&session, modify().protocol(Protocol::Http))?;
    let plain = listeners(&session).get(again.require_arn()?).wait()?.unwrap();
    assert_eq!((plain.ssl_policy(), plain.mutual_authentication()), (None, None));
    assert_eq!(plain.certificates().unwrap_or_default().len(), 0);
    world.refused(&errors::INVALID, "SslPolicy", || {
        ask(&session, modify().protocol(Protocol::Https).certificates([certificate(CERTIFICATE)]))
    });
    let policy = "ELBSecurityPolicy-TLS13-1-3-2021-06";
    world.refused(&errors::INVALID, "Certificates", || {
        ask(&session, modify().protocol(Protocol::Https).ssl_policy(policy))
    });
    world.refused(&errors::INVALID, "SslPolicy", || ask(&session, modify().ssl_policy(policy)));
    let secured =
        modify().protocol(Protocol::Https).certificates([certificate(CERTIFICATE)]).ssl_policy(policy);
    ask(&session, secured)?;
    world.refused(&errors::SSL_POLICY_NOT_FOUND, "SslPolicy", || ask(&session, modify().ssl_policy("none")));
    world.refused(&errors::LISTENER_NOT_FOUND, None, || {
        ask(&session, ModifyListener::new(again.require_arn().unwrap().replace("/web/", "/gone/").as_str()))
    });
    Ok(())
}

pub(super) fn listener_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let mut model = Listener::builder()
        .load_balancer_arn(web.require_arn()?)
        .port(80)
        .protocol(Protocol::Http)
        .default_actions([fixed_response("200")])
        .build()?;
    model.set_session(session.clone());
    model.save().wait()?;
    assert_eq!(listeners(&session).get(model.require_arn()?).wait()?.unwrap(), model);
    model.delete().wait()?;
    assert!(listeners(&session).get(model.require_arn()?).wait()?.is_none());
    world.refused(&errors::LISTENER_NOT_FOUND, None, || model.delete().wait());
    Ok(())
}

pub(super) fn list_listeners_by_load_balancer_or_arn(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let created: Vec<_> = [443, 80, 8080]
        .iter()
        .map(|port| {
            create_listener(world, &web, *port, fixed_response("404"))
                .map(|created| created.require_arn().unwrap().to_owned())
        })
        .collect::<Result<_>>()?;
    let ports = |list: nephos_core::Results<Listener>| -> Vec<i64> {
        list.all().wait().unwrap().iter().filter_map(Listener::port).collect()
    };
    for limit in 1..4 {
        let by_balancer = listeners(&session).list().load_balancer_arn(web.require_arn()?).page_size(limit);
        assert_eq!(ports(by_balancer.results()), [80, 443, 8080]);
    }
    let two = listeners(&session).list().listener_arns([created[2].as_str(), created[0].as_str()]);
    assert_eq!(ports(two.results()), [8080, 443]);
    assert!(ports(listeners(&session).list().listener_arns(Vec::new()).results()).is_empty());
    world.refused(&errors::INVALID, "LoadBalancerArn", || listeners(&session).list().results().all().wait());
    world.refused(&errors::INVALID, "ListenerArns", || {
        let both = listeners(&session).list().listener_arns([created[0].as_str()]);
        both.load_balancer_arn(web.require_arn().unwrap()).results().all().wait()
    });
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        let missing = web.require_arn().unwrap().replace("/web/", "/gone/");
        listeners(&session).list().load_balancer_arn(missing).results().all().wait()
    });
    Ok(())
}
