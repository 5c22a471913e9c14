//! Writing all rows of a snapshot into a new file.

use super::{
    failure::redb_error,
    open::{Location, Opener, initialise},
    row_format::RowFormat,
    rows::ROWS,
};
use crate::{Direction, Error, KeyRange, OpenOptions, Result, Snapshot, View, backend::Progress};
use std::{
    fs::{self, File},
    ops::{Bound, ControlFlow},
    path::Path,
};

/// Number of rows between two progress reports.
const REPORT_EVERY: u64 = 1 << 12;

/// Writes the rows of `source` into a new store file at `path`, which must not exist, and syncs it. Only its owner can read
/// it. On failure no file is left.
pub(super) fn write(
    source: &Snapshot,
    path: &Path,
    options: OpenOptions,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let mut private = File::options();
    private.write(true).create_new(true);
    // Rows may be confidential, so that only the owner of the file can read them.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
    private.open(path).map_err(|cause| Error::io(format_args!("cannot write {}", path.display()), cause))?;
    let written = write_rows(source, path, options, progress);
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

fn write_rows(
    source: &Snapshot,
    path: &Path,
    options: OpenOptions,
    progress: &mut Progress<'_>,
) -> Result<()> {
    // A separate opener, because a failed sync of the copy is no failure of the original store.
    let redb =
        Opener::new(Location::Path { path: path.to_owned(), given: path.to_owned() }, options).open_new()?;
    initialise(&redb, |txn| {
        let mut table = txn.open_table(ROWS).map_err(|cause| redb_error("cannot write the rows", cause))?;
        // A cursor appends rows that come in order by whole pages, without a search for each.
        let mut end = table
            .upper_bound_mut(Bound::<&[u8]>::Unbounded)
            .map_err(|cause| redb_error("cannot write the rows", cause))?;
        let mut rows = 0;
        let mut outcome = Ok(());
        source.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            if let Err(cause) = end.insert_before(key, &*RowFormat::Checked.encode(key, value)) {
                outcome = Err(redb_error("cannot write a row", cause));
                return ControlFlow::Break(());
            }
            rows += 1;
            if rows % REPORT_EVERY == 0 {
                progress(rows);
            }
            ControlFlow::Continue(())
        })?;
        progress(rows);
        outcome?;
        end.close().map_err(|cause| redb_error("cannot write a row", cause))
    })
}
