//! Serverless caches: created, described, changed and deleted.

use super::{World, subnets};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_ec2::{SecurityGroup, Subnet, Vpc};
use nephos_elasticache::{
    CacheUsageLimits, CacheUserGroup, ConnectionType, CreateServerlessCache, DataStorage, DataStorageUnit,
    DeleteServerlessCache, DescribeServerlessCaches, ECPUPerSecond, ListTagsForResource,
    ModifyServerlessCache, NetworkType, ServerlessCache, ServerlessCacheManager, ServerlessCacheStatus,
    StorageEncryptionType, errors,
};
use nephos_testing::{DAY, ask, names};

fn caches(session: &Session) -> ServerlessCacheManager {
    ServerlessCache::objects(session)
}

pub(super) fn create(session: &Session, name: &str, engine: &str) -> Result<ServerlessCache> {
    let cache = ServerlessCache::builder().serverless_cache_name(name).engine(engine);
    caches(session).create(&cache.build()?).wait()
}

pub(super) fn get(session: &Session, name: &str) -> Result<ServerlessCache> {
    Ok(caches(session).get(name).wait()?.unwrap())
}

fn create_group(session: &Session, name: &str, vpc: Option<&str>) -> Result<Text> {
    let mut group = SecurityGroup::builder().group_name(name).description("web");
    if let Some(vpc) = vpc {
        group = group.vpc_id(vpc);
    }
    let group = SecurityGroup::objects(session).create(&group.build()?).wait()?;
    Ok(group.group_id().unwrap().into())
}

fn create_subnet(session: &Session, vpc: &str, zone: &str, block: &str) -> Result<Text> {
    let subnet = Subnet::builder().vpc_id(vpc).cidr_block(block).availability_zone(zone);
    let subnet = Subnet::objects(session).create(&subnet.build()?).wait()?;
    Ok(subnet.subnet_id().unwrap().into())
}

