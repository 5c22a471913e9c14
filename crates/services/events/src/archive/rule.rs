//! The rule of an archive, which the provider manages. The archive itself receives the events; the rule shows on the bus that it
//! does.

use crate::{
    Archive, ArchiveState, EventRule, EventTarget, InputTransformer, archive::events::REPLAY_NAME, controls,
    errors, event_bus,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{
    Result, Text, Value,
    field_value::FieldType,
    json::{self, Writing},
};

/// Service that manages the rules of archives.
const MANAGER: &str = "prod.vhs.events.aws.internal";

const NAME_PREFIX: &str = "Events-Archive-";

/// Reason of the state of an archive without its rule.
const RULE_DELETED: &str = "Managed rule for the archive was forcefully deleted.";

/// True for the rule of an archive.
pub(crate) fn is_of_archive(rule: &EventRule) -> bool {
    rule.managed_by.as_deref() == Some(MANAGER)
}

/// Returns the bus of an archive, and the name of its rule.
fn place<'a>(cx: &Tx<'_>, archive: &'a Archive) -> Result<(&'a str, Text)> {
    let bus = event_bus::name_of(cx.scope(), archive.event_source_arn.as_deref())?;
    Ok((bus, format!("{NAME_PREFIX}{}", archive.archive_name.as_deref().unwrap_or_default()).into()))
}

/// Returns the pattern of the rule: that of the archive, without events of replays.
fn pattern_of(archive: &Archive) -> Text {
    let pattern = archive.event_pattern.as_deref().and_then(|pattern| json::parse(pattern.as_bytes()).ok());
    let mut members = match pattern {
        Some(Value::Map(members)) => members,
        _ => Default::default(),
    };
    let absent = Value::from_iter([("exists", Value::Bool(false))]);
    members.insert(REPLAY_NAME.into(), Value::List(vec![absent]));
    json::write(Value::Map(members).view(), Writing::EXPOSED).into()
}

/// Creates the rule of a new archive.
pub(crate) fn create(cx: &mut Tx<'_>, archive: &Archive) -> Result<()> {
    let (bus, name) = place(cx, archive)?;
    if EventRule::find_by(cx, &[bus, &name])?.is_some() {
        return Err(errors::rule_exists(&name));
    }
    let arn = archive.archive_arn.as_deref().unwrap_or_default();
    let mut template = InputTransformer::blank();
    template.input_template = Some(
        format!(
            r#"{{"archive-arn": "{arn}:{}","event": <aws.events.event.json>,"ingestion-time": <aws.events.event.ingestion-time>}}"#,
            cx.ids().uuid()
        )
        .into(),
    );
    let mut target = EventTarget::blank();
    let partition = arn.split(':').nth(1).unwrap_or_default();
    target.id = Some(name.clone());
    target.arn = Some(format!("arn:{partition}:events:{}:::", cx.scope().region()).into());
    target.input_transformer = Some(template);
    let mut rule = EventRule::blank();
    (rule.name, rule.event_bus_name) = (Some(name), Some(bus.into()));
    (rule.event_pattern, rule.managed_by) = (Some(pattern_of(archive)), Some(MANAGER.into()));
    controls::put_managed(cx, rule, target)
}

/// Changes the pattern of the rule of an archive.
pub(crate) fn update(cx: &mut Tx<'_>, archive: &Archive) -> Result<()> {
    let (bus, name) = place(cx, archive)?;
    let Some(mut rule) = EventRule::find_by(cx, &[bus, &name])?.filter(is_of_archive) else { return Ok(()) };
    rule.event_pattern = Some(pattern_of(archive));
    rule.put_changed(cx)
}

/// Removes the rule of an archive that is deleted.
pub(crate) fn remove(cx: &mut Tx<'_>, archive: &Archive) -> Result<()> {
    let (bus, name) = place(cx, archive)?;
    match EventRule::find_by(cx, &[bus, &name])?.filter(is_of_archive) {
        Some(rule) => controls::remove_managed(cx, &rule),
        None => Ok(()),
    }
}

/// Disables the archive of a rule that is deleted by force.
pub(crate) fn disable_archive(cx: &mut Tx<'_>, rule: &EventRule) -> Result<()> {
    let name = rule.name.as_deref().and_then(|name| name.strip_prefix(NAME_PREFIX)).unwrap_or_default();
    match Archive::find_by(cx, &[name])?.filter(|_| is_of_archive(rule)) {
        Some(mut archive) => {
            archive.state = Some(ArchiveState::Disabled);
            archive.state_reason = Some(RULE_DELETED.into());
            archive.put_changed(cx).map(drop)
        }
        None => Ok(()),
    }
}
