//! Requests per second of the server, compared with minimal endpoints of hyper and axum that send the same bytes, and
//! with moto's server if its address is given: `serve --moto 127.0.0.1:5000`. `--balancers`,
//! `--caches`, `--databases`, `--images` or `--pipelines` runs that part alone.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

#[path = "../../../crates/nephos-server/benches/load/mod.rs"]
mod load;

use axum::serve::ListenerExt as _;
use bytes::Bytes;
use load::{HEADERS, answer, bare_hyper, form_request, load, median, runtime, signed_request};
use nephos::{CacheSubnetGroup, Cloud, DBSubnetGroup, LogGroup, Session, Subnet, Text, Vpc};
use nephos_server::Server;
use std::{
    env,
    future::pending,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Allocator of the program that uses this crate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CONNECTIONS: usize = 8;

/// A part of the benchmark: the address of moto, the time of a round, and the number of rounds.
type Part = fn(Option<SocketAddr>, Duration, usize);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let moto =
        arguments.iter().position(|argument| argument == "--moto").and_then(|at| arguments.get(at + 1));
    let moto: Option<SocketAddr> = moto.map(|address| address.parse().expect("an address"));
    let (round, rounds) = if quick { (Duration::from_millis(200), 3) } else { (Duration::from_secs(1), 7) };
    let sizes: &[usize] = if quick { &[1_000] } else { &[1_000, 100_000, 1_000_000] };

    println!("| What | Ours | hyper | Ratio | axum | Ratio | moto | Ratio |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let parts: [(&str, Part); 5] = [
        ("--balancers", balancers),
        ("--caches", caches),
        ("--databases", databases),
        ("--images", images),
        ("--pipelines", pipelines),
    ];
    let chosen = |name: &str| arguments.iter().any(|argument| argument == name);
    if let Some((_, part)) = parts.into_iter().find(|(name, _)| chosen(name)) {
        return part(moto, round, rounds);
    }
    parts.into_iter().for_each(|(_, part)| part(moto, round, rounds));
    for &size in sizes {
        let cloud = Cloud::in_memory();
        fill(&cloud, size);
        let ours = serve(cloud);
        let page = |_: u64| request("test", "DescribeLogGroups", "{}");
        let bare = bare(answer(ours, &page(0)));
        compare(&format!("page of 50 of {size}"), (ours, bare, moto), round, rounds, page);
        // In another account, because the first one may have reached its quota.
        let create = |n: u64| {
            let body = format!("{{\"logGroupName\":\"/new/{size}/{n}\"}}");
            request("210987654321", "CreateLogGroup", &body)
        };
        compare(&format!("create with {size} others"), (ours, bare, moto), round, rounds, create);
    }
    let (ours, secret) = (
        serve(Cloud::in_memory()),
        r#"{"Name":"web/database","SecretString":"hunter2","ClientRequestToken":"11111111-1111-1111-1111-111111111111"}"#,
    );
    for address in [ours].into_iter().chain(moto) {
        answer(address, &signed_request("secretsmanager", "test", "secretsmanager.CreateSecret", secret));
    }
    let value = |_: u64| {
        let body = r#"{"SecretId":"web/database"}"#;
        signed_request("secretsmanager", "test", "secretsmanager.GetSecretValue", body)
    };
    let bare = bare(answer(ours, &value(0)));
    compare("value of a secret", (ours, bare, moto), round, rounds, value);
    data_keys(moto, round, rounds);
    events(moto, round, rounds);
    let ours = serve(Cloud::options().quotas(false).in_memory());
    let user = |n: u64| {
        form_request("iam", "test", &format!("Action=CreateUser&Version=2010-05-08&UserName=user-{n}"))
    };
    let bare = self::bare(answer(ours, &user(u64::MAX)));
    compare("create a user", (ours, bare, moto), round, rounds, user);
}

