//! A proxy in front of a database that cuts its connections.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// A proxy on a loopback port. It forwards connections until they are cut.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    connections: Mutex<Vec<(TcpStream, TcpStream)>>,
    /// True while new connections are refused.
    is_down: AtomicBool,
    /// Number of bytes of requests after which all connections are cut, before they are answered; negative for none.
    left: AtomicI64,
    /// Delay of answers, in microseconds.
    delay: AtomicU64,
    /// True while nothing is forwarded, and connections stay open.
    is_held: Mutex<bool>,
    released: Condvar,
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Vec<(TcpStream, TcpStream)>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cut(&self) {
        for (client, server) in self.connections().drain(..) {
            // The other side may have closed it.
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
        }
    }

    /// Forwards bytes until one side is closed.
    fn pump(&self, mut from: TcpStream, mut to: TcpStream, are_requests: bool) {
        let mut buffer = [0; 16 << 10];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let delay = self.delay.load(Ordering::Acquire);
            if !are_requests && delay > 0 {
                thread::park_timeout(Duration::from_micros(delay));
            }
            let is_held = self.is_held.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.released.wait_while(is_held, |is_held| *is_held));
            if to.write_all(&buffer[..read]).is_err() {
                break;
            }
            let length = i64::try_from(read).unwrap_or(i64::MAX);
            if are_requests && (0..length).contains(&self.left.fetch_sub(length, Ordering::AcqRel)) {
                // What was sent is carried out, and its answer is lost.
                self.cut();
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

impl Proxy {
    /// Starts a proxy to a port of this machine.
    pub fn start(target: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            target: (Ipv4Addr::LOCALHOST, target).into(),
            connections: Mutex::default(),
            is_down: AtomicBool::new(false),
            left: AtomicI64::new(-1),
            delay: AtomicU64::new(0),
            is_held: Mutex::new(false),
            released: Condvar::new(),
        });
        let accepting = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = accepting.clone();
                if shared.is_down.load(Ordering::Acquire) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(shared.target) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                let Ok([c, s, c2, s2]) = clones(&client, &server) else { continue };
                shared.connections().push((client, server));
                let answers = shared.clone();
                thread::spawn(move || shared.pump(c, s, true));
                thread::spawn(move || answers.pump(s2, c2, false));
            }
        });
        Self { port, shared }
    }

    /// Port of the proxy on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        self.shared.cut();
    }

    /// Forwards nothing, and keeps the connections open.
    pub fn hold(&self) {
        self.set_held(true);
    }

    /// Forwards what was held.
    pub fn release(&self) {
        self.set_held(false);
    }

    fn set_held(&self, is_held: bool) {
        *self.shared.is_held.lock().unwrap_or_else(PoisonError::into_inner) = is_held;
        self.shared.released.notify_all();
    }

    /// Cuts all connections when `bytes` more have been sent to the database, before it answers.
    pub fn cut_after(&self, bytes: u32) {
        self.shared.left.store(bytes.into(), Ordering::Release);
    }

    /// Delays answers.
    pub fn delay(&self, delay: Duration) {
        self.shared.delay.store(u64::try_from(delay.as_micros()).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// Cuts all connections and refuses new ones, or accepts them again.
    pub fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::Release);
        if is_down {
            self.cut();
        }
    }
}

/// Returns two handles of each socket.
fn clones(client: &TcpStream, server: &TcpStream) -> std::io::Result<[TcpStream; 4]> {
    Ok([client.try_clone()?, server.try_clone()?, client.try_clone()?, server.try_clone()?])
}
