//! Attributes, security policies and limits.

use super::{
    World, ask, balancers, create_balancer, create_function_group, create_group, create_http_group,
    create_listener, fixed_response, group_builder, groups, listeners, listeners::create_https_listener,
    network,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    DescribeAccountLimits, DescribeSSLPolicies, LoadBalancer, LoadBalancerScheme, LoadBalancerType,
    ModifyLoadBalancerAttributes, Protocol, TargetGroup, errors,
};

pub(super) fn attributes_have_defaults(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let web = create_balancer(world, "web")?;
    let list = web.attributes().wait()?;
    let map = web.attribute_map().wait()?;
    assert_eq!((list.len(), map.len()), (23, 23));
    for (key, value) in [
        ("deletion_protection.enabled", "false"),
        ("load_balancing.cross_zone.enabled", "true"),
        ("idle_timeout.timeout_seconds", "60"),
        ("client_keep_alive.seconds", "3600"),
        ("routing.http.desync_mitigation_mode", "defensive"),
        ("routing.http.xff_header_processing.mode", "append"),
        ("routing.http2.enabled", "true"),
        ("ipv6.deny_all_igw_traffic", "false"),
        ("access_logs.s3.bucket", ""),
    ] {
        assert_eq!(map.get(key).map(|value| value.as_str()), Some(value), "{key}");
    }
    let create = |name: &str, balancer_type| {
        let model = LoadBalancer::builder()
            .load_balancer_name(name)
            .r#type(balancer_type)
            .subnets(net.subnets.clone());
        balancers(&session).create(&model.build().unwrap()).wait().unwrap().remove(0)
    };
    let (net_balancer, gateway) =
        (create("net", LoadBalancerType::Network), create("gw", LoadBalancerType::Gateway));
    let network_attributes = net_balancer.attribute_map().wait()?;
    assert_eq!(network_attributes.get("load_balancing.cross_zone.enabled").unwrap(), "false");
    assert_eq!(network_attributes.get("dns_record.client_routing_policy").unwrap(), "any_availability_zone");
    assert!(!network_attributes.contains_key("idle_timeout.timeout_seconds"));
    assert_eq!(gateway.attributes().wait()?.len(), 2);
    let model = LoadBalancer::builder().load_balancer_name("in").scheme(LoadBalancerScheme::Internal);
    let internal = balancers(&session).create(&model.subnets(net.subnets.clone()).build()?).wait()?.remove(0);
    assert_eq!(internal.attribute_map().wait()?.get("ipv6.deny_all_igw_traffic").unwrap(), "true");

    let attributes = create_http_group(world, "web")?.attribute_map().wait()?;
    assert_eq!(attributes.get("deregistration_delay.timeout_seconds").unwrap(), "300");
    assert_eq!(attributes.get("stickiness.type").unwrap(), "lb_cookie");
    assert_eq!(attributes.get("load_balancing.algorithm.type").unwrap(), "round_robin");
    let attributes = create_function_group(world, "fn")?.attribute_map().wait()?;
    assert!(attributes.contains_key("lambda.multi_value_headers.enabled"));
    assert!(!attributes.contains_key("deregistration_delay.timeout_seconds"));
    let udp = create_group(world, &group_builder(&net, "udp").protocol(Protocol::Udp).port(53).build()?)?;
    assert_eq!(udp.attribute_map().wait()?.get("preserve_client_ip.enabled").unwrap(), "true");

    let plain = create_listener(world, &web, 80, fixed_response("404"))?;
    let https = create_https_listener(world, &web, 443)?;
    assert_eq!(plain.attributes().wait()?.len() + 8, https.attributes().wait()?.len());
    Ok(())
}

