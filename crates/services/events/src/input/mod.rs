//! Input of targets: the part of an event that a path selects, or the text that a template makes of an event.
//!
//! All functions are pure: they know nothing of rows.

pub mod path;
pub mod template;

pub use path::InputPath;
pub use template::{MAX_INPUT, Reserved, RuleFacts, Template, TemplateError};
