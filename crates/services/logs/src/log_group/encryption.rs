//! Encryption of the events of log groups that have a crypto key.
//!
//! The messages are sealed with a data key of the group, which is encrypted under its crypto key. Events keep the key that they
//! were written with.

use crate::{
    SERVICE, errors,
    log_group::{self, LogGroup},
    log_stream::events::LogEvent,
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use nephos_cloud::{DataKey, Key, KeyUse, Scope, Stored, Tx, is_key_refusal};
use nephos_core::{Blob, Error, Record, Result, Text};

/// First character of stored messages that are not plain. A plain message that begins with it is marked as such.
const MARK: char = '\u{1F}';

/// Second character of a sealed message, before the number of its data key.
const SEALED: char = 's';

/// Second character of a plain message that begins with the mark.
const PLAIN: char = 'p';

/// Number of bytes that sealing adds to a message.
const SEALING_OVERHEAD: usize = 29;

/// Row of a data key of a log group.
#[derive(Record)]
#[record(row, name = "LogGroupKey")]
pub(crate) struct GroupKeyRow {
    /// Name of the log group.
    log_group_name: Option<Text>,
    /// Number of the data key, from 1.
    number: Option<i64>,
    /// ARN of the crypto key.
    kms_key_id: Option<Text>,
    /// The data key, encrypted under the crypto key.
    #[field(sensitive)]
    data_key: Option<Blob>,
}

nephos_cloud::stored!(GroupKeyRow in "logs/group-key" by log_group_name, number);

/// Returns the key prefix of the data keys of a log group.
pub(crate) fn group_prefix(scope: &Scope, group: &str) -> Key {
    GroupKeyRow::table(scope).text(group)
}

/// Calls `body` with the use of a crypto key by a log group: the service itself uses the key.
fn with_key_use<T>(
    cx: &mut Tx<'_>,
    group: &str,
    body: impl FnOnce(&mut Tx<'_>, &KeyUse<'_>) -> Result<T>,
) -> Result<T> {
    let arn = log_group::arn_of(cx.scope(), group);
    let principal = format!("logs.{}.amazonaws.com", cx.scope().region());
    let context = [("aws:logs:arn", arn.as_str())];
    body(cx, &KeyUse { service: &SERVICE, context: &context, principal: Some(&principal) })
}

/// Refuses a crypto key that the service cannot use for a log group.
pub(crate) fn check_key(cx: &mut Tx<'_>, group: &str, key: &str) -> Result<()> {
    let checked = with_key_use(cx, group, |cx, used| cx.check_crypto_key(key, used));
    checked.map_err(|error| {
        key_error(cx, group, error, |arn| errors::key_not_allowed(arn).with_field("kmsKeyId"))
    })
}

/// Returns the error for a crypto key that cannot be used.
fn key_error(cx: &Tx<'_>, group: &str, error: Error, refused: impl FnOnce(Text) -> Error) -> Error {
    if !is_key_refusal(&error) {
        return error;
    }
    refused(log_group::arn_of(cx.scope(), group).into()).with_hint(error.message())
}

/// A data key that new events of a log group are sealed with.
pub(crate) struct CurrentKey {
    number: i64,
    key: DataKey,
}

impl CurrentKey {
    /// Returns the data key of a log group that has a crypto key; creates it if there is none for that key.
    pub(crate) fn open_or_create(cx: &mut Tx<'_>, group: &LogGroup) -> Result<Option<Self>> {
        let Some(wanted) = &group.kms_key_id else { return Ok(None) };
        let name = group.log_group_name.as_deref().unwrap_or_default();
        let rows: Vec<GroupKeyRow> = cx.all(&group_prefix(cx.scope(), name))?;
        let number = rows.last().and_then(|row| row.number).unwrap_or_default();
        if let Some(row) = rows.last().filter(|row| row.kms_key_id.as_ref() == Some(wanted)) {
            return Ok(Some(Self { number, key: open_row(cx, name, row)? }));
        }
        let created = with_key_use(cx, name, |cx, used| {
            cx.new_data_key_under(Some(wanted), used, &["logs/group-key", name])
        });
        let (key, sealed) = created.map_err(|error| key_error(cx, name, error, errors::key_denied))?;
        cx.put(GroupKeyRow {
            log_group_name: group.log_group_name.clone(),
            number: Some(number + 1),
            kms_key_id: Some(wanted.clone()),
            data_key: Some(sealed),
        })?;
        Ok(Some(Self { number: number + 1, key }))
    }

    /// Seals the message of a new event.
    fn seal(&self, cx: &Tx<'_>, event: &mut LogEvent) -> Result<()> {
        let message = event.message.take().unwrap_or_default();
        let sealed = self.key.seal(cx, &place(event), message.as_bytes())?;
        let Self { number, .. } = self;
        event.message = Some(format!("{MARK}{SEALED}{number}:{}", STANDARD_NO_PAD.encode(&sealed.0)).into());
        Ok(())
    }
}

/// Opens a data key of a log group.
fn open_row(cx: &mut Tx<'_>, group: &str, row: &GroupKeyRow) -> Result<DataKey> {
    let sealed = row.data_key.as_ref().ok_or_else(damaged)?;
    let opened =
        with_key_use(cx, group, |cx, used| cx.data_key_under(used, &["logs/group-key", group], sealed));
    opened.map_err(|error| key_error(cx, group, error, errors::key_denied))
}

/// Prepares the message of a new event to be stored.
pub(crate) fn seal(cx: &Tx<'_>, key: Option<&CurrentKey>, event: &mut LogEvent) -> Result<()> {
    if let Some(key) = key {
        return key.seal(cx, event);
    }
    if let Some(message) = event.message.as_mut().filter(|message| message.starts_with(MARK)) {
        *message = format!("{MARK}{PLAIN}{message}").into();
    }
    Ok(())
}

/// Data keys of a log group, for reading.
pub(crate) struct EventKeys(Vec<(i64, Result<DataKey>)>);

impl EventKeys {
    /// Opens the data keys of a log group. One that cannot be opened fails only for the events that are sealed with it.
    pub(crate) fn open(cx: &mut Tx<'_>, group: &str) -> Result<Self> {
        let rows: Vec<GroupKeyRow> = cx.all(&group_prefix(cx.scope(), group))?;
        let keys = rows.iter().map(|row| (row.number.unwrap_or_default(), open_row(cx, group, row)));
        Ok(Self(keys.collect()))
    }

    /// Opens the message of a stored event.
    pub(crate) fn unseal(&self, cx: &Tx<'_>, event: &mut LogEvent) -> Result<()> {
        let Some(marked) = event.message.as_deref().and_then(|message| message.strip_prefix(MARK)) else {
            return Ok(());
        };
        if let Some(plain) = marked.strip_prefix(PLAIN) {
            event.message = Some(plain.into());
            return Ok(());
        }
        let (number, sealed) = split_sealed(marked).ok_or_else(damaged)?;
        let found = self.0.iter().find(|(known, _)| *known == number);
        let key = found.map(|(_, key)| key.as_ref()).ok_or_else(damaged)?.map_err(Error::clone)?;
        let sealed = Blob(STANDARD_NO_PAD.decode(sealed).map_err(|_| damaged())?);
        let opened = key.open(cx, &place(event), &sealed)?;
        event.message = Some(std::str::from_utf8(&opened).map_err(|_| damaged())?.into());
        Ok(())
    }
}

/// Returns the number of the data key and the sealed bytes of a message, after the mark.
fn split_sealed(marked: &str) -> Option<(i64, &str)> {
    let (number, sealed) = marked.strip_prefix(SEALED)?.split_once(':')?;
    Some((number.parse().ok()?, sealed))
}

/// Returns the length of the message of a stored event, in bytes.
pub(crate) fn message_length(stored: &str) -> usize {
    let Some(marked) = stored.strip_prefix(MARK) else { return stored.len() };
    match split_sealed(marked) {
        Some((_, sealed)) => (sealed.len() * 3 / 4).saturating_sub(SEALING_OVERHEAD),
        None => marked.len() - PLAIN.len_utf8(),
    }
}

/// Place of the message of an event.
fn place(event: &LogEvent) -> [&str; 3] {
    let group = event.log_group_name.as_deref().unwrap_or_default();
    ["logs/log-event", group, event.event_id.as_deref().unwrap_or_default()]
}

fn damaged() -> Error {
    Error::new(nephos_core::ErrorKind::Corrupt, "the message of an event is damaged")
}
