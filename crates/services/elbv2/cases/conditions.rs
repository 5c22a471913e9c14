//! Conditions and transforms of rules.

use super::{
    World, ask, create_balancer, create_listener, create_rule, fixed_response, path_condition, rules,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    Condition, CreateRule, HostHeaderConfig, HostHeaderRewriteConfig, HttpHeaderConfig,
    HttpRequestMethodConfig, PathPatternConfig, QueryStringConfig, QueryStringKeyValuePair, RewriteConfig,
    SourceIpConfig, Transform, TransformType, UrlRewriteConfig, errors,
};

fn condition_of_type(field: &str) -> nephos_elbv2::ConditionBuilder {
    Condition::builder().field(field)
}

fn header_condition(name: &str, values: &[&str]) -> Condition {
    let config = HttpHeaderConfig::builder().http_header_name(name).values(values).build().unwrap();
    condition_of_type("http-header").http_header_config(config).build().unwrap()
}

fn query_condition(key: Option<&str>, value: &str) -> Condition {
    let pair = QueryStringKeyValuePair::builder().key(key).value(value).build().unwrap();
    let config = QueryStringConfig::builder().values([pair]).build().unwrap();
    condition_of_type("query-string").query_string_config(config).build().unwrap()
}

fn source_ip_condition(block: &str) -> Condition {
    let config = SourceIpConfig::builder().values([block]).build().unwrap();
    condition_of_type("source-ip").source_ip_config(config).build().unwrap()
}

pub(super) fn condition_values_are_returned_in_condition_and_config(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let plain = create_rule(world, &port, 1, path_condition("/img/*"), fixed_response("200"))?;
    let config = HostHeaderConfig::builder().values(["*.example.com"]).build()?;
    let unnamed = Condition::builder().host_header_config(config).build()?;
    let configured = create_rule(world, &port, 2, unnamed, fixed_response("200"))?;
    let get_condition =
        |arn: &str| rules(&session).get(arn).wait().unwrap().unwrap().conditions().unwrap()[0].clone();
    let paths = get_condition(plain.require_arn()?);
    assert_eq!((paths.field(), paths.values().unwrap()), (Some("path-pattern"), &["/img/*".into()][..]));
    assert_eq!(paths.path_pattern_config().unwrap().values().unwrap(), ["/img/*"]);
    let hosts = get_condition(configured.require_arn()?);
    assert_eq!(
        (hosts.field(), hosts.values().unwrap()),
        (Some("host-header"), &["*.example.com".into()][..])
    );
    let mut found = rules(&session).get(configured.require_arn()?).wait()?.unwrap();
    found.set_conditions([hosts.clone(), paths])?;
    found.save().wait()?;
    assert_eq!(get_condition(configured.require_arn()?), hosts, "a model is sent without repeated values");
    create_rule(world, &port, 3, hosts, fixed_response("200"))?;
    Ok(())
}

pub(super) fn invalid_conditions_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let create = |condition: Condition| {
        CreateRule::new([condition], [fixed_response("200")], port.require_arn().unwrap(), 1)
    };
    let refuse = |name: &str, condition: Condition| {
        let name = format!("Conditions[0].{name}");
        world.refused(&errors::INVALID, name.as_str(), || ask(&session, create(condition)))
    };
    assert!(condition_of_type("cookie").build().is_err());
    refuse("Field", Condition::builder().values(["/a"]).build()?);
    refuse("Values", condition_of_type("path-pattern").build()?);
    refuse("Values", condition_of_type("source-ip").values(["10.0.0.0/8"]).build()?);
    refuse("SourceIpConfig.Values", source_ip_condition("10.0.0.0/33"));
    refuse("SourceIpConfig.Values", source_ip_condition("10.0.0.1"));
    for (config, field) in [
        ("HttpHeaderConfig", "http-header"),
        ("QueryStringConfig", "query-string"),
        ("HttpRequestMethodConfig", "http-request-method"),
        ("SourceIpConfig", "source-ip"),
    ] {
        let error = refuse(config, condition_of_type(field).build()?);
        assert_eq!(error.message(), format!("A '{config}' must be specified with '{field}'"));
    }
    let empty = SourceIpConfig::builder().values(Vec::new()).build()?;
    let error = refuse("Values", condition_of_type("source-ip").source_ip_config(empty).build()?);
    assert_eq!(error.message(), "A condition value must be specified");
    refuse("HttpHeaderConfig.HttpHeaderName", header_condition("Host", &["x"]));
    let paths = PathPatternConfig::builder().values(["/b"]).build()?;
    refuse("PathPatternConfig", condition_of_type("host-header").path_pattern_config(paths.clone()).build()?);
    for values in ["/a", "/b"] {
        let both = condition_of_type("path-pattern").values([values]).path_pattern_config(paths.clone());
        let error = refuse("Values", both.build()?);
        assert_eq!(
            error.message(),
            "You cannot provide both Values and 'PathPatternConfig' for a condition of type 'path-pattern'"
        );
    }
    let hosts = HostHeaderConfig::builder().regex_values(["^www"]).build()?;
    let both = condition_of_type("host-header").regex_values(["^www"]).host_header_config(hosts).build()?;
    let error = refuse("RegexValues", both);
    assert_eq!(
        error.message(),
        "You cannot provide both RegexValues and 'HostHeaderConfig' for a condition of type 'host-header'"
    );
    refuse("RegexValues", condition_of_type("path-pattern").regex_values(["^/("]).build()?);
    refuse("RegexValues", condition_of_type("path-pattern").values(["/a"]).regex_values(["^/a"]).build()?);
    refuse("RegexValues", condition_of_type("query-string").regex_values(["a"]).build()?);
    assert!(HttpHeaderConfig::builder().http_header_name("a b").build().is_err());
    assert!(HttpRequestMethodConfig::builder().values(["get"]).build().is_err());
    assert!(PathPatternConfig::builder().values(["x".repeat(129)]).build().is_err());

    let methods = HttpRequestMethodConfig::builder().values(["GET", "M-SEARCH"]).build()?;
    let methods = condition_of_type("http-request-method").http_request_method_config(methods).build()?;
    let expression = condition_of_type("host-header").regex_values(["^www\\."]).build()?;
    for (n, condition) in [
        header_condition("X-A", &["b*"]),
        query_condition(Some("a"), "b"),
        query_condition(None, "b"),
        source_ip_condition("::/0"),
        methods,
        expression,
    ]
    .into_iter()
    .enumerate()
    {
        create_rule(world, &port, n as i64 + 1, condition, fixed_response("200"))?;
    }
    Ok(())
}

