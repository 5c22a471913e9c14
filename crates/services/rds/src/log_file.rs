//! Log files of instances. They have the starts and shutdowns of the engine that the events of the instance tell of, in the format of
//! the engine.

pub(crate) mod format;

use crate::{
    DBInstance, DBInstanceManager, errors, event,
    filters::{self, Filter},
    instance,
};
use format::LogFile;
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Largest part of a file in bytes.
const MAX_PORTION: usize = 1024 * 1024;

/// Largest number of lines of a part, if none is given.
const MAX_LINES: usize = 10_000;

/// Finds the instance and its log files, in order of their names. An instance that is being created has none yet.
fn find_files(cx: &Tx<'_>, id: &str) -> Result<Vec<LogFile>> {
    let field = "DBInstanceIdentifier";
    let instance = instance::require(cx, id, field)?;
    if instance.status() == "creating" {
        return Err(errors::instance_not_ready(instance.id()).with_field(field));
    }
    let events = event::engine_events(cx, &instance)?;
    Ok(format::files(&instance, &events, cx.now()))
}

/// A log file.
#[derive(Record)]
#[record(answer)]
pub struct DescribeDBLogFilesDetails {
    /// Name.
    log_file_name: Option<Text>,
    /// Time of the last entry, in milliseconds since 1970.
    last_written: Option<i64>,
    /// Size in bytes.
    size: Option<i64>,
}

impl From<&LogFile> for DescribeDBLogFilesDetails {
    fn from(file: &LogFile) -> Self {
        Self {
            log_file_name: Some(file.name.as_str().into()),
            last_written: Some(file.last_written.as_millisecond()),
            size: Some(file.size()),
        }
    }
}

/// Describes the log files of an instance, in order of their names.
#[operation(
    of = DBInstance, call = "log_files", on_model, needs(db_instance_identifier),
    page(
        describe_db_log_files(name = "DescribeDBLogFiles", item = "DescribeDBLogFilesDetails"): DescribeDBLogFilesDetails, marker
    ),
    effect = read, access = list
)]
pub struct DescribeDBLogFiles {
    /// Part of the names.
    pub filename_contains: Option<Text>,
    /// Earliest time of the last entry, in milliseconds since 1970.
    pub file_last_written: Option<i64>,
    /// Size in bytes that files exceed.
    pub file_size: Option<i64>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=100))]
    pub max_records: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub marker: Option<Text>,
}

impl Handler for DescribeDBLogFiles {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let files = find_files(cx, &self.db_instance_identifier)?;
        let is_selected = |file: &&LogFile| {
            self.filename_contains.as_deref().is_none_or(|part| file.name.contains(part))
                && self.file_last_written.is_none_or(|time| file.last_written.as_millisecond() >= time)
                && self.file_size.is_none_or(|size| file.size() > size)
        };
        let selected = files.iter().filter(is_selected).map(DescribeDBLogFilesDetails::from);
        Ok(cx.page_items(&self, selected, |one| one.log_file_name.clone().unwrap_or_default())?.into())
    }
}

/// A part of a log file.
#[derive(Record)]
#[record(answer)]
pub struct DownloadDBLogFilePortionResponse {
    /// Entries.
    #[field(sensitive)]
    log_file_data: Option<Text>,
    /// Where the next part starts.
    marker: Option<Text>,
    /// True if there is more.
    additional_data_pending: Option<bool>,
}

/// Downloads a part of a log file: from a marker on, or the last lines.
#[operation(
    of = DBInstance, call = "download_log_file", on_model(log_file_name), needs(db_instance_identifier),
    output = DownloadDBLogFilePortionResponse, effect = read
)]
pub struct DownloadDBLogFilePortion {
    /// Name of the file.
    pub log_file_name: Text,
    /// Marker of the previous part, or 0 for the start of the file; without it, the last lines are returned.
    pub marker: Option<Text>,
    /// Number of lines.
    #[field(range(0..))]
    pub number_of_lines: Option<i64>,
}

impl Handler for DownloadDBLogFilePortion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let files = find_files(cx, &self.db_instance_identifier)?;
        let Some(file) = files.into_iter().find(|file| self.log_file_name == file.name) else {
            let error = errors::log_file_not_found(&self.log_file_name);
            return Err(error.with_field("LogFileName"));
        };
        let lines =
            self.number_of_lines.and_then(|lines| usize::try_from(lines).ok()).filter(|lines| *lines > 0);
        let lines = lines.unwrap_or(MAX_LINES);
        let start = match self.marker.as_deref() {
            Some(marker) => read_marker(marker, &file.text)?,
            None => last_lines(&file.text, lines),
        };
        let end = start + portion(&file.text[start..], lines);
        Ok(DownloadDBLogFilePortionResponse {
            log_file_data: Some(file.text[start..end].into()),
            marker: Some(end.to_string().into()),
            additional_data_pending: Some(end < file.text.len()),
        })
    }
}

/// Reads a marker: a position in the text.
fn read_marker(marker: &str, text: &str) -> Result<usize> {
    let position = marker.parse().ok().filter(|position| text.is_char_boundary(*position));
    position.ok_or_else(|| errors::invalid_marker().with_field("Marker"))
}

/// Returns the position of the last lines.
fn last_lines(text: &str, lines: usize) -> usize {
    let starts = text.split_inclusive('\n').rev().take(lines).map(str::len);
    text.len() - starts.sum::<usize>()
}

/// Returns the length of the first lines, as far as they fit into one part.
fn portion(text: &str, lines: usize) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n').take(lines) {
        if length + line.len() > MAX_PORTION {
            break;
        }
        length += line.len();
    }
    length
}