pub(super) fn invalid_attributes_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let arn = web.require_arn()?;
    let set = |key: &str, value: &str| balancers(&session).set_attributes(arn, [(key, value)]).wait();
    for (key, value) in [
        ("deletion_protection.enabled", "yes"),
        ("deletion_protection.enable", "true"),
        ("idle_timeout.timeout_seconds", "0"),
        ("idle_timeout.timeout_seconds", "4001"),
        ("idle_timeout.timeout_seconds", "060"),
        ("routing.http.desync_mitigation_mode", "none"),
        ("load_balancing.cross_zone.enabled", "false"),
    ] {
        world.refused(&errors::INVALID, "Attributes[0]", || set(key, value));
    }
    let unknown = world.refused(&errors::INVALID, "Attributes[0]", || set("waf.open", "true"));
    assert_eq!(unknown.message(), "Load balancer attribute key 'waf.open' is not recognized");
    let of_network = world.refused(&errors::INVALID_CONFIGURATION, "Attributes[0]", || {
        set("dns_record.client_routing_policy", "any_availability_zone")
    });
    assert_eq!(
        of_network.message(),
        "Load balancer attribute key 'dns_record.client_routing_policy' is not supported on load balancers with type 'application'"
    );
    world.refused(&errors::INVALID, "Attributes[1]", || {
        let twice = [("waf.fail_open.enabled", "true"), ("waf.fail_open.enabled", "false")];
        balancers(&session).set_attributes(arn, twice).wait()
    });
    let many = vec![("waf.fail_open.enabled", "true").into(); 21];
    world.refused(&errors::INVALID, "Attributes", || {
        ask(&session, ModifyLoadBalancerAttributes::new(arn, many))
    });
    let returned = set("idle_timeout.timeout_seconds", "4000")?;
    assert_eq!(returned.len(), 23, "all attributes are returned");
    let before = world.state()?;
    set("idle_timeout.timeout_seconds", "4000")?;
    world.assert_unchanged(&before)?;
    assert_eq!(web.attribute_map().wait()?.get("idle_timeout.timeout_seconds").unwrap(), "4000");
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        balancers(&session).attributes(missing.as_str()).wait()
    });

    let group = create_http_group(world, "web")?;
    world.refused(&errors::INVALID, "Attributes[0]", || {
        let cookie = [("stickiness.app_cookie.cookie_name", "AWSALBAPP-0")];
        groups(&session).set_attributes(group.require_arn().unwrap(), cookie).wait()
    });
    groups(&session).set_attributes(group.require_arn()?, [("slow_start.duration_seconds", "30")]).wait()?;
    let plain = create_listener(world, &web, 80, fixed_response("404"))?;
    listeners(&session)
        .set_attributes(plain.require_arn()?, [("routing.http.response.server.enabled", "false")])
        .wait()?;
    world.refused(&errors::INVALID, "Attributes[0]", || {
        listeners(&session)
            .set_attributes(plain.require_arn().unwrap(), [("tcp.idle_timeout.seconds", "60")])
            .wait()
    });
    Ok(())
}

pub(super) fn conflicting_attributes_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let logs = ("access_logs.s3.enabled", "true");
    world.refused(&errors::INVALID_CONFIGURATION, "Attributes", || {
        balancers(&session).set_attributes(web.require_arn().unwrap(), [logs]).wait()
    });
    balancers(&session)
        .set_attributes(web.require_arn()?, [logs, ("access_logs.s3.bucket", "logs")])
        .wait()?;
    let group = create_http_group(world, "web")?;
    let mitigate = ("load_balancing.algorithm.anomaly_mitigation", "on");
    world.refused(&errors::INVALID_CONFIGURATION, "Attributes", || {
        groups(&session).set_attributes(group.require_arn().unwrap(), [mitigate]).wait()
    });
    let random = ("load_balancing.algorithm.type", "weighted_random");
    groups(&session).set_attributes(group.require_arn()?, [mitigate, random]).wait()?;
    Ok(())
}

pub(super) fn stickiness_depends_on_the_protocol(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let create = |name: &str, protocol: Protocol, port: i64| {
        create_group(world, &group_builder(&net, name).protocol(protocol).port(port).build().unwrap())
            .unwrap()
    };
    let set = |group: &TargetGroup, key: &str, value: &str| {
        groups(&session).set_attributes(group.require_arn().unwrap(), [(key, value)]).wait()
    };
    let groups = [
        (create("http", Protocol::Http, 80), "HTTP", "source_ip", "lb_cookie"),
        (create("https", Protocol::Https, 443), "HTTPS", "source_ip_dest_ip", "app_cookie"),
        (create("tcp", Protocol::Tcp, 25), "TCP", "lb_cookie", "source_ip"),
        (create("udp", Protocol::Udp, 53), "UDP", "app_cookie", "source_ip"),
        (create("gateway", Protocol::Geneve, 6081), "GENEVE", "source_ip", "source_ip_dest_ip_proto"),
    ];
    for (group, protocol, wrong, right) in &groups {
        let error = world.refused(&errors::INVALID_CONFIGURATION, "Attributes[0]", || {
            set(group, "stickiness.type", wrong)
        });
        assert_eq!(
            error.message(),
            format!(
                "Stickiness type '{wrong}' is not supported for target groups with the {protocol} protocol"
            )
        );
        world.refused(&errors::INVALID, "Attributes[0]", || set(group, "stickiness.type", "cookie"));
        set(group, "stickiness.type", right)?;
    }
    let tls = create("tls", Protocol::Tls, 443);
    let error = world
        .refused(&errors::INVALID_CONFIGURATION, "Attributes[0]", || set(&tls, "stickiness.enabled", "true"));
    assert_eq!(error.message(), "You cannot enable stickiness on target groups with the TLS protocol");
    set(&tls, "stickiness.enabled", "false")?;
    let https = &groups[1].0;
    let error = world
        .refused(&errors::INVALID_CONFIGURATION, "Attributes", || set(https, "stickiness.enabled", "true"));
    assert_eq!(
        error.message(),
        "You must set an application cookie name to enable stickiness of type 'app_cookie'"
    );
    set(https, "stickiness.app_cookie.cookie_name", "session")?;
    set(https, "stickiness.enabled", "true")?;
    let function = create_function_group(world, "fn")?;
    let error = world.refused(&errors::INVALID_CONFIGURATION, "Attributes[0]", || {
        set(&function, "deregistration_delay.timeout_seconds", "5")
    });
    assert_eq!(
        error.message(),
        "A target group with target type 'lambda' does not support the attribute deregistration_delay.timeout_seconds"
    );
    Ok(())
}

