//! Requests for services that are not operations: their bodies are streamed, in both directions.

use crate::{
    auth::Auth,
    body,
    client_timeout::{ClientTimeout, TimedOut},
    front::{Call, Front, Reply},
    head::MALFORMED_HTTP,
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use nephos::{
    BlobReader, Error, ErrorKind, FrontBody, FrontReply, FrontReplyBody, FrontRequest, HttpFront, Kernel,
    Result, Text,
};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::sync::mpsc;

/// Number of pieces of a body that wait to be written or sent.
const WAITING_PIECES: usize = 4;

/// Size of the pieces of a body that is sent.
const PIECE: usize = 256 << 10;

/// Returns the service that answers requests at `path`.
pub(crate) fn find(cloud: &Kernel, path: &str) -> Option<HttpFront> {
    let fronts = cloud.services().iter().filter_map(|service| service.http);
    fronts.into_iter().find(|front| {
        // The prefix without its slash is the same place.
        path.starts_with(front.prefix) || path == front.prefix.trim_end_matches('/')
    })
}

/// A body that is received by the thread that answers.
struct ReceivedBody {
    pieces: mpsc::Receiver<Result<Bytes>>,
    current: Bytes,
}

impl FrontBody for ReceivedBody {
    fn next_piece(&mut self) -> Result<Option<&[u8]>> {
        match self.pieces.blocking_recv() {
            None => Ok(None),
            Some(piece) => {
                self.current = piece?;
                Ok(Some(&self.current))
            }
        }
    }
}

/// Answers a request, whose body is passed on while it arrives.
pub(crate) async fn answer(
    front: &Arc<Front>,
    timeout: &ClientTimeout,
    max_blob_bytes: u64,
    service: HttpFront,
    call: Box<Call>,
    incoming: Incoming,
) -> Reply {
    let request = to_request(front, &call, &service, max_blob_bytes);
    let cloud = front.cloud_for(&call.request).map(|cloud| cloud.into_owned());
    let (sender, pieces) = mpsc::channel(WAITING_PIECES);
    let worker = tokio::task::spawn_blocking(move || match cloud {
        Ok(cloud) => (service.answer)(&cloud, &request, &mut ReceivedBody { pieces, current: Bytes::new() }),
        Err(error) => (service.refuse)(&error),
    });
    let expects = call.request.message.headers().contains_key(header::EXPECT);
    let (worked, ()) = tokio::join!(worker, pass_on(incoming, timeout, sender, expects));
    let reply = worked.unwrap_or_else(|_| (service.refuse)(&body::aborted()));
    front.finish(call, to_response(reply))
}

/// Passes the pieces of a body on until it ends, or until the request is answered. `expects` is true for a client that waits before
/// it sends the body.
async fn pass_on(
    mut incoming: Incoming,
    timeout: &ClientTimeout,
    sender: mpsc::Sender<Result<Bytes>>,
    expects: bool,
) {
    loop {
        let piece = match timeout.wait_for(incoming.frame()).await {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Ok(data),
                // Trailers have no meaning here.
                Err(_) => continue,
            },
            Ok(Some(Err(error))) => {
                Err(MALFORMED_HTTP.with_message(format!("the body cannot be read: {error}")))
            }
            Err(TimedOut) => Err(Error::new(ErrorKind::Transport, "the body did not arrive in time")),
        };
        let is_end = piece.is_err();
        if sender.send(piece).await.is_err() {
            if !expects {
                tokio::spawn(body::drain(incoming, PIECE));
            }
            return;
        }
        if is_end {
            return;
        }
    }
}

fn to_request(front: &Front, call: &Call, service: &HttpFront, max_blob_bytes: u64) -> FrontRequest {
    let message = &call.request.message;
    let headers = message
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((Text::from(name.as_str()), Text::from(value.to_str().ok()?))));
    let path = message.uri().path();
    FrontRequest {
        method: message.method().as_str().into(),
        path: if path.starts_with(service.prefix) { path.into() } else { service.prefix.into() },
        query: message.uri().query().unwrap_or_default().into(),
        headers: headers.collect(),
        address: call.client.address,
        is_encrypted: call.client.is_encrypted,
        is_strict: front.authenticator.auth == Auth::Strict,
        max_blob_bytes,
    }
}

pub(crate) fn to_response(reply: FrontReply) -> Reply {
    let (body, length) = match reply.body {
        FrontReplyBody::Bytes(bytes) => {
            let length = bytes.len() as u64;
            (Either::Left(Full::new(Bytes::from(bytes))), length)
        }
        FrontReplyBody::Head(length) => (Either::Left(Full::default()), length),
        FrontReplyBody::Blob { reader, length } => {
            (Either::Right(Either::Right(BlobBody::new(reader, length))), length)
        }
    };
    let mut response = http::Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    if response.status() != StatusCode::NO_CONTENT {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response
}

/// Body of a response that is read from a blob while it is sent.
pub(crate) struct BlobBody {
    pieces: mpsc::Receiver<Result<Bytes>>,
    left: u64,
}

impl BlobBody {
    fn new(mut reader: BlobReader, length: u64) -> Self {
        let (sender, pieces) = mpsc::channel(WAITING_PIECES);
        tokio::task::spawn_blocking(move || {
            let mut left = length;
            while left > 0 {
                let mut piece = vec![0; PIECE.min(usize::try_from(left).unwrap_or(PIECE))];
                let read = reader.read(&mut piece);
                let read = read.and_then(|read| match read {
                    0 => Err(Error::new(ErrorKind::Corrupt, "the blob ends too early")),
                    read => Ok(read),
                });
                left -= *read.as_ref().unwrap_or(&0) as u64;
                let is_end = read.is_err();
                let piece = read.map(|read| {
                    piece.truncate(read);
                    Bytes::from(piece)
                });
                // The client may have gone away.
                if sender.blocking_send(piece).is_err() || is_end {
                    return;
                }
            }
        });
        Self { pieces, left: length }
    }
}

impl Body for BlobBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        let piece = ready!(self.pieces.poll_recv(cx));
        if let Some(Ok(piece)) = &piece {
            self.left = self.left.saturating_sub(piece.len() as u64);
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
