//! Listener: connections within limits, and graceful shutdown.

use crate::{
    front::{Front, ReplyBody},
    timeouts::{Answering, ClientTimeouts, Late, Stream},
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
    pub body: usize,
    /// Maximum number of headers.
    pub headers: usize,
    /// Maximum number of connections at a time; others wait.
    pub connections: usize,
    /// Client timeout: for the headers of a request, then for its body, and until the client reads a part of the
    /// response; also for an idle connection. A wait may last up to half of it longer.
    pub timeouts: Duration,
    /// Timeout until the fallback endpoint begins to answer.
    pub fallback: Duration,
    /// Maximum duration of a graceful shutdown.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 32 << 20,
            headers: 100,
            connections: 1024,
            timeouts: Duration::from_secs(30),
            fallback: Duration::from_secs(900),
            shutdown: Duration::from_secs(10),
        }
    }
}

/// Error code for a request body that is too large.
static TOO_LARGE: Code = Code {
    code: "RequestEntityTooLarge",
    status: 413,
    kind: ErrorKind::Invalid,
    meaning: "The request body is too large.",
};

/// Error code for a request body that did not arrive in time.
static TOO_SLOW: Code = Code {
    code: "RequestTimeout",
    status: 408,
    kind: ErrorKind::Transport,
    meaning: "The request body did not arrive in time.",
};

/// A server that listens.
#[derive(Debug)]
#[must_use = "a server answers nothing until it is run"]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    front: Arc<Front>,
    limits: Limits,
}

impl Bound {
    pub(crate) async fn new(front: Arc<Front>, limits: Limits, address: SocketAddr) -> Result<Self> {
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Transport, format!("cannot listen on {address}: {error}"))
                .with_source(error)
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if front.fallback.as_ref().is_some_and(|fallback| fallback.is_at(address)) {
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
            let (front, timeouts) = (front.clone(), Arc::new(ClientTimeouts::new(limits.timeouts)));
            let stream = Stream { stream: TokioIo::new(stream), timeouts: timeouts.clone() };
            let service = {
                let timeouts = timeouts.clone();
                service_fn(move |request| answer(front.clone(), limits, timeouts.clone(), peer.ip(), request))
            };
            let (connection, shutdown) = (http.serve_connection(stream, service), shutdown.clone());
            tokio::spawn(async move {
                // An error of a connection ends only this connection.
                timeouts.watch(shutdown.attend(connection)).await;
                drop(slot);
            });
        }
        drop(listener);
        shutdown.begin();
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let _ = time::timeout(limits.shutdown, slots.acquire_many(all)).await;
    }
}

/// Signal to all connections that they should end after the current request.
#[derive(Default)]
struct GracefulShutdown {
    begun: AtomicBool,
    told: Notify,
}

impl GracefulShutdown {
    fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.told.notify_waiters();
    }

    /// Runs `connection` to its end; once the shutdown has started, it ends after the current request.
    async fn attend<I, S, B>(&self, connection: http1::Connection<I, S>)
    where
        I: hyper::rt::Read + hyper::rt::Write + Unpin,
        S: HttpService<Incoming, ResBody = B>,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        B: Body + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut connection, mut told) = (pin!(connection), pin!(self.told.notified()));
        let (mut listens, mut ends) = (false, false);
        poll_fn(|cx| {
            // Register the waker once; the task of the connection never changes.
            if !mem::replace(&mut listens, true) {
                let _ = told.as_mut().poll(cx);
            }
            if !ends && self.begun.load(Ordering::Acquire) {
                ends = true;
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
    timeouts: Arc<ClientTimeouts>,
    peer: IpAddr,
    request: http::Request<Incoming>,
) -> Result<http::Response<Answering<ReplyBody>>, Infallible> {
    let busy = timeouts.busy();
    let reply = match read(request, limits, &timeouts).await {
        Ok(message) => front.answer(peer, message).await,
        Err((head, error)) => front.refuse(&head, &error),
    };
    Ok(reply.map(|body| busy.with(body)))
}

/// Reads the whole request, within limits; otherwise returns its head and the error.
async fn read(
    request: http::Request<Incoming>,
    limits: Limits,
    timeouts: &ClientTimeouts,
) -> Result<Box<HttpRequest>, (Box<HttpRequest>, Error)> {
    let (head, body) = request.into_parts();
    let collected = timeouts.wait_for(Limited::new(body, limits.body).collect()).await;
    let error = match collected {
        Ok(Ok(body)) => return Ok(Box::new(HttpRequest::from_parts(head, body.to_bytes()))),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            TOO_LARGE.with_message(format!("a body can have at most {} bytes", limits.body))
        }
        Ok(Err(error)) => Error::new(ErrorKind::Transport, format!("the body did not arrive: {error}")),
        Err(Late) => TOO_SLOW.with_message(format!("the body did not arrive within {:?}", limits.timeouts)),
    };
    Err((Box::new(HttpRequest::from_parts(head, Bytes::new())), error))
}
