//! Request bodies: read within limits, and within one budget of memory for all of them.

use crate::head::{Admission, MALFORMED_HTTP};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use nephos::{Code, Error, ErrorKind, Result};
use std::{pin::pin, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Error code for a body that does not fit into the budget of memory.
static BUSY: Code = Code {
    code: "ServiceUnavailable",
    status: 503,
    kind: ErrorKind::Throttled,
    meaning: "The bodies of other requests use all memory that there is for them.",
    texts: &[],
};

/// Size up to which a body is not counted, so that small requests are answered whatever others send.
const UNCOUNTED_BYTES: usize = 64 << 10;

/// Number of bytes that are taken from the budget at a time.
const STEP: usize = 64 << 10;

/// Size from which a request is answered on a thread of its own.
pub(crate) const LARGE_BODY: usize = 32 << 10;

/// Memory for the bodies of all requests that are read or answered at a time.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget {
    bytes: Arc<Semaphore>,
}

impl BodyBudget {
    /// Creates a budget of that many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { bytes: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))) }
    }

    /// Rejects a body of `size` bytes that does not fit now, so that it is not read in part.
    fn check(&self, size: u64) -> Result<()> {
        let room = self.bytes.available_permits().saturating_add(UNCOUNTED_BYTES);
        if size <= room as u64 { Ok(()) } else { Err(busy()) }
    }

    /// Takes memory for a body of `size` bytes in addition to what `held` holds already.
    fn take(&self, held: &mut Option<OwnedSemaphorePermit>, size: usize) -> Result<()> {
        let has = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if size <= UNCOUNTED_BYTES.saturating_add(has) {
            return Ok(());
        }
        let more = (size - UNCOUNTED_BYTES - has).next_multiple_of(STEP);
        let more =
            u32::try_from(more).ok().and_then(|more| self.bytes.clone().try_acquire_many_owned(more).ok());
        let more = more.ok_or_else(busy)?;
        match held {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        Ok(())
    }
}

fn busy() -> Error {
    BUSY.with_message("too many large request bodies at a time; send the request again later")
}

/// The body of a request, and the memory that it holds.
#[derive(Debug, Default)]
pub(crate) struct RequestBody {
    pub(crate) bytes: Bytes,
    _held: Option<OwnedSemaphorePermit>,
}

/// Reads a body within `limit` and `budget`.
pub(crate) async fn read<B>(body: &mut B, limit: &Admission, budget: &BodyBudget) -> Result<RequestBody>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::fmt::Display,
{
    let announced = body.size_hint().lower();
    if announced > limit.max_body as u64 {
        return Err(limit.too_large());
    }
    budget.check(announced)?;
    let (mut first, mut rest, mut held) = (Bytes::new(), BytesMut::new(), None);
    let mut body = pin!(body);
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| MALFORMED_HTTP.with_message(format!("the body cannot be read: {error}")))?;
        // Trailers have no meaning here.
        let Ok(data) = frame.into_data() else { continue };
        let before = first.len() + rest.len();
        let size = before.saturating_add(data.len());
        if size > limit.max_body {
            return Err(limit.too_large());
        }
        budget.take(&mut held, size)?;
        if before == 0 {
            first = data;
            continue;
        }
        if rest.is_empty() {
            rest.reserve(usize::try_from(announced).unwrap_or(0).max(size));
            rest.extend_from_slice(&std::mem::take(&mut first));
        }
        rest.extend_from_slice(&data);
    }
    let bytes = if rest.is_empty() { first } else { rest.freeze() };
    Ok(RequestBody { bytes, _held: held })
}

/// Reads and drops up to `max` bytes of a body that is not wanted, so that a client that sends it before it reads the
/// response gets the response.
pub(crate) async fn drain<B: Body<Data = Bytes> + Unpin>(mut body: B, max: usize) {
    let mut size = 0;
    while let Some(Ok(frame)) = body.frame().await {
        size += frame.data_ref().map_or(0, Bytes::len);
        if size > max {
            return;
        }
    }
}

/// Creates the error for an answer whose thread was ended with the server.
pub(crate) fn aborted() -> Error {
    BUSY.with_message("the server is shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;
    use hyper::body::Frame;
    use std::convert::Infallible;

    const KIB: usize = 1 << 10;

    fn wait<F: Future>(future: F) -> F::Output {
        nephos::wait(future)
    }

    /// A body that does not announce its size, in frames of 10 KiB.
    struct Frames(usize);

    impl Body for Frames {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
            let next = self.0.checked_sub(1);
            self.0 = next.unwrap_or(0);
            std::task::Poll::Ready(next.map(|_| Ok(Frame::data(Bytes::from(vec![b'x'; 10 * KIB])))))
        }
    }

    #[test]
    fn body_is_read_within_its_limit() {
        let budget = BodyBudget::new(1 << 20);
        let read = |mut body: Frames, max| {
            wait(super::read(&mut body, &Admission::new(max), &budget)).map(|body| body.bytes.len())
        };
        assert_eq!(read(Frames(0), 0).unwrap(), 0);
        assert_eq!(read(Frames(1), 10 * KIB).unwrap(), 10 * KIB);
        assert_eq!(read(Frames(7), 70 * KIB).unwrap(), 70 * KIB);
        assert_eq!(read(Frames(7), 70 * KIB - 1).unwrap_err().status(), 413);
        let mut announced = Full::new(Bytes::from_static(b"12345"));
        assert!(wait(super::read(&mut announced, &Admission::new(4), &budget)).is_err());
        assert_eq!(announced.size_hint().exact(), Some(5), "nothing is read of a body that is too large");
    }

    #[test]
    fn bodies_share_one_budget() {
        let budget = BodyBudget::new(256 * KIB);
        let read = |frames| wait(super::read(&mut Frames(frames), &Admission::new(1 << 20), &budget));
        let first = read(20).unwrap();
        assert_eq!(
            budget.bytes.available_permits(),
            64 * KIB,
            "200 KiB, without the first 64, in steps of 64"
        );
        let error = read(20).unwrap_err();
        assert_eq!((error.code(), error.status()), ("ServiceUnavailable", 503));
        assert_eq!(budget.bytes.available_permits(), 64 * KIB, "a refused body holds nothing");
        assert_eq!(read(6).unwrap().bytes.len(), 60 * KIB, "small bodies are read all the same");
        let mut announced = Full::new(Bytes::from(vec![b'x'; 129 * KIB]));
        let refused = wait(super::read(&mut announced, &Admission::new(1 << 20), &budget)).unwrap_err();
        assert_eq!(
            (refused.status(), announced.size_hint().lower()),
            (503, 129 << 10),
            "nothing of it is read"
        );
        drop(first);
        assert!(read(20).is_ok());
        assert_eq!(budget.bytes.available_permits(), 256 * KIB);
    }
}
