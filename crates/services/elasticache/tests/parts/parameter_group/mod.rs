//! Tests of `parameter_group`.

mod tables;
mod values;

use nephos_elasticache::parts::engine::Engine;
use nephos_elasticache::parts::engine::Family;
use nephos_elasticache::parts::engine::version;
use nephos_elasticache::parts::parameter_group::*;

#[test]
fn default_groups_are_named_by_family_and_cluster_mode() {
    let redis = version(Engine::Redis, Some("6.2")).unwrap();
    assert_eq!(default_name(redis, false), "default.redis6.x");
    assert_eq!(default_name(redis, true), "default.redis6.x.cluster.on");
    let memcached = version(Engine::Memcached, None).unwrap();
    assert_eq!(default_name(memcached, true), "default.memcached1.6");
    assert!(is_default("default.valkey8.cluster.on"));
    for name in ["default", "default.redis2.8.cluster.on", "default.redis5.0.6", "redis7"] {
        assert!(!is_default(name), "{name}");
    }
}

#[test]
fn some_changes_need_a_reboot() {
    assert!(needs_reboot(Family::Memcached16, ["idle_timeout"]));
    assert!(!needs_reboot(Family::Redis7, ["timeout", "maxmemory-policy"]));
    assert!(needs_reboot(Family::Redis7, ["timeout", "databases"]));
}
