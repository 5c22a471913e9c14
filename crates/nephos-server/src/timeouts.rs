//! Timeout of a connection that waits for its client.

use hyper::{
    body::{Body, Frame, SizeHint},
    rt::{Read, ReadBufCursor, Write},
};
use std::{
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{self, Instant};

/// Timeout of a connection that waits for its client: for the head of a request, for its body, and until the client
/// reads a part of the response.
///
/// There is one timer, which is reset only after it has run for a while, because resetting it for each of many small
/// requests takes longer than reading them. So a client always has the full duration, and at most half of it more.
pub(crate) struct ClientTimeouts {
    least: Duration,
    timer: Mutex<Pin<Box<time::Sleep>>>,
    /// True if the timer was set for the current wait.
    set: AtomicBool,
    /// True while the connection does not wait for the client.
    busy: AtomicBool,
}

/// Error: the client took too long.
pub(crate) struct Late;

impl ClientTimeouts {
    pub(crate) fn new(least: Duration) -> Self {
        let timer = Mutex::new(Box::pin(time::sleep(least)));
        Self { least, timer, set: AtomicBool::new(true), busy: AtomicBool::new(false) }
    }

    /// Restarts the timeout, because the client did something.
    fn renew(&self) {
        self.set.store(false, Ordering::Relaxed);
    }

    /// Ready when the client has taken too long.
    fn poll_late(&self, cx: &mut Context<'_>) -> Poll<Late> {
        let mut timer = self.timer.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.set.swap(true, Ordering::Relaxed) {
            let now = Instant::now();
            if timer.deadline() < now + self.least {
                timer.as_mut().reset(now + self.least + self.least / 2);
            }
        }
        timer.as_mut().poll(cx).map(|()| Late)
    }

    /// Returns the output of `future`, which waits for the client, or the error that the client took too long.
    pub(crate) async fn wait_for<F: Future>(&self, future: F) -> Result<F::Output, Late> {
        self.renew();
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => self.poll_late(cx).map(Err),
        })
        .await
    }

    /// Runs `connection` to its end, or until its client has taken too long.
    pub(crate) async fn watch(&self, connection: impl Future) {
        let mut connection = pin!(connection);
        poll_fn(|cx| match connection.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending if self.busy.load(Ordering::Relaxed) => Poll::Pending,
            Poll::Pending => self.poll_late(cx).map(|Late| ()),
        })
        .await;
    }

    /// Suspends the timeout until the returned guard is dropped.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.busy.store(true, Ordering::Relaxed);
        Busy(self.clone())
    }
}

/// Guard that suspends the timeout while a request is being answered.
pub(crate) struct Busy(Arc<ClientTimeouts>);

impl Busy {
    /// Keeps the timeout suspended until all of `body` was taken for sending.
    pub(crate) fn with<B>(self, body: B) -> Answering<B> {
        Answering { body, _busy: self }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.renew();
        self.0.busy.store(false, Ordering::Relaxed);
    }
}

/// Body of a response, which suspends the timeout while there is more of it to come.
pub(crate) struct Answering<B> {
    body: B,
    _busy: Busy,
}

impl<B: Body + Unpin> Body for Answering<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Stream to a client; restarts the timeout when the client reads.
pub(crate) struct Stream<S> {
    pub(crate) stream: S,
    pub(crate) timeouts: Arc<ClientTimeouts>,
}

