//! Resources with an ID from the service: those with a row, and the default resources.
//!
//! Every account has a default network in every Region: a VPC, a subnet in each zone, and a security group. They have no
//! rows until a caller changes them. If a caller deletes one, a tombstone is stored.

use super::{
    errors,
    filters::{self, Filter},
};
use nephos_cloud::{Direction, Filterable, Scope, Stored, Tx, page_size};
use nephos_core::{Error, Operation, Record, Resource, Result, Text};
use std::ops::ControlFlow;

pub(crate) mod cidr;
pub(crate) mod ids;
pub(crate) mod interface;
pub(crate) mod ipv6;

pub(crate) use cidr::{Cidr, Cidr6};

/// A resource of the network, as it is stored.
pub(crate) trait Member: Stored {
    /// The kind, as it is in answers.
    type Described: Resource + Filterable;
    /// Prefix of the IDs.
    const ID_PREFIX: &'static str;

    /// Error for a malformed ID.
    const MALFORMED: fn(&str) -> Error;

    /// ID of the resource.
    fn id(&self) -> &str;

    /// Condition keys of policies that have a value in the resource, and their values.
    fn condition_values(&self, scope: &Scope) -> Vec<(&'static str, Option<Text>)>;

    /// Default resources of this kind.
    fn default_members(_scope: &Scope) -> Vec<Self> {
        Vec::new()
    }

    /// Converts the resource to its form in answers.
    fn described(self, cx: &Tx<'_>) -> Result<Self::Described>;
}

/// Row that says that a default resource was deleted.
#[derive(Record)]
#[record(row)]
pub(crate) struct Tombstone {
    /// ID of the resource.
    id: Option<Text>,
}

nephos_cloud::stored!(Tombstone in "ec2/gone" by id);

/// Returns the default resources that were not deleted, in order of their IDs.
fn existing_defaults<M: Member>(cx: &Tx<'_>) -> Result<Vec<M>> {
    let mut existing = Vec::new();
    for member in M::default_members(cx.scope()) {
        if !cx.exists(&Tombstone::table(cx.scope()).text(member.id()))? {
            existing.push(member);
        }
    }
    existing.sort_by(|a, b| a.id().cmp(b.id()));
    Ok(existing)
}

/// Finds a resource by ID.
pub(super) fn find<M: Member>(cx: &Tx<'_>, id: &str) -> Result<Option<M>> {
    match cx.get(&M::table(cx.scope()).text(id))? {
        Some(found) => Ok(Some(found)),
        None => Ok(existing_defaults::<M>(cx)?.into_iter().find(|member| member.id() == id)),
    }
}

/// Finds a resource by ID, or refuses with the not-found error of the kind; `field` is the parameter with the ID.
pub(super) fn require<M: Member>(cx: &Tx<'_>, id: &str, field: &str) -> Result<M> {
    ids::check(id, M::ID_PREFIX, M::MALFORMED).map_err(|error| error.with_field(field))?;
    find(cx, id)?.ok_or_else(|| M::Described::KIND.missing(id).with_field(field))
}

/// Returns the type of resource in tag operations: the part of the kind's ARNs before the ID.
pub(super) fn resource_type<M: Member>() -> &'static str {
    M::Described::KIND.path.resource_type()
}

/// Removes the row of `member`, and stores a tombstone for a default resource.
pub(super) fn remove<M: Member>(cx: &mut Tx<'_>, member: &M) -> Result<()> {
    cx.remove(member)?;
    let id = member.id();
    if M::default_members(cx.scope()).iter().any(|default| default.id() == id) {
        cx.put(Tombstone { id: Some(id.into()) })?;
    }
    Ok(())
}

/// Visits all resources after the ID `after`, in order of their IDs, until `visit` returns `Break`.
pub(super) fn visit_all<M: Member>(
    cx: &Tx<'_>,
    after: Option<&str>,
    mut visit: impl FnMut(M) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let table = M::table(cx.scope());
    let range =
        after.map_or_else(|| table.prefix_range(), |id| table.prefix_range_after(&table.clone().text(id)));
    let mut defaults = existing_defaults::<M>(cx)?.into_iter().peekable();
    while defaults.next_if(|default| after.is_some_and(|after| default.id() <= after)).is_some() {}
    let mut failed = Ok(());
    let mut visit = |member: M| {
        visit(member).unwrap_or_else(|error| {
            failed = Err(error);
            ControlFlow::Break(())
        })
    };
    let mut flow = ControlFlow::Continue(());
    cx.scan::<M>(cx.scope(), &range, Direction::Ascending, |member| {
        while let Some(default) = defaults.next_if(|default| default.id() < member.id()) {
            flow = visit(default);
            flow?;
        }
        // A default resource that was changed has a row.
        defaults.next_if(|default| default.id() == member.id());
        flow = visit(member);
        flow
    })?;
    if flow.is_continue() {
        // `Break` only ends the loop; errors are in `failed`.
        let _ = defaults.try_for_each(visit);
    }
    failed
}

/// Finds all resources that are `wanted`, in order of their IDs.
pub(super) fn find_all<M: Member>(cx: &Tx<'_>, mut wanted: impl FnMut(&M) -> bool) -> Result<Vec<M>> {
    let mut found = Vec::new();
    visit_all(cx, None, |member| {
        if wanted(&member) {
            found.push(member);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Returns one page of `query`, and the token of the next page: the resources that match `filters`, and, if there are any,
/// the `ids` in the parameter `field`.
pub(super) fn page<M: Member>(
    cx: &Tx<'_>,
    query: &impl Operation,
    (field, ids): (&str, Option<&[Text]>),
    filters: Option<&[Filter]>,
    dry_run: Option<bool>,
) -> Result<(Vec<M::Described>, Option<Text>)> {
    let filters = filters::RULES.read::<M::Described>(filters)?;
    let (after, size) = (cx.page_after(query)?, page_size(query));
    let by_id = ids.map(|ids| ids.iter().map(|id| require::<M>(cx, id, field)).collect::<Result<Vec<_>>>());
    let by_id = by_id.transpose()?;
    super::check_dry_run(dry_run)?;
    let mut found = Vec::new();
    let take = |member: M| {
        let id = Text::new(member.id());
        let described = member.described(cx)?;
        if filters.accept(&described) {
            found.push((id, described));
        }
        Ok(if found.len() > size { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    match by_id {
        None => visit_all(cx, after.as_deref(), take)?,
        Some(mut by_id) => {
            by_id.sort_by(|a, b| a.id().cmp(b.id()));
            by_id.dedup_by(|a, b| a.id() == b.id());
            by_id.retain(|member| after.as_deref().is_none_or(|after| member.id() > after));
            by_id
                .into_iter()
                .map(take)
                .find(|taken| !matches!(taken, Ok(ControlFlow::Continue(()))))
                .transpose()?;
        }
    }
    let (page, next) = cx.page_items(query, found, |(id, _)| id.clone())?;
    Ok((page.into_iter().map(|(_, described)| described).collect(), next))
}

/// Returns the value of a required field or parameter, or refuses.
pub(super) fn require_parameter(field: Option<&Text>, name: &str) -> Result<Text> {
    field.cloned().ok_or_else(|| errors::parameter_missing(name).with_field(name))
}