fn create_vpc(session: &Session) -> Result<String> {
    let vpc = Vpc::objects(session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    Ok(vpc.vpc_id().unwrap().to_owned())
}

fn gigabytes(minimum: Option<i64>, maximum: Option<i64>) -> CacheUsageLimits {
    let storage = DataStorage::builder().minimum(minimum).maximum(maximum).unit(DataStorageUnit::Gb);
    CacheUsageLimits::builder().data_storage(storage.build().unwrap()).build().unwrap()
}

fn units(minimum: Option<i64>, maximum: Option<i64>) -> CacheUsageLimits {
    let units = ECPUPerSecond::builder().minimum(minimum).maximum(maximum).build().unwrap();
    CacheUsageLimits::builder().ecpu_per_second(units).build().unwrap()
}

pub(super) fn cache_lifecycle(world: &World) -> Result<()> {
    let session = world.session();
    let created = ask(&session, CreateServerlessCache::new("Web-1", "Redis"))?;
    let created = created.serverless_cache().unwrap();
    assert_eq!(created.require_name()?, "web-1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:serverlesscache:web-1");
    assert_eq!(created.status(), Some(&ServerlessCacheStatus::Creating));
    assert_eq!(created.endpoint(), None, "a cache that is being created has no endpoint");
    let mut found = get(&session, "WEB-1")?;
    assert_eq!(found.status(), Some(&ServerlessCacheStatus::Available));
    assert_eq!(found.engine(), Some("redis"));
    assert_eq!((found.major_engine_version(), found.full_engine_version()), (Some("7"), Some("7.1")));
    assert_eq!(found.storage_encryption_type(), Some(&StorageEncryptionType::SseElasticache));
    assert_eq!(found.connection_type(), Some(&ConnectionType::Vpc));
    assert_eq!(found.network_type(), Some(&NetworkType::Ipv4));
    assert_eq!(found.snapshot_retention_limit(), Some(0));
    let (endpoint, reader) = (found.endpoint().unwrap(), found.reader_endpoint().unwrap());
    let address = endpoint.address().unwrap();
    assert!(address.starts_with("web-1-"), "{address}");
    assert!(address.ends_with(".serverless.use1.cache.amazonaws.com"), "{address}");
    assert_eq!(address.len(), "web-1-123456.serverless.use1.cache.amazonaws.com".len());
    assert_eq!((endpoint.port(), reader.port(), reader.address()), (Some(6379), Some(6380), Some(address)));
    assert_eq!(found.ec2_subnets().wait()?.len(), 3);
    let groups = found.vpc_security_groups().wait()?;
    assert_eq!(groups[0].group_name(), Some("default"));
    found.set_description("cache of the web")?;
    found.save().wait()?;
    let mut found = get(&session, "web-1")?;
    assert_eq!(found.description(), Some("cache of the web"));
    found.clear_description()?;
    found.save().wait()?;
    let found = get(&session, "web-1")?;
    assert_eq!((found.description(), found.status()), (None, Some(&ServerlessCacheStatus::Available)));
    let deleted = ask(&session, DeleteServerlessCache::new("web-1"))?;
    assert_eq!(deleted.serverless_cache().unwrap().status(), Some(&ServerlessCacheStatus::Deleting));
    assert_eq!(caches(&session).get("web-1").wait()?, None);
    create(&session, "web-1", "valkey")?.delete().wait()?;
    Ok(())
}

pub(super) fn caches_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    for name in ["1a", "a--b", "a-", "a_b", "a.b"] {
        let error =
            world.refused(&errors::INVALID, "ServerlessCacheName", || create(&session, name, "redis"));
        assert!(error.message().starts_with("The parameter ServerlessCacheName is not a valid identifier."));
    }
    let error = world.refused(&errors::SERVERLESS_CACHE_EXISTS, "ServerlessCacheName", || {
        create(&session, "WEB", "valkey")
    });
    assert_eq!(error.message(), "Serverless Cache already exists");
    world.refused(&errors::INVALID, "Engine", || create(&session, "api", "mongodb"));
    let new = || CreateServerlessCache::new("api", "redis");
    let version = new().major_engine_version("6");
    world.refused(&errors::INVALID, "MajorEngineVersion", || ask(&session, version));
    let public = new().connection_type(ConnectionType::Public);
    world.refused(&errors::INVALID_COMBINATION, "ConnectionType", || ask(&session, public));
    let group = new().user_group_id("people");
    let error = world.refused(&errors::USER_GROUP_NOT_FOUND, "UserGroupId", || ask(&session, group));
    assert_eq!(error.message(), "User Group people not found.");
    let group = CreateServerlessCache::new("api", "memcached").user_group_id("people");
    world.refused(&errors::INVALID_COMBINATION, "UserGroupId", || ask(&session, group));
    let modify = ModifyServerlessCache::new("none").description("a");
    world.refused(&errors::SERVERLESS_CACHE_NOT_FOUND, "ServerlessCacheName", || ask(&session, modify));
    let delete = DeleteServerlessCache::new("none");
    world.refused(&errors::SERVERLESS_CACHE_NOT_FOUND, "ServerlessCacheName", || ask(&session, delete));
    let describe = DescribeServerlessCaches::new().serverless_cache_name("none");
    world.refused(&errors::SERVERLESS_CACHE_NOT_FOUND, "ServerlessCacheName", || ask(&session, describe));
    Ok(())
}

