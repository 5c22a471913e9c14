//! Encrypted connections.

use crate::served::{noon, read_answer, serve};
use nephos::Cloud;
use nephos_server::{SelfSignedFiles, Server, Tls};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::Arc,
};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

fn names() -> Vec<String> {
    ["localhost", "127.0.0.1"].map(str::to_owned).to_vec()
}

/// Connects to `address`, trusting the certificate in a file, at the time of this machine.
fn connect(address: SocketAddr, trusted: &Path, name: &str) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let config = config
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client =
        ClientConnection::new(Arc::new(config), ServerName::try_from(name.to_owned()).unwrap()).unwrap();
    StreamOwned::new(client, TcpStream::connect(address).unwrap())
}

#[test]
fn encrypted_server_answers_over_tls_only() {
    let folder = tempfile::tempdir().unwrap();
    let files = SelfSignedFiles::with_prefix(&folder.path().join("state"));
    let tls = Tls::self_signed(&files, &names(), &nephos::Clock::system()).unwrap();
    assert_eq!(tls.fingerprint().len(), 95);
    assert_eq!(files.key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let address = serve(Server::new(Cloud::in_memory()).tls(tls));

    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET /_nephos/health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");

    for name in ["localhost", "127.0.0.1"] {
        let mut stream = connect(address, &files.certificate, name);
        stream
            .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 41\r\n\r\nAction=DescribeVpcs&Version=2016-11-15&A=")
            .unwrap();
        assert_eq!(read_answer(&mut stream).status, 200);
    }
    assert!(connect(address, &files.certificate, "elsewhere.test").write_all(b"GET").is_err());
}

#[test]
fn self_signed_certificate_is_kept_until_it_expires_or_names_change() {
    let folder = tempfile::tempdir().unwrap();
    let files = SelfSignedFiles::with_prefix(&folder.path().join("state"));
    let clock = noon();
    let fingerprint =
        |names: &[String]| Tls::self_signed(&files, names, &clock).unwrap().fingerprint().to_owned();
    let first = fingerprint(&names());
    assert_eq!(fingerprint(&names()), first);
    let second = fingerprint(&[names(), vec!["nephos.test".into()]].concat());
    assert_ne!(second, first);
    clock.advance(nephos::SignedDuration::from_hours(24 * 799));
    assert_eq!(fingerprint(&[names(), vec!["nephos.test".into()]].concat()), second);
    clock.advance(nephos::SignedDuration::from_hours(25));
    assert_ne!(fingerprint(&[names(), vec!["nephos.test".into()]].concat()), second);

    let error = Tls::from_files(&files.key, &files.certificate).unwrap_err();
    assert_eq!(error.field(), Some("tls"));
    let read = || Tls::from_files(&files.certificate, &files.key);
    assert_eq!(read().unwrap().warning(), None);
    std::fs::set_permissions(&files.key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let warned = read().unwrap();
    let warning = warned.warning().unwrap();
    assert!(warning.contains("mode 644") && warning.contains(files.key.to_str().unwrap()), "{warning}");
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let error = Tls::from_files(&files.certificate, &empty).unwrap_err();
    let text = format!("{} contains no private key", empty.display());
    assert!(error.to_string().contains(&text), "{error}");
    let missing = Tls::from_files(&folder.path().join("none"), &files.key).unwrap_err();
    assert!(missing.to_string().contains("none"), "{missing}");
    let other = SelfSignedFiles::with_prefix(&folder.path().join("other"));
    Tls::self_signed(&other, &names(), &clock).unwrap();
    assert_eq!(Tls::from_files(&files.certificate, &other.key).unwrap_err().field(), Some("tls"));
}
