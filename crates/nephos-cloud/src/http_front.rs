//! Requests for a service that are not operations, such as those of the protocol of container registries.
//!
//! A service registers the prefix of their paths and a function that answers them by their head, or says how it needs the body. The
//! server waits for the body. What the service does blocks, and runs on a thread of its own, which never waits for a client.

use crate::{BlobReader, Kernel};
use nephos_core::{Error, Result, Text, percent};
use std::{net::IpAddr, ops::ControlFlow};

/// Answers the requests at the paths of a service.
#[derive(Clone, Copy)]
pub struct HttpFront {
    /// Prefix of the paths: `/v2/`.
    pub prefix: &'static str,
    /// Answers the head of a request.
    pub answer: fn(&Kernel, FrontRequest) -> FrontAnswer,
    /// Makes the answer for an error of the server.
    pub refuse: fn(&Error) -> FrontReply,
}

impl std::fmt::Debug for HttpFront {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.prefix)
    }
}

/// Head of a request.
#[derive(Clone, Debug)]
pub struct FrontRequest {
    /// Method.
    pub method: Text,
    /// Path, as it was sent.
    pub path: Text,
    /// Query, as it was sent.
    pub query: Text,
    /// Names of headers in lowercase, and values.
    pub headers: Vec<(Text, Text)>,
    /// Address of the client.
    pub address: IpAddr,
    /// True if the connection is encrypted.
    pub is_encrypted: bool,
    /// True if credentials are verified.
    pub is_strict: bool,
    /// Maximum size of a blob.
    pub max_blob_bytes: u64,
}

impl FrontRequest {
    /// Returns the value of a header, whose name is in lowercase.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<Text> {
        let pairs = self.query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let (_, value) = pairs.into_iter().find(|(known, _)| *known == name)?;
        percent::decode(value, true)
    }
}

/// Answer to the head of a request.
pub enum FrontAnswer {
    /// The answer, which does not need the body.
    Reply(FrontReply),
    /// The answer needs the whole body.
    Whole(WholeBody),
    /// The answer needs the body in pieces: it is large.
    Pieces(Box<dyn FrontReceiver>),
}

/// Answers a request with its body, or with the error for a body that is too large or did not arrive.
pub type AnswerWhole = Box<dyn FnOnce(Result<&[u8]>) -> FrontReply + Send>;

/// Answers a request when its whole body is there.
pub struct WholeBody {
    /// Maximum size.
    pub max_bytes: usize,
    /// Answers the request.
    pub answer: AnswerWhole,
}

/// Receives the body of a request in pieces.
pub trait FrontReceiver: Send {
    /// Account of the caller.
    fn account(&self) -> &str;

    /// Takes the next piece. An answer ends the request.
    fn take(&mut self, piece: &[u8]) -> ControlFlow<FrontReply>;

    /// Answers the request after its last piece.
    fn finish(self: Box<Self>) -> FrontReply;
}

impl std::fmt::Debug for FrontAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reply(reply) => reply.fmt(f),
            Self::Whole(_) => f.write_str("Whole"),
            Self::Pieces(_) => f.write_str("Pieces"),
        }
    }
}

impl std::fmt::Debug for WholeBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WholeBody")
    }
}

/// Answer to a request.
#[derive(Debug)]
pub struct FrontReply {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: FrontReplyBody,
}

/// Body of an answer.
#[derive(Debug)]
pub enum FrontReplyBody {
    /// Bytes.
    Bytes(Vec<u8>),
    /// The next bytes of a blob.
    Blob {
        /// Content.
        reader: BlobReader,
        /// Number of bytes.
        length: u64,
    },
    /// The length of a body that is not sent, because only the head was requested.
    Head(u64),
}

impl FrontReply {
    /// Creates an answer without a body.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: FrontReplyBody::Bytes(Vec::new()) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn bytes(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = FrontReplyBody::Bytes(bytes.into());
        self
    }
}