impl<S: Read + Unpin> Read for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Write + Unpin> Write for Stream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        self.timeouts.renew();
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, parts));
        self.timeouts.renew();
        Poll::Ready(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http_body_util::{BodyExt, Full};
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use std::convert::Infallible;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    const LEAST: Duration = Duration::from_secs(30);
    const MOST: Duration = Duration::from_secs(45);

    /// Returns a request for a response of `answer` bytes.
    fn request(answer: usize) -> Vec<u8> {
        format!("GET /{answer} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").into_bytes()
    }

    /// Answers after the number of seconds in a header, with the number of bytes in the path.
    async fn answer(
        timeouts: Arc<ClientTimeouts>,
        request: http::Request<Incoming>,
    ) -> Result<http::Response<Answering<Full<Bytes>>>, Infallible> {
        let busy = timeouts.busy();
        let (head, body) = request.into_parts();
        let mut response = http::Response::new(Full::new(Bytes::from("x")));
        if timeouts.wait_for(body.collect()).await.is_err() {
            *response.status_mut() = http::StatusCode::REQUEST_TIMEOUT;
        } else {
            let number = |text: &str| text.parse::<u64>().expect("a number");
            let after = head.headers.get("after").map_or(0, |after| number(after.to_str().expect("text")));
            time::sleep(Duration::from_secs(after)).await;
            *response.body_mut() = Full::new(Bytes::from(vec![b'x'; number(&head.uri.path()[1..]) as usize]));
        }
        Ok(response.map(|body| busy.with(body)))
    }

    /// Returns how long a connection lasts, on a paused clock that advances when all tasks are idle.
    fn lasts<F: Future>(client: impl FnOnce(DuplexStream) -> F) -> (Duration, F::Output) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let (ours, theirs) = duplex(256);
            let timeouts = Arc::new(ClientTimeouts::new(LEAST));
            let stream = Stream { stream: TokioIo::new(ours), timeouts: timeouts.clone() };
            let service = {
                let timeouts = timeouts.clone();
                service_fn(move |request| answer(timeouts.clone(), request))
            };
            let begun = Instant::now();
            let connection =
                http1::Builder::new().header_read_timeout(None).serve_connection(stream, service);
            let served = async {
                timeouts.watch(connection).await;
                begun.elapsed()
            };
            tokio::join!(served, client(theirs))
        })
    }

    async fn read_some(stream: &mut DuplexStream, most: usize) -> String {
        let mut bytes = vec![0; most];
        let read = stream.read(&mut bytes).await.expect("a stream in memory does not fail");
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    }

    fn assert_timeout_after(lasted: Duration, before: Duration) {
        let (least, most) = (before + LEAST, before + MOST + Duration::from_millis(10));
        assert!((least..=most).contains(&lasted), "expected {least:?} to {most:?}, got {lasted:?}");
    }

    #[test]
    fn who_says_nothing_is_hung_up_on() {
        let (lasted, said) = lasts(|mut client| async move { read_some(&mut client, 10).await });
        assert_eq!(said, "");
        is_about(lasted, Duration::ZERO);
    }

    #[test]
    fn who_says_a_bit_now_and_then_has_no_longer() {
        let (lasted, sent) = lasts(|mut client| async move {
            let mut sent = 0;
            while client
                .write_all(b"GET /1 HTTP/1.1\r\nHost: a\r\n"[sent..].first_chunk::<1>().unwrap())
                .await
                .is_ok()
            {
                sent += 1;
                time::sleep(Duration::from_secs(4)).await;
            }
            sent
        });
        is_about(lasted, Duration::ZERO);
        assert!(sent > 5);
    }

    #[test]
    fn who_has_an_answer_has_as_long_for_the_next_request() {
        let (lasted, answers) = lasts(|mut client| async move {
            let mut answers = 0;
            for _ in 0..5 {
                client.write_all(&request(1)).await.expect("the server reads");
                answers += usize::from(read_some(&mut client, 4096).await.starts_with("HTTP/1.1 200"));
                time::sleep(Duration::from_secs(25)).await;
            }
            assert_eq!(read_some(&mut client, 10).await, "");
            answers
        });
        assert_eq!(answers, 5);
        is_about(lasted, Duration::from_secs(100));
    }

    #[test]
    fn an_answer_that_takes_long_is_waited_for() {
        let (lasted, answer) = lasts(|mut client| async move {
            client.write_all(b"GET /1 HTTP/1.1\r\nHost: a\r\nAfter: 3000\r\n\r\n").await.expect("the server reads");
            read_some(&mut client, 4096).await
        });
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(lasted >= Duration::from_secs(3000), "{lasted:?}");
    }

    #[test]
    fn a_body_that_does_not_come_is_refused() {
        let (_, answer) = lasts(|mut client| async move {
            time::sleep(Duration::from_secs(20)).await;
            client
                .write_all(b"GET /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
                .await
                .expect("the server reads");
            let begun = Instant::now();
            let answer = read_some(&mut client, 4096).await;
            is_about(begun.elapsed(), Duration::ZERO);
            answer
        });
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }

    #[test]
    fn who_reads_slowly_reads_on_and_who_does_not_is_hung_up_on() {
        let (lasted, read) = lasts(|mut client| async move {
            client.write_all(&request(2000)).await.expect("the server reads");
            let mut read = 0;
            for _ in 0..5 {
                time::sleep(Duration::from_secs(25)).await;
                read += read_some(&mut client, 200).await.len();
            }
            time::sleep(Duration::from_secs(3600)).await;
            read
        });
        assert_eq!(read, 1000);
        is_about(lasted, Duration::from_secs(125));
    }
}
