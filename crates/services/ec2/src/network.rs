//! What is found by an id that the service gives, whether it has a row or is there from the start.
//!
//! Every account has a network in every Region: a VPC, a subnet in each zone, a security group. Nothing is written for
//! it. A row is there for what a caller creates or changes; what they delete of the network leaves a row that says so.

use super::{
    Tag, errors,
    filters::{self, Filter},
    ids,
};
use nephos_cloud::{Filterable, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Code, Operation, Record, Result, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// How many a page has, unless the caller wants fewer.
const PAGE: usize = 1000;

/// A part of the network, as it is kept.
pub(super) trait Member: Stored {
    /// As it is told to a caller.
    type Told: Filterable;
    /// What its ids begin with.
    const WORD: &'static str;
    /// What the type of resource is called where tags are about it.
    const RESOURCE: &'static str;
    /// What a caller hears if there is none.
    const NOT_FOUND: &'static Code;
    /// What a caller hears of an id that is none.
    const MALFORMED: &'static Code;

    /// Its id.
    fn id(&self) -> &str;

    /// Its tags.
    fn tags(&mut self) -> &mut Option<Vec<Tag>>;

    /// Those that are there from the start.
    fn initial(_scope: &Scope) -> Vec<Self> {
        Vec::new()
    }

    /// As it is told to a caller.
    fn told(self, cx: &Tx<'_>) -> Result<Self::Told>;
}

/// What was there from the start and was deleted.
#[derive(Record)]
pub struct Gone {
    /// Its id.
    id: Option<Text>,
}

impl Stored for Gone {
    const TABLE: &'static str = "ec2/gone";

    fn identify(&self, key: Key) -> Key {
        key.text(self.id.as_deref().unwrap_or_default())
    }

    fn shed(&mut self) {
        self.id = None;
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        self.id = identity.text();
    }
}

/// Those that were there from the start and still are, in order of their ids.
fn initial<M: Member>(cx: &Tx<'_>) -> Result<Vec<M>> {
    let mut still = Vec::new();
    for member in M::initial(cx.scope()) {
        if !cx.exists(&Gone::table(cx.scope()).text(member.id()))? {
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
        M::NOT_FOUND.because(format!("The {what} ID '{id}' does not exist")).with_field(field)
    };
    find(cx, id)?.ok_or_else(missing)
}

/// Takes away the row of `member`, and keeps in mind that it is gone if it was there from the start.
pub(super) fn remove<M: Member>(cx: &mut Tx<'_>, member: &M) -> Result<()> {
    cx.remove(member)?;
    let id = member.id();
    match M::initial(cx.scope()).iter().any(|first| first.id() == id) {
        true => cx.put(Gone { id: Some(id.into()) }),
        false => Ok(()),
    }
}

/// Hands everyone after `after` to `visit`, in order of their ids, until it breaks off.
pub(super) fn each<M: Member>(
    cx: &Tx<'_>,
    after: Option<&str>,
    mut visit: impl FnMut(M) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let table = M::table(cx.scope());
    let range = after.map_or_else(|| table.within(), |id| table.within_after(&table.clone().text(id)));
    let mut initial = initial::<M>(cx)?.into_iter().peekable();
    while initial.next_if(|first| after.is_some_and(|after| first.id() <= after)).is_some() {}
    let mut flow = Ok(ControlFlow::Continue(()));
    cx.scan::<M>(cx.scope(), &range, Direction::Ascending, |member| {
        while let Some(first) = initial.next_if(|first| first.id() < member.id()) {
            flow = visit(first);
            if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                return ControlFlow::Break(());
            }
        }
        // A row is in place of what was there from the start.
        initial.next_if(|first| first.id() == member.id());
        flow = visit(member);
        if matches!(flow, Ok(ControlFlow::Continue(()))) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    while let (Ok(ControlFlow::Continue(())), Some(first)) = (&flow, initial.next()) {
        flow = visit(first);
    }
    flow.map(drop)
}

/// Everyone that `wanted` likes, in order of their ids.
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

/// Which of them a caller asks for.
pub(super) struct Asked<'a> {
    /// These, if any are named, under the name of a parameter.
    pub(super) ids: (&'static str, Option<&'a [Text]>),
    /// Those that pass these.
    pub(super) filters: Option<&'a [Filter]>,
    /// Where the page before ended.
    pub(super) token: Option<&'a str>,
    /// How many at most.
    pub(super) limit: Option<i64>,
    /// Only to try.
    pub(super) dry_run: Option<bool>,
}

/// One page of `query`, and the token of the next.
pub(super) fn page<M: Member>(
    cx: &Tx<'_>,
    query: &impl Operation,
    asked: &Asked<'_>,
) -> Result<(Vec<M::Told>, Option<Text>)> {
    let filters = filters::RULES.read::<M::Told>(asked.filters)?;
    let after = cx.page_position(query, asked.token).map_err(|error| error.with_field("NextToken"))?;
    let named = match asked.ids {
        (_, None) => None,
        (field, Some(ids)) => {
            let mut named = ids.iter().map(|id| require::<M>(cx, id, field)).collect::<Result<Vec<_>>>()?;
            named.sort_by(|a, b| a.id().cmp(b.id()));
            named.dedup_by(|a, b| a.id() == b.id());
            Some(named)
        }
    };
    super::only_to_try(asked.dry_run)?;
    let size = asked.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(PAGE);
    let (mut found, mut last, mut more) = (Vec::new(), Text::default(), false);
    let mut take = |member: M| {
        let id = Text::new(member.id());
        let told = member.told(cx)?;
        if filters.accept(&told) {
            if found.len() == size {
                more = true;
                return Ok(ControlFlow::Break(()));
            }
            found.push(told);
            last = id;
        }
        Ok(ControlFlow::Continue(()))
    };
    match named {
        None => each(cx, after.as_deref(), take)?,
        Some(named) => {
            let left =
                named.into_iter().filter(|member| after.as_deref().is_none_or(|after| member.id() > after));
            for member in left {
                if take(member)?.is_break() {
                    break;
                }
            }
        }
    }
    Ok((found, more.then(|| cx.page_token(query, &last))))
}

/// A field of a model, or a parameter, without which nothing can be asked for.
pub(super) fn given(field: Option<&Text>, name: &str) -> Result<Text> {
    field
        .cloned()
        .ok_or_else(|| errors::MISSING.because("The request must contain the parameter").with_field(name))
}
