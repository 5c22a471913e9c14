//! The conformance suite of backends on a PostgreSQL in a scratch folder.

use nephos_store_testing::conformance::{self, Subject};
use nephos_store_testing::postgres::Server;
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

/// All cases on one server, each store in a schema of its own.
#[test]
fn database_passes_the_conformance_suite() {
    let Some(server) = Server::start() else { return };
    let server = Rc::new(server);
    let opened = Rc::new(Cell::new(0));
    let folder = tempfile::tempdir().unwrap();
    let mut failed = Vec::new();
    for (name, case) in conformance::all() {
        let scratch = folder.path().join(name);
        std::fs::create_dir(&scratch).unwrap();
        let (server, opened) = (server.clone(), opened.clone());
        let open = move |options| {
            let schema = format!("store_{}", opened.replace(opened.get() + 1));
            nephos_postgres::open(&server.address(&schema), &options).expect("a new schema can be opened")
        };
        let subject = Subject::new(open, scratch);
        match catch_unwind(AssertUnwindSafe(|| case(&subject))) {
            Ok(Ok(())) => println!("{name}: passed"),
            Ok(Err(error)) => failed.push(format!("{name}: {error:?}")),
            Err(_) => failed.push(format!("{name}: panicked")),
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
