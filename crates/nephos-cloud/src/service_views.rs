//! Views of a service: commands beside the calls of its kinds, such as a feed of what happens in it. A service describes them as
//! data, over its test controls, or as a function of a session. The command line offers each as a command of the service, and runs
//! it without code for the service.

use nephos_core::{BoxFuture, Map, Result, Session, Text, Value, shape::KindShape};
use std::fmt;

/// The views of a service.
#[derive(Clone, Copy, Debug)]
pub struct ServiceViews {
    /// Documentation of the group: one sentence without a full stop.
    pub docs: &'static str,
    /// The views.
    pub views: &'static [ServiceView],
}

impl ServiceViews {
    /// No views.
    pub const NONE: Self = Self { docs: "", views: &[] };
}

/// A view of a service.
#[derive(Clone, Copy, Debug)]
pub struct ServiceView {
    /// Name of the command.
    pub name: &'static str,
    /// Documentation: one sentence without a full stop.
    pub docs: &'static str,
    /// Further documentation; may be empty.
    pub notes: &'static str,
    /// Kind of which it is a view, too.
    pub kind: Option<&'static KindShape>,
    /// Arguments.
    pub arguments: &'static [ViewArgument],
    /// Form of the view.
    pub form: ServiceViewForm,
}

/// An argument of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewArgument {
    /// Name: in capitals for an argument with a position.
    pub name: &'static str,
    /// Placeholder of the value of an option; empty for an argument with a position.
    pub value: &'static str,
    /// Documentation: one sentence without a full stop.
    pub docs: &'static str,
    /// Parameter of the test control that takes the value; empty in reports.
    pub parameter: &'static str,
    /// True if the argument must be given.
    pub is_required: bool,
    /// True if the argument is the path of a file whose content is the value, or `-` for standard input.
    pub is_file: bool,
}

impl ViewArgument {
    /// Creates an argument with a position, which may be absent.
    pub const fn position(name: &'static str, docs: &'static str) -> Self {
        Self { name, value: "", docs, parameter: "", is_required: false, is_file: false }
    }

    /// Creates an option, with the placeholder of its value.
    pub const fn option(name: &'static str, value: &'static str, docs: &'static str) -> Self {
        Self { value, ..Self::position(name, docs) }
    }

    /// Sets the parameter of the test control that takes the value.
    #[must_use]
    pub const fn of_parameter(self, parameter: &'static str) -> Self {
        Self { parameter, ..self }
    }

    /// Requires the argument.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// Makes it the path of a file, or `-` for standard input.
    #[must_use]
    pub const fn from_file(self) -> Self {
        Self { is_file: true, ..self }
    }
}

/// Form of a view of a service.
#[derive(Clone, Copy, Debug)]
pub enum ServiceViewForm {
    /// Items of a test control as a table.
    Table(ItemTable),
    /// Items of a test control, one in a line, and new ones as they arrive.
    Feed(ItemFeed),
    /// A report from the arguments.
    Report(ReportView),
}

/// Items that a test control lists in order of their numbers. The control also has the parameters `Account` and `Region`.
#[derive(Clone, Copy, Debug)]
pub struct ControlItems {
    /// Name of the test control.
    pub control: &'static str,
    /// Member of the answer with the items.
    pub items: &'static str,
    /// Parameter with the number after which the list begins.
    pub after: &'static str,
}

/// Items as a table.
#[derive(Clone, Copy, Debug)]
pub struct ItemTable {
    /// The items.
    pub source: ControlItems,
    /// Field of an item with its number.
    pub number: &'static str,
    /// Parameter with the maximum number of items in an answer.
    pub limit: &'static str,
    /// Documentation of the option `limit`, which limits all items: one sentence without a full stop.
    pub limit_docs: &'static str,
    /// Fields that are columns of the table. Other output formats have all fields.
    pub columns: &'static [&'static str],
}

/// Items in lines.
#[derive(Clone, Copy)]
pub struct ItemFeed {
    /// The items.
    pub source: ControlItems,
    /// Member of the answer with the number of the newest item.
    pub last: &'static str,
    /// Documentation of the option `limit`, which ends the command: one sentence without a full stop.
    pub limit_docs: &'static str,
    /// Documentation of the option `since-start`, which shows existing items: one sentence without a full stop.
    pub since_start_docs: &'static str,
    /// Returns the value of an item for other output formats.
    pub value: fn(&Value) -> Value,
    /// Returns the parts of the line of an item.
    pub line: fn(&Value) -> Vec<Span>,
}

impl fmt::Debug for ItemFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemFeed").field("source", &self.source).finish_non_exhaustive()
    }
}

/// A part of a line. Line breaks and control characters in it are replaced when it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Text of the part.
    pub text: String,
    /// Tone of the part.
    pub tone: Tone,
}

impl Span {
    /// Creates a part with this tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone }
    }
}

/// Tone of a text, which selects its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As other texts.
    Plain,
    /// Less important than other texts.
    Quiet,
    /// About a success.
    Good,
    /// About a failure.
    Bad,
}

/// A report from the arguments of a view.
#[derive(Clone, Copy)]
pub struct ReportView {
    /// Makes the report.
    pub make: for<'a> fn(&'a Session, &'a Map<Text>) -> BoxFuture<'a, Result<Report>>,
    /// Meaning of a negative result, for the list of exit codes.
    pub negative: &'static str,
}

impl fmt::Debug for ReportView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReportView")
    }
}

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Lines of the report. Spaces at the start of a line are its indentation.
    pub lines: Vec<Span>,
    /// The report as a value, for other output formats.
    pub value: Value,
    /// Warnings beside the report.
    pub warnings: Vec<String>,
    /// Result of the report. A negative one has an exit code of its own.
    pub is_positive: bool,
}
