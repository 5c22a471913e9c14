//! Listener: connections within limits, and graceful shutdown.

use crate::{
    body::{self, BodyBudget, LARGE_BODY},
    client_timeout::{ClientTimeout, SuspendingBody, TimedOut, TimeoutStream},
    connections::{AddressLimit, accept_next},
    front::{Call, Client, Front, Reply, ReplyBody},
    service_front::{self, ServiceBodies},
    tls::Tls,
};
use bytes::Bytes;
use http::header;
use hyper::{
    body::{Body, Incoming},
    server::conn::http1,
    service::{HttpService, service_fn},
};
use hyper_util::rt::TokioIo;
use nephos::{Code, Error, ErrorKind, Kernel, Result};
use nephos_wire::HttpRequest;
use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    mem,
    net::SocketAddr,
    panic,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Handle},
    sync::{Notify, Semaphore},
    time,
};

/// Limits for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum size of a request body, in bytes.
    pub body_bytes: usize,
    /// Maximum size of all request bodies that are read or answered at a time, in bytes; a body that does not fit is rejected.
    /// The first 64 KiB of a body are not counted.
    pub all_bodies_bytes: usize,
    /// Maximum size of a blob, such as a layer of a container image, in bytes.
    pub blob_bytes: u64,
    /// Maximum number of uploads of blobs at a time; one more is rejected.
    pub uploads: usize,
    /// Maximum number of uploads of blobs of one address, and of one account, at a time.
    pub uploads_per_client: usize,
    /// Minimum rate of the upload of a blob, in bytes per second over half a minute.
    pub upload_bytes_per_second: u64,
    /// Maximum number of headers.
    pub headers: usize,
    /// Maximum number of connections at a time. The one that has waited longest for its client is closed for a new one; if
    /// none waits for its client, the new one waits.
    pub connections: usize,
    /// Maximum number of connections of one address at a time. The one that has waited longest for its client is closed for a new
    /// one; if none waits for its client, the new one is closed.
    pub connections_per_address: usize,
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
            all_bodies_bytes: 128 << 20,
            blob_bytes: 16 << 30,
            uploads: 256,
            uploads_per_client: 128,
            upload_bytes_per_second: 1 << 10,
            headers: 100,
            connections: 1024,
            connections_per_address: 768,
            client_timeout: Duration::from_secs(30),
            fallback_timeout: Duration::from_secs(900),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Error code for a request body that did not arrive in time.
pub(crate) static REQUEST_TIMEOUT: Code = Code {
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
    tls: Option<Tls>,
}

/// Creates the error for an address that cannot be listened on.
pub(crate) fn cannot_listen(address: SocketAddr, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Transport, format!("cannot listen on {address}: {error}")).with_source(error)
}

impl BoundServer {
    pub(crate) async fn new(
        front: Arc<Front>,
        limits: Limits,
        tls: Option<Tls>,
        address: SocketAddr,
    ) -> Result<Self> {
        let failed = |error| cannot_listen(address, error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if front.fallback.as_ref().is_some_and(|fallback| fallback.has_address(address)) {
            let message = "is the address of this server, so requests would be forwarded in a loop";
            return Err(Error::invalid("fallback", message));
        }
        front.outgoing.iter().for_each(|outgoing| outgoing.set_own_port(address.port()));
        Ok(Self { listener, address, front, limits, tls })
    }

    /// Address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// URL of the server.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Answers requests until `stop` is ready; then shuts down gracefully, within the time limit.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, front, limits, tls, .. } = self;
        let due_work = Driver::start(front.cloud.clone());
        let (slots, addresses) =
            (Arc::new(Semaphore::new(limits.connections)), AddressLimit::new(limits.connections_per_address));
        let connections = Connections::new(front.clone(), limits);
        let mut expiry = time::interval_at(time::Instant::now() + EXPIRY_INTERVAL, EXPIRY_INTERVAL);
        let mut stop = pin!(stop);
        loop {
            // A server whose connections are all in use can still be stopped.
            let next = async {
                if slots.available_permits() == 0 {
                    addresses.make_room();
                }
                let slot = slots.clone().acquire_owned().await;
                (slot, accept_next(async || listener.accept().await).await)
            };
            let (slot, (stream, peer)) = tokio::select! {
                next = next => next,
                _ = expiry.tick() => {
                    front.forks.expire(front.now());
                    let cloud = front.cloud.clone();
                    // A failure is reported by the next check of the state.
                    tokio::task::spawn_blocking(move || cloud.sweep_blobs().map(drop));
                    continue;
                }
                () = &mut stop => break,
            };
            let timeout = Arc::new(ClientTimeout::new(limits.client_timeout));
            let Some(address_slot) = addresses.enter(peer.ip(), &timeout) else {
                refuse(&stream, tls.is_some());
                continue;
            };
            let _ = stream.set_nodelay(true);
            let (connections, tls) = (connections.clone(), tls.clone());
            tokio::spawn(async move {
                let client = Client { address: peer.ip(), is_encrypted: tls.is_some(), account: None };
                // An error of a connection ends only this connection.
                let served = async {
                    match tls {
                        None => connections.serve(stream, client, &timeout).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                connections.serve(stream, client, &timeout).await;
                            }
                        }
                    }
                };
                timeout.run_connection(served).await;
                drop((slot, address_slot));
            });
        }
        drop((listener, due_work));
        connections.shutdown.start();
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let _ = time::timeout(limits.shutdown_timeout, slots.acquire_many(all)).await;
    }
}

