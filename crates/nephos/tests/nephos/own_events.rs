//! The cloud's own events, discovery of schemas on event buses, and lookups of typed events.

use nephos::{
    AccessKey, CacheCluster, ClassicELB, Cloud, Credentials, DBInstance, DBSnapshot, Discoverer, EventBus,
    EventRule, EventTarget, Image, Kernel, LoadBalancer, LogEvent, LogGroup, Repository, Schema,
    SchemaRegistry, Secret, ServerlessCache, ServerlessCacheSnapshot, Session, SignedDuration, Subnet, User,
    Value,
    ecr::{ImageScanningConfiguration, ImageTagMutability},
    elb,
    prelude::*,
    services::events::{
        ListDeliveries, ListRecentEvents, PutEventsRequestEntry, PutManagedRule,
        typed::{EventDetail, TypedEvent},
    },
};
use nephos_core::json;

const API_CALL: &str = "AWS API Call via CloudTrail";

fn cloud() -> Cloud {
    Cloud::options().own_events(true).in_memory()
}

/// Events of the default bus of the default account and Region.
fn events(cloud: &Kernel) -> Vec<TypedEvent> {
    let recent = cloud.control(ListRecentEvents::new()).unwrap();
    recent.events().unwrap().iter().map(|event| TypedEvent::parse(event.event().unwrap()).unwrap()).collect()
}

/// Sources, types and operations of the events.
fn summary(cloud: &Kernel) -> Vec<String> {
    let line = |event: TypedEvent| match event.detail() {
        EventDetail::ApiCall(call) => {
            format!("{} {}", event.envelope().source().unwrap(), call.event_name().unwrap())
        }
        _ => format!("{} {}", event.envelope().source().unwrap(), event.envelope().detail_type().unwrap()),
    };
    events(cloud).into_iter().map(line).collect()
}

fn create_group(session: &Session, name: &str) -> LogGroup {
    let group = LogGroup::builder().log_group_name(name).build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
    LogGroup::objects(session).get(name).wait().unwrap().unwrap()
}

fn send(session: &Session, bus: &str, detail: &str) {
    let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order placed").detail(detail);
    let entry = entry.build().unwrap();
    EventBus::objects(session).put_events(bus, [entry]).strict(true).wait().unwrap();
}

#[test]
fn own_events_are_off_by_default_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let cloud = Cloud::open(&path).unwrap();
    create_group(&cloud.session(), "/a");
    assert!(!cloud.own_events() && events(&cloud).is_empty());
    cloud.set_own_events(true).unwrap();
    create_group(&cloud.session(), "/b");
    assert_eq!(summary(&cloud), ["aws.logs CreateLogGroup"]);
    let copy = folder.path().join("copy");
    cloud.save_to(&copy, |_| ()).unwrap();
    assert!(cloud.fork().unwrap().own_events());
    cloud.close().unwrap();
    let cloud = Cloud::open(&path).unwrap();
    assert!(cloud.own_events());
    cloud.set_own_events(false).unwrap();
    create_group(&cloud.session(), "/c");
    assert_eq!(events(&cloud).len(), 1);
    cloud.restore_from(&copy, |_| ()).unwrap();
    assert!(cloud.own_events());
}

