//! Timeout of a connection that waits for its client.

use hyper::{
    body::{Body, Frame, SizeHint},
    rt::{Read, ReadBufCursor, Write},
};
use std::{
    future::{Future, poll_fn},
    io, mem,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{self, Instant},
};

/// Timeout of a connection that waits for its client: for the head of a request, for its body, and until the client
/// reads a part of the response.
///
/// There is one timer, which is reset only after it has run for a while, because resetting it for each of many small
/// requests takes longer than reading them. So a client always has the full duration, and at most half of it more.
pub(crate) struct ClientTimeout {
    duration: Duration,
    timer: Mutex<Pin<Box<time::Sleep>>>,
    /// True if the timer was set for the current wait.
    set: AtomicBool,
    /// True while the connection does not wait for the client.
    is_suspended: AtomicBool,
    /// True if the connection is to make room for another one as soon as it waits for the client.
    is_ended: AtomicBool,
    ended: Notify,
}

/// Error: the client took too long.
pub(crate) struct TimedOut;

impl ClientTimeout {
    pub(crate) fn new(duration: Duration) -> Self {
        Self {
            duration,
            timer: Mutex::new(Box::pin(time::sleep(duration))),
            set: AtomicBool::new(true),
            is_suspended: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            ended: Notify::new(),
        }
    }

    /// Returns the end of the timeout; none if the connection does not wait for the client. The connection that has waited longest
    /// has the earliest one.
    pub(crate) fn waits_until(&self) -> Option<Instant> {
        let timer = self.timer.lock().unwrap_or_else(PoisonError::into_inner);
        Some(timer.deadline()).filter(|_| !self.is_suspended.load(Ordering::Relaxed))
    }

    /// Ends the connection as soon as it waits for its client.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
        self.ended.notify_one();
    }

    /// True if the connection is to end.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Restarts the timeout, because the client did something.
    pub(crate) fn restart(&self) {
        self.set.store(false, Ordering::Relaxed);
    }

    /// Ready when the client has taken too long.
    fn poll_timed_out(&self, cx: &mut Context<'_>) -> Poll<TimedOut> {
        let mut timer = self.timer.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.set.swap(true, Ordering::Relaxed) {
            let now = Instant::now();
            if timer.deadline() < now + self.duration {
                timer.as_mut().reset(now + self.duration + self.duration / 2);
            }
        }
        timer.as_mut().poll(cx).map(|()| TimedOut)
    }

    /// Returns the output of `future`, which waits for the client, or the error that the client took too long.
    pub(crate) async fn wait_for<F: Future>(&self, future: F) -> Result<F::Output, TimedOut> {
        self.restart();
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => self.poll_timed_out(cx).map(Err),
        })
        .await
    }

    /// Runs `connection` to its end, or until its client has taken too long, or it has to make room while it waits for the client.
    pub(crate) async fn run_connection(&self, connection: impl Future) {
        let (mut connection, mut ended) = (pin!(connection), pin!(self.ended.notified()));
        let mut is_registered = false;
        poll_fn(|cx| {
            // Register the waker once; the task of the connection never changes.
            if !mem::replace(&mut is_registered, true) {
                let _ = ended.as_mut().poll(cx);
            }
            match connection.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending if self.is_suspended.load(Ordering::Relaxed) => Poll::Pending,
                Poll::Pending if self.is_ended() => Poll::Ready(()),
                Poll::Pending => self.poll_timed_out(cx).map(|TimedOut| ()),
            }
        })
        .await;
    }

    /// Suspends the timeout until the returned guard is dropped.
    pub(crate) fn suspend(self: &Arc<Self>) -> SuspendGuard {
        self.is_suspended.store(true, Ordering::Relaxed);
        SuspendGuard(self.clone())
    }
}

/// Guard that suspends the timeout while a request is being answered.
pub(crate) struct SuspendGuard(Arc<ClientTimeout>);

impl SuspendGuard {
    /// Keeps the timeout suspended while the client waits for `body`.
    pub(crate) fn wrap<B>(self, body: B) -> SuspendingBody<B> {
        self.set_suspended(false);
        SuspendingBody { body, guard: self }
    }

    fn set_suspended(&self, is_suspended: bool) {
        let was_suspended = self.0.is_suspended.swap(is_suspended, Ordering::Relaxed);
        if was_suspended && !is_suspended {
            self.0.restart();
        }
    }
}

impl Drop for SuspendGuard {
    fn drop(&mut self) {
        self.set_suspended(false);
    }
}

/// Body of a response, which suspends the timeout while the client waits for more of it.
pub(crate) struct SuspendingBody<B> {
    body: B,
    guard: SuspendGuard,
}

impl<B: Body + Unpin> Body for SuspendingBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        // The next one is wanted when the client has read some of this one.
        self.guard.set_suspended(frame.is_pending());
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Stream to a client; restarts the timeout when the client reads.
pub(crate) struct TimeoutStream<S> {
    pub(crate) stream: S,
    pub(crate) timeout: Arc<ClientTimeout>,
}

