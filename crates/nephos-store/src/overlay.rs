//! Changes on top of an unchanged state: the writes of a transaction or of a fork.

use crate::{Direction, Key, KeyRange, Result, Value, View, view::Visitor};
use std::{
    cmp::Ordering,
    ops::ControlFlow::{Break, Continue},
};

/// Change of a key: a new value, or removal.
pub(crate) type Change = Option<Value>;

/// Scans `base` with `changes` applied; these are the changes within `range`, in scan order.
pub(crate) fn scan_merged<'a>(
    base: &dyn View,
    changes: impl Iterator<Item = (&'a Key, &'a Change)>,
    range: &KeyRange,
    direction: Direction,
    visit: &mut Visitor<'_>,
) -> Result<()> {
    let mut changes = changes.peekable();
    let mut stopped = false;
    base.scan(range, direction, &mut |key, value| {
        while let Some(&(changed, change)) = changes.peek() {
            let order = match direction {
                Direction::Ascending => (**changed).cmp(key),
                Direction::Descending => key.cmp(&**changed),
            };
            if order == Ordering::Greater {
                break;
            }
            changes.next();
            if let Some(new) = change
                && visit(changed, new).is_break()
            {
                stopped = true;
                return Break(());
            }
            if order == Ordering::Equal {
                return Continue(());
            }
        }
        let flow = visit(key, value);
        stopped = flow.is_break();
        flow
    })?;
    if !stopped {
        for (key, change) in changes {
            if let Some(new) = change
                && visit(key, new).is_break()
            {
                break;
            }
        }
    }
    Ok(())
}
