//! A connection to the database: statements are sent in pipelines, each of which costs one round trip.

use crate::{
    address::Address,
    failure::{Failure, Outcome},
    message::{self, DataRow, Param, malformed},
    scram::{self, Scram},
    sql::Sql,
    stream::Stream,
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use std::{io, time::Duration};

/// Maximum length of a message of the database: a row with the largest key and value, and some more.
const MAX_MESSAGE: usize = 128 << 20;

/// Size of the reads from the socket.
const READ: usize = 64 << 10;

/// Answer to one statement.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<DataRow>,
    /// Tag of the completed statement, such as `COMMIT` or `UPDATE 1`.
    pub(crate) tag: String,
}

pub(crate) struct Connection {
    stream: Stream,
    input: Vec<u8>,
    /// Bytes of the input that were read.
    read: usize,
    output: Vec<u8>,
    /// Pipelines that were sent and whose answers were not read.
    unread: usize,
    is_lost: bool,
    /// Number of round trips that were not counted yet.
    round_trips: u64,
}

/// Time after which the database ends a session that holds a snapshot and does nothing.
const READER_IDLE: Duration = Duration::from_secs(60 * 60);

/// State of a session after a pipeline.
const IDLE: u8 = b'I';

impl Connection {
    /// Connects to the first host of the address that accepts writes, and prepares all statements if `prepares`.
    pub(crate) fn open(address: &Address, prepares: bool) -> Outcome<Self> {
        let mut failure = None;
        for (host, port) in &address.hosts {
            match Self::open_host(address, host, *port, prepares) {
                Ok(connection) => return Ok(connection),
                // The first refusal is worth more than a host that does not answer.
                Err(refusal @ Failure::Refused { .. }) => return Err(refusal),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| malformed().into()))
    }

    fn open_host(address: &Address, host: &str, port: u16, prepares: bool) -> Outcome<Self> {
        let described = |error: io::Error| io::Error::new(error.kind(), format!("{host}:{port}: {error}"));
        let stream = Stream::connect(address, host, port).map_err(described)?;
        let mut connection = Self {
            stream,
            input: Vec::new(),
            read: 0,
            output: Vec::new(),
            unread: 0,
            is_lost: false,
            round_trips: 0,
        };
        connection.log_in(address)?;
        connection.set_up(address)?;
        if prepares {
            for sql in Sql::ALL {
                message::parse(&mut connection.output, sql.name(), sql.text());
            }
            connection.run()?;
        }
        Ok(connection)
    }

    fn log_in(&mut self, address: &Address) -> Outcome<()> {
        let parameters = [
            ("user", address.user.as_str()),
            ("database", &address.database),
            ("application_name", "nephos"),
            ("client_encoding", "UTF8"),
        ];
        message::startup(&mut self.output, &parameters);
        let mut scram = None;
        loop {
            self.send()?;
            let (tag, body) = self.receive()?;
            match tag {
                b'R' => self.authenticate(address, &mut scram, &body)?,
                b'Z' => return Ok(()),
                b'E' => return Err(failure_of(&body)),
                // Parameters, the key for cancellation, notices.
                _ => {}
            }
        }
    }

    fn authenticate(&mut self, address: &Address, scram: &mut Option<Scram>, body: &[u8]) -> Outcome<()> {
        let (kind, rest) = body.split_first_chunk().ok_or_else(malformed)?;
        match (u32::from_be_bytes(*kind), scram) {
            (0, _) => {}
            (10, scram) if rest.split(|byte| *byte == 0).any(|name| name == scram::MECHANISM.as_bytes()) => {
                let mut nonce = [0; 18];
                getrandom::fill(&mut nonce).map_err(io::Error::other)?;
                let new = scram.insert(Scram::new(&address.password, &STANDARD_NO_PAD.encode(nonce)));
                message::sasl_start(&mut self.output, scram::MECHANISM, new.first().as_bytes());
            }
            (11, Some(scram)) => message::password(&mut self.output, scram.answer(rest)?.as_bytes()),
            (12, Some(scram)) => scram.finish(rest)?,
            // A password in the clear, only if nobody can read it on the way.
            (3, _) if matches!(self.stream, Stream::Encrypted(_)) => {
                let password = [address.password.as_bytes(), &[0]].concat();
                message::password(&mut self.output, &password);
            }
            _ => {
                let message = "the database asks for a method of authentication that is not supported; SCRAM-SHA-256 is";
                return Err(Failure::Refused { code: "28000".to_owned(), message: message.to_owned() });
            }
        }
        Ok(())
    }

