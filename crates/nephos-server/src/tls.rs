//! Encryption of connections: a certificate from files, or a self-signed one.

use nephos::{Clock, Error, ErrorKind, Result, SignedDuration, Timestamp};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};
use sha2::{Digest, Sha256};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        crypto::aws_lc_rs,
        pki_types::{
            CertificateDer, PrivateKeyDer,
            pem::{self, PemObject},
        },
    },
    server::TlsStream,
};

/// Validity of a self-signed certificate: the longest that all clients accept.
const VALIDITY: SignedDuration = SignedDuration::from_hours(24 * 800);

/// Certificate and key of a server.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    fingerprint: String,
    warning: Option<String>,
}

impl Tls {
    /// Reads a chain of certificates and its private key, both in PEM.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self> {
        let certificates: Result<Vec<_>, _> =
            CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
        let certificates = certificates.map_err(|error| pem_error(certificate, &error))?;
        let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
            pem::Error::NoItemsFound => {
                Error::invalid("tls", format!("{} contains no private key", key.display()))
            }
            error => pem_error(key, &error),
        })?;
        let Some(first) = certificates.first() else {
            return Err(Error::invalid("tls", format!("{} contains no certificate", certificate.display())));
        };
        let fingerprint = fingerprint(first);
        let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
        let config = builder
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key_der));
        let mut config = config.map_err(|error| unusable(certificate, key, &error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint, warning: warning_about(key) })
    }

    /// Reads the self-signed certificate of `files`; creates another one if there is none, if it has expired, or if it is for
    /// other `names`.
    pub fn self_signed(files: &SelfSignedFiles, names: &[String], clock: &Clock) -> Result<Self> {
        let now = clock.now();
        if !files.is_valid(names, now) {
            files.create(names, now)?;
        }
        Self::from_files(&files.certificate, &files.key)
    }

    /// SHA-256 fingerprint of the certificate, in hexadecimal with colons.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Warning for the operator, if others than the owner can read the file of the private key.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Encrypts a connection.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tls").field(&self.fingerprint).finish()
    }
}

/// Files of a self-signed certificate.
#[derive(Clone, Debug)]
pub struct SelfSignedFiles {
    /// File of the certificate, which clients trust.
    pub certificate: PathBuf,
    /// File of the private key.
    pub key: PathBuf,
}

impl SelfSignedFiles {
    /// Returns the files whose names begin with `prefix`.
    pub fn with_prefix(prefix: &Path) -> Self {
        let file = |end: &str| {
            let mut name = prefix.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        Self { certificate: file(".nephos-tls-cert.pem"), key: file(".nephos-tls-key.pem") }
    }

    /// Comment before the certificate, from which its names and its end are known without parsing it.
    fn title(names: &[String], end: Timestamp) -> String {
        format!("nephos {end:.0} {}\n", names.join(" "))
    }

    fn is_valid(&self, names: &[String], now: Timestamp) -> bool {
        let Ok(text) = fs::read_to_string(&self.certificate) else { return false };
        let mut words = text.lines().next().unwrap_or_default().split(' ');
        let (title, end) = (words.next(), words.next().and_then(|end| end.parse::<Timestamp>().ok()));
        title == Some("nephos") && end.is_some_and(|end| now < end) && words.eq(names) && self.key.exists()
    }

    fn create(&self, names: &[String], now: Timestamp) -> Result<()> {
        let failed = |error: rcgen::Error| {
            Error::new(ErrorKind::Internal, format!("cannot create a self-signed certificate: {error}"))
        };
        let mut params = CertificateParams::new(names.to_vec()).map_err(failed)?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "nephos");
        // The clocks of clients may be behind.
        let start = now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now);
        let end = now.checked_add(VALIDITY).unwrap_or(Timestamp::MAX);
        let ([from, to], day) = ([start, end].map(date), rcgen::date_time_ymd);
        (params.not_before, params.not_after) = (day(from.0, from.1, from.2), day(to.0, to.1, to.2));
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.self_signed(&key).map_err(failed)?;
        write_new(&self.key, &key.serialize_pem(), 0o600)?;
        write_new(&self.certificate, &(Self::title(names, end) + &certificate.pem()), 0o644)
    }
}

/// Returns year, month and day of a time.
fn date(time: Timestamp) -> (i32, u8, u8) {
    let text = time.to_string();
    let mut parts = text.split(['-', 'T']);
    let mut part = || parts.next().and_then(|digits| digits.parse::<u16>().ok()).unwrap_or(1);
    let (year, month, day) = (part(), part(), part());
    (year.into(), u8::try_from(month).unwrap_or(1), u8::try_from(day).unwrap_or(1))
}

/// Writes a file of that mode, in place of another one.
fn write_new(path: &Path, text: &str, mode: u32) -> Result<()> {
    let failed = |error: io::Error| {
        Error::new(ErrorKind::Internal, format!("cannot write {}: {error}", path.display()))
    };
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let digest = Sha256::digest(certificate);
    digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// Returns a warning if others than the owner can read the file of a private key. It is not refused: it may belong to another
/// program, whose group reads it.
fn warning_about(key: &Path) -> Option<String> {
    let mode = fs::metadata(key).ok()?.permissions().mode() & 0o777;
    let path = key.display();
    let is_private = mode & 0o077 == 0;
    (!is_private).then(|| {
        format!("the private key {path} should be readable by its owner only, got mode {mode:o}; run chmod 600 {path}")
    })
}

fn pem_error(path: &Path, error: &pem::Error) -> Error {
    Error::invalid("tls", format!("cannot read {}: {error}", path.display()))
}

fn unusable(certificate: &Path, key: &Path, error: &rustls::Error) -> Error {
    let message = format!("{} and {} cannot be used: {error}", certificate.display(), key.display());
    Error::invalid("tls", message)
}
