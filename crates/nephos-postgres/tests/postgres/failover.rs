//! A primary with a standby: a promotion, an old primary that comes back, and a standby that hangs.

use nephos_store::{ErrorKind, OpenOptions, Store, View as _};
use nephos_store_testing::postgres::{Proxy, Server};
use std::{sync::mpsc, thread};

/// A primary whose commits wait for a standby, which it reaches through a proxy.
struct Pair {
    primary: Server,
    standby: Server,
    proxy: Proxy,
}

impl Pair {
    fn start() -> Option<Self> {
        let primary = Server::start_with("synchronous_standby_names = '*'")?;
        let proxy = Proxy::start(primary.port());
        let standby = primary.start_standby(proxy.port());
        let pair = Self { primary, standby, proxy };
        pair.wait_for("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        Some(pair)
    }

    /// Opens the store, whose address names both hosts, the first primary first.
    fn open(&self) -> nephos_store::Result<Store> {
        let both = format!("127.0.0.1:{},127.0.0.1:{}/", self.primary.port(), self.standby.port());
        let url = self.primary.url("store").replace(&format!("127.0.0.1:{}/", self.primary.port()), &both);
        nephos_postgres::open(&url.replace("timeout=30", "timeout=4").parse()?, &OpenOptions::new())
    }

    /// Repeats a query on the primary until it has rows.
    fn wait_for(&self, sql: &str) {
        while self.primary.sql(sql).is_empty() {}
    }

    fn fail_over(&self) {
        self.primary.kill();
        self.standby.promote();
    }
}

fn put(store: &Store, key: &'static str) -> nephos_store::Result<()> {
    store.transact(move |txn| txn.put(key.as_bytes(), b"value")).wait()
}

fn has(store: &Store, key: &str) -> nephos_store::Result<bool> {
    Ok(store.lazy_snapshot()?.get(key.as_bytes())?.is_some())
}

#[test]
fn old_primary_that_comes_back_is_refused() {
    let Some(pair) = Pair::start() else { return };
    let store = pair.open().unwrap();
    put(&store, "before").unwrap();
    pair.fail_over();
    put(&store, "after").unwrap();
    pair.primary.resume();
    // All connections end, and the first host of the address is the old primary.
    let ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nephos' AND pid <> pg_backend_pid()";
    pair.standby.sql(ended);
    while has(&store, "before").is_err() {}
    assert!(has(&store, "after").unwrap(), "the old primary was read");
    put(&store, "later").unwrap();
    // A process that starts now has seen neither.
    let other = pair.open().unwrap();
    assert!(has(&other, "after").unwrap() && has(&other, "later").unwrap());
    // Without the new primary, nothing is read from the old one.
    pair.standby.kill();
    assert_eq!(has(&store, "before").unwrap_err().kind(), ErrorKind::Unavailable);
    let problem = store.problem().unwrap();
    assert!(problem.message().contains("old primary") || problem.message().contains("refused"), "{problem}");
}

#[test]
fn commit_behind_a_hanging_standby_is_reported_as_unknown() {
    let Some(pair) = Pair::start() else { return };
    let store = pair.open().unwrap();
    put(&store, "before").unwrap();
    pair.proxy.hold();
    let (asked, writer) = (store.clone(), store.clone());
    let writing = thread::spawn(move || put(&writer, "held"));
    while asked.problem().is_none() {
        thread::yield_now();
    }
    assert!(!writing.is_finished(), "the problem is known before the write ends");
    assert_eq!(writing.join().unwrap().unwrap_err().kind(), ErrorKind::Unknown);
    pair.proxy.release();
    while put(&store, "later").is_err() {}
    assert!(store.problem().is_none());
    assert!(has(&store, "held").unwrap() && has(&store, "later").unwrap());
}

#[test]
fn commit_whose_wait_for_a_standby_is_cancelled_is_not_acknowledged() {
    let Some(pair) = Pair::start() else { return };
    let store = pair.open().unwrap();
    put(&store, "before").unwrap();
    pair.proxy.hold();
    let (done, ended) = mpsc::channel();
    let writer = store.clone();
    thread::spawn(move || drop(done.send(put(&writer, "held"))));
    pair.wait_for("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    pair.primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    pair.wait_for("SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT')");
    pair.fail_over();
    // The new primary never had it: it was written again, or was not acknowledged.
    let acknowledged = ended.recv().unwrap().is_ok();
    while has(&store, "before").is_err() {}
    assert_eq!(has(&store, "held").unwrap(), acknowledged);
}