/// Compares descriptions of a hundred classic load balancers, and pages of a hundred of many.
fn balancers(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let elb = |action: &str| {
        form_request("elasticloadbalancing", "test", &format!("Action={action}&Version=2012-06-01"))
    };
    let create = |n: usize| {
        elb(&format!(
            "CreateLoadBalancer&LoadBalancerName=web-{n:06}&AvailabilityZones.member.1=us-east-1a\
             &Listeners.member.1.Protocol=HTTP&Listeners.member.1.LoadBalancerPort=80&Listeners.member.1.InstancePort=80"
        ))
    };
    let few = serve(Cloud::options().quotas(false).in_memory());
    for address in [few].into_iter().chain(moto) {
        (0..100).for_each(|n| drop(answer(address, &create(n))));
    }
    let describe = |_: u64| elb("DescribeLoadBalancers");
    let bare = bare(answer(few, &describe(0)));
    compare("100 classic load balancers", (few, bare, moto), round, rounds, describe);
    // The subnet of a zone has addresses for 4,091 load balancers.
    let many = serve(Cloud::options().quotas(false).in_memory());
    (0..4_000).for_each(|n| drop(answer(many, &create(n))));
    let page = |_: u64| elb("DescribeLoadBalancers&PageSize=100");
    compare("page of 100 of 4,000 classic load balancers", (many, bare, None), round, rounds, page);
}

/// A listing to compare: of what, its service and version, the operations that create the resource of a number and list them all, and
/// the element of a created resource.
struct Listed<'l> {
    what: &'l str,
    service: (&'l str, &'l str),
    create: fn(usize) -> String,
    list: &'l str,
    element: &'l str,
    /// Makes room for many of them.
    prepare: fn(&Cloud),
    /// Parameters that place the resource of a number into that room.
    place: fn(usize) -> String,
}

/// Compares descriptions of cache clusters.
fn caches(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let listed = Listed {
        what: "cache clusters",
        service: ("elasticache", "2015-02-02"),
        create: |n| {
            let cluster = format!("CreateCacheCluster&CacheClusterId=web-{n:06}");
            format!("{cluster}&Engine=redis&NumCacheNodes=1&CacheNodeType=cache.t4g.micro")
        },
        list: "DescribeCacheClusters",
        element: "<CacheCluster>",
        prepare: |cloud| {
            add_subnet_groups(cloud, |session, name, subnets| {
                let group = CacheSubnetGroup::builder()
                    .cache_subnet_group_name(name)
                    .cache_subnet_group_description("many")
                    .subnet_ids(subnets)
                    .build()
                    .expect("the group is valid");
                CacheSubnetGroup::objects(session).create(&group).wait().expect("the group is new");
            });
        },
        place: |n| format!("&CacheSubnetGroupName=many-{}", n % 2),
    };
    listings(&listed, moto, round, rounds);
}

/// Compares descriptions of database instances.
fn databases(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let listed = Listed {
        what: "database instances",
        service: ("rds", "2014-10-31"),
        create: |n| {
            let instance =
                format!("CreateDBInstance&DBInstanceIdentifier=web-{n:06}&DBInstanceClass=db.t4g.micro");
            let user = "MasterUsername=boss&MasterUserPassword=correct-horse";
            format!("{instance}&Engine=mysql&AllocatedStorage=20&{user}")
        },
        list: "DescribeDBInstances",
        element: "<DBInstance>",
        prepare: |cloud| {
            add_subnet_groups(cloud, |session, name, subnets| {
                let group = DBSubnetGroup::builder()
                    .db_subnet_group_name(name)
                    .db_subnet_group_description("many")
                    .subnet_ids(subnets)
                    .build()
                    .expect("the group is valid");
                DBSubnetGroup::objects(session).create(&group).wait().expect("the group is new");
            });
        },
        place: |n| format!("&DBSubnetGroupName=many-{}", n % 2),
    };
    listings(&listed, moto, round, rounds);
}