impl<S: Read + Unpin> Read for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Write + Unpin> Write for TimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        self.timeout.restart();
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
        self.timeout.restart();
        Poll::Ready(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http_body_util::{BodyExt, Either, Full};
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use std::convert::Infallible;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    const MIN_DURATION: Duration = Duration::from_secs(30);
    const MAX_DURATION: Duration = Duration::from_secs(45);

    /// Returns a request for a response of `answer` bytes.
    fn request(answer: usize) -> Vec<u8> {
        format!("GET /{answer} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").into_bytes()
    }

    /// A body of frames of 100 bytes; a frame of the first half takes 100 seconds.
    struct Frames(usize, Pin<Box<time::Sleep>>);

    impl Body for Frames {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some(left) = self.0.checked_sub(1) else { return Poll::Ready(None) };
            ready!(self.1.as_mut().poll(cx));
            if left > 50 {
                self.1.as_mut().reset(Instant::now() + Duration::from_secs(100));
            }
            self.0 = left;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![b'x'; 100])))))
        }
    }

    type Answer = SuspendingBody<Either<Full<Bytes>, Frames>>;

    /// Answers after the number of seconds in a header, with the number of bytes in the path, or with 100 frames.
    async fn answer(
        timeout: Arc<ClientTimeout>,
        request: http::Request<Incoming>,
    ) -> Result<http::Response<Answer>, Infallible> {
        let guard = timeout.suspend();
        let (head, body) = request.into_parts();
        let mut response = http::Response::new(Either::Left(Full::new(Bytes::from("x"))));
        if timeout.wait_for(body.collect()).await.is_err() {
            *response.status_mut() = http::StatusCode::REQUEST_TIMEOUT;
        } else {
            let number = |text: &str| text.parse::<u64>().expect("a number");
            let after = head.headers.get("after").map_or(0, |after| number(after.to_str().expect("text")));
            time::sleep(Duration::from_secs(after)).await;
            *response.body_mut() = match &head.uri.path()[1..] {
                "frames" => Either::Right(Frames(100, Box::pin(time::sleep(Duration::ZERO)))),
                size => Either::Left(Full::new(Bytes::from(vec![b'x'; number(size) as usize]))),
            };
        }
        Ok(response.map(|body| guard.wrap(body)))
    }

    /// Returns how long a connection lasts, on a paused clock that advances when all tasks are idle.
    fn connection_time<F: Future>(client: impl FnOnce(DuplexStream) -> F) -> (Duration, F::Output) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let (server_end, client_end) = duplex(256);
            let timeout = Arc::new(ClientTimeout::new(MIN_DURATION));
            let stream = TimeoutStream { stream: TokioIo::new(server_end), timeout: timeout.clone() };
            let service = {
                let timeout = timeout.clone();
                service_fn(move |request| answer(timeout.clone(), request))
            };
            let start = Instant::now();
            let connection =
                http1::Builder::new().header_read_timeout(None).serve_connection(stream, service);
            let served = async {
                timeout.run_connection(connection).await;
                start.elapsed()
            };
            tokio::join!(served, client(client_end))
        })
    }

    async fn read_some(stream: &mut DuplexStream, max: usize) -> String {
        let mut bytes = vec![0; max];
        let read = stream.read(&mut bytes).await.expect("a stream in memory does not fail");
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    }

    fn assert_timeout_after(lasted: Duration, before: Duration) {
        let (min, max) = (before + MIN_DURATION, before + MAX_DURATION + Duration::from_millis(10));
        assert!((min..=max).contains(&lasted), "expected {min:?} to {max:?}, got {lasted:?}");
    }

    #[test]
    fn idle_client_is_disconnected() {
        let (lasted, read) = connection_time(|mut client| async move { read_some(&mut client, 10).await });
        assert_eq!(read, "");
        assert_timeout_after(lasted, Duration::ZERO);
    }

    #[test]
    fn slow_head_does_not_extend_the_timeout() {
        let (lasted, sent) = connection_time(|mut client| async move {
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
        assert_timeout_after(lasted, Duration::ZERO);
        assert!(sent > 5);
    }

    #[test]
    fn answered_request_restarts_the_timeout() {
        let (lasted, answers) = connection_time(|mut client| async move {
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
        assert_timeout_after(lasted, Duration::from_secs(100));
    }

    #[test]
    fn slow_answer_suspends_the_timeout() {
        let (lasted, answer) = connection_time(|mut client| async move {
            client
                .write_all(b"GET /1 HTTP/1.1\r\nHost: a\r\nAfter: 3000\r\n\r\n")
                .await
                .expect("the server reads");
            read_some(&mut client, 4096).await
        });
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(lasted >= Duration::from_secs(3000), "{lasted:?}");
    }

    #[test]
    fn missing_body_returns_request_timeout() {
        let (_, answer) = connection_time(|mut client| async move {
            time::sleep(Duration::from_secs(20)).await;
            client
                .write_all(b"GET /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
                .await
                .expect("the server reads");
            let start = Instant::now();
            let answer = read_some(&mut client, 4096).await;
            assert_timeout_after(start.elapsed(), Duration::ZERO);
            answer
        });
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }

    #[test]
    fn slow_body_suspends_the_timeout_and_a_reader_that_stalls_in_it_is_disconnected() {
        let (lasted, read) = connection_time(|mut client| async move {
            client.write_all(b"GET /frames HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("the server reads");
            let mut read = 0;
            while read < 5100 {
                read += read_some(&mut client, 4096).await.len();
            }
            time::sleep(Duration::from_secs(3600)).await;
            read
        });
        assert!((5100..9000).contains(&read), "{read}");
        assert_timeout_after(lasted, Duration::from_secs(4900));
    }

    #[test]
    fn slow_reader_stays_connected_and_stalled_reader_is_disconnected() {
        let (lasted, read) = connection_time(|mut client| async move {
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
        assert_timeout_after(lasted, Duration::from_secs(125));
    }
}