/// Runs due work until it is dropped.
struct Driver(Arc<Notify>);

impl Driver {
    /// Starts to run the due work of `cloud`; if that is in a database, on a thread of its own, which waits for it.
    fn start(cloud: Kernel) -> Self {
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let is_shared = cloud.is_shared();
        let drive = async move {
            tokio::select! {
                () = cloud.drive(time::sleep) => {}
                () = stopped.notified() => {}
            }
        };
        if is_shared {
            // With a runtime of its own: that of the server may end while this waits for the database.
            let own = Builder::new_current_thread()
                .enable_time()
                .build()
                .expect("a runtime with a timer needs no resources");
            tokio::task::spawn_blocking(move || own.block_on(drive));
        } else {
            tokio::spawn(drive);
        }
        Self(stop)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Interval at which unused forks are looked for.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// Response to a connection of an address that has too many of them.
const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\n\
    Content-Length: 38\r\n\r\ntoo many connections from this address";

/// Refuses a connection of an address that has too many of them. Without encryption it says why, if that can be sent at once.
fn refuse(stream: &TcpStream, is_encrypted: bool) {
    if !is_encrypted {
        let _ = stream.try_write(TOO_MANY_CONNECTIONS);
    }
}

/// Everything that connections share.
#[derive(Clone)]
struct Connections {
    front: Arc<Front>,
    limits: Limits,
    budget: BodyBudget,
    service_bodies: ServiceBodies,
    http: http1::Builder,
    shutdown: Arc<GracefulShutdown>,
}

impl Connections {
    fn new(front: Arc<Front>, limits: Limits) -> Self {
        let mut http = http1::Builder::new();
        // `ClientTimeout` does the same with less work per request.
        http.header_read_timeout(None);
        // hyper has space for the default number of headers; for any other number it allocates at each request.
        if limits.headers != Limits::default().headers {
            http.max_headers(limits.headers);
        }
        let budget = BodyBudget::new(limits.all_bodies_bytes);
        Self {
            front,
            limits,
            service_bodies: ServiceBodies::new(&limits, budget.clone()),
            budget,
            http,
            shutdown: Arc::default(),
        }
    }

    /// Answers the requests of a connection until it ends.
    async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        client: Client,
        timeout: &Arc<ClientTimeout>,
    ) {
        timeout.restart();
        let stream = TimeoutStream { stream: TokioIo::new(stream), timeout: timeout.clone() };
        let service = service_fn(|request| self.answer(timeout.clone(), client.clone(), request));
        let connection = self.http.serve_connection(stream, service);
        self.shutdown.run_connection(connection).await;
    }

    async fn answer(
        &self,
        timeout: Arc<ClientTimeout>,
        client: Client,
        request: http::Request<Incoming>,
    ) -> Result<http::Response<SuspendingBody<ReplyBody>>, Infallible> {
        let guard = timeout.suspend();
        let (head, body) = request.into_parts();
        let call = self.front.begin(client, Box::new(HttpRequest::from_parts(head, Bytes::new())));
        let reply = self.reply(&timeout, call, body).await;
        Ok(reply.map(|body| guard.wrap(body)))
    }

    /// Answers a request after its head is checked and its body is read.
    async fn reply(&self, timeout: &ClientTimeout, call: Box<Call>, mut body: Incoming) -> Reply {
        let service = service_front::find(&self.front.cloud, call.request.message.uri().path());
        if let Some(service) = service.filter(|_| !call.is_preflight()) {
            return match self.front.admit_to_service(&call) {
                Ok(()) => {
                    let bodies = &self.service_bodies;
                    service_front::answer(&self.front, bodies, timeout, service, call, body).await
                }
                Err(error) => self.front.reject(call, &error),
            };
        }
        let admitted = self.front.admit(&call, !body.is_end_stream(), self.limits.body_bytes);
        let read = match &admitted {
            Ok(limit) => timeout.wait_for(body::read(&mut body, limit, &self.budget)).await,
            Err(error) => Ok(Err(error.clone())),
        };
        let error = match read {
            Ok(Ok(body)) => return self.execute(call, body).await,
            Ok(Err(error)) => {
                // A client that waits for `100 Continue` does not send the body.
                if !call.request.message.headers().contains_key(header::EXPECT) {
                    tokio::spawn(body::drain(body, self.limits.body_bytes));
                }
                error
            }
            Err(TimedOut) => REQUEST_TIMEOUT
                .with_message(format!("the body did not arrive within {:?}", self.limits.client_timeout)),
        };
        self.front.reject(call, &error)
    }

    /// Answers a request: one with a large body, or on a cloud in a database, on another thread, because it would delay other
    /// connections.
    async fn execute(&self, call: Box<Call>, body: body::RequestBody) -> Reply {
        // A call on a cloud in a database waits for it on its thread.
        if body.bytes.len() < LARGE_BODY && !self.front.cloud.is_shared() {
            return self.front.answer(call, body.bytes.clone()).await;
        }
        let (front, handle) = (self.front.clone(), Handle::current());
        let answered = tokio::task::spawn_blocking(move || {
            let reply = handle.block_on(front.answer(call, body.bytes.clone()));
            drop(body);
            reply
        });
        match answered.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(reply) => reply,
            Err(Ok(panic)) => panic::resume_unwind(panic),
            Err(Err(_)) => Front::unavailable(&body::aborted()),
        }
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