/// Adds two subnet groups with addresses for 131,000 resources: the default subnets have 12,273. `create` creates a group with a name and
/// subnets.
fn add_subnet_groups(cloud: &Cloud, create: fn(&Session, String, [Text; 2])) {
    let session = cloud.session();
    for n in 0..2 {
        let vpc = Vpc::builder().cidr_block(format!("10.{n}.0.0/16")).build().expect("the VPC is valid");
        let vpc = Vpc::objects(&session).create(&vpc).wait().expect("the VPC is new");
        let subnets = [("a", 0), ("b", 128)].map(|(zone, start)| {
            let subnet = Subnet::builder()
                .vpc_id(vpc.vpc_id().expect("it has an ID"))
                .cidr_block(format!("10.{n}.{start}.0/17"))
                .availability_zone(format!("us-east-1{zone}"))
                .build()
                .expect("the subnet is valid");
            let subnet = Subnet::objects(&session).create(&subnet).wait().expect("the subnet is new");
            Text::from(subnet.subnet_id().expect("it has an ID"))
        });
        create(&session, format!("many-{n}"), subnets);
    }
}

/// Compares descriptions of a hundred resources, and pages of a hundred of many with those of the fewest.
fn listings(listed: &Listed<'_>, moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let Listed { what, service: (service, version), create, list, element, prepare, place } = *listed;
    let request = |action: &str| form_request(service, "test", &format!("Action={action}&Version={version}"));
    let fill = |address: SocketAddr, count: usize, place: fn(usize) -> String| {
        for n in 0..count {
            let created = answer(address, &request(&format!("{}{}", create(n), place(n))));
            assert!(String::from_utf8_lossy(&created).contains(element), "number {n} was not created");
        }
    };
    let few = serve(Cloud::options().quotas(false).in_memory());
    for address in [few].into_iter().chain(moto) {
        fill(address, 100, |_| String::new());
    }
    let describe = |_: u64| request(list);
    let bare = bare(answer(few, &describe(0)));
    compare(&format!("100 {what}"), (few, bare, moto), round, rounds, describe);
    let page = |_: u64| request(&format!("{list}&MaxRecords=100"));
    let sizes = [1_000, 10_000, 100_000];
    let servers = sizes.map(|size| {
        let cloud = Cloud::options().quotas(false).in_memory();
        prepare(&cloud);
        let many = serve(cloud);
        fill(many, size, place);
        compare(&format!("page of 100 of {size} {what}"), (many, bare, None), round, rounds, page);
        many
    });
    // Servers take turns, so that the ratios do not depend on the speed of the machine.
    let turns: Vec<_> =
        (0..rounds).map(|_| servers.map(|server| load(server, CONNECTIONS, round, &|| page(0)))).collect();
    for (n, size) in sizes.into_iter().enumerate().skip(1) {
        let ratio = median(turns.iter().map(|turn| turn[n] / turn[0]).collect());
        println!("page of 100 of {size} / of {}: {ratio:.2}", sizes[0]);
    }
}