pub(super) fn placement_of_caches_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    let new = || CreateServerlessCache::new("web", "redis");
    let own = subnets(&session);
    let unknown = new().subnet_ids(["subnet-0123456789abcdef0"]);
    let error = world.refused(&errors::INVALID, "SubnetIds", || ask(&session, unknown));
    assert_eq!(error.message(), "Some input subnets in :[subnet-0123456789abcdef0] are invalid.");
    let one = new().subnet_ids(own[..1].to_vec());
    world.refused(&errors::INVALID, "SubnetIds", || ask(&session, one));
    let vpc = create_vpc(&session)?;
    let other = create_subnet(&session, &vpc, "us-east-1b", "10.0.0.0/24")?;
    let mixed = new().subnet_ids([own[0].clone(), other.clone()]);
    world.refused(&errors::INVALID_SUBNET, "SubnetIds", || ask(&session, mixed));
    let same_zone = create_subnet(&session, &vpc, "us-east-1b", "10.0.1.0/24")?;
    let twice = new().subnet_ids([other.clone(), same_zone]);
    world.refused(&errors::INVALID, "SubnetIds", || ask(&session, twice));
    let another = create_subnet(&session, &vpc, "us-east-1c", "10.0.2.0/24")?;
    let placed = || new().subnet_ids([other.clone(), another.clone()]);
    let missing = placed().security_group_ids(["sg-0123456789abcdef0"]);
    world.refused(&errors::INVALID, "SecurityGroupIds", || ask(&session, missing));
    let none = placed().security_group_ids(Vec::<Text>::new());
    world.refused(&errors::INVALID, "SecurityGroupIds", || ask(&session, none));
    let elsewhere = placed().security_group_ids([create_group(&session, "elsewhere", None)?]);
    world.refused(&errors::INVALID_COMBINATION, "SecurityGroupIds", || ask(&session, elsewhere));
    for network_type in [NetworkType::Ipv6, NetworkType::DualStack] {
        let network = placed().network_type(network_type);
        world.refused(&errors::INVALID_COMBINATION, "NetworkType", || ask(&session, network));
    }
    ask(&session, placed())?;
    let found = get(&session, "web")?;
    assert_eq!(found.subnet_ids(), Some(&[other, another][..]));
    let groups = found.vpc_security_groups().wait()?;
    assert_eq!((groups[0].group_name(), groups[0].vpc_id()), (Some("default"), Some(vpc.as_str())));
    Ok(())
}

pub(super) fn security_groups_are_attached(world: &World) -> Result<()> {
    let session = world.session();
    let groups = SecurityGroup::objects(&session);
    let before = world.state()?;
    let (one, two) = (create_group(&session, "one", None)?, create_group(&session, "two", None)?);
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis");
    let cache = cache.security_group_ids([one.clone()]).build()?;
    let mut cache = caches(&session).create(&cache).wait()?;
    assert_eq!(groups.delete(one.clone()).wait().unwrap_err().code(), "DependencyViolation");
    cache = get(&session, cache.require_name()?)?;
    cache.set_security_group_ids([two.clone()])?;
    cache.save().wait()?;
    assert_eq!(get(&session, "web")?.security_group_ids(), Some(&[two.clone()][..]));
    assert_eq!(groups.delete(two.clone()).wait().unwrap_err().code(), "DependencyViolation");
    groups.delete(one).wait()?;
    let subnet = subnets(&session)[0].clone();
    assert!(Subnet::objects(&session).delete(subnet).wait().is_err(), "the subnet is in use");
    cache.delete().wait()?;
    groups.delete(two).wait()?;
    world.advance(15 * DAY)?; // The events of the cache are removed after 14 days.
    assert_eq!(world.state()?.len(), before.len(), "only the clock changed");
    Ok(())
}

pub(super) fn usage_limits_are_validated_and_merged(world: &World) -> Result<()> {
    let session = world.session();
    let new = |limits| CreateServerlessCache::new("web", "redis").cache_usage_limits(limits);
    let ecpu = "Invalid value for ECPUPerSecond limit. Must be between 1000 and 15000000. You can set the value to zero \
        to remove the limit.";
    for limit in [5, 999, 15_000_001, -1] {
        let field = "CacheUsageLimits.ECPUPerSecond.Maximum";
        let error = world.refused(&errors::INVALID, field, || ask(&session, new(units(None, Some(limit)))));
        assert_eq!(error.message(), ecpu);
    }
    for limit in [5001, -1] {
        let field = "CacheUsageLimits.DataStorage.Minimum";
        world.refused(&errors::INVALID, field, || ask(&session, new(gigabytes(Some(limit), None))));
    }
    let crossed = new(gigabytes(Some(20), Some(10)));
    let field = "CacheUsageLimits.DataStorage.Minimum";
    world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, crossed));
    let field = "CacheUsageLimits.DataStorage.Maximum";
    world.refused(&errors::INVALID, field, || ask(&session, new(gigabytes(None, None))));
    ask(&session, new(gigabytes(Some(1), Some(10))))?;
    let change = |limits| ask(&session, ModifyServerlessCache::new("web").cache_usage_limits(limits));
    change(units(Some(1000), Some(5000)))?;
    change(gigabytes(None, Some(20)))?;
    let both = get(&session, "web")?.cache_usage_limits().cloned().unwrap();
    let (storage, ecpu) = (both.data_storage().unwrap(), both.ecpu_per_second().unwrap());
    assert_eq!((storage.minimum(), storage.maximum()), (Some(1), Some(20)));
    assert_eq!((ecpu.minimum(), ecpu.maximum()), (Some(1000), Some(5000)));
    let field = "CacheUsageLimits.DataStorage.Minimum";
    world.refused(&errors::INVALID_COMBINATION, field, || change(gigabytes(Some(21), None)));
    change(gigabytes(Some(0), Some(0)))?;
    change(units(Some(0), None))?;
    let left = get(&session, "web")?.cache_usage_limits().cloned().unwrap();
    assert_eq!(left.data_storage(), None);
    assert_eq!(left.ecpu_per_second().unwrap().minimum(), None);
    change(units(None, Some(0)))?;
    assert_eq!(get(&session, "web")?.cache_usage_limits(), None);
    Ok(())
}

