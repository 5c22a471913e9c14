//! The last use of access keys and roles, and of services by users and roles.

use crate::{AccessKeyLastUsed, Role, RoleLastUsed, entity::Entity as _};
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

/// Row of the last use of a service by a user or a role.
#[derive(Record)]
#[record(row)]
pub(crate) struct ServiceUseRow {
    /// Unique ID of the user or role.
    principal_id: Option<Text>,
    /// Service of the request.
    pub(crate) service: Option<Text>,
    /// Time of the last request.
    pub(crate) time: Option<Timestamp>,
    /// Region of the last request.
    pub(crate) region: Option<Text>,
}

nephos_cloud::stored!(ServiceUseRow in "iam/service-use" by principal_id, service);

/// Due work that stores the last use of an access key or a role, and of a service by its user or role.
#[derive(Record)]
pub(crate) struct UseUpdate {
    /// ID of the access key or unique ID of the role.
    id: Option<Text>,
    /// Unique ID of the user or role.
    principal_id: Option<Text>,
    /// Service of the request.
    service: Option<Text>,
    /// Region of the request.
    region: Option<Text>,
}

impl Work for UseUpdate {
    const NAME: &'static str = "iam/used";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Self { id, principal_id, service, region } = self;
        let time = Some(cx.now());
        if principal_id.is_some() {
            let (service, region) = (service.clone(), region.clone());
            cx.put(ServiceUseRow { principal_id, service, time, region })?;
        }
        if id.is_some() {
            cx.put(LastUseRow { id, time, service, region })?;
        }
        Ok(())
    }
}

/// Finds the last use of an access key or a role.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<LastUseRow>> {
    cx.get(&LastUseRow::table(cx.scope()).text(id))
}

/// Returns the last use of a role; empty if it was never used.
pub(crate) fn of_role(cx: &Tx<'_>, role: &Role) -> Result<RoleLastUsed> {
    let last_use = find(cx, role.id())?.map(LastUseRow::into_role_use);
    Ok(last_use.unwrap_or(RoleLastUsed { last_used_date: None, region: None }))
}

/// Returns the last uses of services by a user or role, in order of the services.
pub(crate) fn services_of(cx: &Tx<'_>, principal_id: &str) -> Result<Vec<ServiceUseRow>> {
    cx.all(&ServiceUseRow::table(cx.scope()).text(principal_id))
}

/// Forgets the uses of services by a user or role that is deleted.
pub(crate) fn remove_services(cx: &mut Tx<'_>, principal_id: &str) -> Result<()> {
    services_of(cx, principal_id)?.iter().try_for_each(|row| cx.remove(row))
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
    let is_recent = |time: Option<Timestamp>, used_in: Option<&Text>| {
        let is_here = used_in.is_some_and(|used_in| used_in == region);
        is_here && time.is_some_and(|time| cx.now().duration_since(time) < GRANULARITY)
    };
    // Both rows are written together: the first tells about the other.
    let is_known = match (id, caller.identity()) {
        (Some(id), _) => find(cx, id)?.is_some_and(|row| {
            row.service.as_deref() == Some(service.signing) && is_recent(row.time, row.region.as_ref())
        }),
        (None, Some(principal)) => {
            let key = ServiceUseRow::table(cx.scope()).text(principal).text(service.signing);
            let row: Option<ServiceUseRow> = cx.get(&key)?;
            row.is_some_and(|row| is_recent(row.time, row.region.as_ref()))
        }
        (None, None) => true,
    };
    if is_known {
        return Ok(());
    }
    cx.schedule_after_answer(&UseUpdate {
        id: id.map(Text::from),
        principal_id: caller.identity().map(Text::from),
        service: Some(service.signing.into()),
        region: Some(region.into()),
    })
}

impl LastUseRow {
    /// Returns the use of an access key.
    pub(crate) fn into_key_use(self) -> AccessKeyLastUsed {
        AccessKeyLastUsed { last_used_date: self.time, service_name: self.service, region: self.region }
    }

    /// Returns the use of a role.
    pub(crate) fn into_role_use(self) -> RoleLastUsed {
        RoleLastUsed { last_used_date: self.time, region: self.region }
    }
}
