//! Listener: connections within limits, and graceful shutdown.

use crate::{
    client_timeout::{ClientTimeout, SuspendingBody, TimedOut, TimeoutStream},
    front::{Front, ReplyBody},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::{
    body::{Body, Incoming},
    server::conn::http1,
    service::{HttpService, service_fn},
};
use hyper_util::rt::TokioIo;
use nephos::{Code, Error, ErrorKind, Result};
use nephos_wire::HttpRequest;
use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    mem,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::TcpListener,
    sync::{Notify, Semaphore},
    time,
};

/// Limits for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum size of a request body, in bytes.
    pub body_bytes: usize,
    /// Maximum number of headers.
    pub headers: usize,
    /// Maximum number of connections at a time; others wait.
    pub connections: usize,
    /// Client timeout: for the headers of a request, then for its body, and until the client reads a part of the
    /// response; also for an idle connection. A wait may last up to half of it longer.
    pub client_timeout: Duration,
    /// Timeout until the fallback endpoint begins to answer.
    pub fallback_timeout: Duration,
    /// Maximum duration of a graceful shutdown.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 32 << 20,
            headers: 100,
            connections: 1024,
            client_timeout: Duration::from_secs(30),
            fallback_timeout: Duration::from_secs(900),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Error code for a request body that is too large.
static TOO_LARGE: Code = Code {
    code: "RequestEntityTooLarge",
    status: 413,
    kind: ErrorKind::Invalid,
    meaning: "The request body is too large.",
    texts: &[],
};

/// Error code for a request body that did not arrive in time.
static REQUEST_TIMEOUT: Code = Code {
    code: "RequestTimeout",
    status: 408,
    kind: ErrorKind::Transport,
    meaning: "The request body did not arrive in time.",
    texts: &[],
};

/// A server that listens.
#[derive(Debug)]
#[must_use = "a server answers nothing until it is run"]
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    front: Arc<Front>,
    limits: Limits,
}

impl BoundServer {
    pub(crate) async fn new(front: Arc<Front>, limits: Limits, address: SocketAddr) -> Result<Self> {
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Transport, format!("cannot listen on {address}: {error}"))
                .with_source(error)
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if front.fallback.as_ref().is_some_and(|fallback| fallback.has_address(address)) {
            let message = "is the address of this server, so requests would be forwarded in a loop";
            return Err(Error::invalid("fallback", message));
        }
        Ok(Self { listener, address, front, limits })
    }

    /// Address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is ready; then shuts down gracefully, within the time limit.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, front, limits, .. } = self;
        let cloud = front.cloud.clone();
        let due_work = tokio::spawn(async move { cloud.drive(time::sleep).await });
        let (slots, shutdown) =
            (Arc::new(Semaphore::new(limits.connections)), Arc::new(GracefulShutdown::default()));
        let mut http = http1::Builder::new();
        // `ClientTimeout` does the same with less work per request.
        http.header_read_timeout(None);
        // hyper has space for the default number of headers; for any other number it allocates at each request.
        if limits.headers != Limits::default().headers {
            http.max_headers(limits.headers);
        }
        let mut stop = pin!(stop);
        loop {
            // A server whose connections are all in use can still be stopped.
            let next = async {
                let slot = slots.clone().acquire_owned().await;
                (slot, listener.accept().await)
            };
            let (slot, accepted) = tokio::select! {
                next = next => next,
                () = &mut stop => break,
            };
            // A client whose connection could not be accepted can try again.
            let Ok((stream, peer)) = accepted else { continue };
            let _ = stream.set_nodelay(true);
            let (front, timeout) = (front.clone(), Arc::new(ClientTimeout::new(limits.client_timeout)));
            let stream = TimeoutStream { stream: TokioIo::new(stream), timeout: timeout.clone() };
            let service = {
                let timeout = timeout.clone();
                service_fn(move |request| answer(front.clone(), limits, timeout.clone(), peer.ip(), request))
            };
            let (connection, shutdown) = (http.serve_connection(stream, service), shutdown.clone());
            tokio::spawn(async move {
                // An error of a connection ends only this connection.
                timeout.run_connection(shutdown.run_connection(connection)).await;
                drop(slot);
            });
        }
        drop(listener);
        due_work.abort();
        shutdown.start();
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let _ = time::timeout(limits.shutdown_timeout, slots.acquire_many(all)).await;
    }
}

/// Signal to all connections that they should end after the current request.
#[derive(Default)]
struct GracefulShutdown {
    is_started: AtomicBool,
    started: Notify,
}

impl GracefulShutdown {
    fn start(&self) {
        self.is_started.store(true, Ordering::Release);
        self.started.notify_waiters();
    }

    /// Runs `connection` to its end; once the shutdown has started, it ends after the current request.
    async fn run_connection<I, S, B>(&self, connection: http1::Connection<I, S>)
    where
        I: hyper::rt::Read + hyper::rt::Write + Unpin,
        S: HttpService<Incoming, ResBody = B>,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B: Body + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut connection, mut started) = (pin!(connection), pin!(self.started.notified()));
        let (mut is_registered, mut is_ending) = (false, false);
        poll_fn(|cx| {
            // Register the waker once; the task of the connection never changes.
            if !mem::replace(&mut is_registered, true) {
                let _ = started.as_mut().poll(cx);
            }
            if !is_ending && self.is_started.load(Ordering::Acquire) {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
            connection.as_mut().poll(cx).map(drop)
        })
        .await;
    }
}

async fn answer(
    front: Arc<Front>,
    limits: Limits,
    timeout: Arc<ClientTimeout>,
    peer: IpAddr,
    request: http::Request<Incoming>,
) -> Result<http::Response<SuspendingBody<ReplyBody>>, Infallible> {
    let guard = timeout.suspend();
    let reply = match read(request, limits, &timeout).await {
        Ok(message) => front.answer(peer, message).await,
        Err((head, error)) => front.reject(&head, &error),
    };
    Ok(reply.map(|body| guard.wrap(body)))
}

/// Reads the whole request, within limits; otherwise returns its head and the error.
async fn read(
    request: http::Request<Incoming>,
    limits: Limits,
    timeout: &ClientTimeout,
) -> Result<Box<HttpRequest>, (Box<HttpRequest>, Error)> {
    let (head, body) = request.into_parts();
    let collected = timeout.wait_for(Limited::new(body, limits.body_bytes).collect()).await;
    let error = match collected {
        Ok(Ok(body)) => return Ok(Box::new(HttpRequest::from_parts(head, body.to_bytes()))),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            TOO_LARGE.with_message(format!("a body can have at most {} bytes", limits.body_bytes))
        }
        Ok(Err(error)) => Error::new(ErrorKind::Transport, format!("the body did not arrive: {error}")),
        Err(TimedOut) => REQUEST_TIMEOUT
            .with_message(format!("the body did not arrive within {:?}", limits.client_timeout)),
    };
    Err((Box::new(HttpRequest::from_parts(head, Bytes::new())), error))
}
