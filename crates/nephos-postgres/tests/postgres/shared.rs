//! Several stores on one database, lost connections, and long keys.

use nephos_postgres::Counts;
use nephos_store::{Direction, Error, ErrorKind, KeyRange, OpenOptions, Result, Store, Txn, View};
use nephos_store_testing::conformance::{block_on, join_all, rows, run_on_threads};
use nephos_store_testing::postgres::{Proxy, Server};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn open(url: &str) -> (Store, Counts) {
    nephos_postgres::open_counted(&url.parse().unwrap(), &OpenOptions::new()).unwrap()
}

fn number(view: &dyn View, key: &[u8]) -> Result<u64> {
    Ok(view.get(key)?.map_or(0, |value| String::from_utf8_lossy(&value).parse().unwrap()))
}

fn add(txn: &mut Txn<'_>, key: &[u8]) -> Result<u64> {
    let next = number(txn, key)? + 1;
    txn.put(key, next.to_string().as_bytes())?;
    Ok(next)
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn increments_of_several_stores_lose_no_update() {
    let Some(server) = Server::start() else { return };
    let stores: Vec<_> = (0..3).map(|_| open(&server.url("shared"))).collect();
    let counts = run_on_threads(6, |thread| {
        let (store, _) = &stores[thread % 3];
        let all = (0..50).map(|_| store.transact(|txn| add(txn, b"counter"))).collect();
        block_on(join_all(all)).into_iter().collect::<Result<Vec<_>>>().unwrap()
    });
    let mut counts = counts.concat();
    counts.sort_unstable();
    assert_eq!(counts, (1..=300).collect::<Vec<_>>());
    let conflicts: u64 = stores.iter().map(|(_, counts)| counts.conflicts()).sum();
    println!("{conflicts} conflicts");
}

/// Each account may be overdrawn as long as the sum is not.
#[test]
fn several_stores_have_no_write_skew_and_no_phantoms() {
    let Some(server) = Server::start() else { return };
    let stores: Vec<_> = (0..2).map(|_| open(&server.url("shared")).0).collect();
    for round in 0..40 {
        let prepared = stores[0].transact(|txn| {
            txn.delete(b"log/0")?;
            txn.delete(b"log/1")?;
            txn.put(b"account/0", b"1")?;
            txn.put(b"account/1", b"1")
        });
        prepared.wait().unwrap();
        let withdrawn = run_on_threads(2, |who| {
            let withdraw = stores[who].transact(move |txn| {
                let sum = number(txn, b"account/0")? + number(txn, b"account/1")?;
                if sum == 2 {
                    txn.put(format!("account/{who}").as_bytes(), b"0")?;
                }
                Ok::<_, Error>(sum == 2)
            });
            let withdrawn = withdraw.wait().unwrap();
            let log = stores[who].transact(move |txn| {
                let is_first = txn.range(&KeyRange::prefix(b"log/"), Direction::Ascending, 1)?.is_empty();
                if is_first {
                    txn.put(format!("log/{who}").as_bytes(), b"")?;
                }
                Ok::<_, Error>(is_first)
            });
            (withdrawn, log.wait().unwrap())
        });
        assert_eq!(withdrawn.iter().filter(|(withdrawn, _)| *withdrawn).count(), 1, "round {round}");
        assert_eq!(withdrawn.iter().filter(|(_, logged)| *logged).count(), 1, "round {round}");
    }
}

/// Writes that one store acknowledged are visible to the others at once, in transactions and snapshots, also while all of them write.
#[test]
fn acknowledged_writes_are_visible_to_other_stores() {
    let Some(server) = Server::start() else { return };
    let stores: Vec<_> = (0..2).map(|_| open(&server.url("shared")).0).collect();
    let acknowledged = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let read = || {
            while !stop.load(Ordering::Acquire) {
                let known = acknowledged.load(Ordering::Acquire);
                let in_transaction = stores[1].transact(|txn| number(txn, b"counter")).wait().unwrap();
                assert!(in_transaction >= known, "{in_transaction} in a transaction, after {known}");
                let known = acknowledged.load(Ordering::Acquire);
                let in_snapshot = number(&stores[1].lazy_snapshot().unwrap(), b"counter").unwrap();
                assert!(in_snapshot >= known, "{in_snapshot} in a snapshot, after {known}");
            }
        };
        // Several, so that they share groups.
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
        for _ in 0..300 {
            let count = stores[0].transact(|txn| add(txn, b"counter")).wait().unwrap();
            acknowledged.store(count, Ordering::Release);
        }
        stop.store(true, Ordering::Release);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

/// Keys longer than an index entry can be, with the same beginning, have the order that they have in memory.
#[test]
fn long_keys_are_ordered_as_in_memory() {
    let Some(server) = Server::start() else { return };
    let (database, memory) = (open(&server.url("long")).0, Store::in_memory());
    let mut random = Random(7);
    let mut key = || {
        let mut key = vec![b'k'; 1990 + random.below(20) as usize];
        key.extend((0..random.below(4)).map(|_| [0, 1, 0xFF][random.below(3) as usize]));
        if random.below(20) == 0 {
            key.resize(8192, 1);
        }
        key
    };
    let keys: Vec<_> = (0..150).map(|_| key()).collect();
    for store in [&database, &memory] {
        let keys = keys.clone();
        let written = store.transact(move |txn| {
            keys.iter().enumerate().try_for_each(|(n, key)| txn.put(key, n.to_string().as_bytes()))?;
            keys.iter().step_by(3).try_for_each(|key| txn.delete(key))
        });
        written.wait().unwrap();
    }
    let deleted: Vec<_> = keys.iter().step_by(5).cloned().collect();
    for store in [&database, &memory] {
        let deleted = deleted.clone();
        store.transact(move |txn| deleted.iter().try_for_each(|key| txn.delete(key))).wait().unwrap();
    }
    let (ours, theirs) = (database.snapshot().unwrap(), memory.snapshot().unwrap());
    assert_eq!(rows(&ours).unwrap(), rows(&theirs).unwrap());
    for pair in keys.windows(2) {
        let range = KeyRange::from_bounds(pair[0].as_slice()..=pair[1].as_slice());
        for direction in [Direction::Ascending, Direction::Descending] {
            for limit in [1, 3, usize::MAX] {
                let expected = theirs.range(&range, direction, limit).unwrap();
                assert_eq!(ours.range(&range, direction, limit).unwrap(), expected);
            }
        }
        assert_eq!(ours.get(&pair[0]).unwrap(), theirs.get(&pair[0]).unwrap());
    }
}

/// Connections are cut at random bytes, mostly during commits: what was acknowledged is there, what was refused is not.
#[test]
fn cut_connections_lose_and_repeat_nothing() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.port());
    let (store, counts) = open(&server.url_at(proxy.port(), "cut"));
    let mut random = Random(11);
    let mut expected = 0;
    let mut failed = 0;
    for round in 0..rounds(50) {
        proxy.cut_after(random.below(1500) as u32);
        for _ in 0..4 {
            match store.transact(|txn| add(txn, b"counter")).wait() {
                Ok(count) => {
                    expected += 1;
                    assert_eq!(count, expected, "round {round}");
                }
                // Nothing of it was carried out.
                Err(error) if error.kind() == ErrorKind::Unavailable => failed += 1,
                Err(error) => panic!("round {round}: {error:?}"),
            }
        }
        assert_eq!(number(&store.lazy_snapshot().unwrap(), b"counter").unwrap(), expected, "round {round}");
    }
    println!(
        "{expected} increments, {failed} refused, {} commits whose end had to be found out",
        counts.resolved()
    );
    assert!(counts.resolved() > 0, "no commit was cut");
}

