//! Transactions and reads on a database, as ratios within one run: against the same transactions by hand, as pgbench runs them, and
//! of two stores against one.
//!
//! The transaction has the shape of a call that creates a resource: six reads by key, one of a range, and four writes.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results, and fails by a panic"
)]

use nephos_store::{Direction, Error, KeyRange, OpenOptions, Store, Txn, View};
use nephos_store_testing::postgres::{Proxy, Server};
use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Number of rows.
const ROWS: u64 = 100_000;

/// Duration of one measurement.
const DURATION: Duration = Duration::from_secs(3);

fn key(number: u64) -> Vec<u8> {
    format!("row/{number:08}").into_bytes()
}

/// Reads and writes of one transaction.
fn transaction(txn: &mut Txn<'_>, number: u64) -> Result<(), Error> {
    for n in 0..6 {
        txn.get(&key((number + n * 7919) % ROWS))?;
    }
    txn.range(&KeyRange::from_bounds(key(number)..key(number + 3)), Direction::Ascending, 3)?;
    for n in 0..4 {
        txn.put(&key((number + n * 104_729) % ROWS), &[7; 200])?;
    }
    Ok(())
}

/// The same statement by statement, for pgbench.
const BY_HAND: &str = "\
\\set number random(0, 99999)
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad((:number % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad(((:number + 7919) % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad(((:number + 15838) % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad(((:number + 23757) % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad(((:number + 31676) % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT v FROM bench.by_hand WHERE k = convert_to('row/' || lpad(((:number + 39595) % 100000)::text, 8, '0'), 'UTF8') AND h = '';
SELECT k, v FROM bench.by_hand WHERE k >= convert_to('row/' || lpad(:number::text, 8, '0'), 'UTF8') ORDER BY k LIMIT 3;
INSERT INTO bench.by_hand (k, h, o, v) VALUES (convert_to('row/' || lpad((:number % 100000)::text, 8, '0'), 'UTF8'), '', '', convert_to(repeat('x', 208), 'UTF8')) ON CONFLICT (k, h) DO UPDATE SET v = excluded.v;
INSERT INTO bench.by_hand (k, h, o, v) VALUES (convert_to('row/' || lpad(((:number + 104729) % 100000)::text, 8, '0'), 'UTF8'), '', '', convert_to(repeat('x', 208), 'UTF8')) ON CONFLICT (k, h) DO UPDATE SET v = excluded.v;
INSERT INTO bench.by_hand (k, h, o, v) VALUES (convert_to('row/' || lpad(((:number + 209458) % 100000)::text, 8, '0'), 'UTF8'), '', '', convert_to(repeat('x', 208), 'UTF8')) ON CONFLICT (k, h) DO UPDATE SET v = excluded.v;
INSERT INTO bench.by_hand (k, h, o, v) VALUES (convert_to('row/' || lpad(((:number + 314187) % 100000)::text, 8, '0'), 'UTF8'), '', '', convert_to(repeat('x', 208), 'UTF8')) ON CONFLICT (k, h) DO UPDATE SET v = excluded.v;
COMMIT;
";

fn open(url: &str) -> Store {
    nephos_postgres::open(&url.parse().unwrap(), &OpenOptions::new()).unwrap()
}

fn fill(store: &Store) {
    for start in (0..ROWS).step_by(5000) {
        let filled =
            store.transact(move |txn| (start..start + 5000).try_for_each(|n| txn.put(&key(n), &[7; 200])));
        filled.wait().unwrap();
    }
}

/// Runs `call` on `clients` threads for [`DURATION`]; returns the calls per second.
fn throughput(clients: usize, call: impl Fn(usize, u64) + Sync) -> f64 {
    let stop = AtomicBool::new(false);
    let calls = AtomicU64::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        for client in 0..clients {
            let (stop, calls, call) = (&stop, &calls, &call);
            scope.spawn(move || {
                let mut random = client as u64 + 1;
                while !stop.load(Ordering::Relaxed) {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    call(client, (random >> 33) % ROWS);
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        thread::sleep(DURATION);
        stop.store(true, Ordering::Relaxed);
    });
    calls.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// Runs the transactions with pgbench; returns those per second, and the ones that ran again.
fn by_hand(server: &Server, clients: usize) -> f64 {
    let script = server.folder().join("by_hand.sql");
    fs::write(&script, BY_HAND).unwrap();
    let port = server.port().to_string();
    let clients = clients.to_string();
    let seconds = DURATION.as_secs().to_string();
    let arguments = [
        "--no-vacuum",
        "--host=127.0.0.1",
        "--username=nephos",
        "--protocol=prepared",
        "--max-tries=1000",
        "--jobs=2",
        "--port",
        &port,
        "--client",
        &clients,
        "--time",
        &seconds,
        "--file",
    ];
    let ran = Command::new(server.program("pgbench"))
        .args(arguments)
        .arg(&script)
        .arg("postgres")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{text}{}", String::from_utf8_lossy(&ran.stderr));
    let tps = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    tps.unwrap_or_else(|| panic!("{text}"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let Some(server) = Server::start() else { return };
    let store = open(&server.url("bench"));
    fill(&store);
    // A table of its own, because pgbench writes no checksums.
    server.sql("CREATE TABLE bench.by_hand (LIKE bench.rows INCLUDING ALL)");
    server.sql("INSERT INTO bench.by_hand SELECT * FROM bench.rows");
    server.sql("VACUUM ANALYZE bench.rows");
    server.sql("VACUUM ANALYZE bench.by_hand");
    for clients in [1, 16] {
        let mut ratios = Vec::new();
        for _ in 0..3 {
            let hand = by_hand(&server, clients);
            let ours = throughput(clients, |_, number| {
                store.transact(move |txn| transaction(txn, number)).wait().unwrap()
            });
            println!(
                "{clients} clients: {ours:.0} transactions/s, by hand {hand:.0}, ratio {:.2}",
                ours / hand
            );
            ratios.push(ours / hand);
        }
        println!("{clients} clients: median ratio to transactions by hand {:.2}", median(ratios));
    }
    reads(&server, "database on this machine", &server.url("bench"));
    // A database at the other end of a network: each answer comes a millisecond later.
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(1));
    reads(&server, "1 ms away", &server.url_at(proxy.port(), "bench"));
}

/// Compares the reads of two stores, each with four connections, with those of one.
fn reads(_: &Server, about: &str, url: &str) {
    let url = format!("{url}&connections=4");
    let stores = [open(&url), open(&url)];
    let read = |store: &Store, number: u64| {
        let snapshot = store.lazy_snapshot().unwrap();
        assert!(snapshot.get(&key(number)).unwrap().is_some());
    };
    let mut ratios = Vec::new();
    for _ in 0..3 {
        let one = throughput(8, |_, number| read(&stores[0], number));
        let two = throughput(16, |client, number| read(&stores[client % 2], number));
        println!("reads, {about}: one store {one:.0}/s, two stores {two:.0}/s, ratio {:.2}", two / one);
        ratios.push(two / one);
    }
    println!("reads, {about}: median ratio of two stores to one {:.2}", median(ratios));
}
