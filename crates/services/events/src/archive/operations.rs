//! Operations on archives.

use super::{Archive, ArchiveManager, ArchiveState, arn_beside, check_filters, events, rule};
use crate::{errors, event_bus, event_rule, paging::Page, replay};
use nephos_cloud::{Addressed, Handler, Stored, Tx, own_arn};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Sets the ARNs of listed archives, which the provider does not return.
fn with_arns(mut archives: Vec<Archive>) -> Vec<Archive> {
    for archive in &mut archives {
        archive.archive_arn = arn_beside(archive, archive.event_source_arn.as_deref());
    }
    archives
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
#[operation(of = Archive, call = "get", none_if_missing, needs(archive_name), effect = read, output = Archive)]
pub struct DescribeArchive {}

impl Handler for DescribeArchive {
    fn run(self, cx: &mut Tx<'_>) -> Result<Archive> {
        Archive::require(cx, &self.archive_name, "ArchiveName")?.with_numbers(cx)
    }
}

/// Lists archives, in order of their names. At most one filter can be given.
#[operation(of = Archive, call = "list", page(archives => with_arns, next_token), include(Page), effect = read)]
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
#[operation(of = Archive, call = "delete", on_model, needs(archive_name), effect = write)]
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
