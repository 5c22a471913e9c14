//! One error type for everything, with a small closed kind and the service's own code.

use std::{borrow::Cow, fmt, sync::Arc};

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Kind of error, for code that decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The resource does not exist.
    NotFound,
    /// The resource exists already.
    AlreadyExists,
    /// A value breaks a rule.
    Invalid,
    /// Another change got in the way, or something still depends on the resource.
    Conflict,
    /// The resource is in a state that does not allow this.
    InState,
    /// The resource is protected from deletion.
    Protected,
    /// The caller may not do this.
    Denied,
    /// A token, a credential or a wait has expired.
    Expired,
    /// Too many requests.
    Throttled,
    /// A quota is used up.
    LimitExceeded,
    /// The operation is not supported.
    Unsupported,
    /// The model has no session to act through.
    NoSession,
    /// The field, or the whole model, cannot be changed by callers.
    Frozen,
    /// A regular expression did not match.
    NoMatch,
    /// The kind has no update.
    NotUpdatable,
    /// The local container daemon is not running.
    DaemonDown,
    /// The request did not reach the endpoint, or its answer did not arrive.
    Transport,
    /// Stored data is damaged.
    Corrupt,
    /// A fault of the service or of this library.
    Internal,
}

impl ErrorKind {
    /// All kinds, for tables and documentation.
    pub const ALL: [Self; 19] = [
        Self::NotFound,
        Self::AlreadyExists,
        Self::Invalid,
        Self::Conflict,
        Self::InState,
        Self::Protected,
        Self::Denied,
        Self::Expired,
        Self::Throttled,
        Self::LimitExceeded,
        Self::Unsupported,
        Self::NoSession,
        Self::Frozen,
        Self::NoMatch,
        Self::NotUpdatable,
        Self::DaemonDown,
        Self::Transport,
        Self::Corrupt,
        Self::Internal,
    ];

    /// Error code of an error of this kind that no service raised.
    const fn own_code(self) -> &'static str {
        match self {
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::Invalid => "ValidationError",
            Self::Conflict => "Conflict",
            Self::InState => "InvalidState",
            Self::Protected => "Protected",
            Self::Denied => "AccessDenied",
            Self::Expired => "Expired",
            Self::Throttled => "Throttling",
            Self::LimitExceeded => "LimitExceeded",
            Self::Unsupported => "Unsupported",
            Self::NoSession => "NoSession",
            Self::Frozen => "Frozen",
            Self::NoMatch => "NoMatch",
            Self::NotUpdatable => "NotUpdatable",
            Self::DaemonDown => "DaemonDown",
            Self::Transport => "TransportError",
            Self::Corrupt => "Corrupt",
            Self::Internal => "InternalFailure",
        }
    }

    /// HTTP status of an error of this kind, unless a service's table has another one.
    const fn own_status(self) -> u16 {
        match self {
            Self::Corrupt | Self::Internal | Self::Transport | Self::DaemonDown => 500,
            Self::Denied => 403,
            Self::NotFound => 404,
            _ => 400,
        }
    }
}

/// One row of a service's table of errors: the service raises it, the server renders it, a client maps it back.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Error code on the wire.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Kind of error for callers.
    pub kind: ErrorKind,
    /// Condition in which the service raises the error.
    pub meaning: &'static str,
    /// The service's texts on the wire, with names of values in braces: `Policy with name [{name}] does not exist.`
    pub texts: &'static [&'static str],
}

impl Code {
    /// Returns an error with this code and a message.
    pub fn with_message(&'static self, reason: impl Into<String>) -> Error {
        Error::new(self.kind, reason).with_code(self)
    }

    /// True if `message` is one of the texts of this code, with some values.
    pub fn has_text(&self, message: &str) -> bool {
        self.texts.iter().any(|text| is_from_template(text, message))
    }
}

/// True if `text` is `template` with any values for the names in braces.
fn is_from_template(template: &str, mut text: &str) -> bool {
    // Doubled braces stand for themselves.
    let template = template.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let literals = template.split('{').enumerate().map(|(n, part)| match part.split_once('}') {
        Some((_, literal)) if n > 0 => literal,
        _ => part,
    });
    let mut literals = literals.map(|literal| literal.replace('\u{1}', "{").replace('\u{2}', "}"));
    let Some(rest) = literals.next().and_then(|first| text.strip_prefix(&*first)) else { return false };
    text = rest;
    let mut last = None;
    for literal in literals {
        if let Some(literal) = last.replace(literal) {
            let Some((_, rest)) = text.split_once(&*literal) else { return false };
            text = rest;
        }
    }
    last.map_or(text.is_empty(), |last| text.ends_with(&*last))
}

