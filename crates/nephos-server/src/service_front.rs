//! Requests for services that are not operations: their bodies are streamed, in both directions. No thread waits for a client.

use crate::{
    auth::Auth,
    body::{self, BodyBudget},
    client_timeout::{ClientTimeout, TimedOut},
    front::{Call, Front, Reply},
    head::{Admission, MALFORMED_HTTP},
    listen::{Limits, REQUEST_TIMEOUT},
    uploads::{UploadRate, Uploads},
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use nephos::{
    BlobReader, Error, ErrorKind, FrontAnswer, FrontReceiver, FrontReply, FrontReplyBody, FrontRequest,
    HttpFront, Kernel, Result, Text, WholeBody,
};
use std::{
    borrow::Cow,
    mem,
    ops::ControlFlow,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::task::{JoinHandle, spawn_blocking};

/// Size of the pieces of a body that is received or sent.
const PIECE: usize = 128 << 10;

/// Returns the service that answers requests at `path`.
pub(crate) fn find(cloud: &Kernel, path: &str) -> Option<HttpFront> {
    let fronts = cloud.services().iter().filter_map(|service| service.http);
    fronts.into_iter().find(|front| {
        // The prefix without its slash is the same place.
        path.starts_with(front.prefix) || path == front.prefix.trim_end_matches('/')
    })
}

/// Limits of the bodies of such requests.
#[derive(Clone)]
pub(crate) struct ServiceBodies {
    max_blob_bytes: u64,
    /// Maximum number of bytes that are read of a body that is not wanted.
    max_drained_bytes: usize,
    bytes_per_second: u64,
    uploads: Uploads,
    budget: BodyBudget,
}

impl ServiceBodies {
    pub(crate) fn new(limits: &Limits, budget: BodyBudget) -> Self {
        Self {
            max_blob_bytes: limits.blob_bytes,
            max_drained_bytes: limits.body_bytes,
            bytes_per_second: limits.upload_bytes_per_second,
            uploads: Uploads::new(limits.uploads, limits.uploads_per_client),
            budget,
        }
    }
}

/// Answers a request, whose body is passed on while it arrives.
pub(crate) async fn answer(
    front: &Arc<Front>,
    bodies: &ServiceBodies,
    timeout: &ClientTimeout,
    service: HttpFront,
    call: Box<Call>,
    mut incoming: Incoming,
) -> Reply {
    let request = to_request(front, &call, &service, bodies.max_blob_bytes);
    let cloud = front.cloud_for(&call.request).map(Cow::into_owned);
    let of_head = spawn_blocking(move || match cloud {
        Ok(cloud) => (service.answer)(&cloud, request),
        Err(error) => FrontAnswer::Reply((service.refuse)(&error)),
    });
    let body = ReceivedBody { bodies, timeout, incoming: &mut incoming };
    let reply = match of_head.await {
        Ok(FrontAnswer::Reply(reply)) => Ok(reply),
        Ok(FrontAnswer::Whole(whole)) => body.read_whole(whole).await,
        Ok(FrontAnswer::Pieces(receiver)) => body.receive(receiver, &call).await,
        Err(_) => Err(body::aborted()),
    };
    // A client that waits for `100 Continue` does not send the body.
    if !incoming.is_end_stream() && !call.request.message.headers().contains_key(header::EXPECT) {
        tokio::spawn(body::drain(incoming, bodies.max_drained_bytes));
    }
    let reply = reply.unwrap_or_else(|error| (service.refuse)(&error));
    front.finish(call, to_response(reply))
}

/// A body that is received for a service.
struct ReceivedBody<'b> {
    bodies: &'b ServiceBodies,
    timeout: &'b ClientTimeout,
    incoming: &'b mut Incoming,
}

impl ReceivedBody<'_> {
    /// Reads the whole body, and answers the request.
    async fn read_whole(self, WholeBody { max_bytes, answer }: WholeBody) -> Result<FrontReply> {
        let limit = Admission::new(max_bytes);
        let read = body::read(self.incoming, &limit, &self.bodies.budget);
        let read = self.timeout.wait_for(read).await.unwrap_or_else(|TimedOut| Err(too_slow()));
        on_thread(move || answer(read.as_ref().map(|body| &body.bytes[..]).map_err(Error::clone))).await
    }

    /// Passes the body on in pieces. The next one is received while one is taken.
    async fn receive(mut self, mut receiver: Box<dyn FrontReceiver>, call: &Call) -> Result<FrontReply> {
        if self.incoming.is_end_stream() {
            return on_thread(move || receiver.finish()).await;
        }
        let _slot = self.bodies.uploads.enter(call.client.address, receiver.account())?;
        let mut rate = UploadRate::new(self.bodies.bytes_per_second);
        let mut piece = Vec::new();
        let mut next = Vec::new();
        loop {
            let take = async move {
                if piece.is_empty() {
                    return Ok((receiver, piece, ControlFlow::Continue(())));
                }
                on_thread(move || {
                    let taken = receiver.take(&piece);
                    (receiver, piece, taken)
                })
                .await
            };
            let (filled, taken) = tokio::join!(self.fill(&mut next, &mut rate), take);
            let flow;
            (receiver, piece, flow) = taken?;
            if let ControlFlow::Break(reply) = flow {
                return Ok(reply);
            }
            let is_end = filled?;
            mem::swap(&mut piece, &mut next);
            next.clear();
            if is_end {
                break;
            }
        }
        on_thread(move || {
            if !piece.is_empty()
                && let ControlFlow::Break(reply) = receiver.take(&piece)
            {
                return reply;
            }
            receiver.finish()
        })
        .await
    }

    /// Receives the next piece; returns true at the end of the body.
    async fn fill(&mut self, piece: &mut Vec<u8>, rate: &mut UploadRate) -> Result<bool> {
        while piece.len() < PIECE {
            let arrived = rate.wait_for(self.timeout.wait_for(self.incoming.frame())).await;
            let Ok(Ok(frame)) = arrived else { return Err(too_slow()) };
            let Some(frame) = frame else { return Ok(true) };
            let frame = frame
                .map_err(|error| MALFORMED_HTTP.with_message(format!("the body cannot be read: {error}")))?;
            // Trailers have no meaning here.
            if let Ok(data) = frame.into_data() {
                rate.add(data.len());
                piece.extend_from_slice(&data);
            }
        }
        Ok(false)
    }
}

