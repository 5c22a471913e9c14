//! The address of a database: `postgres://user:password@host:port/database?option=value`.

use crate::newest::Newest;
use nephos_store::{Error, ErrorKind, Result};
use std::{fmt, path::PathBuf, str::FromStr, sync::Arc, time::Duration};
use zeroize::Zeroizing;

/// Names of the options of an address.
const OPTIONS: &str = "sslmode, sslrootcert, schema, connections, timeout";

/// Default number of connections that read.
const CONNECTIONS: usize = 16;

/// Default time in which the database must answer a statement.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Address of a database, with the password. `Debug` and `Display` do not show the password.
#[derive(Clone)]
pub struct Address {
    pub(crate) user: String,
    pub(crate) password: Zeroizing<String>,
    /// Hosts and ports; the first one that accepts writes and is not an old primary is used.
    pub(crate) hosts: Vec<(String, u16)>,
    pub(crate) database: String,
    /// Schema of the tables.
    pub(crate) schema: String,
    pub(crate) encryption: Encryption,
    /// File of the certificates that the server's certificate is verified with.
    pub(crate) root_certificates: Option<PathBuf>,
    /// Maximum number of connections that read.
    pub(crate) connections: usize,
    /// Time in which the database must answer a statement.
    pub(crate) timeout: Duration,
    /// Newest primary that was seen there, shared by the connections of a store.
    pub(crate) newest: Arc<Newest>,
}

/// Encryption of the connections to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// None.
    Disabled,
    /// TLS with a verified certificate and host name.
    Verified,
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, format!("the address of the database {}", message.into()))
}

impl Address {
    /// True if `text` is the address of a database and not a path.
    pub fn is_address(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Sets the password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Zeroizing::new(password.to_owned());
        self
    }

    /// True if the address contains a password.
    pub fn has_password(&self) -> bool {
        !self.password.is_empty()
    }

    /// Sets the schema of the tables; `nephos` by default.
    #[must_use]
    pub fn schema(mut self, schema: &str) -> Self {
        schema.clone_into(&mut self.schema);
        self
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "sslmode" => {
                self.encryption = match value {
                    "disable" => Encryption::Disabled,
                    "verify-full" => Encryption::Verified,
                    _ => return Err(wrong(format!("has sslmode={value}; use verify-full or disable"))),
                }
            }
            "sslrootcert" => self.root_certificates = Some(value.into()),
            "schema" => {
                let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                if value.is_empty() || value.len() > 63 || !value.bytes().all(is_name) {
                    return Err(wrong("has a schema that is not a name of lowercase letters, digits and _"));
                }
                value.clone_into(&mut self.schema);
            }
            "connections" => {
                let number = value.parse().ok().filter(|number| (1..=1000).contains(number));
                self.connections =
                    number.ok_or_else(|| wrong("has connections that is not from 1 to 1000"))?;
            }
            "timeout" => {
                let seconds = value.parse().ok().filter(|seconds| (1..=600).contains(seconds));
                let seconds =
                    seconds.ok_or_else(|| wrong("has a timeout that is not from 1 to 600 seconds"))?;
                self.timeout = Duration::from_secs(seconds);
            }
            _ => return Err(wrong(format!("has the unknown option {name}; the options are {OPTIONS}"))),
        }
        Ok(())
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or_else(|| wrong("does not begin with postgres://"))?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        let hosts = hosts.split(',').map(host_and_port).collect::<Result<Vec<_>>>()?;
        let user = if user.is_empty() { "nephos".to_owned() } else { decode(user)? };
        let is_local = hosts.iter().all(|(host, _)| is_loopback(host));
        let mut address = Self {
            database: if database.is_empty() { user.clone() } else { decode(database)? },
            user,
            password: Zeroizing::new(decode(password)?),
            hosts,
            schema: "nephos".to_owned(),
            encryption: if is_local { Encryption::Disabled } else { Encryption::Verified },
            root_certificates: None,
            connections: CONNECTIONS,
            timeout: TIMEOUT,
            newest: Arc::default(),
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            address.set(name, &decode(value)?)?;
        }
        Ok(address)
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn host_and_port(text: &str) -> Result<(String, u16)> {
    let (host, port) = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Err(wrong("has no host; it is like postgres://user@host:5432/database"));
    }
    let port = port.map_or(Ok(5432), str::parse).map_err(|_| wrong("has a port that is not a number"))?;
    Ok((host.to_owned(), port))
}

/// Replaces `%XX` by the byte.
fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex =
            || std::str::from_utf8(after.get(..2)?).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match first {
            b'%' => {
                bytes.push(
                    hex().ok_or_else(|| wrong("has a % that is not followed by two hexadecimal digits"))?,
                );
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", self.user)?;
        for (number, (host, port)) in self.hosts.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            match host.contains(':') {
                true => write!(f, "{comma}[{host}]:{port}")?,
                false => write!(f, "{comma}{host}:{port}")?,
            }
        }
        write!(f, "/{}", self.database)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_has_defaults_and_shows_no_password() {
        let address: Address =
            "postgres://me:p%40ss%2f@a,[::2]:6000/cloud?schema=x&timeout=3&connections=2".parse().unwrap();
        assert_eq!((address.user.as_str(), address.password.as_str()), ("me", "p@ss/"));
        assert_eq!(address.hosts, [("a".to_owned(), 5432), ("::2".to_owned(), 6000)]);
        assert_eq!((address.schema.as_str(), address.connections), ("x", 2));
        assert_eq!(address.encryption, Encryption::Verified, "not on this machine");
        assert_eq!(format!("{address:?}"), "Address(postgres://me@a:5432,[::2]:6000/cloud)");
        let local: Address = "postgresql://localhost".parse().unwrap();
        assert_eq!((local.user.as_str(), local.database.as_str()), ("nephos", "nephos"));
        assert_eq!(local.encryption, Encryption::Disabled);
    }

    #[test]
    fn wrong_addresses_are_refused_and_not_repeated() {
        for text in [
            "mysql://secret@host",
            "postgres://secret@",
            "postgres://secret@host:x",
            "postgres://u:se%cret@host",
            "postgres://u:secret@host?sslmode=prefer",
            "postgres://u:secret@host?schema=A",
            "postgres://u:secret@host?connections=0",
            "postgres://u:secret@host?timeout=0",
            "postgres://u:secret@host?cat=1",
        ] {
            let error = text.parse::<Address>().expect_err(text);
            assert!(!error.message().contains("secret"), "{error}");
        }
    }
}
