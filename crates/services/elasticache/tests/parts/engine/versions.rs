//! Tests of `engine::versions`.

use nephos_elasticache::parts::engine::Engine;
use nephos_elasticache::parts::versions::*;

fn number(engine: Engine, given: &str) -> &'static str {
    version(engine, Some(given)).unwrap().number
}

#[test]
fn a_minor_or_major_version_is_its_newest_version() {
    assert_eq!(number(Engine::Redis, "6.x"), "6.2");
    assert_eq!(number(Engine::Redis, "7"), "7.1");
    assert_eq!(number(Engine::Redis, "5.0"), "5.0.6");
    assert_eq!(number(Engine::Redis, "3.2.4"), "3.2.4");
    assert_eq!(number(Engine::Memcached, "1.5"), "1.5.16");
    assert_eq!(version(Engine::Valkey, None).unwrap().number, "8.0");
}

#[test]
fn unknown_versions_are_refused() {
    let message = |engine, given| version(engine, Some(given)).unwrap_err().message().to_owned();
    assert_eq!(
        message(Engine::Redis, "6.2.6"),
        "Specific version selection is not allowed for '6.2.6', please use '6.2'"
    );
    assert_eq!(message(Engine::Redis, "7.4"), "Cannot find version 7.4 for redis");
    assert_eq!(message(Engine::Memcached, "1.6.2"), "Cannot find version 1.6.2 for memcached");
    assert_eq!(message(Engine::Redis, ""), "Cannot find version  for redis");
}

#[test]
fn upgrades_go_to_later_versions_and_from_redis_to_valkey() {
    let of = |engine, given| version(engine, Some(given)).unwrap();
    assert!(is_upgrade(of(Engine::Redis, "3.2.6"), of(Engine::Redis, "3.2.10")));
    assert!(!is_upgrade(of(Engine::Redis, "7.0"), of(Engine::Redis, "6.2")));
    assert!(!is_upgrade(of(Engine::Redis, "7.0"), of(Engine::Redis, "7.0")));
    assert!(is_upgrade(of(Engine::Redis, "7.1"), of(Engine::Valkey, "7.2")));
    assert!(!is_upgrade(of(Engine::Redis, "4.0.10"), of(Engine::Valkey, "7.2")));
    assert!(!is_upgrade(of(Engine::Valkey, "7.2"), of(Engine::Redis, "7.1")));
}
