//! Archives, which keep events of a bus, so that they can be replayed.

pub(crate) mod events;
mod operations;
pub(crate) mod rule;

pub use operations::*;

use crate::{errors, event_bus};
use nephos_cloud::{Scope, Tx, own_arn};
use nephos_core::{Arn, Resource, Result, Slot, Text, Timestamp, choices};

choices! {
    /// State of an archive.
    #[derive(Eq)]
    pub enum ArchiveState {
        /// The archive receives events.
        Enabled = "ENABLED",
        /// The archive receives no events.
        Disabled = "DISABLED",
        /// The archive is being created.
        Creating = "CREATING",
        /// The archive is being changed.
        Updating = "UPDATING",
        /// The archive could not be created.
        CreateFailed = "CREATE_FAILED",
        /// The archive could not be changed.
        UpdateFailed = "UPDATE_FAILED",
    }
}

/// An archive: keeps events of a bus, so that they can be replayed.
#[derive(Resource)]
#[resource(
    arn("ArchiveArn", "archive/{ArchiveName}"), name = "ArchiveName", pk = "ArchiveName", exists_if = "CreationTime",
    not_found = |name| errors::archive_not_found(name)
)]
pub struct Archive {
    /// Name of the archive, unique within account and Region.
    #[field(fixed, length(1..=48), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) archive_name: Option<Text>,
    /// ARN of the archive.
    #[field(service_set)]
    pub(crate) archive_arn: Option<Text>,
    /// ARN of the bus.
    #[field(
        fixed, length(1..=1600), pattern = r"^arn:aws([a-z]|\-)*:events:([a-z]|\d|\-)*:([0-9]{12})?:.+\/.+$"
    )]
    pub(crate) event_source_arn: Option<Text>,
    /// Description.
    #[field(not_in_list, length(..=512), clear = "")]
    pub(crate) description: Option<Text>,
    /// Event pattern, as JSON; all events if it is not given.
    #[field(not_in_list, length(..=4096))]
    pub(crate) event_pattern: Option<Text>,
    /// State of the archive.
    #[field(service_set)]
    pub(crate) state: Option<ArchiveState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts the archive.
    #[field(not_in_list, no_effect, length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$", clear = "")]
    pub(crate) kms_key_identifier: Option<Text>,
    /// Number of days that events are kept; 0, the default, for all time.
    #[field(range(0..), clear = 0)]
    pub(crate) retention_days: Option<i64>,
    /// Size of the events in the archive, in bytes.
    #[field(service_set)]
    pub(crate) size_bytes: Option<i64>,
    /// Number of events in the archive.
    #[field(service_set)]
    pub(crate) event_count: Option<i64>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) creation_time: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored!(Archive in "events/archive" by archive_name; arn archive_arn);

impl Archive {
    /// Adds the number and the size of the events in the archive.
    fn with_numbers(mut self, cx: &Tx<'_>) -> Result<Self> {
        let name = self.archive_name.as_deref().unwrap_or_default();
        (self.event_count, self.size_bytes) = events::count(cx, name)?;
        Ok(self)
    }

    /// Notes that the archives of its bus change.
    fn change_bus(&self, cx: &mut Tx<'_>) -> Result<()> {
        let bus = event_bus::name_of(cx.scope(), self.event_source_arn.as_deref())?;
        event_bus::index::change(cx, bus)
    }

    /// Stores the archive.
    pub(crate) fn put_changed(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.change_bus(cx)?;
        cx.put(self.clone())
    }
}

/// Returns the ARN of a resource in the account and Region of another ARN.
pub(crate) fn arn_beside<R: Resource>(resource: &R, other: Option<&str>) -> Option<Text> {
    let [_, _, region, account, _] = Arn::parts(other?)?;
    own_arn(resource, &Scope::new(account, region))
}

/// Refuses more than one filter of a listing.
pub(crate) fn check_filters(operation: &str, given: [bool; 3]) -> Result<()> {
    match given.into_iter().filter(|given| *given).count() {
        0 | 1 => Ok(()),
        _ => Err(errors::filters_given(operation)),
    }
}