pub(super) fn ssl_policies_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let all = balancers(&session).ssl_policies().wait()?;
    assert!(all.len() > 20);
    let one = balancers(&session).ssl_policies().names(["ELBSecurityPolicy-TLS13-1-3-2021-06"]).wait()?;
    assert_eq!(one[0].ssl_protocols().unwrap(), ["TLSv1.3"]);
    let ciphers = one[0].ciphers().unwrap();
    assert_eq!((ciphers.len(), ciphers[0].priority()), (3, Some(1)));
    let renewed_name =
        |name: &str| name.replace("-2021-06", "-PQ-2025-09").replace("-2023-04", "-PQ-2025-09");
    let named = |name: &str| all.iter().find(|policy| policy.name() == Some(name)).unwrap();
    let pairs: Vec<_> = all.iter().filter(|policy| policy.name().unwrap().contains("-PQ-")).collect();
    assert_eq!(pairs.len(), 13);
    for older in all.iter().filter(|policy| !policy.name().unwrap().contains("TLS13-1-1-")) {
        let name = renewed_name(older.name().unwrap());
        if older.name() == Some(name.as_str()) {
            continue;
        }
        let policy = named(&name);
        assert_eq!(
            (policy.ciphers(), policy.ssl_protocols()),
            (older.ciphers(), older.ssl_protocols()),
            "{name}"
        );
    }
    assert!(balancers(&session).ssl_policies().names(Vec::new()).wait()?.is_empty());
    assert!(
        balancers(&session).ssl_policies().load_balancer_type(LoadBalancerType::Gateway).wait()?.is_empty()
    );
    let error = world.refused(&errors::SSL_POLICY_NOT_FOUND, "Names", || {
        balancers(&session).ssl_policies().names(["ELBSecurityPolicy-2016-07"]).wait()
    });
    assert_eq!(error.message(), "SSL policy 'ELBSecurityPolicy-2016-07' not found");
    let page = ask(&session, DescribeSSLPolicies::new().page_size(5))?;
    assert_eq!(page.ssl_policies().unwrap().len(), 5);
    assert!(page.next_marker().is_some());
    Ok(())
}

pub(super) fn account_limits_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let all = balancers(&session).account_limits().wait()?;
    let limit =
        |name: &str| all.iter().find(|limit| limit.name() == Some(name)).unwrap().max().unwrap().to_owned();
    assert_eq!((limit("application-load-balancers"), limit("target-groups")), ("50".into(), "3000".into()));
    assert_eq!(limit("target-id-registrations-per-application-load-balancer"), "1000");
    assert_eq!(
        (limit("geneve-target-groups"), limit("targets-per-network-load-balancer")),
        ("100".into(), "3000".into())
    );
    let page = ask(&session, DescribeAccountLimits::new().page_size(400))?;
    assert_eq!(page.limits().unwrap().len(), all.len());
    let web = create_balancer(world, "web")?;
    for port in 1..=50 {
        create_listener(world, &web, port, fixed_response("404"))?;
    }
    world.refused(&errors::TOO_MANY_LISTENERS, None, || {
        create_listener(world, &web, 51, fixed_response("404"))
    });
    Ok(())
}
