//! Target groups: create with defaults, get, list, update, delete.

use super::{
    World, ask, create_function_group, create_group, create_http_group, group_builder, groups, network,
};
use nephos_core::{Pk, Result, prelude::*};
use nephos_elbv2::{
    CreateTargetGroup, Protocol, ResponseCodeMatcher, TargetGroup, TargetGroupIpAddressType, TargetType,
    errors,
};

pub(super) fn create_then_get_returns_target_group(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let group = TargetGroup::builder()
        .target_group_name("web-1")
        .protocol(Protocol::Http)
        .port(8080)
        .vpc_id(net.vpc.as_str())
        .target_type(TargetType::Instance)
        .health_check_path("/health")
        .health_check_interval_seconds(10)
        .health_check_timeout_seconds(5)
        .healthy_threshold_count(3)
        .unhealthy_threshold_count(4)
        .health_check_port("8081")
        .matcher(ResponseCodeMatcher::builder().http_code("200,202-299").build()?)
        .protocol_version("HTTP2")
        .target_control_port(9000)
        .tags([("team", "web")])
        .build()?;
    let created = groups(&session).create(&group, "web-1").tags([("stage", "test")]).wait()?.remove(0);
    let arn = created.require_arn()?.to_owned();
    assert!(
        arn.starts_with("arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/web-1/"),
        "{arn}"
    );
    assert_eq!(arn.rsplit('/').next().map(str::len), Some(16));
    let found = groups(&session).get().target_group_arn(arn.as_str()).wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(groups(&session).get().name("web-1").wait()?.unwrap(), created);
    assert_eq!((found.require_name()?, found.pk()?), ("web-1", Pk::Single(arn.into())));
    assert_eq!((found.port(), found.health_check_port()), (Some(8080), Some("8081")));
    assert_eq!((found.protocol_version(), found.target_control_port()), (Some("HTTP2"), Some(9000)));
    assert_eq!(found.matcher().unwrap().http_code(), Some("200,202-299"));
    assert_eq!(found.load_balancer_arns().unwrap_or_default().len(), 0);
    let tags = found.tags_map().wait()?;
    assert_eq!((tags.get("team").unwrap(), tags.get("stage").unwrap()), (&"web".into(), &"test".into()));
    assert!(found.is_saved() && found.changed().is_empty());
    Ok(())
}

/// Defaults depend on the protocol and the target type.
pub(super) fn target_group_defaults_depend_on_protocol(world: &World) -> Result<()> {
    let net = network(world);
    let health_check = |group: &TargetGroup| {
        (
            group.health_check_protocol().cloned(),
            group.health_check_port().map(str::to_owned),
            group.health_check_interval_seconds().unwrap(),
            group.health_check_timeout_seconds().unwrap(),
            group.healthy_threshold_count().unwrap(),
            group.unhealthy_threshold_count().unwrap(),
            group.health_check_path().map(str::to_owned),
            group.matcher().and_then(|matcher| matcher.http_code()).map(str::to_owned),
        )
    };
    let text = |text: &str| Some(text.to_owned());
    let traffic = text("traffic-port");
    for (protocol, port, expected) in [
        (Protocol::Http, 80, (Some(Protocol::Http), traffic.clone(), 30, 6, 5, 2, text("/"), text("200"))),
        (Protocol::Https, 443, (Some(Protocol::Http), traffic.clone(), 30, 10, 5, 2, text("/"), text("200"))),
        (Protocol::Tcp, 25, (Some(Protocol::Tcp), traffic.clone(), 30, 10, 5, 2, None, None)),
        (Protocol::Udp, 53, (Some(Protocol::Tcp), traffic.clone(), 30, 10, 5, 2, None, None)),
        (Protocol::Geneve, 6081, (Some(Protocol::Tcp), text("80"), 10, 5, 5, 2, None, None)),
    ] {
        let name = format!("g{port}");
        let created =
            create_group(world, &group_builder(&net, &name).protocol(protocol).port(port).build()?)?;
        assert_eq!(health_check(&created), expected, "{port}");
        assert_eq!(created.health_check_enabled(), Some(true));
        assert_eq!(
            created.target_type(),
            Some(&TargetType::Ip),
            "the default of the specification, not of the service"
        );
        assert_eq!(created.ip_address_type(), Some(&TargetGroupIpAddressType::Ipv4));
    }
    let default = TargetGroup::builder().target_group_name("d").port(1).vpc_id(net.vpc.as_str()).build()?;
    assert_eq!(default.protocol(), Some(&Protocol::Https));
    let created = create_function_group(world, "fn")?;
    assert_eq!(health_check(&created), (None, None, 35, 30, 5, 5, text("/"), text("200")));
    assert_eq!((created.protocol(), created.port(), created.vpc_id()), (None, None, None));
    assert_eq!(created.health_check_enabled(), Some(false));
    let named =
        ask(&world.session(), CreateTargetGroup::new("i").protocol(Protocol::Http).port(1).vpc_id(&net.vpc));
    assert!(format!("{:?}", named?).contains("instance"), "the default of the service");
    let grpc = group_builder(&net, "grpc").protocol_version("GRPC").build()?;
    let grpc = create_group(world, &grpc)?;
    assert_eq!(grpc.matcher().unwrap().grpc_code(), Some("12"));
    assert_eq!(grpc.health_check_path(), Some("/AWS.ALB/healthcheck"));
    Ok(())
}

