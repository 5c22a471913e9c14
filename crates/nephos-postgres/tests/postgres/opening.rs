//! Opening: versions of the tables, roles, passwords and encryption.

use nephos_postgres::Address;
use nephos_store::{ErrorKind, OpenOptions, Store, View};
use nephos_store_testing::conformance::run_on_threads;
use nephos_store_testing::postgres::Server;

fn open(address: &Address) -> nephos_store::Result<Store> {
    nephos_postgres::open(address, &OpenOptions::new())
}

fn put(store: &Store, key: &'static [u8]) {
    store.transact(|txn| txn.put(key, b"value")).wait().unwrap();
}

#[test]
fn tables_of_an_earlier_version_are_brought_up_to_date_and_of_a_later_one_refused() {
    let Some(server) = Server::start() else { return };
    let address = server.address("versions");
    put(&open(&address).unwrap(), b"kept");
    // As version 1 left them.
    server.sql("DROP TABLE versions.writers; DROP TABLE versions.turn; UPDATE versions.nephos_version SET version = 1");
    let store = open(&address).unwrap();
    assert!(store.snapshot().unwrap().get(b"kept").unwrap().is_some());
    put(&store, b"new");
    assert_eq!(server.sql("SELECT version FROM versions.nephos_version"), ["2"]);
    server.sql("UPDATE versions.nephos_version SET version = 99");
    let newer = open(&address).unwrap_err();
    assert_eq!(newer.kind(), ErrorKind::Newer, "{newer}");
}

#[test]
fn servers_that_are_first_together_create_the_tables_once() {
    let Some(server) = Server::start() else { return };
    for round in 0..5 {
        let address = server.address(&format!("together_{round}"));
        run_on_threads(4, |thread| {
            let store = open(&address).unwrap();
            store.transact(move |txn| txn.put(&[thread as u8], b"value")).wait().unwrap();
        });
        assert_eq!(open(&address).unwrap().stats().unwrap().rows, 4);
    }
}

#[test]
fn role_needs_only_the_rights_in_the_documentation() {
    let Some(server) = Server::start() else { return };
    drop(open(&server.address("least")).unwrap());
    server.sql(
        "CREATE ROLE app LOGIN;
         GRANT USAGE ON SCHEMA least TO app;
         GRANT SELECT ON least.nephos_version TO app;
         GRANT SELECT, INSERT, UPDATE, DELETE ON least.rows, least.writers TO app;
         GRANT SELECT, UPDATE ON least.turn TO app",
    );
    let as_app = |schema: &str| server.url(schema).replace("nephos@", "app@").parse::<Address>().unwrap();
    let store = open(&as_app("least")).unwrap();
    put(&store, b"a");
    store.check().unwrap();
    store.compact(|_| ()).unwrap();
    store.stats().unwrap();
    store.replace_with(Store::in_memory().snapshot().unwrap(), |_| Ok(Vec::new()), |_| ()).unwrap();
    assert_eq!(store.stats().unwrap().rows, 0);
    let refused = open(&as_app("elsewhere")).unwrap_err();
    assert!(refused.message().contains("permission denied"), "{refused}");
}

#[test]
fn password_and_certificate_are_verified() {
    let Some(server) = Server::start() else { return };
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = server.give_file("server.crt", &certified.cert.pem());
    let key = server.give_file("server.key", &certified.signing_key.serialize_pem());
    server.give_file("data/pg_hba.conf", "hostssl all app all scram-sha-256\nhost all nephos all trust\n");
    server.sql("CREATE ROLE app LOGIN PASSWORD 'päss/wor\u{FB01}d'");
    server.sql("CREATE SCHEMA secure AUTHORIZATION app");
    server.sql("CREATE SCHEMA AUTHORIZATION app");
    server.sql(&format!("ALTER SYSTEM SET ssl_cert_file = '{}'", certificate.display()));
    server.sql(&format!("ALTER SYSTEM SET ssl_key_file = '{}'", key.display()));
    server.sql("ALTER SYSTEM SET ssl = on");
    server.sql("GRANT CREATE ON DATABASE postgres TO app");
    server.sql("SELECT pg_reload_conf()");
    let address = |host: &str, rest: &str| -> Address {
        let url = format!(
            "postgres://app:p%C3%A4ss%2Fwor%EF%AC%81d@{host}:{}/postgres?schema=secure{rest}",
            server.port()
        );
        url.parse().unwrap()
    };
    let roots = format!("&sslmode=verify-full&sslrootcert={}", certificate.display());
    // The reload takes a moment.
    let connected = (0..200).find_map(|_| open(&address("localhost", &roots)).ok());
    put(&connected.expect("it is encrypted and logged in"), b"secret");
    let refused = |address: Address| open(&address).unwrap_err().to_string();
    let other_name = refused(address("127.0.0.1", &roots));
    assert!(other_name.contains("certificate"), "{other_name}");
    let unknown = refused(address("localhost", "&sslmode=verify-full"));
    assert!(unknown.contains("certificate"), "{unknown}");
    let plain = refused(address("localhost", "&sslmode=disable"));
    assert!(plain.contains("pg_hba.conf"), "{plain}");
    let wrong = refused(address("localhost", &roots).password("wrong"));
    assert!(wrong.contains("password authentication failed") && !wrong.contains("wrong"), "{wrong}");
}