pub(super) fn condition_limits_are_enforced(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let create = |conditions: Vec<Condition>| {
        CreateRule::new(conditions, [fixed_response("200")], port.require_arn().unwrap(), 1)
    };
    world.refused(&errors::INVALID, "Conditions", || ask(&session, create(Vec::new())));
    for twice in [
        path_condition("/a"),
        source_ip_condition("10.0.0.0/8"),
        condition_of_type("host-header").values(["x"]).build()?,
    ] {
        world
            .refused(&errors::INVALID, "Conditions[1]", || ask(&session, create(vec![twice.clone(), twice])));
    }
    let six = vec![
        header_condition("A", &["1", "2", "3"]),
        header_condition("B", &["1", "2"]),
        query_condition(None, "x"),
    ];
    world.refused(&errors::INVALID, "Conditions", || ask(&session, create(six.clone())));
    let wild = header_condition("A", &["*a*", "*b*", "?c?", "*"]);
    world.refused(&errors::INVALID, "Conditions", || ask(&session, create(vec![wild])));
    ask(&session, create(six[1..].to_vec()))?;
    Ok(())
}

pub(super) fn invalid_transforms_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let port = create_listener(world, &web, 80, fixed_response("404"))?;
    let rewrite = |regex: &str| RewriteConfig::builder().regex(regex).replace("/new/$1").build().unwrap();
    let url = |rewrites: Vec<RewriteConfig>| {
        let config = UrlRewriteConfig::builder().rewrites(rewrites).build().unwrap();
        Transform::builder().r#type(TransformType::UrlRewrite).url_rewrite_config(config).build().unwrap()
    };
    let host = {
        let config = HostHeaderRewriteConfig::builder().rewrites([rewrite("^www\\.(.*)")]).build()?;
        Transform::builder()
            .r#type(TransformType::HostHeaderRewrite)
            .host_header_rewrite_config(config)
            .build()?
    };
    let create = |transforms: Vec<Transform>| {
        CreateRule::new([path_condition("/a")], [fixed_response("200")], port.require_arn().unwrap(), 1)
            .transforms(transforms)
    };
    let refuse = |field: &str, transforms: Vec<Transform>| {
        world.refused(&errors::INVALID, field, || ask(&session, create(transforms)))
    };
    let good = url(vec![rewrite("^/old/(.*)")]);
    refuse("Transforms[1]", vec![good.clone(), good.clone()]);
    refuse("Transforms[0].UrlRewriteConfig.Rewrites", vec![url(Vec::new())]);
    refuse("Transforms[0].UrlRewriteConfig.Rewrites[0].Regex", vec![url(vec![rewrite("(")])]);
    let mut mixed = good.clone();
    mixed.set_host_header_rewrite_config(host.host_header_rewrite_config().cloned())?;
    refuse("Transforms[0].HostHeaderRewriteConfig", vec![mixed]);
    assert!(RewriteConfig::builder().regex("a").build().is_err() && Transform::builder().build().is_err());
    ask(&session, create(vec![good, host]))?;
    let created = rules(&session).list().listener_arn(port.require_arn()?).results().first().wait()?.unwrap();
    assert_eq!(created.transforms().unwrap().len(), 2);
    Ok(())
}