/// The database is killed and started again while transactions run.
#[test]
fn killed_database_loses_no_acknowledged_write() {
    let Some(server) = Server::start() else { return };
    let (store, _) = open(&server.url("killed"));
    let stop = AtomicBool::new(false);
    let (acknowledged, unknown) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let (mut acknowledged, mut unknown) = (0, 0);
                    while !stop.load(Ordering::Acquire) {
                        match store.transact(|txn| add(txn, b"counter")).wait() {
                            Ok(_) => acknowledged += 1,
                            Err(error) if error.kind() == ErrorKind::Unknown => unknown += 1,
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
                        }
                    }
                    (acknowledged, unknown)
                })
            })
            .collect();
        for _ in 0..3 {
            while store.problem().is_some() || store.transact(|txn| add(txn, b"other")).wait().is_err() {}
            server.kill();
            server.resume();
        }
        while store.transact(|txn| add(txn, b"other")).wait().is_err() {}
        stop.store(true, Ordering::Release);
        writers.into_iter().map(|writer| writer.join().unwrap()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    });
    let found = number(&store.snapshot().unwrap(), b"counter").unwrap();
    println!("{acknowledged} acknowledged, {unknown} unknown, {found} found");
    assert!((acknowledged..=acknowledged + unknown).contains(&found));
    assert_eq!(store.problem().map(|problem| problem.to_string()), None);
}

/// While the database is away, requests end soon with an error that says so; afterwards they work again.
#[test]
fn database_that_is_away_is_reported() {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::start(server.port());
    let (store, _) = open(&server.url_at(proxy.port(), "away"));
    store.transact(|txn| add(txn, b"counter")).wait().unwrap();
    proxy.set_down(true);
    let refused = store.transact(|txn| add(txn, b"counter")).wait().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    let refused = store.lazy_snapshot().and_then(|snapshot| snapshot.get(b"counter").map(drop)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    assert!(store.problem().unwrap().message().contains("database"));
    proxy.set_down(false);
    assert_eq!(store.transact(|txn| add(txn, b"counter")).wait().unwrap(), 2);
    assert_eq!(number(&store.lazy_snapshot().unwrap(), b"counter").unwrap(), 2);
    assert!(store.problem().is_none());
}

/// A changed row is found by the check, and by the read of the row.
#[test]
fn damaged_row_is_found() {
    let Some(server) = Server::start() else { return };
    let (store, _) = open(&server.url("damaged"));
    store.transact(|txn| add(txn, b"counter")).wait().unwrap();
    assert!(store.check().is_ok());
    server.sql("UPDATE damaged.rows SET v = set_byte(v, 0, 65)");
    assert_eq!(store.check().unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(store.transact(|txn| add(txn, b"counter")).wait().unwrap_err().kind(), ErrorKind::Corrupt);
}

/// Number of rounds: `default`, or that in NEPHOS_ROUNDS.
#[expect(clippy::disallowed_methods, reason = "the variable makes the test longer")]
fn rounds(default: u32) -> u32 {
    std::env::var("NEPHOS_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}
