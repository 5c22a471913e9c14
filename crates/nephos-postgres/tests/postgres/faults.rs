//! A database that is full, and one that is slow.

use nephos_postgres::Counts;
use nephos_store::{ErrorKind, OpenOptions, Store, View};
use nephos_store_testing::conformance::run_on_threads;
use nephos_store_testing::postgres::{Proxy, Server};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

fn open(url: &str) -> (Store, Counts) {
    nephos_postgres::open_counted(&url.parse().unwrap(), &OpenOptions::new()).unwrap()
}

fn put(store: &Store, key: String, value: Vec<u8>) -> nephos_store::Result<()> {
    store.transact(move |txn| txn.put(key.as_bytes(), &value)).wait()
}

fn increment(store: &Store) -> nephos_store::Result<u64> {
    let next = |txn: &mut nephos_store::Txn<'_>| {
        let count = read(txn)? + 1;
        txn.put(b"counter", &count.to_be_bytes())?;
        Ok(count)
    };
    store.transact(next).wait()
}

fn read(view: &dyn View) -> nephos_store::Result<u64> {
    Ok(view.get(b"counter")?.map_or(0, |value| u64::from_be_bytes(value.as_ref().try_into().unwrap())))
}

/// A file system of a few megabytes in memory; removed when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts it; none if this user may not.
    fn mount(path: &Path) -> Option<Self> {
        std::fs::create_dir(path).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let done = Command::new(program).args(arguments).arg(path).output();
            done.is_ok_and(|done| done.status.success())
        };
        let mounted = run("mount", &["-t", "tmpfs", "-o", "size=8m", "none"]);
        if !mounted {
            println!("NOT TESTED: this user may not mount a file system");
        }
        let disk = mounted.then(|| Self(path.to_owned()));
        assert!(!mounted || run("chown", &["nobody"]), "the user of the database can be its owner");
        disk
    }

    fn enlarge(&self) {
        let mount = Command::new("mount").args(["-o", "remount,size=16m"]).arg(&self.0).status();
        assert!(mount.is_ok_and(|status| status.success()), "the file system can be enlarged");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The database still has its files open.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Writes to a full disk are refused whole; reads go on, and so do writes when there is space again.
#[test]
fn full_disk_refuses_writes_and_loses_nothing() {
    let Some(server) = Server::start() else { return };
    let Some(disk) = SmallDisk::mount(&server.folder().join("small")) else { return };
    let (store, _) = open(&server.url("small"));
    server.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.0.display()));
    server.sql("ALTER TABLE small.rows SET TABLESPACE small");
    server.sql("ALTER INDEX small.rows_pkey SET TABLESPACE small");
    let key = |number: usize, part: usize| format!("row/{number:03}/{part}");
    let mut acknowledged = 0;
    let refused = loop {
        let written = store.transact(move |txn| {
            (0..2).try_for_each(|part| txn.put(key(acknowledged, part).as_bytes(), &[7; 100_000]))
        });
        match written.wait() {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 100, "the disk is not full");
    };
    assert_eq!(refused.kind(), ErrorKind::Full, "{refused}");
    assert!(acknowledged > 5, "{acknowledged}");
    let problem = store.problem().expect("the health says it");
    assert_eq!(problem.kind(), ErrorKind::Full, "{problem}");
    let rows = |store: &Store| nephos_store_testing::conformance::rows(&store.snapshot().unwrap()).unwrap();
    let found: Vec<_> = rows(&store).into_iter().map(|row| String::from_utf8(row.0).unwrap()).collect();
    let expected: Vec<_> = (0..acknowledged).flat_map(|number| [key(number, 0), key(number, 1)]).collect();
    assert_eq!(found, expected, "all that was acknowledged, and nothing of what was refused");
    // Rows can still be deleted. PostgreSQL needs some space to reuse theirs.
    store.transact(move |txn| found.iter().try_for_each(|key| txn.delete(key.as_bytes()))).wait().unwrap();
    assert!(rows(&store).is_empty());
    disk.enlarge();
    store.compact(|_| ()).unwrap();
    put(&store, "after".to_owned(), vec![7; 100_000]).unwrap();
    assert!(store.problem().is_none());
    assert_eq!(rows(&store).len(), 1);
    drop(disk);
}

/// Transactions that wait for a slow database share its answers.
#[test]
fn slow_database_is_used_by_all_at_once() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.port());
    let (store, counts) = open(&server.url_at(proxy.port(), "slow"));
    proxy.delay(Duration::from_millis(100));
    let before = counts.round_trips();
    let mut counted = run_on_threads(32, |_| increment(&store).unwrap());
    let trips = counts.round_trips() - before;
    counted.sort_unstable();
    assert_eq!(counted, (1..=32).collect::<Vec<_>>());
    assert!(trips < 32, "{trips} round trips for 32 transactions, which need two each alone");
    assert!(store.problem().is_none());
}

/// A database that is slower than the timeout: a request was refused and not carried out, or is reported as unknown; not later than a
/// few timeouts.
#[test]
fn database_slower_than_the_timeout_is_reported() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.port());
    let url = server.url_at(proxy.port(), "late").replace("timeout=30", "timeout=4");
    let (store, _) = open(&url);
    assert_eq!(increment(&store).unwrap(), 1);
    proxy.delay(Duration::from_secs(6));
    let refused = increment(&store).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    let refused = store.lazy_snapshot().and_then(|snapshot| read(&snapshot)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    assert!(store.problem().unwrap().message().contains("in time"), "{:?}", store.problem());
    proxy.delay(Duration::ZERO);
    while read(&store.lazy_snapshot().unwrap()).is_err() {}
    assert_eq!(increment(&store).unwrap(), 2);
    // Its first round trip is the commit: only the database knows whether it was carried out.
    proxy.delay(Duration::from_secs(6));
    let unknown = put(&store, "blind".to_owned(), b"value".to_vec()).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unknown, "{unknown}");
    proxy.delay(Duration::ZERO);
    while put(&store, "last".to_owned(), b"value".to_vec()).is_err() {}
    assert_eq!(increment(&store).unwrap(), 3);
    assert!(store.problem().is_none());
}