pub(super) fn create_target_group_is_idempotent(world: &World) -> Result<()> {
    let net = network(world);
    let created = create_http_group(world, "web")?;
    let before = world.state()?;
    assert_eq!(create_http_group(world, "web")?.require_arn()?, created.require_arn()?);
    world.assert_unchanged(&before)?;
    let other = group_builder(&net, "web").protocol(Protocol::Http).port(81).build()?;
    world.refused(&errors::DUPLICATE_TARGET_GROUP, None, || create_group(world, &other));
    let session = world.session();
    let tagged = group_builder(&net, "web").protocol(Protocol::Http).port(80).build()?;
    world.refused(&errors::DUPLICATE_TARGET_GROUP, None, || {
        groups(&session).create(&tagged, "web").tags([("a", "b")]).wait()
    });
    Ok(())
}

pub(super) fn invalid_target_group_names_are_refused(world: &World) -> Result<()> {
    let net = network(world);
    let long = "a".repeat(33);
    let characters = "can only contain characters that are alphanumeric characters or hyphens(-)";
    for (name, reason) in [
        ("-a", "cannot begin or end with '-'"),
        ("a-", "cannot begin or end with '-'"),
        ("a_b", characters),
        ("a.b", characters),
        ("é", characters),
        (&long, "cannot be longer than '32' characters"),
    ] {
        let error = TargetGroup::builder().target_group_name(name).port(1).build().unwrap_err();
        assert_eq!(error.field(), Some("TargetGroupName"), "{name:?}");
        let error =
            world.refused(&errors::INVALID, "Name", || ask(&world.session(), CreateTargetGroup::new(name)));
        assert_eq!(error.message(), format!("Target group name '{name}' {reason}"));
    }
    world.refused(&errors::INVALID, "Name", || ask(&world.session(), CreateTargetGroup::new("")));
    for name in ["a", "A1-b", &"a".repeat(32)] {
        create_group(world, &group_builder(&net, name).build()?)?;
    }
    let named = group_builder(&net, "one").build()?;
    let session = world.session();
    world.refused(&errors::INVALID, "TargetGroupName", || groups(&session).create(&named, "two").wait());
    Ok(())
}

