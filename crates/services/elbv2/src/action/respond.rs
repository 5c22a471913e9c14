//! Answering without a target.

use nephos_core::{Record, Text};

/// What is answered without a target.
#[derive(Record)]
pub struct FixedResponseConfig {
    /// The text.
    #[field(length(..=1024))]
    message_body: Option<Text>,
    /// The code: 2XX, 4XX or 5XX.
    #[field(required, pattern = r"(2|4|5)[0-9][0-9]")]
    status_code: Option<Text>,
    /// What the text is.
    #[field(one_of("text/plain", "text/css", "text/html", "application/javascript", "application/json"))]
    content_type: Option<Text>,
}
