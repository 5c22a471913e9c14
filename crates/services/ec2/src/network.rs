//! What is found by an id that the service gives, whether it has a row or is there from the start.
//!
//! Every account has a network in every Region: a VPC, a subnet in each zone, a security group. Nothing is written for
//! it. A row is there for what a caller creates or changes; what they delete of the network leaves a row that says so.

use super::{
    Tag, errors,
    filters::{self, Filter},
    ids,
};
use nephos_cloud::{Filterable, Scope, Stored, Tx, page_size};
use nephos_core::{Code, Operation, Record, Result, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// A part of the network, as it is stored.
pub(super) trait Member: Stored {
    /// Its type in answers.
    type Described: Filterable;
    /// Prefix of its IDs.
    const WORD: &'static str;
    /// Type of resource in tag operations.
    const RESOURCE: &'static str;
    /// Code for an ID that does not exist.
    const NOT_FOUND: &'static Code;
    /// Code for a malformed ID.
    const MALFORMED: &'static Code;

    /// ID.
    fn id(&self) -> &str;

    /// Tags.
    fn tags(&mut self) -> &mut Option<Vec<Tag>>;

    /// Those that are there from the start.
    fn initial(_scope: &Scope) -> Vec<Self> {
        Vec::new()
    }

    /// Converts it to its form in answers.
    fn described(self, cx: &Tx<'_>) -> Result<Self::Described>;
}

/// What of a [`Member`] follows from the field that holds its ID, and its words and codes.
macro_rules! member {
    ($id:ident $word:literal, $resource:literal, $not_found:ident, $malformed:ident) => {
        const WORD: &'static str = $word;
        const RESOURCE: &'static str = $resource;
        const NOT_FOUND: &'static nephos_core::Code = &$crate::errors::$not_found;
        const MALFORMED: &'static nephos_core::Code = &$crate::errors::$malformed;

        fn id(&self) -> &str {
            self.$id.as_deref().unwrap_or_default()
        }

        fn tags(&mut self) -> &mut Option<Vec<$crate::Tag>> {
            &mut self.tags
        }
    };
}

pub(super) use member;

/// What was there from the start and was deleted.
#[derive(Record)]
#[record(row)]
pub struct Tombstone {
    /// ID.
    id: Option<Text>,
}

nephos_cloud::stored!(Tombstone in "ec2/gone" by id);

/// Those that were there from the start and still are, in order of their ids.
fn initial<M: Member>(cx: &Tx<'_>) -> Result<Vec<M>> {
    let mut still = Vec::new();
    for member in M::initial(cx.scope()) {
        if !cx.exists(&Tombstone::table(cx.scope()).text(member.id()))? {
            still.push(member);
        }
    }
    still.sort_by(|a, b| a.id().cmp(b.id()));
    Ok(still)
}

/// The one with that id, if there is one.
pub(super) fn find<M: Member>(cx: &Tx<'_>, id: &str) -> Result<Option<M>> {
    match cx.get(&M::table(cx.scope()).text(id))? {
        Some(found) => Ok(Some(found)),
        None => Ok(initial::<M>(cx)?.into_iter().find(|member| member.id() == id)),
    }
}

/// The one with that id, which must exist; `field` is the parameter that names it.
pub(super) fn require<M: Member>(cx: &Tx<'_>, id: &str, field: &str) -> Result<M> {
    ids::check(id, M::WORD, M::MALFORMED).map_err(|error| error.with_field(field))?;
    let missing = || {
        let what = M::RESOURCE.replace('-', " ");
        M::NOT_FOUND.with_message(format!("The {what} ID '{id}' does not exist")).with_field(field)
    };
    find(cx, id)?.ok_or_else(missing)
}

/// Removes the row of `member`, and records the removal of what was there from the start.
pub(super) fn remove<M: Member>(cx: &mut Tx<'_>, member: &M) -> Result<()> {
    cx.remove(member)?;
    let id = member.id();
    match M::initial(cx.scope()).iter().any(|first| first.id() == id) {
        true => cx.put(Tombstone { id: Some(id.into()) }),
        false => Ok(()),
    }
}

/// Visits all members after `after`, in order of their IDs, until `visit` breaks off.
pub(super) fn each<M: Member>(
    cx: &Tx<'_>,
    after: Option<&str>,
    mut visit: impl FnMut(M) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let table = M::table(cx.scope());
    let range =
        after.map_or_else(|| table.prefix_range(), |id| table.prefix_range_after(&table.clone().text(id)));
    let mut initial = initial::<M>(cx)?.into_iter().peekable();
    while initial.next_if(|first| after.is_some_and(|after| first.id() <= after)).is_some() {}
    let mut failed = Ok(());
    let mut visit = |member: M| {
        visit(member).unwrap_or_else(|error| {
            failed = Err(error);
            ControlFlow::Break(())
        })
    };
    let mut flow = ControlFlow::Continue(());
    cx.scan::<M>(cx.scope(), &range, Direction::Ascending, |member| {
        while let Some(first) = initial.next_if(|first| first.id() < member.id()) {
            flow = visit(first);
            flow?;
        }
        // A row is in place of what was there from the start.
        initial.next_if(|first| first.id() == member.id());
        flow = visit(member);
        flow
    })?;
    if flow.is_continue() {
        // It breaks off, or there are no more.
        let _ = initial.try_for_each(visit);
    }
    failed
}

/// All members that are `wanted`, in order of their IDs.
pub(super) fn all<M: Member>(cx: &Tx<'_>, mut wanted: impl FnMut(&M) -> bool) -> Result<Vec<M>> {
    let mut found = Vec::new();
    each(cx, None, |member| {
        if wanted(&member) {
            found.push(member);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// One page of `query`, and the token of the next page: of those with `ids`, if `field` gives any, that pass `filters`.
pub(super) fn page<M: Member>(
    cx: &Tx<'_>,
    query: &impl Operation,
    (field, ids): (&str, Option<&[Text]>),
    filters: Option<&[Filter]>,
    dry_run: Option<bool>,
) -> Result<(Vec<M::Described>, Option<Text>)> {
    let filters = filters::RULES.read::<M::Described>(filters)?;
    let (after, size) = (cx.page_after(query)?, page_size(query));
    let named = ids.map(|ids| ids.iter().map(|id| require::<M>(cx, id, field)).collect::<Result<Vec<_>>>());
    let named = named.transpose()?;
    super::only_to_try(dry_run)?;
    let mut found = Vec::new();
    let take = |member: M| {
        let id = Text::new(member.id());
        let told = member.described(cx)?;
        if filters.accept(&told) {
            found.push((id, told));
        }
        Ok(if found.len() > size { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    match named {
        None => each(cx, after.as_deref(), take)?,
        Some(mut named) => {
            named.sort_by(|a, b| a.id().cmp(b.id()));
            named.dedup_by(|a, b| a.id() == b.id());
            named.retain(|member| after.as_deref().is_none_or(|after| member.id() > after));
            named
                .into_iter()
                .map(take)
                .find(|taken| !matches!(taken, Ok(ControlFlow::Continue(()))))
                .transpose()?;
        }
    }
    let (page, next) = cx.page_items(query, found, |(id, _)| id.clone())?;
    Ok((page.into_iter().map(|(_, told)| told).collect(), next))
}

/// The value of a required field or parameter.
pub(super) fn given(field: Option<&Text>, name: &str) -> Result<Text> {
    field.cloned().ok_or_else(|| {
        errors::MISSING.with_message("The request must contain the parameter").with_field(name)
    })
}