/// Port, protocol and VPC are required, except for functions.
pub(super) fn required_fields_depend_on_target_type(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let error = TargetGroup::builder().target_group_name("a").build().unwrap_err();
    assert_eq!(error.field(), Some("Port"));
    TargetGroup::builder().target_group_name("a").target_type(TargetType::Function).build()?;
    let full = || CreateTargetGroup::new("a").protocol(Protocol::Http).port(80).vpc_id(&net.vpc);
    let refuse = |field: &str, create: CreateTargetGroup| {
        world.refused(&errors::INVALID, field, || ask(&session, create.clone()));
    };
    refuse("Protocol", full().protocol(None::<Protocol>));
    refuse("Port", full().port(None));
    refuse("VpcId", full().vpc_id(None::<&str>));
    refuse("VpcId", full().vpc_id("vpc-0123456789abcdef0"));
    refuse("Port", full().port(0));
    refuse("Port", full().protocol(Protocol::Geneve));
    refuse("Protocol", full().target_type(TargetType::Alb));
    refuse("ProtocolVersion", full().protocol_version("HTTP3"));
    refuse("ProtocolVersion", full().protocol(Protocol::Tcp).protocol_version("HTTP2"));
    refuse("TargetControlPort", full().protocol(Protocol::Tcp).target_control_port(1));
    refuse("Protocol", full().target_type(TargetType::Function));
    refuse("Port", full().target_type(TargetType::Function).protocol(None::<Protocol>));
    refuse("VpcId", full().target_type(TargetType::Function).protocol(None::<Protocol>).port(None));
    Ok(())
}

pub(super) fn invalid_health_checks_are_refused(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let create =
        |protocol: Protocol| CreateTargetGroup::new("a").protocol(protocol).port(80).vpc_id(&net.vpc);
    let refuse = |field: &str, create: CreateTargetGroup| {
        world.refused(&errors::INVALID, field, || ask(&session, create.clone()))
    };
    let refuse_configuration = |field: &str, create: CreateTargetGroup| {
        world.refused(&errors::INVALID_CONFIGURATION, field, || ask(&session, create.clone()));
    };
    refuse("HealthCheckIntervalSeconds", create(Protocol::Http).health_check_interval_seconds(4));
    refuse("HealthCheckIntervalSeconds", create(Protocol::Http).health_check_interval_seconds(301));
    refuse("HealthCheckTimeoutSeconds", create(Protocol::Http).health_check_timeout_seconds(121));
    refuse(
        "HealthCheckTimeoutSeconds",
        create(Protocol::Http).health_check_interval_seconds(10).health_check_timeout_seconds(11),
    );
    let error = refuse(
        "HealthCheckTimeoutSeconds",
        create(Protocol::Http).health_check_interval_seconds(10).health_check_timeout_seconds(10),
    );
    assert_eq!(error.message(), "Health check interval must be greater than the timeout.");
    refuse("HealthyThresholdCount", create(Protocol::Http).healthy_threshold_count(1));
    refuse("UnhealthyThresholdCount", create(Protocol::Http).unhealthy_threshold_count(11));
    refuse("HealthCheckPort", create(Protocol::Http).health_check_port("70000"));
    refuse("HealthCheckPort", create(Protocol::Http).health_check_port("0"));
    refuse("HealthCheckPort", create(Protocol::Http).health_check_port("any"));
    refuse("HealthCheckPath", create(Protocol::Http).health_check_path("health"));
    refuse("HealthCheckEnabled", create(Protocol::Http).health_check_enabled(false));
    refuse("HealthCheckProtocol", create(Protocol::Tcp).health_check_protocol(Protocol::Udp));
    refuse_configuration("HealthCheckProtocol", create(Protocol::Http).health_check_protocol(Protocol::Tcp));
    refuse_configuration("HealthCheckPath", create(Protocol::Tcp).health_check_path("/"));
    let codes = |codes: &str| ResponseCodeMatcher::builder().http_code(codes).build().unwrap();
    refuse_configuration("Matcher", create(Protocol::Tcp).matcher(codes("200")));
    for wrong in ["199", "200-500", "300-200"] {
        refuse("Matcher.HttpCode", create(Protocol::Http).matcher(codes(wrong)));
    }
    refuse("Matcher", create(Protocol::Http).protocol_version("GRPC").matcher(codes("200")));
    refuse(
        "HealthCheckProtocol",
        CreateTargetGroup::new("f").target_type(TargetType::Function).health_check_protocol(Protocol::Http),
    );
    let by_http = create(Protocol::Tcp).health_check_protocol(Protocol::Http).matcher(codes("200-599"));
    ask(&session, by_http)?;
    Ok(())
}

