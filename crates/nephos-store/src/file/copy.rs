//! Writing all rows of a snapshot into a new file.

use super::{
    engine::ROWS,
    failure::explain,
    open::{Opener, Place, initialise},
};
use crate::{Direction, Error, KeyRange, OpenOptions, Result, Snapshot, View, backend::Progress};
use std::{
    fs::{self, File},
    io,
    ops::{Bound, ControlFlow},
    path::Path,
};

/// How many rows pass between two reports of progress.
const REPORT_EVERY: u64 = 1 << 12;

/// Writes the rows of `source` into a new store file at `path`, where there must be none, and syncs it. On failure no
/// file is left.
pub(super) fn write(
    source: &Snapshot,
    path: &Path,
    options: OpenOptions,
    progress: &mut Progress<'_>,
) -> Result<()> {
    File::create_new(path)
        .map_err(|cause| Error::io(format_args!("cannot write {}", path.display()), cause))?;
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
    // A failure of this file is no failure of the store that it is a copy of.
    let redb = Opener::new(Place::Path(path.to_owned()), options).open()?;
    initialise(&redb, |txn| {
        let mut table = txn.open_table(ROWS).map_err(|cause| explain("cannot write the rows", cause))?;
        // A cursor takes rows that come in order by whole pages, without looking for the place of each.
        let mut end = table
            .upper_bound_mut(Bound::<&[u8]>::Unbounded)
            .map_err(|cause| explain("cannot write the rows", cause))?;
        let mut rows = 0;
        let mut outcome = Ok(());
        source.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            if let Err(cause) = end.insert_before(key, value) {
                outcome = Err(explain("cannot write a row", cause));
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
        end.close().map_err(|cause| explain("cannot write a row", cause))
    })
}

/// Makes the entry of `path` in its folder durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Only Unix lets a folder be opened and synced; elsewhere renaming is as durable as it gets.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