pub(super) fn change_is_one_setting(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    let modify = || ModifyServerlessCache::new("web");
    let error = world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, modify()));
    assert_eq!(error.message(), "No modifications were requested");
    for several in [
        modify().description("a").snapshot_retention_limit(1),
        modify().daily_snapshot_time("05:00").snapshot_retention_limit(1),
        modify().remove_user_group(true).description("a"),
        modify().engine("valkey").description("a"),
        modify().cache_usage_limits(units(None, Some(1000))).security_group_ids(["sg-0123456789abcdef0"]),
    ] {
        let error = world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, several));
        let text = "Serverless Cache modifications only support modifying one field per request.";
        assert_eq!(error.message(), text);
    }
    let both = modify().user_group_id("people").remove_user_group(true);
    world.refused(&errors::INVALID_COMBINATION, "RemoveUserGroup", || ask(&session, both));
    let group = modify().user_group_id("people");
    world.refused(&errors::USER_GROUP_NOT_FOUND, "UserGroupId", || ask(&session, group));
    let group = modify().security_group_ids(["sg-0123456789abcdef0"]);
    world.refused(&errors::INVALID, "SecurityGroupIds", || ask(&session, group));
    let changed = ask(&session, modify().remove_user_group(true))?;
    assert_eq!(changed.serverless_cache().unwrap().status(), Some(&ServerlessCacheStatus::Modifying));
    let mut model = get(&session, "web")?;
    model.set_description("a")?;
    model.set_snapshot_retention_limit(1)?;
    world.refused(&errors::INVALID_COMBINATION, None, || model.clone().save().wait());
    Ok(())
}

pub(super) fn engine_and_version_are_raised(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    let modify = || ModifyServerlessCache::new("web");
    let memcached = modify().engine("memcached");
    world.refused(&errors::INVALID_COMBINATION, "Engine", || ask(&session, memcached));
    world.refused(&errors::INVALID, "MajorEngineVersion", || {
        ask(&session, modify().major_engine_version("8"))
    });
    ask(&session, modify().engine("valkey").major_engine_version("7"))?;
    let versions = |cache: &ServerlessCache| {
        [cache.engine(), cache.major_engine_version(), cache.full_engine_version()]
            .map(|version| version.unwrap().to_owned())
    };
    assert_eq!(versions(&get(&session, "web")?), ["valkey", "7", "7.2"]);
    ask(&session, modify().major_engine_version("8"))?;
    assert_eq!(versions(&get(&session, "web")?), ["valkey", "8", "8.0"]);
    let lower = modify().major_engine_version("7");
    world.refused(&errors::INVALID_COMBINATION, "MajorEngineVersion", || ask(&session, lower));
    world.refused(&errors::INVALID_COMBINATION, "Engine", || ask(&session, modify().engine("redis")));
    create(&session, "other", "memcached")?;
    let memcached = get(&session, "other")?;
    assert_eq!(versions(&memcached), ["memcached", "1.6", "1.6.22"]);
    assert_eq!(memcached.endpoint().unwrap().port(), Some(11211));
    Ok(())
}

