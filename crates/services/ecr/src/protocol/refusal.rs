//! Refusals in the form of the protocol.

use super::json_reply;
use crate::errors;
use nephos_cloud::FrontReply;
use nephos_core::{Error, ErrorKind, Text, Value, json};

/// A refusal: status, code and text.
#[derive(Debug)]
pub(super) struct Refusal {
    status: u16,
    code: &'static str,
    message: Text,
    headers: Vec<(&'static str, String)>,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<Text>) -> Self {
        Self { status, code, message: message.into(), headers: Vec::new() }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// A path that does not exist.
    pub(super) fn not_found() -> Self {
        Self::new(404, "UNSUPPORTED", "The operation is unsupported.")
    }

    /// A method that a path does not have.
    pub(super) fn unsupported() -> Self {
        Self::new(405, "UNSUPPORTED", "The operation is unsupported.")
    }

    pub(super) fn reply(self) -> FrontReply {
        let text = |text: &str| {
            let value = Value::from(text);
            json::write(value.view(), json::Writing::EXPOSED)
        };
        let body =
            format!(r#"{{"errors":[{{"code":{},"message":{}}}]}}"#, text(self.code), text(&self.message));
        let mut reply = json_reply(self.status, body);
        reply.headers.extend(self.headers);
        reply
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let is = |code: &nephos_core::Code| error.code() == code.code;
        let (status, code) = if is(&errors::REPOSITORY_NOT_FOUND) {
            (404, "NAME_UNKNOWN")
        } else if is(&errors::IMAGE_NOT_FOUND) {
            return Self::new(404, "MANIFEST_UNKNOWN", "Requested image not found");
        } else if is(&errors::IMAGE_ARCHIVED) {
            (404, "MANIFEST_UNKNOWN")
        } else if is(&errors::UPLOAD_NOT_FOUND) || is(&errors::LAYERS_NOT_FOUND) {
            (404, "BLOB_UPLOAD_UNKNOWN")
        } else if is(&errors::IMAGES_NOT_FOUND) {
            (404, "MANIFEST_BLOB_UNKNOWN")
        } else if is(&errors::IMAGE_TAG_EXISTS) {
            (400, "TAG_INVALID")
        } else if is(&errors::IMAGE_DIGEST_DIFFERS) || is(&errors::LAYER_INVALID) {
            (400, "DIGEST_INVALID")
        } else if error.field() == Some("imageTag") {
            (400, "TAG_INVALID")
        } else if error.field() == Some("imageManifest") {
            (400, "MANIFEST_INVALID")
        } else {
            match error.kind() {
                ErrorKind::Denied => (403, "DENIED"),
                ErrorKind::Invalid => (400, "NAME_INVALID"),
                ErrorKind::LimitExceeded if error.status() == 507 => (507, "UNKNOWN"),
                ErrorKind::LimitExceeded | ErrorKind::Throttled => (429, "TOOMANYREQUESTS"),
                ErrorKind::NotFound => (404, "NAME_UNKNOWN"),
                ErrorKind::Transport => (error.status(), "UNKNOWN"),
                _ => (error.status().max(500), "UNKNOWN"),
            }
        };
        Self::new(status, code, error.wire_message())
    }
}
