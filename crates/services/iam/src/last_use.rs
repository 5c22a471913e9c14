//! The last use of access keys and roles.

use super::AccessKeyLastUsed;
use nephos_cloud::{Caller, Stored, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, shape::ServiceShape};

/// Time within which another use of the same service in the same Region is not recorded, to spare writes.
const GRANULARITY: SignedDuration = SignedDuration::from_mins(1);

/// Row of the last use of an access key or a role.
#[derive(Record)]
#[record(row)]
pub(crate) struct LastUseRow {
    /// ID of the access key or unique ID of the role.
    id: Option<Text>,
    /// Time of the last request.
    time: Option<Timestamp>,
    /// Service of the last request.
    service: Option<Text>,
    /// Region of the last request.
    region: Option<Text>,
}

nephos_cloud::stored!(LastUseRow in "iam/last-use" by id);

/// Due work that stores the last use of an access key or a role.
#[derive(Record)]
pub(crate) struct UseUpdate {
    /// ID of the access key or unique ID of the role.
    id: Option<Text>,
    /// Service of the request.
    service: Option<Text>,
    /// Region of the request.
    region: Option<Text>,
}

impl Work for UseUpdate {
    const NAME: &'static str = "iam/used";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Self { id, service, region } = self;
        cx.put(LastUseRow { id, time: Some(cx.now()), service, region })
    }
}

/// Finds the last use of an access key or a role.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<LastUseRow>> {
    cx.get(&LastUseRow::table(cx.scope()).text(id))
}

/// Forgets the last use of an access key or a role that is deleted.
pub(crate) fn remove(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    cx.remove_row(&LastUseRow::table(cx.scope()).text(id))
}

/// Records the use of the access key or role of a caller, in the scope of its account.
pub(crate) fn note(
    cx: &mut Tx<'_>,
    caller: &Caller,
    service: &'static ServiceShape,
    region: &str,
) -> Result<()> {
    let id = match caller.session() {
        None => caller.access_key_id(),
        Some(session) => caller.identity().filter(|_| session.is_of_role()),
    };
    let Some(id) = id else { return Ok(()) };
    let is_known = |row: &LastUseRow| {
        let is_same =
            row.service.as_deref() == Some(service.signing) && row.region.as_deref() == Some(region);
        is_same && row.time.is_some_and(|time| cx.now().duration_since(time) < GRANULARITY)
    };
    if find(cx, id)?.as_ref().is_some_and(is_known) {
        return Ok(());
    }
    let (id, service) = (Some(id.into()), Some(service.signing.into()));
    cx.schedule_after_answer(&UseUpdate { id, service, region: Some(region.into()) })
}

impl LastUseRow {
    /// Returns the use of an access key.
    pub(crate) fn into_key_use(self) -> AccessKeyLastUsed {
        AccessKeyLastUsed { last_used_date: self.time, service_name: self.service, region: self.region }
    }

    /// Returns the use of a role.
    pub(crate) fn into_role_use(self) -> super::RoleLastUsed {
        super::RoleLastUsed { last_used_date: self.time, region: self.region }
    }
}
