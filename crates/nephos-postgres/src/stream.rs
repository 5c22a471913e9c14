//! The socket of a connection, encrypted or not.

use crate::address::{Address, Encryption};
use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use std::{
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    path::Path,
    sync::Arc,
    time::Duration,
};

/// Time that the system may take to establish a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) enum Stream {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    /// Connects to a host of the database. Reads and writes fail after the timeout of the address.
    pub(crate) fn connect(address: &Address, host: &str, port: u16) -> io::Result<Self> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for target in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&target, CONNECT_TIMEOUT.min(address.timeout)) {
                Ok(tcp) => {
                    tcp.set_nodelay(true)?;
                    let stream = Self::Plain(tcp);
                    stream.set_timeout(Some(address.timeout))?;
                    return stream.encrypt(address, host);
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn encrypt(self, address: &Address, host: &str) -> io::Result<Self> {
        let Self::Plain(mut tcp) = self else { return Ok(self) };
        if address.encryption == Encryption::Disabled {
            return Ok(Self::Plain(tcp));
        }
        let mut request = BytesMut::new();
        frontend::ssl_request(&mut request);
        tcp.write_all(&request)?;
        let mut answer = [0];
        tcp.read_exact(&mut answer)?;
        if answer != *b"S" {
            let message = "the database does not encrypt connections; sslmode=disable allows that";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let config = tls_config(address.root_certificates.as_deref())?;
        let client = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
        Ok(Self::Encrypted(Box::new(StreamOwned::new(client, tcp))))
    }

    /// Sets the time in which reads and writes must make progress; none for no limit.
    pub(crate) fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let tcp = match self {
            Self::Plain(tcp) => tcp,
            Self::Encrypted(tls) => tls.get_ref(),
        };
        tcp.set_read_timeout(timeout)?;
        tcp.set_write_timeout(timeout)
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.write_all(bytes),
            Self::Encrypted(tls) => tls.write_all(bytes).and_then(|()| tls.flush()),
        }
    }

    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(bytes),
            Self::Encrypted(tls) => tls.read(bytes),
        }
    }
}

/// Returns the settings of TLS, which trusts the certificates in the file `roots`, or else those that browsers trust.
fn tls_config(roots: Option<&Path>) -> io::Result<ClientConfig> {
    let mut store = RootCertStore::empty();
    match roots {
        None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let unreadable = |error: &dyn std::fmt::Display| {
                io::Error::other(format!("sslrootcert {}: {error}", path.display()))
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
                let certificate = certificate.map_err(|error| unreadable(&error))?;
                store.add(certificate).map_err(|error| unreadable(&error))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(config.map_err(io::Error::other)?.with_root_certificates(store).with_no_client_auth())
}
