//! Archives, which keep events of a bus, so that they can be replayed.

pub(crate) mod events;
pub(crate) mod rule;

use crate::{errors, event_bus, event_rule, paging::Page, replay};
use nephos_cloud::{Addressed, Handler, Scope, Stored, Tx, own_arn};
use nephos_core::{Arn, Empty, Record, Resource, Result, Slot, Text, Timestamp, choices, operation};

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
    arn("ArchiveArn", "archive/{ArchiveName}"), name = "ArchiveName", pk = "ArchiveName", saved_when = "CreationTime",
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
    #[field(unlisted, length(..=512), clear = "")]
    pub(crate) description: Option<Text>,
    /// Event pattern, as JSON; all events if it is not given.
    #[field(unlisted, length(..=4096))]
    pub(crate) event_pattern: Option<Text>,
    /// State of the archive.
    #[field(service_set)]
    pub(crate) state: Option<ArchiveState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts the archive.
    #[field(unlisted, no_effect, length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$", clear = "")]
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

/// Sets the ARNs of listed archives, which the provider does not return.
fn with_arns(mut archives: Vec<Archive>) -> Vec<Archive> {
    for archive in &mut archives {
        archive.archive_arn = arn_beside(archive, archive.event_source_arn.as_deref());
    }
    archives
}

/// Refuses more than one filter of a listing.
pub(crate) fn check_filters(operation: &str, given: [bool; 3]) -> Result<()> {
    match given.into_iter().filter(|given| *given).count() {
        0 | 1 => Ok(()),
        _ => Err(errors::filters_given(operation)),
    }
}

/// Creates an archive of a bus of this account and Region. The bus gets the rule `Events-Archive-…`, which the provider manages.
#[operation(
    of = Archive, call = "create", model, read_back, needs(archive_name, event_source_arn), takes(settable),
    answers(archive_arn, state, state_reason, creation_time), effect = write, subject = "archive/{ArchiveName} + {EventSourceArn}"
)]
pub struct CreateArchive {}

impl Handler for CreateArchive {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.event_pattern.as_deref().map(event_rule::put::parse_pattern).transpose()?;
        let bus = event_bus::require(cx, Some(&self.event_source_arn))
            .map_err(|error| error.with_field("EventSourceArn"))?;
        if Archive::find_by(cx, &[&self.archive_name])?.is_some() {
            return Err(errors::archive_exists(&self.archive_name));
        }
        self.event_source_arn = bus.arn.unwrap_or_default();
        self.retention_days.get_or_insert(0);
        let mut archive = Archive::from_given(self);
        archive.archive_arn = own_arn(&archive, cx.scope());
        archive.state = Some(ArchiveState::Enabled);
        archive.creation_time = Some(cx.now());
        rule::create(cx, &archive)?;
        archive.put_changed(cx)?;
        Ok(archive.into())
    }
}

/// Describes an archive.
#[operation(of = Archive, call = "get", optional, needs(archive_name), effect = read, output = Archive)]
pub struct DescribeArchive {}

impl Handler for DescribeArchive {
    fn run(self, cx: &mut Tx<'_>) -> Result<Archive> {
        Archive::require(cx, &self.archive_name, "ArchiveName")?.with_numbers(cx)
    }
}

/// Lists archives, in order of their names. At most one filter can be given.
#[operation(of = Archive, call = "list", page(archives => with_arns, next_token), also(Page), effect = read)]
pub struct ListArchives {
    /// Prefix of the names of archives.
    #[field(like = Archive::archive_name)]
    pub name_prefix: Option<Text>,
    /// ARN of the bus.
    #[field(like = Archive::event_source_arn)]
    pub event_source_arn: Option<Text>,
    /// State of the archives.
    pub state: Option<ArchiveState>,
}

impl Handler for ListArchives {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let given = [self.name_prefix.is_some(), self.event_source_arn.is_some(), self.state.is_some()];
        check_filters("ListArchives", given)?;
        let bus = match &self.event_source_arn {
            Some(arn) => {
                event_bus::require(cx, Some(arn)).map_err(|error| error.with_field("EventSourceArn"))?.arn
            }
            None => None,
        };
        let is_wanted = |archive: &Archive| {
            (bus.is_none() || archive.event_source_arn == bus)
                && (self.state.is_none() || archive.state == self.state)
        };
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = Archive::table(cx.scope()).text_prefix(prefix);
        let page = cx.page_rows(&self, &wanted, |mut archive: Archive| {
            if !is_wanted(&archive) {
                return Ok(None);
            }
            // AWS does not return it.
            archive.archive_arn = None;
            archive.with_numbers(cx).map(Some)
        })?;
        Ok(page.into())
    }
}

/// Changes the settings of an archive that are given. Events that are in it stay, also if they do not match its new pattern.
#[operation(
    of = Archive, call = "update", changes, needs(archive_name), takes(changeable),
    answers(archive_arn, state, state_reason, creation_time), effect = write
)]
pub struct UpdateArchive {}

impl Handler for UpdateArchive {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.event_pattern.as_deref().map(event_rule::put::parse_pattern).transpose()?;
        let mut archive = Archive::require(cx, &self.archive_name, "ArchiveName")?;
        let before = archive.clone();
        archive.take_given(&mut self);
        if archive == before {
            return Ok(archive.into());
        }
        if archive.event_pattern != before.event_pattern {
            rule::update(cx, &archive)?;
        }
        if archive.retention_days != before.retention_days {
            events::schedule_expiry_of_all(cx, &archive)?;
        }
        archive.put_changed(cx)?;
        Ok(archive.into())
    }
}

/// Deletes an archive with its events and its rule. Refused while events of it are replayed.
#[operation(of = Archive, call = "delete", instance, needs(archive_name), effect = write)]
pub struct DeleteArchive {}

impl Handler for DeleteArchive {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let archive = Archive::require(cx, &self.archive_name, "ArchiveName")?;
        if let Some(replay) = replay::find_active(cx, archive.archive_arn.as_deref())? {
            let hint = format!("the replay {replay} is active");
            return Err(errors::archive_in_use().with_field("ArchiveName").with_hint(hint));
        }
        archive.change_bus(cx)?;
        rule::remove(cx, &archive)?;
        events::remove_all(cx, &self.archive_name)?;
        cx.remove(&archive)?;
        Ok(Empty {})
    }
}
