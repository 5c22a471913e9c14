//! Crash test: after a process that stores values is killed, all acknowledged values can be read.

use super::value;
use nephos_secrets::Secret;
use nephos_secrets_cases::Cloud;
use nephos_testing::{kill_after, report_done};

/// Child process of the next test: stores values and reports their names until it is killed.
#[test]
#[ignore = "the next test starts it as a child process"]
#[expect(clippy::disallowed_methods, reason = "the parent test passes the path")]
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
fn killed_process_loses_no_acknowledged_value() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("cloud");
    let mut acknowledged = Vec::<String>::new();
    for round in 0..3 {
        let variables = [("NEPHOS_VICTIM", path.to_str().unwrap())];
        acknowledged.extend(kill_after(2 + 4 * round, "kill::put_values_until_killed", &variables));

        let cloud = Cloud::open(&path).unwrap();
        let session = cloud.session();
        for name in &acknowledged {
            assert_eq!(value(&session, name), format!("of {name}"), "round {round}");
        }
        let listed = Secret::objects(&session).list().results().count().wait().unwrap();
        assert!(
            (acknowledged.len()..=acknowledged.len() + round + 1).contains(&listed),
            "{listed} of {}",
            acknowledged.len()
        );
        cloud.check().unwrap();
        cloud.close().unwrap();
    }
    assert!(acknowledged.len() > 12);
}