#[test]
fn only_successful_writes_have_events() {
    let cloud = cloud();
    let session = cloud.session();
    let group = create_group(&session, "/a");
    assert!(LogGroup::objects(&session).create(&group).wait().is_err());
    assert!(LogGroup::objects(&session).get("/a").wait().unwrap().is_some());
    LogGroup::objects(&session).delete("/a").preview().wait().unwrap();
    send(&session, "default", "{}");
    cloud
        .control(PutManagedRule::new("r", "x.amazonaws.com", r#"{"source": ["no"]}"#, "arn:aws:sqs:::q"))
        .unwrap();
    assert_eq!(summary(&cloud), ["aws.logs CreateLogGroup", "shop Order placed"]);
    group.delete().wait().unwrap();
    assert_eq!(summary(&cloud).last().unwrap(), "aws.logs DeleteLogGroup");
}

#[test]
fn event_describes_the_call() {
    let cloud = cloud();
    let session = cloud.session().with_region("eu-west-1").with_account("210987654321");
    create_group(&session, "/a");
    assert!(events(&cloud).is_empty(), "it is on the bus of the caller's account and Region");
    let mut there = ListRecentEvents::new();
    (there.account, there.region) = (Some("210987654321".into()), Some("eu-west-1".into()));
    let recent = cloud.control(there).unwrap();
    let event = TypedEvent::parse(recent.events().unwrap()[0].event().unwrap()).unwrap();
    let (envelope, EventDetail::ApiCall(call)) = (event.envelope(), event.detail()) else {
        panic!("{event:?}")
    };
    assert_eq!((envelope.source(), envelope.detail_type()), (Some("aws.logs"), Some(API_CALL)));
    assert_eq!((envelope.account(), envelope.region()), (Some("210987654321"), Some("eu-west-1")));
    assert_eq!(
        (call.event_source(), call.event_name()),
        (Some("logs.amazonaws.com"), Some("CreateLogGroup"))
    );
    assert_eq!((call.aws_region(), call.read_only()), (Some("eu-west-1"), Some(false)));
    assert_eq!((call.event_type(), call.api_version()), (Some("AwsApiCall"), Some("2014-03-28")));
    assert_eq!((call.recipient_account_id(), call.management_event()), (Some("210987654321"), Some(true)));
    let caller = call.user_identity().unwrap();
    assert_eq!((caller.r#type(), caller.arn()), (Some("Root"), Some("arn:aws:iam::210987654321:root")));
    assert_eq!(call.request_parameters().unwrap().get("logGroupName").and_then(Value::as_text), Some("/a"));
    assert_eq!(call.response_elements(), None);
    let request = event.parsed_request(true).unwrap().unwrap();
    assert_eq!(request.get("logGroupName").unwrap(), "/a".into());
}

#[test]
fn events_of_global_services_are_in_one_region() {
    let cloud = cloud();
    let session = cloud.session().with_region("eu-west-1");
    User::objects(&session).create(&User::builder().user_name("u").build().unwrap()).wait().unwrap();
    let [event] = &events(&cloud)[..] else { panic!("one event in us-east-1") };
    let (envelope, EventDetail::ApiCall(call)) = (event.envelope(), event.detail()) else {
        panic!("{event:?}")
    };
    assert_eq!((envelope.source(), envelope.region()), (Some("aws.iam"), Some("us-east-1")));
    assert_eq!((call.event_name(), call.aws_region()), (Some("CreateUser"), Some("us-east-1")));
}

#[test]
fn secrets_are_in_no_event() {
    let cloud = cloud();
    let session = cloud.session();
    let secret = Secret::builder().name("db").build().unwrap();
    Secret::objects(&session).create(&secret).secret_string("hunter2").wait().unwrap();
    User::objects(&session).create(&User::builder().user_name("ann").build().unwrap()).wait().unwrap();
    let key = AccessKey::objects(&session).create().user_name("ann").wait().unwrap();
    let recent = cloud.control(ListRecentEvents::new()).unwrap();
    let texts: Vec<_> = recent.events().unwrap().iter().map(|event| event.event().unwrap()).collect();
    assert_eq!(
        summary(&cloud),
        ["aws.secretsmanager CreateSecret", "aws.iam CreateUser", "aws.iam CreateAccessKey"]
    );
    let hidden = key.secret_access_key().unwrap().expose();
    assert!(texts.iter().all(|text| !text.contains("hunter2") && !text.contains(hidden)));
    assert!(texts[0].contains(r#""secretString":"<secret>""#), "{}", texts[0]);
    let own = session.with_credentials(Credentials {
        access_key_id: key.access_key_id().unwrap().into(),
        secret_access_key: key.secret_access_key().unwrap().clone(),
        session_token: None,
        expiration: None,
    });
    create_group(&own, "/ann");
    let event = events(&cloud).pop().unwrap();
    let EventDetail::ApiCall(call) = event.detail() else { panic!("{event:?}") };
    let caller = call.user_identity().unwrap();
    assert_eq!((caller.r#type(), caller.user_name()), (Some("IAMUser"), Some("ann")));
    assert_eq!(caller.access_key_id(), key.access_key_id());
}

#[test]
fn rule_receives_own_events() {
    let cloud = cloud();
    let session = cloud.session();
    create_group(&session, "/events");
    let pattern = r#"{"source": ["aws.secretsmanager"], "detail": {"eventName": ["CreateSecret"]}}"#;
    let rule = EventRule::builder().name("audit").event_pattern(pattern).build().unwrap();
    EventRule::objects(&session).create(&rule).wait().unwrap();
    let arn = "arn:aws:logs:us-east-1:123456789012:log-group:/events";
    let target = EventTarget::builder().rule("audit").id("t").arn(arn).build().unwrap();
    EventTarget::objects(&session).create(&target).wait().unwrap();
    for name in ["one", "two"] {
        Secret::objects(&session).create(&Secret::builder().name(name).build().unwrap()).wait().unwrap();
    }
    let found = LogEvent::objects(&session).list("/events").results().all().wait().unwrap();
    let lines: Vec<_> =
        found.iter().map(|event| TypedEvent::parse(event.message().unwrap()).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].to_string().ends_with("CreateSecret by arn:aws:iam::123456789012:root"), "{}", lines[0]);
}

#[test]
fn pushes_and_deletions_of_images_have_events() {
    let cloud = cloud();
    let session = cloud.session();
    let web = Repository::builder()
        .repository_name("web")
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(ImageScanningConfiguration::builder().build().unwrap())
        .build()
        .unwrap();
    let repositories = Repository::objects(&session);
    repositories.create(&web).wait().unwrap();
    let manifest =
        r#"{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}"#;
    let pushed = repositories.put_image("web", manifest).image_tag("v1").wait().unwrap();
    let id = pushed.image_id().unwrap().clone();
    Image::objects(&session).delete("web", id.clone()).wait().unwrap();
    let recent = cloud.control(ListRecentEvents::new()).unwrap();
    let all =
        recent.events().unwrap().iter().map(|event| json::parse(event.event().unwrap().as_bytes()).unwrap());
    let found: Vec<_> =
        all.filter(|event| event["detail-type"].as_text() == Some("ECR Image Action")).collect();
    let [push, delete] = &found[..] else { panic!("{found:?}") };
    for (event, action) in [(push, "PUSH"), (delete, "DELETE")] {
        let detail = &event["detail"];
        assert_eq!(detail["action-type"].as_text(), Some(action));
        assert_eq!(detail["image-digest"].as_text(), id.image_digest());
        assert_eq!(detail["image-tag"].as_text(), Some("v1"));
        assert_eq!(detail["manifest-media-type"].as_text(), Some("application/vnd.oci.image.index.v1+json"));
        assert!(detail["artifact-media-type"].is_null());
    }
}

#[test]
fn schemas_have_events_of_their_own() {
    let cloud = cloud();
    let session = cloud.session();
    let shop = SchemaRegistry::builder().registry_name("shop").build().unwrap();
    SchemaRegistry::objects(&session).create(&shop).wait().unwrap();
    let content = r#"{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {},
        "components": {"schemas": {"Order": {"type": "string"}}}}"#;
    let order =
        Schema::builder().registry_name("shop").schema_name("order").r#type("OpenApi3").content(content);
    let mut order = Schema::objects(&session).create(&order.build().unwrap()).wait().unwrap();
    order.set_content(content.replace("string", "integer")).unwrap();
    order.save().wait().unwrap();
    assert_eq!(
        summary(&cloud),
        [
            "aws.schemas CreateRegistry",
            "aws.schemas Schema Created",
            "aws.schemas Schema Version Created",
            "aws.schemas CreateSchema",
            "aws.schemas Schema Version Created",
            "aws.schemas UpdateSchema",
        ]
    );
    let event = &events(&cloud)[4];
    assert!(event.to_string().ends_with("Schema Version Created: order in shop, version 2"), "{event}");
}

#[test]
fn discoverer_learns_schemas_from_its_bus() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    for name in ["shop", "other"] {
        EventBus::objects(&session).create(&EventBus::builder().name(name).build().unwrap()).wait().unwrap();
    }
    let arn = "arn:aws:events:us-east-1:123456789012:event-bus/shop";
    let model = Discoverer::builder().source_arn(arn).build().unwrap();
    let discoverer = Discoverer::objects(&session).create(&model).wait().unwrap();
    let rules = || EventRule::objects(&session).list().event_bus_name("shop").results().all().wait().unwrap();
    let [rule] = &rules()[..] else { panic!("one rule") };
    assert_eq!(rule.require_name().unwrap(), "Schemas-events-event-bus-shop");
    assert_eq!(rule.managed_by(), Some("schemas.amazonaws.com"));
    let versions = || {
        let found = Schema::objects(&session).get("discovered-schemas", "shop@OrderPlaced").wait().unwrap();
        found.map_or(0, |found| found.versions().wait().unwrap().len())
    };
    send(&session, "other", r#"{"id": 1}"#);
    assert_eq!(versions(), 0);
    send(&session, "shop", r#"{"id": 1}"#);
    send(&session, "shop", r#"{"id": 2}"#);
    assert_eq!(versions(), 1);
    send(&session, "shop", r#"{"id": 2, "note": "quick"}"#);
    assert_eq!(versions(), 2);
    discoverer.stop().wait().unwrap();
    assert!(rules().is_empty());
    send(&session, "shop", r#"{"more": true}"#);
    assert_eq!(versions(), 2);
    discoverer.start().wait().unwrap();
    send(&session, "shop", r#"{"more": true}"#);
    assert_eq!(versions(), 3);
    discoverer.delete().wait().unwrap();
    assert!(rules().is_empty());
    EventBus::objects(&session).delete("shop").wait().unwrap();
    assert!(cloud.control(ListDeliveries::new()).unwrap().deliveries().unwrap().is_empty());
}

#[test]
fn discovery_of_own_events_ends() {
    let cloud = cloud();
    let session = cloud.session();
    let arn = "arn:aws:events:us-east-1:123456789012:event-bus/default";
    let model = Discoverer::builder().source_arn(arn).build().unwrap();
    Discoverer::objects(&session).create(&model).wait().unwrap();
    create_group(&session, "/a");
    let found = Schema::objects(&session).list("discovered-schemas").results().all().wait().unwrap();
    let names: Vec<_> = found.iter().map(|schema| schema.schema_name().unwrap()).collect();
    assert_eq!(names, ["aws.logs@AWSAPICallViaCloudTrail"]);
    assert!(cloud.control(ListDeliveries::new()).unwrap().deliveries().unwrap().is_empty());
}

#[test]
fn load_balancer_of_a_call_is_found() {
    let cloud = cloud();
    let session = cloud.session();
    let subnets = Subnet::objects(&session).list().results().all().wait().unwrap();
    let ids: Vec<_> = subnets.iter().take(2).map(|subnet| subnet.subnet_id().unwrap()).collect();
    let web = LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build().unwrap();
    let web = LoadBalancer::objects(&session).create(&web).one().wait().unwrap();
    let created = events(&cloud).pop().unwrap();
    assert_eq!(created.load_balancer_arn(), web.load_balancer_arn());
    assert!(created.load_balancer().wait().unwrap().is_none(), "without a session");
    let created = created.with_session(&session);
    assert_eq!(created.load_balancer().wait().unwrap().unwrap().load_balancer_name(), Some("web"));
    let request = created.parsed_request(true).unwrap().unwrap();
    assert_eq!(request.get("Name").unwrap(), "web".into());
    web.delete().wait().unwrap();
    let deleted = events(&cloud).pop().unwrap().with_session(&session);
    assert_eq!(deleted.load_balancer_arn(), created.load_balancer_arn());
    assert!(deleted.load_balancer().wait().unwrap().is_none());
}

#[test]
fn calls_of_classic_load_balancers_and_caches_have_events() {
    let cloud = cloud();
    let session = cloud.session();
    let tcp =
        elb::Listener::builder().protocol("TCP").load_balancer_port(80).instance_port(80).build().unwrap();
    let web = ClassicELB::builder().load_balancer_name("web").availability_zones(["us-east-1a"]);
    let web = web.listeners([elb::ListenerDescription::from(tcp)]).cross_zone_load_balancing(true);
    ClassicELB::objects(&session).create(&web.build().unwrap()).wait().unwrap();
    let cache =
        CacheCluster::builder().cache_cluster_id("web").engine("redis").cache_node_type("cache.t4g.micro");
    CacheCluster::objects(&session).create(&cache.build().unwrap()).wait().unwrap();
    assert_eq!(
        summary(&cloud),
        [
            "aws.elasticloadbalancing CreateLoadBalancer",
            "aws.elasticloadbalancing ModifyLoadBalancerAttributes",
            "aws.elasticache CreateCacheCluster",
        ]
    );
}

#[test]
fn serverless_caches_have_events_of_their_own() {
    let cloud = cloud();
    let session = cloud.session();
    let web = ServerlessCache::builder().serverless_cache_name("web").engine("redis").build().unwrap();
    ServerlessCache::objects(&session).create(&web).wait().unwrap();
    let one =
        ServerlessCacheSnapshot::builder().serverless_cache_snapshot_name("one").serverless_cache_name("web");
    ServerlessCacheSnapshot::objects(&session).create(&one.build().unwrap()).wait().unwrap();
    let mut web = ServerlessCache::objects(&session).get("web").wait().unwrap().unwrap();
    web.set_description("changed").unwrap();
    web.save().wait().unwrap();
    web.delete().wait().unwrap();
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
    let is_own =
        |line: &String| !line.ends_with("ServerlessCache") && !line.ends_with("ServerlessCacheSnapshot");
    let lines: Vec<_> = summary(&cloud).into_iter().filter(is_own).collect();
    assert_eq!(
        lines,
        [
            "aws.elasticache Cache Created",
            "aws.elasticache Snapshot Created",
            "aws.elasticache Cache Updated",
            "aws.elasticache Cache Deleted",
        ]
    );
    let is_snapshot = |event: &TypedEvent| event.envelope().detail_type() == Some("Snapshot Created");
    let taken = events(&cloud).into_iter().find(is_snapshot).unwrap();
    let envelope = taken.envelope();
    let arn = |part: &str| format!("arn:aws:elasticache:us-east-1:123456789012:{part}");
    let arns = [arn("serverlesscache:web"), arn("serverlesscachesnapshot:one")];
    assert_eq!(envelope.resources().unwrap(), arns);
}

#[test]
fn databases_have_events_of_their_own() {
    let cloud = cloud();
    let session = cloud.session();
    let web = DBInstance::builder()
        .db_instance_identifier("web")
        .db_instance_class("db.t4g.micro")
        .engine("mysql")
        .engine_version("8.0")
        .allocated_storage(20)
        .master_username("boss");
    let objects = DBInstance::objects(&session);
    objects.create(&web.build().unwrap()).master_user_password("correct-horse").wait().unwrap();
    let one = DBSnapshot::builder().db_snapshot_identifier("one").db_instance_identifier("web");
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    DBSnapshot::objects(&session).create(&one.build().unwrap()).wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    let lines = summary(&cloud);
    for kind in ["Instance", "Snapshot"] {
        let expected = format!("aws.rds RDS DB {kind} Event");
        assert!(lines.contains(&expected), "{lines:?}");
    }
}
