//! Writes the corpus of requests, answers and signatures: runs all behaviour cases on a server through a proxy that records.

use crate::{
    corpus, message,
    targets::requests::{SERVICE_HEADER, find_route},
};
use bytes::Bytes;
use nephos::{Clock, Cloud, Ids, Kernel, Session, prelude::*, shape::Location};
use nephos_server::Server;
use nephos_testing::{TestCloud, World};
use nephos_wire::{HttpRequest, sigv4::SignatureParts};
use std::{
    collections::BTreeMap,
    future::pending,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    panic,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// Maximum size of an input: of several examples the largest below it is taken.
const MAX_BYTES: usize = 900;

/// Recorded inputs by target, service and operation.
type Inputs = BTreeMap<(&'static str, String, String), Vec<u8>>;

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Inputs>>);

/// Runs the cases and writes the corpus; returns true.
pub(crate) fn run() -> bool {
    let recorder = Recorder::default();
    panic::set_hook(Box::new(|_| ()));
    for case in nephos_cases::cases().filter(|case| !case.in_process) {
        let recorder = recorder.clone();
        let run = panic::AssertUnwindSafe(|| (case.run)(World::new(Recorded::new(recorder))));
        if !matches!(panic::catch_unwind(run), Ok(Ok(()))) {
            println!("{} fails over the recorder", case.name);
        }
    }
    let inputs = std::mem::take(&mut *recorder.0.lock().unwrap_or_else(PoisonError::into_inner));
    let mut files = BTreeMap::<_, Vec<Vec<u8>>>::new();
    for ((target, service, _), input) in inputs {
        files.entry((target, service)).or_default().push(input);
    }
    for ((target, service), inputs) in files {
        println!("{target}/{service}: {} inputs", inputs.len());
        corpus::write(target, &service, &inputs);
    }
    true
}

/// A served cloud; its sessions go through the recorder.
struct Recorded {
    cloud: Cloud,
    endpoint: String,
}

impl Recorded {
    fn new(recorder: Recorder) -> Self {
        let cloud: Cloud = nephos_testing::options().in_memory();
        let server = Server::new(cloud.clone()).clock(nephos_testing::clock());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let bound = runtime.block_on(server.bind(([127, 0, 0, 1], 0).into())).expect("a free port");
        let address = bound.address();
        thread::spawn(move || runtime.block_on(bound.run(pending())));
        let proxy = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", proxy.local_addr().expect("an address"));
        thread::spawn(move || {
            for client in proxy.incoming().flatten() {
                let recorder = recorder.clone();
                thread::spawn(move || recorder.forward(client, address));
            }
        });
        Self { cloud, endpoint }
    }
}

impl TestCloud for Recorded {
    fn cloud(&self) -> &Kernel {
        &self.cloud
    }

    fn session_in(&self, account: &str, region: &str) -> Session {
        let session = Session::remote().endpoint(self.endpoint.as_str()).region(region).account(account);
        let session = session.sources(Clock::frozen(nephos_testing::clock().now()), Ids::system());
        session.keys(account, "secret").build().expect("a session")
    }
}

/// A message as it came: its first line, headers and body, and all bytes.
struct Message {
    first: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    bytes: Vec<u8>,
}

impl Message {
    fn read(from: &mut impl BufRead) -> Option<Self> {
        let (mut lines, mut bytes) = (Vec::new(), Vec::new());
        loop {
            let start = bytes.len();
            if from.read_until(b'\n', &mut bytes).ok()? == 0 {
                return None;
            }
            match String::from_utf8_lossy(&bytes[start..]).trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let mut lines = lines.into_iter();
        let first = lines.next()?;
        let headers: Vec<_> = lines
            .filter_map(|line| {
                line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            })
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        from.read_exact(&mut body).ok()?;
        bytes.extend_from_slice(&body);
        Some(Self { first, headers, body, bytes })
    }
}

impl Recorder {
    /// Forwards the messages of a connection in both directions.
    fn forward(&self, client: TcpStream, address: SocketAddr) {
        let Ok(server) = TcpStream::connect(address) else { return };
        let (mut client, mut server) = (BufReader::new(client), BufReader::new(server));
        while let Some(request) = Message::read(&mut client) {
            let sent = server.get_mut().write_all(&request.bytes);
            let Some(response) = sent.ok().and_then(|()| Message::read(&mut server)) else { return };
            if client.get_mut().write_all(&response.bytes).is_err() {
                return;
            }
            let _ = self.record(&request, &response);
        }
    }

    fn record(&self, request: &Message, response: &Message) -> Option<()> {
        let mut words = request.first.split(' ');
        let mut message = http::Request::builder().method(words.next()?).uri(words.next()?);
        for (name, value) in &request.headers {
            message = message.header(name, value);
        }
        let mut message: HttpRequest = message.body(Bytes::from(request.body.clone())).ok()?;
        let parts = SignatureParts::from_request(&message).ok();
        // Keys that cases create have secrets of their own.
        let is_own_key =
            |parts: &SignatureParts| parts.access_key_id.bytes().all(|byte| byte.is_ascii_digit());
        let is_signed = parts.as_ref().is_some_and(is_own_key);
        let service = parts.map(|parts| parts.scope.service);
        let signed = message::write(&message, |name| {
            matches!(name, "authorization" | "content-type" | "host") || name.starts_with("x-amz")
        });
        if let Some(service) = service {
            message.headers_mut().insert(SERVICE_HEADER, service.parse().ok()?);
        }
        let route = find_route(&message).ok()?;
        let (service, operation) = (route.service.name, route.operation.name);
        let status: u16 = response.first.split(' ').nth(1)?.parse().ok()?;
        let parameters =
            route.operation.params.fields.iter().filter(|field| field.location == Location::Header);
        let parameters: Vec<_> = parameters.map(|field| field.wire.to_ascii_lowercase()).collect();
        let kept = |name: &str| {
            let decides = matches!(name, SERVICE_HEADER | "x-amz-target" | "content-type");
            decides || parameters.iter().any(|parameter| parameter == name)
        };
        let mut answer = format!("{service}.{operation} {status}\n").into_bytes();
        answer.extend_from_slice(&response.body);
        if status == 200 {
            self.keep("requests", service, operation, message::write(&message, kept));
            self.keep("answers", service, operation, answer);
        } else {
            self.keep("answers", service, "error", answer);
        }
        if is_signed {
            self.keep("signatures", service, "signed", signed);
        }
        Some(())
    }

    /// Keeps the largest input of an operation that is not too large, or the first.
    fn keep(&self, target: &'static str, service: &str, operation: &str, input: Vec<u8>) {
        let mut inputs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            inputs.entry((target, service.to_owned(), operation.to_owned())).or_insert_with(|| input.clone());
        let is_better = match (known.len() > MAX_BYTES, input.len() > MAX_BYTES) {
            (true, _) => input.len() < known.len(),
            (false, too_large) => !too_large && input.len() > known.len(),
        };
        if is_better {
            *known = input;
        }
    }
}
