//! `nephos load-balancer map`: the routing of a load balancer as a tree and as a graph.

use crate::{
    harness::{Program, assert_snapshot},
    process::{nephos, serve, stop},
};
use nephos::{
    Cloud, CloudOptions, Listener, LoadBalancer, Rule, Subnet, TargetGroup, Vpc,
    prelude::*,
    services::elbv2::{
        Action, Condition, Health, HttpHeaderConfig, RedirectConfig, RedirectStatusCode, SetTargetHealth,
        TargetDescription, TargetHealthReason,
    },
};

fn options() -> CloudOptions {
    Cloud::options().clock(nephos::Clock::frozen("2026-01-31T12:00:00Z".parse().unwrap())).seed(7)
}

/// Creates a load balancer with every kind of action and condition.
fn fill(cloud: &Cloud) {
    let session = cloud.session();
    let vpc = Vpc::objects(&session).list().results().first().wait().unwrap().unwrap();
    let subnets = Subnet::objects(&session).list().results().all().wait().unwrap();
    let subnets: Vec<_> = subnets.iter().map(|subnet| subnet.subnet_id().unwrap()).collect();
    let group = |name: &str, port: i64| {
        let mut group = TargetGroup::builder().target_group_name(name).port(port);
        group = group.vpc_id(vpc.vpc_id().unwrap());
        let mut group = group.build().unwrap();
        group.set("Protocol", "HTTP").unwrap();
        TargetGroup::objects(&session).create(&group, name).wait().unwrap().remove(0)
    };
    let (api, images, old) = (group("api", 80), group("images", 8080), group("old-images", 8080));
    let register = |group: &TargetGroup, address: &str| {
        let groups = TargetGroup::objects(&session);
        groups.register(group.require_arn().unwrap(), [TargetDescription::from(address)]).wait().unwrap();
    };
    register(&api, "172.31.0.10");
    register(&images, "172.31.0.11");
    register(&images, "172.31.0.12");
    let web = LoadBalancer::builder().load_balancer_name("web").subnets(subnets.as_slice()).build().unwrap();
    let web = LoadBalancer::objects(&session).create(&web).wait().unwrap().remove(0);
    let action = |json: String| {
        let mut action = <Action as nephos_core::field_value::FieldType>::blank();
        let reader = &nephos_core::fill::Reader::STRICT;
        nephos_core::json::read(&mut action, json.as_bytes(), reader).unwrap();
        action
    };
    let to_api =
        action(format!(r#"{{"Type": "forward", "TargetGroupArn": "{}"}}"#, api.require_arn().unwrap()));
    let shared = action(format!(
        r#"{{"Type": "forward", "ForwardConfig": {{"TargetGroups": [{{"TargetGroupArn": "{}", "Weight": 9}},
        {{"TargetGroupArn": "{}", "Weight": 1}}]}}}}"#,
        images.require_arn().unwrap(),
        old.require_arn().unwrap()
    ));
    let fixed =
        action(r#"{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "410"}}"#.to_owned());
    let secure =
        RedirectConfig::builder().protocol("HTTPS").port("443").status_code(RedirectStatusCode::Http301);
    let mut redirect = action(r#"{"Type": "redirect"}"#.to_owned());
    redirect.set_redirect_config(secure.build().unwrap()).unwrap();
    let listen = |port: i64, action: Action| {
        let mut listener = Listener::builder().load_balancer_arn(web.require_arn().unwrap()).port(port);
        listener = listener.default_actions([action]);
        let mut listener = listener.build().unwrap();
        listener.set("Protocol", "HTTP").unwrap();
        Listener::objects(&session).create(&listener).wait().unwrap().remove(0)
    };
    listen(80, redirect);
    let main = listen(8080, to_api);
    let rule = |priority: &str, conditions: Vec<Condition>, action: Action| {
        let rule =
            Rule::builder().priority(priority).conditions(conditions).actions([action]).build().unwrap();
        Rule::objects(&session).create(&rule, main.require_arn().unwrap()).wait().unwrap();
    };
    let condition =
        |field: &str, values: &[&str]| Condition::builder().field(field).values(values).build().unwrap();
    let header =
        HttpHeaderConfig::builder().http_header_name("User-Agent").values(["*\"Old\"*"]).build().unwrap();
    let header = Condition::builder().field("http-header").http_header_config(header).build().unwrap();
    rule(
        "10",
        vec![
            condition("path-pattern", &["/img/*", "/icons/*"]),
            condition("host-header", &["*.example.com"]),
        ],
        shared,
    );
    rule("5", vec![header], fixed);
    let failing = SetTargetHealth::new(images.require_arn().unwrap(), "172.31.0.12", Health::Failing)
        .reason(TargetHealthReason::Timeout);
    cloud.control(failing).unwrap();
}

fn program() -> Program {
    let cloud = options().in_memory();
    fill(&cloud);
    Program { cloud: Some(cloud), ..Program::new() }
}

#[test]
fn map_over_an_endpoint_equals_local_map() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    fill(&options().open(&state).unwrap());
    let state = state.to_str().unwrap();
    let drawn = |options: &[&str]| {
        [&[][..], &["--format", "dot"]].map(|format| {
            let output = nephos(&[&["load-balancer", "map", "web"], format, options].concat(), &[]);
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
    };
    let local = drawn(&["--state-file", state]);
    let (server, addresses) = serve(&["--state-file", state]);
    let remote = drawn(&["--endpoint", &addresses[0]]);
    stop(server);
    assert_eq!(local, remote);
    assert!(local[0].contains("unhealthy") && local[1].starts_with("digraph"), "{local:?}");
}

#[test]
fn map_as_a_tree() {
    let drawn = program().run("load-balancer map web");
    assert_eq!((drawn.code, drawn.err.as_str()), (0, ""));
    assert_snapshot!(drawn.out);
}

#[test]
fn map_as_a_graphviz_graph() {
    let drawn = program().run("load-balancer map web --format dot");
    assert_eq!((drawn.code, drawn.err.as_str()), (0, ""));
    assert_snapshot!(drawn.out);
}

#[test]
fn map_takes_a_name_or_an_arn_and_reports_a_missing_load_balancer() {
    let program = program();
    let arn = LoadBalancer::objects(&program.cloud.as_ref().unwrap().session()).get().name("web").wait();
    let arn = arn.unwrap().unwrap().require_arn().unwrap().to_owned();
    assert_eq!(
        program.run(&format!("load-balancer map {arn}")).out,
        program.run("load-balancer map web").out
    );
    let missing = program.run("load-balancer map nothing");
    assert_ne!(missing.code, 0);
    assert!(
        missing.err.starts_with("nephos: LoadBalancerNotFound: ") && missing.err.contains("nothing"),
        "{}",
        missing.err
    );
}

#[test]
fn update_by_name_of_a_kind_with_several_keys() {
    let program = program();
    let changed = program.run("target-group update api --health-check-interval-seconds 12");
    assert_eq!(changed.code, 0, "{changed:?}");
    let got = program.run("target-group get api --fields HealthCheckIntervalSeconds -o text");
    assert_eq!(got.out, "12\n");
    let missing = program.run("load-balancer update nowhere --ip-address-type ipv4");
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(missing.err.contains("nowhere"), "{missing:?}");
}

#[test]
fn parameter_that_is_also_a_model_field_is_given_once() {
    let program = program();
    let vpc = program.run("vpc list -o text --fields VpcId").out;
    for (n, (create, named)) in
        [("create one", "one"), ("create --name two", "two"), ("create --target-group-name three", "three")]
            .into_iter()
            .enumerate()
    {
        let made = program.run(&format!(
            "target-group {create} --port 8{n} --protocol HTTP --vpc-id {} -o text --fields TargetGroupName",
            vpc.trim()
        ));
        assert_eq!((made.code, made.out.trim()), (0, named), "{made:?}");
    }
    let twice = program.run("target-group create one --target-group-name other --port 80 --protocol HTTP");
    assert_eq!(twice.code, 5, "{twice:?}");
    assert!(twice.err.contains("--target-group-name"), "{twice:?}");
    let missing = program.run("target-group create --port 80");
    assert!(missing.err.contains("missing required argument <NAME>"), "{missing:?}");
}

#[test]
fn missing_resource_is_reported_with_the_code_of_its_kind() {
    let program = program();
    for (call, code) in [
        ("target-group get none", "TargetGroupNotFound"),
        ("target-group update none --port 80", "TargetGroupNotFound"),
        ("load-balancer get none", "LoadBalancerNotFound"),
        ("trust-store get none", "TrustStoreNotFound"),
        ("vpc get vpc-00000000000000000", "InvalidVpcID.NotFound"),
        ("security-group get --group-id sg-00000000000000000", "InvalidGroup.NotFound"),
        ("log-group get none", "ResourceNotFoundException"),
    ] {
        let output = program.run(call);
        assert_eq!(output.code, 3, "{call}: {output:?}");
        assert!(output.err.starts_with(&format!("nephos: {code}: ")), "{call}: {output:?}");
        assert!(output.err.trim_end().ends_with(" does not exist"), "{call}: {output:?}");
    }
    for kind in nephos::REGISTRY.kinds() {
        let codes = (kind.service)().codes.iter();
        let several = codes.filter(|code| code.kind == nephos::ErrorKind::NotFound).count() > 1;
        assert!(
            !several || kind.not_found.is_some(),
            "{kind:?} has several not-found codes and must name its own"
        );
    }
}