    /// Sets what the statements rely on. A statement that reads the whole table would conflict with every other transaction.
    fn set_up(&mut self, address: &Address) -> Outcome<()> {
        let millis = address.timeout.as_millis();
        let settings = format!(
            "SET search_path TO {schema}; SET statement_timeout = {millis}; SET lock_timeout = {millis};
             SET idle_in_transaction_session_timeout = {idle};
             SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off;
             SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
             SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
            schema = address.schema,
            idle = READER_IDLE.as_millis(),
        );
        self.query(&settings)?;
        let answers = self.query("SELECT current_setting('transaction_read_only')")?;
        let is_standby =
            answers.first().and_then(|answer| answer.rows.first()).is_some_and(|row| row.text(0) == "on");
        if is_standby {
            return Err(
                io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "the database accepts no writes").into()
            );
        }
        Ok(())
    }

    /// Switches the limits of time off, for work that takes as long as there are rows.
    pub(crate) fn without_timeouts(&mut self) -> Outcome<()> {
        self.query("SET statement_timeout = 0")?;
        self.stream.set_timeout(None)?;
        Ok(())
    }

    /// True if the connection cannot be used any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Returns the number of round trips since this was called last.
    pub(crate) fn take_round_trips(&mut self) -> u64 {
        std::mem::take(&mut self.round_trips)
    }

    /// Adds a statement to the pipeline.
    pub(crate) fn push(&mut self, sql: Sql, params: &[Param<'_>]) {
        message::execute(&mut self.output, sql.name(), params);
    }

    /// Sends the pipeline, and returns the answers to its statements; an error if one of them failed.
    pub(crate) fn run(&mut self) -> Outcome<Vec<Answer>> {
        message::sync(&mut self.output);
        self.exchange()
    }

    /// Sends statements without parameters, and returns their answers, in the text format.
    pub(crate) fn query(&mut self, sql: &str) -> Outcome<Vec<Answer>> {
        message::query(&mut self.output, sql);
        self.exchange()
    }

    /// Sends the pipeline, whose answers do not matter.
    pub(crate) fn post(&mut self) {
        message::sync(&mut self.output);
        if self.send().is_ok() {
            self.unread += 1;
        }
    }

    fn exchange(&mut self) -> Outcome<Vec<Answer>> {
        self.send()?;
        self.round_trips += 1;
        while self.unread > 0 {
            // An error there left no transaction open.
            match self.receive_answers() {
                Err(lost @ Failure::Lost(_)) => return Err(lost),
                _ => self.unread -= 1,
            }
        }
        self.receive_answers()
    }

    fn receive_answers(&mut self) -> Outcome<Vec<Answer>> {
        let mut answers = Vec::new();
        let mut answer = Answer::default();
        let mut failure = None;
        loop {
            let (tag, body) = self.receive()?;
            match tag {
                b'D' => answer.rows.push(self.checked(DataRow::read(body))?),
                b'C' => {
                    answer.tag =
                        String::from_utf8_lossy(body.strip_suffix(&[0]).unwrap_or(&body)).into_owned();
                    answers.push(std::mem::take(&mut answer));
                }
                b'E' => {
                    let error = failure_of(&body);
                    if matches!(error, Failure::Lost(_)) {
                        self.is_lost = true;
                        return Err(error);
                    }
                    failure.get_or_insert(error);
                }
                b'Z' => {
                    return match failure {
                        None => Ok(answers),
                        Some(failure) => {
                            if body.first() != Some(&IDLE) {
                                message::execute(&mut self.output, Sql::Rollback.name(), &[]);
                                self.post();
                            }
                            Err(failure)
                        }
                    };
                }
                _ => {}
            }
        }
    }

    fn send(&mut self) -> io::Result<()> {
        let sent = if self.is_lost {
            Err(io::Error::new(io::ErrorKind::NotConnected, "the connection was lost"))
        } else {
            self.stream.write_all(&self.output)
        };
        self.output.clear();
        self.output.shrink_to(1 << 20);
        self.checked(sent)
    }

    /// Marks the connection as lost after an error.
    fn checked<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.is_lost |= result.is_err();
        result
    }

    /// Receives a message; returns its tag and body.
    fn receive(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let received = self.receive_message();
        self.checked(received)
    }

    fn receive_message(&mut self) -> io::Result<(u8, Vec<u8>)> {
        self.fill(5)?;
        let head: [u8; 5] = self.input[self.read..self.read + 5].try_into().map_err(|_| malformed())?;
        let [tag, length @ ..] = head;
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=MAX_MESSAGE).contains(&length) {
            return Err(malformed());
        }
        self.fill(1 + length)?;
        let body = self.input[self.read + 5..self.read + 1 + length].to_vec();
        self.read += 1 + length;
        Ok((tag, body))
    }

    /// Reads until `wanted` bytes are there.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        if self.input.len() - self.read >= wanted {
            return Ok(());
        }
        self.input.drain(..self.read);
        self.read = 0;
        while self.input.len() < wanted {
            let start = self.input.len();
            self.input.resize(start + READ.max(wanted - start), 0);
            let read = self.stream.read(&mut self.input[start..]);
            self.input.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the database closed the connection",
                    ));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the database did not answer in time",
                    ));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_lost {
            message::terminate(&mut self.output);
            // The database notices the end of the connection, too.
            let _ = self.send();
        }
    }
}

fn failure_of(body: &[u8]) -> Failure {
    let (severity, code, message) = message::error_fields(body);
    Failure::of_database(&severity, code, message)
}
