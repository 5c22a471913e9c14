//! A process that creates log groups is killed: acknowledged log groups survive.

use nephos::{Cloud, LogGroup, prelude::*};
use nephos_testing::{kill_after, report_done};

fn create(session: &Session, name: &str) {
    let group = LogGroup::builder().log_group_name(name).build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
}

fn names(session: &Session) -> Vec<String> {
    let all = LogGroup::objects(session).list().results().all().wait().unwrap();
    all.iter().map(|group| group.require_name().unwrap().to_owned()).collect()
}

/// Child process of the next test: creates groups, and reports each, until it is killed.
#[test]
#[ignore = "child process of the next test"]
#[expect(clippy::disallowed_methods, reason = "the parent test passes the path in the environment")]
fn create_groups_until_killed() {
    let path = std::env::var("NEPHOS_VICTIM").unwrap();
    let start: usize = std::env::var("NEPHOS_START").unwrap().parse().unwrap();
    let cloud = Cloud::open(path).unwrap();
    for n in start.. {
        let name = format!("/victim/{n:08}");
        create(&cloud.session(), &name);
        report_done(&name);
    }
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("cloud");
    let mut acknowledged = Vec::<String>::new();
    for round in 0..4 {
        let start = (round * 1_000_000).to_string();
        let variables = [("NEPHOS_VICTIM", path.to_str().unwrap()), ("NEPHOS_START", &start)];
        acknowledged.extend(kill_after(3 + 5 * round, "kill::create_groups_until_killed", &variables));

        let cloud = Cloud::open(&path).unwrap();
        let found = names(&cloud.session());
        for name in &acknowledged {
            assert!(found.contains(name), "{name} was acknowledged in round {round} and is lost");
        }
        assert!(
            found.len() <= acknowledged.len() + round + 1,
            "at most one group per round is not acknowledged"
        );
        let searched = LogGroup::objects(&cloud.session()).list().log_group_name_pattern("victim").results();
        assert_eq!(searched.count().wait().unwrap(), found.len(), "the index differs from the groups");
        cloud.check().unwrap();
        cloud.close().unwrap();
    }
    assert!(acknowledged.len() > 12);
}
