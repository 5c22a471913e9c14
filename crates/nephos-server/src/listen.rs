//! Listening: connections within limits, and a shutdown that finishes what was accepted.

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

/// What clients may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest body, in bytes.
    pub body: usize,
    /// The most headers.
    pub headers: usize,
    /// The most connections at a time; others wait.
    pub connections: usize,
    /// How long a client may take for a request's headers, and then for its body, and until it reads some of an answer; also
    /// how long one may stay idle. Any of it may take half of that more.
    pub timeouts: Duration,
    /// How long the endpoint behind this one may take until it begins to answer.
    pub fallback: Duration,
    /// How long a shutdown waits for what was accepted.
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

/// The body is longer than the server takes.
static TOO_LARGE: Code = Code {
    code: "RequestEntityTooLarge",
    status: 413,
    kind: ErrorKind::Invalid,
    meaning: "The body is longer than the server takes.",
};

/// The body did not arrive.
static TOO_SLOW: Code = Code {
    code: "RequestTimeout",
    status: 408,
    kind: ErrorKind::Transport,
    meaning: "The body did not arrive.",
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
            Error::new(ErrorKind::Transport, format!("cannot listen at {address}: {error}"))
                .with_source(error)
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if front.fallback.as_ref().is_some_and(|fallback| fallback.is_at(address)) {
            let why = "it is the address of this server itself, and requests would come back for ever";
            return Err(Error::invalid("fallback", why));
        }
        Ok(Self { listener, address, front, limits })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is over; then finishes what was accepted, as long as that does not take too long.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, front, limits, .. } = self;
        let (slots, shutdown) =
            (Arc::new(Semaphore::new(limits.connections)), Arc::new(GracefulShutdown::default()));
        let mut http = http1::Builder::new();
        // They are waited for in another way, which costs less for each request.
        http.header_read_timeout(None);
        // The usual number is what hyper has room for; for any that it is told, it makes room at each request.
        if limits.headers != Limits::default().headers {
            http.max_headers(limits.headers);
        }
        let mut stop = pin!(stop);
        loop {
            // A server that has as many connections as it takes can be stopped all the same.
            let next = async {
                let slot = slots.clone().acquire_owned().await;
                (slot, listener.accept().await)
            };
            let (slot, accepted) = tokio::select! {
                next = next => next,
                () = &mut stop => break,
            };
            // A connection that could not be accepted is the client's to try again.
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
                // What goes wrong on a connection is over with it.
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

/// Tells connections that they have no more requests to wait for.
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

    /// Runs `connection` to its end, which is after the request that it is at once the shutdown has begun.
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
            // Whoever tells wakes the task of the connection, which stays the same: it has to be made known once.
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

/// The whole request, within limits; otherwise what came of it, and why there is no more.
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
            TOO_LARGE.with_message(format!("a body has at most {} bytes", limits.body))
        }
        Ok(Err(error)) => Error::new(ErrorKind::Transport, format!("the body did not arrive: {error}")),
        Err(Late) => TOO_SLOW.with_message(format!("the body did not arrive within {:?}", limits.timeouts)),
    };
    Err((Box::new(HttpRequest::from_parts(head, Bytes::new())), error))
}
