//! States of serverless caches and their snapshots over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Error, Session, SignedDuration, prelude::*};
use nephos_ec2::SecurityGroup;
use nephos_elasticache::{
    CopyServerlessCacheSnapshot, CreateServerlessCache, CreateServerlessCacheSnapshot, DeleteServerlessCache,
    DeleteServerlessCacheSnapshot, ModifyServerlessCache, ServerlessCache, ServerlessCacheSnapshot,
    ServerlessCacheSnapshotStatus, ServerlessCacheStatus, errors,
};
use nephos_elasticache_cases::Cloud;
use nephos_testing::ask;

/// A cloud with realistic transitions and a serverless cache that is being created.
struct Scene {
    cloud: Cloud,
    session: Session,
}

impl Scene {
    fn new() -> Self {
        let cloud = Cloud::options()
            .clock(nephos_testing::clock())
            .seed(7)
            .transitions(Transitions::Realistic)
            .in_memory();
        let session = cloud.session();
        ask(&session, CreateServerlessCache::new("web", "redis")).unwrap();
        Self { cloud, session }
    }

    fn advance(&self, seconds: i64) {
        self.cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
    }

    fn cache(&self) -> ServerlessCache {
        ServerlessCache::objects(&self.session).get("web").wait().unwrap().unwrap()
    }

    fn snapshot(&self, name: &str) -> Option<ServerlessCacheSnapshot> {
        ServerlessCacheSnapshot::objects(&self.session).get(name).wait().unwrap()
    }

    /// Errors of the operations that need an available cache.
    fn refusals(&self) -> Vec<Error> {
        let modify = ModifyServerlessCache::new("web").description("a");
        vec![
            ask(&self.session, modify).unwrap_err(),
            ask(&self.session, DeleteServerlessCache::new("web")).unwrap_err(),
            ask(&self.session, CreateServerlessCacheSnapshot::new("one", "web")).unwrap_err(),
        ]
    }

    #[track_caller]
    fn assert_refuses(&self) {
        for error in self.refusals() {
            assert_eq!(error.code(), errors::SERVERLESS_CACHE_STATE.code, "{error}");
            assert_eq!(error.field(), Some("ServerlessCacheName"));
        }
    }
}

#[test]
fn cache_is_available_after_a_minute() {
    let scene = Scene::new();
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Creating));
    assert_eq!(scene.cache().endpoint(), None);
    scene.assert_refuses();
    scene.advance(59);
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Creating));
    scene.advance(1);
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Available));
    assert_eq!(scene.cache().endpoint().unwrap().port(), Some(6379));
}

#[test]
fn change_has_an_effect_after_a_minute() {
    let scene = Scene::new();
    scene.advance(60);
    let groups = SecurityGroup::objects(&scene.session);
    let group = SecurityGroup::builder().group_name("one").description("one").build().unwrap();
    let group = groups.create(&group).wait().unwrap().group_id().unwrap().to_owned();
    let before = scene.cache();
    let modify = ModifyServerlessCache::new("web").security_group_ids([group.as_str()]);
    ask(&scene.session, modify).unwrap();
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Modifying));
    assert_eq!(scene.cache().security_group_ids(), before.security_group_ids());
    assert!(scene.cache().endpoint().is_some());
    assert!(groups.delete(group.clone()).wait().is_err(), "the group of a change is in use");
    scene.assert_refuses();
    scene.advance(60);
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Available));
    assert_eq!(scene.cache().security_group_ids().unwrap()[0], group);
}

#[test]
fn cache_is_removed_after_a_minute() {
    let scene = Scene::new();
    scene.advance(60);
    ask(&scene.session, DeleteServerlessCache::new("web").final_snapshot_name("last")).unwrap();
    assert_eq!(scene.cache().status(), Some(&ServerlessCacheStatus::Deleting));
    scene.assert_refuses();
    let again = ask(&scene.session, CreateServerlessCache::new("web", "redis")).unwrap_err();
    assert_eq!(again.code(), errors::SERVERLESS_CACHE_EXISTS.code);
    scene.advance(60);
    assert_eq!(ServerlessCache::objects(&scene.session).get("web").wait().unwrap(), None);
    let last = scene.snapshot("last").unwrap();
    assert_eq!(last.status(), Some(&ServerlessCacheSnapshotStatus::Available));
}

#[test]
fn snapshot_goes_through_its_states() {
    let scene = Scene::new();
    scene.advance(60);
    let created = ask(&scene.session, CreateServerlessCacheSnapshot::new("one", "web")).unwrap();
    let arn = created.serverless_cache_snapshot().unwrap().require_arn().unwrap().to_owned();
    let refused = || {
        let restore = CreateServerlessCache::new("copy", "redis").snapshot_arns_to_restore([arn.as_str()]);
        let error = ask(&scene.session, restore).unwrap_err();
        assert_eq!(error.field(), Some("SnapshotArnsToRestore"), "{error}");
        let errors = [
            ask(&scene.session, CopyServerlessCacheSnapshot::new("one", "two")).unwrap_err(),
            ask(&scene.session, DeleteServerlessCacheSnapshot::new("one")).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.code(), errors::SERVERLESS_SNAPSHOT_STATE.code, "{error}");
        }
    };
    refused();
    scene.advance(60);
    let found = scene.snapshot("one").unwrap();
    assert_eq!(found.status(), Some(&ServerlessCacheSnapshotStatus::Available));
    ask(&scene.session, DeleteServerlessCacheSnapshot::new("one")).unwrap();
    refused();
    scene.advance(29);
    assert!(scene.snapshot("one").is_some());
    scene.advance(1);
    assert_eq!(scene.snapshot("one"), None);
}
