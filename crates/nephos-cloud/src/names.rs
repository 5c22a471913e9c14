//! An index of names, for substring searches. A row contains a block of many names, so that a search reads few rows and a
//! new name changes one row.

use crate::{Key, Parts, Scope, Tx, corrupt};
use memchr::memmem;
use nephos_core::{Result, Text};
use nephos_store::{Direction, KeyRange};
use std::ops::{Bound, ControlFlow};

/// Size in bytes above which a block is split in two.
const MAX_BLOCK_SIZE: usize = 4096;

/// Table of blocks. The key ends with a text that is not greater than any name of the block, and greater than all names of
/// the previous blocks. The row contains the names in order, one per line.
const NAMES: &str = "names";

/// An index of the names of one kind of resource in a scope.
#[derive(Clone, Copy, Debug)]
pub struct Names(&'static str);

impl Names {
    /// Creates the index that is stored under `kind`.
    pub const fn new(kind: &'static str) -> Self {
        Self(kind)
    }

    /// Prefix of the keys of the blocks.
    fn blocks(self, scope: &Scope) -> Key {
        scope.key(NAMES).text(self.0)
    }

    /// Finds the block for `name`: its key, and what `read` makes of its content.
    fn find_block<T>(
        self,
        cx: &Tx<'_>,
        scope: &Scope,
        name: &str,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<(Key, T)> {
        let blocks = self.blocks(scope);
        let end = blocks.clone().text(name);
        let range = KeyRange::from_bounds::<&[u8]>((
            Bound::Included(blocks.as_bytes()),
            Bound::Included(end.as_bytes()),
        ));
        let mut found = None;
        cx.scan_keys(&range, Direction::Descending, |key, row| {
            let start = Parts::after(key, &blocks).text();
            let start = start.ok_or_else(|| corrupt("the key of a block of names is malformed"))?;
            found = Some((start, read(row)));
            Ok(ControlFlow::Break(()))
        })?;
        // The first block starts at the empty text, so that every name has a block.
        let (first, content) = found.unwrap_or_else(|| (Text::default(), read(&[])));
        Ok((blocks.text(&first), content))
    }

    /// Adds a name, which must not be in the index.
    pub fn add(self, cx: &mut Tx<'_>, name: &str) -> Result<()> {
        let (key, names) = self.find_block(cx, cx.scope(), name, |names| {
            let (before, after) = names.split_at(find_line(names, name));
            [before, name.as_bytes(), b"\n", after].concat()
        })?;
        if names.len() <= MAX_BLOCK_SIZE {
            return cx.put_row(&key, &names);
        }
        let middle = after_line(&names, names.len() / 2);
        let (low, high) = names.split_at(middle);
        let first = high.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first = std::str::from_utf8(first).map_err(|_| corrupt("a block of names is not UTF-8"))?;
        if !first.is_empty() {
            let high_key = self.blocks(cx.scope()).text(first);
            cx.put_row(&high_key, high)?;
        }
        cx.put_row(&key, low)
    }

    /// Removes a name.
    pub fn remove(self, cx: &mut Tx<'_>, name: &str) -> Result<()> {
        let (key, mut names) = self.find_block(cx, cx.scope(), name, <[u8]>::to_vec)?;
        let at = find_line(&names, name);
        if names[at..].starts_with(name.as_bytes()) && names.get(at + name.len()) == Some(&b'\n') {
            names.drain(at..=at + name.len());
        }
        if names.is_empty() { cx.remove_row(&key) } else { cx.put_row(&key, &names) }
    }

    /// Visits the names in `scope` that contain `text`, in order, starting with `from`, until `visit` returns `Break`.
    pub fn visit_containing(
        self,
        cx: &Tx<'_>,
        scope: &Scope,
        text: &str,
        from: &str,
        mut visit: impl FnMut(&str) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let (start, ()) = self.find_block(cx, scope, from, |_| ())?;
        let finder = memmem::Finder::new(text);
        let blocks = self.blocks(scope).prefix_range();
        let range = KeyRange::from_bounds::<&[u8]>((Bound::Included(start.as_bytes()), Bound::Unbounded));
        cx.scan_keys(&range, Direction::Ascending, |key, names| {
            if !blocks.contains(key) {
                return Ok(ControlFlow::Break(()));
            }
            let mut at = 0;
            while let Some(hit) = finder.find(&names[at..]) {
                let begin = memchr::memrchr(b'\n', &names[..at + hit]).map_or(0, |end| end + 1);
                at = after_line(names, at + hit);
                let name = names.get(begin..at.saturating_sub(1)).unwrap_or_default();
                let name = std::str::from_utf8(name).map_err(|_| corrupt("a block of names is not UTF-8"))?;
                if !name.is_empty() && name >= from && visit(name)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                if at >= names.len() {
                    break;
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// Returns the start of the line after the one at `at`.
fn after_line(names: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &names[at.min(names.len())..]).map_or(names.len(), |end| at + end + 1)
}

/// Returns the start of the line with `name`, or the position to insert it at.
fn find_line(names: &[u8], name: &str) -> usize {
    let (mut low, mut high) = (0, names.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let begin = memchr::memrchr(b'\n', &names[low..middle]).map_or(low, |end| low + end + 1);
        let end = memchr::memchr(b'\n', &names[begin..]).map_or(names.len(), |end| begin + end);
        if &names[begin..end] < name.as_bytes() {
            low = (end + 1).min(names.len());
        } else {
            high = begin;
        }
    }
    low
}
