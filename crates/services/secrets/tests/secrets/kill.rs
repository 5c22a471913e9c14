//! A process that puts values is killed: the next one finds all that were acknowledged, and opens them.

use super::value;
use nephos_cloud::testing::{kill_after, report_done};
use nephos_secrets::{Secret, testing::Cloud};

/// What the child process of the next test does: it puts values, and says which, until it is killed.
#[test]
#[ignore = "it is the process that the next test kills"]
#[expect(clippy::disallowed_methods, reason = "it is told where by the test that starts it")]
fn put_values_until_killed() {
    let cloud = Cloud::open(std::env::var("NEPHOS_VICTIM").unwrap()).unwrap();
    let session = cloud.session();
    for n in 0.. {
        let name = format!("victim/{}/{n:08}", std::process::id());
        super::create(&session, &name, "first");
        Secret::objects(&session)
            .set_value(name.as_str())
            .secret_string(format!("of {name}"))
            .wait()
            .unwrap();
        report_done(&name);
    }
}

#[test]
fn a_killed_process_loses_no_value_that_was_acknowledged() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("cloud");
    let mut made = Vec::<String>::new();
    for round in 0..3 {
        let variables = [("NEPHOS_VICTIM", path.to_str().unwrap())];
        made.extend(kill_after(2 + 4 * round, "kill::put_values_until_killed", &variables));

        let cloud = Cloud::open(&path).unwrap();
        let session = cloud.session();
        for name in &made {
            assert_eq!(value(&session, name), format!("of {name}"), "round {round}");
        }
        let listed = Secret::objects(&session).list().results().count().wait().unwrap();
        assert!((made.len()..=made.len() + round + 1).contains(&listed), "{listed} of {}", made.len());
        cloud.check().unwrap();
        cloud.close().unwrap();
    }
    assert!(made.len() > 12);
}