/// Declares a service's table of errors: a constant per code, a function per text of the provider, and `ALL` codes.
///
/// A text names the values in it, which are the parameters of its function. It has the provider's names only; what helps
/// callers of the typed API is a [hint](Error::with_hint).
///
/// ```
/// nephos_core::codes! {
///     /// There is no such group or policy.
///     NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
///         group_not_found = "The specified log group does not exist.";
///         policy_not_found(name) = "Policy with name [{name}] does not exist.";
///     }
///     /// The service is down.
///     DOWN = "ServiceUnavailableException", 500, Internal;
/// }
///
/// let error = group_not_found().with_hint("/web/api");
/// assert_eq!(
///     error.to_string(),
///     "ResourceNotFoundException: The specified log group does not exist. (/web/api)"
/// );
/// assert_eq!(policy_not_found("all").wire_message(), "Policy with name [all] does not exist.");
/// assert_eq!(NOT_FOUND.meaning, "There is no such group or policy.");
/// assert_eq!(ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! codes {
    // A code without texts ends with a semicolon, which is replaced by an empty list of texts.
    (@parse [$($done:tt)*]) => { $crate::codes!(@declare $($done)*); };
    (@parse [$($done:tt)*]
        $(#[doc = $meaning:literal])+ $name:ident = $code:literal, $status:literal, $kind:ident; $($rest:tt)*) => {
        $crate::codes!(@parse [$($done)* [$($meaning)+] $name = $code, $status, $kind {}] $($rest)*);
    };
    (@parse [$($done:tt)*]
        $(#[doc = $meaning:literal])+ $name:ident = $code:literal, $status:literal, $kind:ident { $($texts:tt)+ }
        $($rest:tt)*) => {
        $crate::codes!(@parse [$($done)* [$($meaning)+] $name = $code, $status, $kind { $($texts)+ }] $($rest)*);
    };
    (@declare $(
        [$($meaning:literal)+] $name:ident = $code:literal, $status:literal, $kind:ident {
            $($text_name:ident $(($($value:ident),+))? = $text:literal;)*
        }
    )+) => {
        $(
            $(#[doc = $meaning])+
            pub static $name: $crate::Code = $crate::Code {
                code: $code,
                status: $status,
                kind: $crate::ErrorKind::$kind,
                meaning: ::core::concat!($($meaning),+).trim_ascii(),
                texts: &[$($text),*],
            };
            $(
                #[doc = ::core::concat!("`", $text, "`")]
                pub(crate) fn $text_name($($($value: impl ::core::fmt::Display),+)?) -> $crate::Error {
                    $name.with_message(::std::format!($text))
                }
            )*
        )+
        /// All error codes of the service.
        pub static ALL: &[&$crate::Code] = &[$(&$name),+];
    };
    ($($table:tt)+) => { $crate::codes!(@parse [] $($table)+); };
}

/// Error code of a service that names none of its own.
pub(crate) static INVALID: Code = Code {
    code: "ValidationException",
    status: 400,
    kind: ErrorKind::Invalid,
    meaning: "A parameter is invalid.",
    texts: &[],
};

/// A refused or failed operation.
///
/// It prints as one line: code, field, message, hint.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    code: Cow<'static, str>,
    status: u16,
    message: String,
    wire_message: Option<String>,
    hint: Option<String>,
    field: Option<String>,
    operation: Option<Cow<'static, str>>,
    request_id: Option<String>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind` with `message`, with the default code of that kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            code: Cow::Borrowed(kind.own_code()),
            status: kind.own_status(),
            message: message.into(),
            wire_message: None,
            hint: None,
            field: None,
            operation: None,
            request_id: None,
            source: None,
        }))
    }

    /// Creates an error because the value of `field` breaks a rule.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message).with_field(field)
    }

    /// Sets code, kind and status from a row of a service's table.
    #[must_use]
    pub fn with_code(mut self, code: &'static Code) -> Self {
        self.0.kind = code.kind;
        self.0.code = Cow::Borrowed(code.code);
        self.0.status = code.status;
        self
    }

    /// Sets a code that is in no table, as an endpoint sent it.
    #[must_use]
    pub fn with_wire_code(mut self, code: impl Into<String>, status: u16) -> Self {
        self.0.code = Cow::Owned(code.into());
        self.0.status = status;
        self
    }

    /// Sets the message on the wire, where it is not [`message`](Self::message).
    #[must_use]
    pub fn with_wire_message(mut self, message: impl Into<String>) -> Self {
        self.0.wire_message = Some(message.into());
        self
    }

    /// Adds what helps callers and is not on the wire: which resource, the nearest valid value.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// Sets the field at fault.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// Puts `outer` in front of the path of the field.
    #[must_use]
    pub fn in_field(mut self, outer: &str) -> Self {
        self.0.field = Some(match self.0.field.take() {
            Some(inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            Some(inner) => format!("{outer}.{inner}"),
            None => outer.to_owned(),
        });
        self
    }

    /// Sets the operation that failed, unless it is set already.
    #[must_use]
    pub fn during(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        self.0.operation.get_or_insert(operation.into());
        self
    }

    /// Sets the ID of the request that failed.
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.0.request_id = Some(id.into());
        self
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Kind of error, for code that decides by it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Error code of the service, or the default code of the kind.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// HTTP status of the error.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// Message for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Message on the wire, in the provider's words.
    pub fn wire_message(&self) -> &str {
        self.0.wire_message.as_deref().unwrap_or(&self.0.message)
    }

    /// Addition to the message that is not on the wire: which resource, the nearest valid value.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Path of the field at fault: `DefaultActions[0].Order`.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// Name of the operation that failed.
    pub fn operation(&self) -> Option<&str> {
        self.0.operation.as_deref()
    }

    /// ID of the request, if there was one.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// True if the same request may succeed when it is sent again.
    pub fn retryable(&self) -> bool {
        match self.0.kind {
            ErrorKind::Throttled | ErrorKind::Transport => true,
            ErrorKind::Internal => self.0.status >= 500,
            _ => false,
        }
    }

    /// True if Python raises it as a `ValueError`: a value is wrong or missing, or its field cannot be assigned
    /// by callers.
    pub fn is_value_error(&self) -> bool {
        match self.0.kind {
            ErrorKind::Invalid => true,
            ErrorKind::Frozen => self.0.field.is_some(),
            _ => false,
        }
    }

    /// True if Python raises it as a `RuntimeError`: the values are right, but the operation is not possible.
    pub fn is_runtime_error(&self) -> bool {
        use ErrorKind::{DaemonDown, Frozen, NoMatch, NoSession, NotUpdatable};
        matches!(self.0.kind, NoMatch | Frozen | NotUpdatable | DaemonDown | NoSession)
            && !self.is_value_error()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(f, &self.0.code)?;
        f.write_str(": ")?;
        if let Some(field) = &self.0.field {
            write_line(f, field)?;
            f.write_str(": ")?;
        }
        write_line(f, &self.0.message)?;
        if let Some(hint) = &self.0.hint {
            f.write_str(" (")?;
            write_line(f, hint)?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// All characters that start a new line somewhere.
const BREAKS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Writes `text` as one line, because messages of services and names from callers may have line breaks.
fn write_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for (n, part) in text.split(BREAKS).filter(|part| !part.trim().is_empty()).enumerate() {
        if n > 0 {
            f.write_str(" ")?;
        }
        f.write_str(part.trim())?;
    }
    Ok(())
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|s| s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_prints_as_one_line_with_code_field_and_message() {
        let error = Error::invalid("Order", "0 is below 1\nand that is\n\n too low").in_field("Actions[2]");
        assert_eq!(error.to_string(), "ValidationError: Actions[2].Order: 0 is below 1 and that is too low");
        assert!(error.is_value_error() && !error.is_runtime_error() && !error.retryable());
    }

    #[test]
    fn texts_are_recognized_with_any_values() {
        let template = "Policy [{name}] of {user} is gone.";
        assert!(is_from_template(template, "Policy [all] of bob is gone."));
        assert!(is_from_template(template, "Policy [] of  is gone."));
        assert!(is_from_template("{name} is gone.", "bob is gone. is gone."));
        assert!(is_from_template("It is gone.", "It is gone."));
        for other in ["Policy [all] of bob", "policy [all] of bob is gone.", "Policy [all] is gone.", ""] {
            assert!(!is_from_template(template, other), "{other}");
        }
        assert!(!is_from_template("It is gone.", "It is gone. Yes."));
    }

    #[test]
    fn every_kind_is_listed_once() {
        let mut kinds = ErrorKind::ALL.to_vec();
        kinds.dedup();
        assert_eq!(kinds.len(), ErrorKind::ALL.len());
    }
}
