//! The conformance suite on every backend: memory, a file, and a fork of a file.

use nephos_store::{OpenOptions, Result, Store};
use nephos_store_testing::{
    conformance::{self, Subject},
    conformance_cases,
};
use std::{
    cell::{Cell, RefCell},
    path::Path,
};

fn memory(folder: &Path) -> Subject {
    Subject::new(|options| options.in_memory(), folder)
}

fn file(folder: &Path) -> Subject {
    let (files, opened) = (folder.to_owned(), Cell::new(0));
    let open = move |options: OpenOptions| {
        let name = format!("store-{}", opened.replace(opened.get() + 1));
        options.open(files.join(name)).expect("a new file can be opened")
    };
    Subject::new(open, folder)
}

/// Forks of files with rows that the fork has deleted: empty only because of the overlay.
fn fork_of_file(folder: &Path) -> Subject {
    let (files, opened) = (folder.to_owned(), RefCell::new(Vec::<Store>::new()));
    let open = move |options: OpenOptions| {
        let path = files.join(format!("origin-{}", opened.borrow().len()));
        let (origin, fork) = emptied_fork(options, &path).expect("a new file can be written and forked");
        // A fork ends when its origin is closed.
        opened.borrow_mut().push(origin);
        fork
    };
    Subject::new(open, folder)
}

fn emptied_fork(options: OpenOptions, path: &Path) -> Result<(Store, Store)> {
    const KEYS: [&[u8]; 7] = [b"", b"a", b"a\0", b"aa", b"c", b"counter", b"\xFF\xFF"];
    let origin = options.open(path)?;
    origin.transact(|txn| KEYS.iter().try_for_each(|key| txn.put(key, b"of the origin"))).wait()?;
    let fork = origin.fork()?;
    fork.transact(|txn| KEYS.iter().try_for_each(|key| txn.delete(key))).wait()?;
    assert_eq!((origin.stats()?.rows, fork.stats()?.rows), (KEYS.len() as u64, 0));
    Ok((origin, fork))
}

macro_rules! tests {
    ($($theme:ident: $($case:ident)*;)*) => {
        tests! { backend memory: $($($case)*)* }
        tests! { backend file: $($($case)*)* }
        tests! { backend fork_of_file: $($($case)*)* }
    };
    (backend $backend:ident: $($case:ident)*) => {
        mod $backend {
            $(
                #[test]
                fn $case() {
                    let folder = tempfile::tempdir().unwrap();
                    super::conformance::$case(&super::$backend(folder.path())).unwrap();
                }
            )*
        }
    };
}
conformance_cases!(tests);