pub(super) fn snapshot_settings_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    for time in ["25:00", "5:00", "12:60", "noon"] {
        let new = CreateServerlessCache::new("api", "redis").daily_snapshot_time(time);
        world.refused(&errors::INVALID, "DailySnapshotTime", || ask(&session, new));
        let change = ModifyServerlessCache::new("web").daily_snapshot_time(time);
        world.refused(&errors::INVALID, "DailySnapshotTime", || ask(&session, change));
    }
    let new = CreateServerlessCache::new("api", "redis").snapshot_retention_limit(36);
    world.refused(&errors::INVALID, "SnapshotRetentionLimit", || ask(&session, new));
    Ok(())
}

pub(super) fn caches_are_listed_in_pages(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["c", "a", "b"] {
        create(&session, name, "redis")?;
    }
    assert_eq!(names(&caches(&session).list().results().all().wait()?)?, ["a", "b", "c"]);
    let first = ask(&session, DescribeServerlessCaches::new().max_results(2))?;
    assert_eq!(names(first.serverless_caches().unwrap())?, ["a", "b"]);
    let next = DescribeServerlessCaches::new().max_results(2).next_token(first.next_token().unwrap());
    assert_eq!(names(ask(&session, next)?.serverless_caches().unwrap())?, ["c"]);
    let wrong = DescribeServerlessCaches::new().next_token("no-token");
    world.refused(&errors::INVALID, "NextToken", || ask(&session, wrong));
    let wrong = DescribeServerlessCaches::new().max_results(51);
    world.refused(&errors::INVALID, "MaxResults", || ask(&session, wrong));
    assert_eq!(caches(&world.other_region()).list().results().all().wait()?.len(), 0);
    Ok(())
}

pub(super) fn caches_are_tagged(world: &World) -> Result<()> {
    let session = world.session();
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis").build()?;
    caches(&session).create(&cache).tags([("team", "web")]).wait()?;
    let mut cache = get(&session, "web")?;
    assert_eq!(cache.tags_map().wait()?.len(), 1);
    cache.tags_mut().wait()?.insert("stage", "test")?;
    cache.save().wait()?;
    let arn = cache.require_arn()?.to_owned();
    assert_eq!(ask(&session, ListTagsForResource::new(arn.as_str()))?.tag_list().unwrap().len(), 2);
    let missing = arn.replace(":web", ":none");
    let error = world.refused(&errors::SERVERLESS_CACHE_NOT_FOUND, "ResourceName", || {
        ask(&session, ListTagsForResource::new(missing))
    });
    assert_eq!(error.message(), "none is not present");
    let reserved = CreateServerlessCache::new("api", "redis").tags([("aws:team", "web")]);
    world.refused(&errors::INVALID, "Tags[aws:team]", || ask(&session, reserved));
    Ok(())
}

pub(super) fn quota_of_caches_is_enforced(world: &World) -> Result<()> {
    let session = world.session();
    for number in 0..40 {
        create(&session, &format!("web-{number}"), "redis")?;
    }
    world.refused(&errors::SERVERLESS_CACHE_QUOTA, None, || create(&session, "web-40", "redis"));
    get(&session, "web-1")?.delete().wait()?;
    create(&session, "web-40", "redis")?;
    Ok(())
}

pub(super) fn user_group_of_a_cache_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let group =
        CacheUserGroup::builder().user_group_id("web").engine("redis").user_ids(["default"]).build()?;
    CacheUserGroup::objects(&session).create(&group).wait()?;
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis").user_group_id("web");
    ServerlessCache::objects(&session).create(&cache.build()?).wait()?;
    let found = CacheUserGroup::objects(&session).get("web").wait()?.unwrap();
    assert_eq!(found.serverless_caches().unwrap(), ["web"]);
    world.refused(&errors::USER_GROUP_STATE, "UserGroupId", || {
        CacheUserGroup::objects(&session).delete("web").wait()
    });
    ask(&session, ModifyServerlessCache::new("web").remove_user_group(true))?;
    let found = CacheUserGroup::objects(&session).get("web").wait()?.unwrap();
    assert_eq!(found.serverless_caches().unwrap(), [""; 0]);
    CacheUserGroup::objects(&session).delete("web").wait()?;
    Ok(())
}