/// Compares descriptions of a thousand images.
fn images(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let ecr = |operation: &str, body: &str| {
        let target = format!("AmazonEC2ContainerRegistry_V20150921.{operation}");
        signed_request("ecr", "test", &target, body)
    };
    let ours = serve(Cloud::options().quotas(false).in_memory());
    for address in [ours].into_iter().chain(moto) {
        answer(address, &ecr("CreateRepository", r#"{"repositoryName":"web"}"#));
        for n in 0..1_000 {
            let manifest = format!(
                r#"{{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"manifests\":[],\"annotations\":{{\"n\":\"{n}\"}}}}"#
            );
            let body =
                format!(r#"{{"repositoryName":"web","imageTag":"v{n}","imageManifest":"{manifest}"}}"#);
            let put = answer(address, &ecr("PutImage", &body));
            assert!(String::from_utf8_lossy(&put).contains("sha256:"), "image {n} was not stored");
        }
    }
    let describe = |_: u64| ecr("DescribeImages", r#"{"repositoryName":"web","maxResults":1000}"#);
    let bare = bare(answer(ours, &describe(0)));
    compare("1,000 images", (ours, bare, moto), round, rounds, describe);
}

/// Compares listings of a hundred pipelines, and the state of one.
fn pipelines(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let call = |operation: &str, body: &str| {
        signed_request("codepipeline", "test", &format!("CodePipeline_20150709.{operation}"), body)
    };
    let role = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"codepipeline.amazonaws.com"},"Action":"sts:AssumeRole"}]}"#;
    let role = role.replace('"', "%22");
    let ours = serve(Cloud::options().quotas(false).in_memory());
    for address in [ours].into_iter().chain(moto) {
        let create = "Action=CreateRole&Version=2010-05-08&RoleName=pipelines";
        answer(address, &form_request("iam", "test", &format!("{create}&AssumeRolePolicyDocument={role}")));
        for n in 0..100 {
            let action = |name: &str, category: &str, artifacts: &str, configuration: &str| {
                format!(
                    r#"{{"name":"{name}","actionTypeId":{{"category":"{category}","owner":"AWS","provider":"S3","version":"1"}},"configuration":{{{configuration}}},{artifacts}}}"#
                )
            };
            let fetch = action(
                "Fetch",
                "Source",
                r#""outputArtifacts":[{"name":"source"}]"#,
                r#""S3Bucket":"sources","S3ObjectKey":"web.zip""#,
            );
            let deploy = action(
                "Deploy",
                "Deploy",
                r#""inputArtifacts":[{"name":"source"}]"#,
                r#""BucketName":"site","Extract":"true""#,
            );
            let body = format!(
                r#"{{"pipeline":{{"name":"web-{n}","version":1,"roleArn":"arn:aws:iam::123456789012:role/pipelines","artifactStore":{{"type":"S3","location":"artifacts"}},"stages":[{{"name":"Source","actions":[{fetch}]}},{{"name":"Deploy","actions":[{deploy}]}}]}}}}"#
            );
            let created = answer(address, &call("CreatePipeline", &body));
            let created = String::from_utf8_lossy(&created);
            assert!(created.contains("web-"), "number {n} was not created: {created}");
        }
    }
    for (what, operation, body) in [
        ("100 pipelines", "ListPipelines", "{}"),
        ("state of a pipeline", "GetPipelineState", r#"{"name":"web-7"}"#),
    ] {
        let ask = |_: u64| call(operation, body);
        let bare = bare(answer(ours, &ask(0)));
        // moto has no states of pipelines.
        let moto = moto.filter(|_| operation == "ListPipelines");
        compare(what, (ours, bare, moto), round, rounds, ask);
    }
}

/// Compares data keys under a key that both servers know by the same alias.
fn data_keys(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let kms = |operation: &str, body: &str| {
        signed_request("kms", "test", &format!("TrentService.{operation}"), body)
    };
    let ours = serve(Cloud::in_memory());
    for address in [ours].into_iter().chain(moto) {
        let created = String::from_utf8(answer(address, &kms("CreateKey", "{}"))).expect("JSON");
        let id = created.split_once("\"KeyId\"").and_then(|(_, rest)| rest.split('"').nth(1)).expect("an ID");
        let body = format!("{{\"AliasName\":\"alias/web\",\"TargetKeyId\":\"{id}\"}}");
        answer(address, &kms("CreateAlias", &body));
    }
    let data_key = |_: u64| kms("GenerateDataKey", r#"{"KeyId":"alias/web","KeySpec":"AES_256"}"#);
    let bare = bare(answer(ours, &data_key(0)));
    compare("data key", (ours, bare, moto), round, rounds, data_key);
}

/// Compares events that a rule sends to a log group.
fn events(moto: Option<SocketAddr>, round: Duration, rounds: usize) {
    let events = |operation: &str, body: &str| {
        signed_request("events", "test", &format!("AWSEvents.{operation}"), body)
    };
    let ours = serve(Cloud::in_memory());
    for address in [ours].into_iter().chain(moto) {
        let group = r#"{"logGroupName":"/events"}"#;
        answer(address, &signed_request("logs", "test", "Logs_20140328.CreateLogGroup", group));
        answer(address, &events("PutRule", r#"{"Name":"orders","EventPattern":"{\"source\":[\"shop\"]}"}"#));
        let arn = "arn:aws:logs:us-east-1:123456789012:log-group:/events";
        let target = format!(r#"{{"Rule":"orders","Targets":[{{"Id":"log","Arn":"{arn}"}}]}}"#);
        answer(address, &events("PutTargets", &target));
    }
    let put = |_: u64| {
        let entry = r#"{"Source":"shop","DetailType":"Order","Detail":"{\"total\":7}"}"#;
        events("PutEvents", &format!(r#"{{"Entries":[{entry}]}}"#))
    };
    let bare = bare(answer(ours, &put(0)));
    compare("event to a log group", (ours, bare, moto), round, rounds, put);
}

fn fill(cloud: &Cloud, groups: usize) {
    let session = cloud.session();
    for n in 0..groups {
        let group = LogGroup::builder().log_group_name(format!("/team-{:02}/service-{n:07}", n % 37)).build();
        LogGroup::objects(&session)
            .create(&group.expect("the group is valid"))
            .wait()
            .expect("the group is new");
    }
}

/// Prints the medians of alternating rounds.
fn compare(
    what: &str,
    (ours, [hyper, axum], moto): (SocketAddr, [SocketAddr; 2], Option<SocketAddr>),
    round: Duration,
    rounds: usize,
    make: impl Fn(u64) -> Vec<u8> + Sync,
) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let rate = |address| load(address, CONNECTIONS, round, &|| make(NEXT.fetch_add(1, Ordering::Relaxed)));
    let rounds: Vec<_> =
        (0..rounds).map(|_| (rate(ours), [rate(hyper), rate(axum)], moto.map(rate))).collect();
    let ours = median(rounds.iter().map(|round| round.0).collect());
    let bare = [0, 1].map(|n| {
        let rate = median(rounds.iter().map(|round| round.1[n]).collect());
        let ratio = median(rounds.iter().map(|round| round.0 / round.1[n]).collect());
        format!("{rate:.0}/s | {ratio:.2}")
    });
    let theirs = moto.map(|_| median(rounds.iter().filter_map(|round| round.2).collect()));
    let (moto_rate, times) = match theirs {
        Some(rate) => (format!("{rate:.0}/s"), format!("{:.0}", ours / rate)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    println!("| {what} | {ours:.0}/s | {} | {moto_rate} | {times} |", bare.join(" | "));
}

fn request(key: &str, operation: &str, body: &str) -> Vec<u8> {
    signed_request("logs", key, &format!("Logs_20140328.{operation}"), body)
}

fn serve(cloud: Cloud) -> SocketAddr {
    runtime(2, |address, runtime| {
        runtime.block_on(async {
            let bound = Server::new(cloud)
                .bind("127.0.0.1:0".parse().expect("an address"))
                .await
                .expect("a free port");
            address.send(bound.address()).expect("the benchmark waits");
            bound.run(pending()).await;
        });
    })
}

/// Starts endpoints of hyper and of axum that always send `body`, with the headers of nephos.
fn bare(body: Vec<u8>) -> [SocketAddr; 2] {
    let body = Bytes::from(body);
    [bare_hyper(2, body.clone()), bare_axum(body)]
}

fn bare_axum(body: Bytes) -> SocketAddr {
    runtime(2, move |address, runtime| {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            address.send(listener.local_addr().expect("it listens")).expect("the benchmark waits");
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            let answer = move |_: Bytes| async move { (HEADERS, body) };
            let router = axum::Router::new().route("/", axum::routing::post(answer));
            axum::serve(listener, router).await.expect("the server runs");
        });
    })
}