pub(super) fn update_changes_health_checks_of_target_group(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = create_http_group(world, "web")?;
    web.set_health_check_path("/new")?;
    web.set_healthy_threshold_count(2)?;
    web.tags_mut().wait()?.insert("team", "web")?;
    let changed = groups(&session).update(&web).wait()?.remove(0);
    assert_eq!((changed.health_check_path(), changed.healthy_threshold_count()), (Some("/new"), Some(2)));
    assert_eq!(changed.unhealthy_threshold_count(), Some(2), "unchanged fields stay");
    let found = groups(&session).get().name("web").wait()?.unwrap();
    assert_eq!(found, changed);
    assert_eq!(found.tags_map().wait()?.len(), 1);

    let mut found = found;
    let before = world.state()?;
    found.save().wait()?;
    world.assert_unchanged(&before)?;
    found.set_port(81)?;
    world.refused(&errors::INVALID, "Port", || groups(&session).update(&found).wait());
    Ok(())
}

pub(super) fn target_group_model_saves_and_deletes(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let mut group = group_builder(&net, "web").build()?;
    group.set_session(session.clone());
    group.save().wait()?;
    assert!(group.is_saved() && group.require_arn()?.contains("/web/"));
    group.set_health_check_interval_seconds(60)?;
    group.save().wait()?;
    assert_eq!(groups(&session).get().name("web").wait()?.unwrap().health_check_interval_seconds(), Some(60));
    group.delete().wait()?;
    assert!(groups(&session).get().name("web").wait()?.is_none());
    world.refused(&errors::TARGET_GROUP_NOT_FOUND, None, || group.delete().wait());
    Ok(())
}

pub(super) fn list_target_groups_by_arn_or_name(world: &World) -> Result<()> {
    let session = world.session();
    let (a, b) = (create_http_group(world, "a")?, create_http_group(world, "b")?);
    world.refused(&errors::INVALID, "TargetGroupArn", || groups(&session).get().wait());
    world.refused(&errors::INVALID, "Name", || {
        groups(&session).get().name("a").target_group_arn(a.require_arn().unwrap()).wait()
    });
    assert!(groups(&session).get().name("c").wait()?.is_none());
    let missing = a.require_arn()?.replace("/a/", "/c/");
    assert!(groups(&session).get().target_group_arn(missing).wait()?.is_none());
    let error = world
        .refused(&errors::INVALID, "TargetGroupArns", || groups(&session).get().target_group_arn("a").wait());
    assert_eq!(error.message(), "'a' is not a valid target group ARN");

    let names = |list: nephos_core::Results<TargetGroup>| super::names(&list.all().wait().unwrap()).unwrap();
    assert_eq!(names(groups(&session).list().results()), ["a", "b"]);
    assert_eq!(names(groups(&session).list().names(["b", "a", "b"]).results()), ["b", "a"]);
    assert_eq!(names(groups(&session).list().target_group_arns([b.require_arn()?]).results()), ["b"]);
    assert!(
        names(groups(&session).list().names(Vec::new()).results()).is_empty(),
        "an empty list selects nothing"
    );
    assert!(names(groups(&session).list().target_group_arns(Vec::new()).results()).is_empty());
    let many = vec![a.require_arn()?; 21];
    let by_arn = world.refused(&errors::INVALID, "TargetGroupArns", || {
        groups(&session).list().target_group_arns(many.as_slice()).results().all().wait()
    });
    let by_name = world.refused(&errors::INVALID, "Names", || {
        groups(&session).list().names(["a"; 21].as_slice()).results().all().wait()
    });
    for error in [by_arn, by_name] {
        assert_eq!(error.message(), "You cannot describe more than '20' target groups at a time");
    }
    assert_eq!(names(groups(&session).list().names(["a"; 20].as_slice()).results()), ["a"]);
    world.refused(&errors::INVALID, "TargetGroupArns", || {
        groups(&session)
            .list()
            .names(["a"])
            .target_group_arns([b.require_arn().unwrap()])
            .results()
            .all()
            .wait()
    });
    world.refused(&errors::TARGET_GROUP_NOT_FOUND, None, || {
        groups(&session).list().names(["c"]).results().all().wait()
    });
    assert!(TargetGroup::objects(&world.other_region()).list().results().all().wait()?.is_empty());
    assert!(TargetGroup::objects(&world.other_account()).list().results().all().wait()?.is_empty());
    Ok(())
}