fn too_slow() -> Error {
    REQUEST_TIMEOUT.with_message("the body did not arrive in time")
}

/// Runs `work`, which blocks but waits for no client, on a thread of its own.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|_| body::aborted())
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

/// Body of a response that is read from a blob while it is sent: the next piece, while one is sent.
pub(crate) struct BlobBody {
    next: Option<JoinHandle<(BlobReader, Result<Bytes>)>>,
    left: u64,
}

impl BlobBody {
    fn new(reader: BlobReader, length: u64) -> Self {
        Self { next: (length > 0).then(|| read_piece(reader, length)), left: length }
    }
}

/// Reads the next piece of a blob, of which `left` bytes are wanted.
fn read_piece(mut reader: BlobReader, left: u64) -> JoinHandle<(BlobReader, Result<Bytes>)> {
    spawn_blocking(move || {
        let mut piece = vec![0; PIECE.min(usize::try_from(left).unwrap_or(PIECE))];
        let read = match reader.read(&mut piece) {
            Ok(0) => Err(Error::new(ErrorKind::Corrupt, "the blob ends too early")),
            read => read,
        };
        let piece = read.map(|read| {
            piece.truncate(read);
            Bytes::from(piece)
        });
        (reader, piece)
    })
}

impl Body for BlobBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let read = ready!(Pin::new(next).poll(cx));
        self.next = None;
        let piece = match read {
            Ok((reader, Ok(piece))) => {
                self.left -= piece.len() as u64;
                self.next = (self.left > 0).then(|| read_piece(reader, self.left));
                Ok(piece)
            }
            Ok((_, Err(error))) => Err(error),
            Err(_) => Err(body::aborted()),
        };
        Poll::Ready(Some(piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
