//! An index of names, to find those that contain a text. The names stand in blocks, many to a row, so that a search reads
//! few rows and a new name changes one.

use crate::{Key, Part, Scope, Tx, corrupt, key};
use memchr::memmem;
use nephos_core::{Result, Text};
use nephos_store::{Direction, KeyRange};
use std::ops::{Bound, ControlFlow};

/// How long a block may become before it is split in two.
const LONGEST: usize = 4096;

/// The table of blocks: the key ends with a text that is no greater than any name in the block, and greater than all in
/// the blocks before it; the row holds the names in order, a line each.
const NAMES: &str = "names";

/// The names of one sort of thing in a scope.
#[derive(Clone, Copy, Debug)]
pub struct Names(&'static str);

impl Names {
    /// The names of `what`.
    pub const fn new(what: &'static str) -> Self {
        Self(what)
    }

    fn blocks(self, scope: &Scope) -> Key {
        scope.key(NAMES).text(self.0)
    }

    /// The block that `name` is in, or would be in: its key, and what it holds.
    fn block(self, cx: &Tx<'_>, scope: &Scope, name: &str) -> Result<(Key, Vec<u8>)> {
        let blocks = self.blocks(scope);
        let up_to = blocks.clone().text(name);
        let range = KeyRange::from_bounds::<&[u8]>((
            Bound::Included(blocks.as_bytes()),
            Bound::Included(up_to.as_bytes()),
        ));
        let mut found = None;
        cx.scan_keys(&range, Direction::Descending, |key, row| {
            found = Some((first_of(key)?, row.to_vec()));
            Ok(ControlFlow::Break(()))
        })?;
        // The first block begins with the empty text, so that there is one for every name.
        let (first, names) = found.unwrap_or_default();
        Ok((blocks.text(&first), names))
    }

    /// Adds a name that is not there.
    pub fn add(self, cx: &mut Tx<'_>, name: &str) -> Result<()> {
        let (key, mut names) = self.block(cx, cx.scope(), name)?;
        let at = line_at(&names, name);
        names.splice(at..at, name.bytes().chain([b'\n']));
        if names.len() <= LONGEST {
            return cx.put_row(&key, &names);
        }
        let middle = after_line(&names, names.len() / 2);
        let (low, high) = names.split_at(middle);
        let first = high.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first = std::str::from_utf8(first).map_err(|_| corrupt("a block of names is not text"))?;
        if !first.is_empty() {
            let high_key = self.blocks(cx.scope()).text(first);
            cx.put_row(&high_key, high)?;
        }
        cx.put_row(&key, low)
    }

    /// Takes a name out.
    pub fn remove(self, cx: &mut Tx<'_>, name: &str) -> Result<()> {
        let (key, mut names) = self.block(cx, cx.scope(), name)?;
        let at = line_at(&names, name);
        if names[at..].starts_with(name.as_bytes()) && names.get(at + name.len()) == Some(&b'\n') {
            names.drain(at..=at + name.len());
        }
        if names.is_empty() { cx.remove_row(&key) } else { cx.put_row(&key, &names) }
    }

    /// The names in `scope` from `from` on that contain `text`, in order, until `visit` breaks off.
    pub fn containing(
        self,
        cx: &Tx<'_>,
        scope: &Scope,
        text: &str,
        from: &str,
        mut visit: impl FnMut(&str) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let (start, _) = self.block(cx, scope, from)?;
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
                let name = std::str::from_utf8(name).map_err(|_| corrupt("a block of names is not text"))?;
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

/// Where the line after the one around `at` begins.
fn after_line(names: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &names[at.min(names.len())..]).map_or(names.len(), |end| at + end + 1)
}

/// Where `name` is among the lines, or would be.
fn line_at(names: &[u8], name: &str) -> usize {
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

/// The text that a block's key ends with.
fn first_of(key: &[u8]) -> Result<Text> {
    match key::read(key).and_then(|(_, mut parts)| parts.pop()) {
        Some(Part::Text(first)) => Ok(first),
        _ => Err(corrupt("the key of a block of names cannot be read")),
    }
}
