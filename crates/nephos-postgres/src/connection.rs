//! A connection to the database: statements are sent in pipelines, each of which costs one round trip.

use crate::{
    address::Address,
    failure::{Failure, Outcome},
    message::{self, DataRow, Param, malformed},
    newest::Newest,
    sql::Sql,
    stream::Stream,
};
use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::{
    authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256},
    message::{
        backend::{ErrorResponseBody, Header, Message},
        frontend,
    },
};
use std::{fmt::Write as _, io, sync::Arc, time::Duration};

/// Maximum length of a message of the database: a row with the largest key and value, and some more.
const MAX_MESSAGE: i32 = 128 << 20;

/// Size of the reads from the socket.
const READ: usize = 64 << 10;

/// Maximum capacity of the buffer for statements that is kept after it was sent.
const KEPT: usize = 1 << 20;

/// Answer to one statement.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<DataRow>,
    /// Tag of the completed statement, such as `COMMIT` or `UPDATE 1`.
    pub(crate) tag: String,
}

pub(crate) struct Connection {
    stream: Stream,
    /// Bytes that were received and not read.
    input: BytesMut,
    chunk: Box<[u8]>,
    output: BytesMut,
    /// Pipelines that were sent and whose answers were not read.
    unread: usize,
    is_lost: bool,
    /// Newest primary that this process has seen, and the timeline of this one.
    newest: Arc<Newest>,
    timeline: u32,
    /// Warning in the answers to the last pipeline.
    warning: Option<String>,
    /// Number of round trips that were not counted yet.
    round_trips: u64,
}

/// Time after which the database ends a session that holds a snapshot and does nothing.
const READER_IDLE: Duration = Duration::from_secs(60 * 60);

/// State of a session after a pipeline.
const IDLE: u8 = b'I';

/// Code of a warning without a code of its own. That of a cancelled wait for a standby is one.
const WARNING: &str = "01000";

impl Connection {
    /// Connects to the first host of the address that accepts writes and is not an old primary, and prepares all statements if
    /// `prepares`. After a connection was lost, all hosts are asked, because an old primary may have come back beside a new one.
    pub(crate) fn open(address: &Address, prepares: bool) -> Outcome<Self> {
        let is_settled = address.newest.is_settled();
        let mut failure = None;
        let mut open = Vec::new();
        for (host, port) in &address.hosts {
            match Self::open_host(address, host, *port, prepares) {
                Ok(connection) if is_settled => return Ok(connection),
                Ok(connection) => open.push(connection),
                // The first refusal is worth more than a host that does not answer.
                Err(refusal @ Failure::Refused { .. }) if open.is_empty() => return Err(refusal),
                Err(error) => failure = Some(error),
            }
        }
        match open.into_iter().find(|connection| !connection.is_lost()) {
            Some(connection) => {
                address.newest.set_settled(true);
                Ok(connection)
            }
            None => Err(failure.unwrap_or_else(|| malformed().into())),
        }
    }

    fn open_host(address: &Address, host: &str, port: u16, prepares: bool) -> Outcome<Self> {
        let described = |error: io::Error| io::Error::new(error.kind(), format!("{host}:{port}: {error}"));
        let stream = Stream::connect(address, host, port).map_err(described)?;
        let mut connection = Self {
            stream,
            input: BytesMut::new(),
            chunk: vec![0; READ].into_boxed_slice(),
            output: BytesMut::new(),
            unread: 0,
            is_lost: false,
            newest: address.newest.clone(),
            timeline: 0,
            warning: None,
            round_trips: 0,
        };
        connection.log_in(address)?;
        connection.set_up(address)?;
        if prepares {
            for sql in Sql::ALL {
                frontend::parse(sql.name(), sql.text(), [], &mut connection.output)?;
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
        frontend::startup_message(parameters, &mut self.output)?;
        let mut scram = None;
        loop {
            self.send()?;
            match self.receive()? {
                Message::ReadyForQuery(_) => return Ok(()),
                Message::ErrorResponse(body) => return Err(failure_of(&body)),
                // Parameters, the key for cancellation, notices.
                Message::ParameterStatus(_) | Message::BackendKeyData(_) | Message::NoticeResponse(_) => {}
                request => self.authenticate(address, &mut scram, &request)?,
            }
        }
    }

    fn authenticate(
        &mut self,
        address: &Address,
        scram: &mut Option<ScramSha256>,
        request: &Message,
    ) -> Outcome<()> {
        let refused = |error: io::Error| {
            io::Error::new(io::ErrorKind::PermissionDenied, format!("cannot log in to the database: {error}"))
        };
        match (request, scram) {
            (Message::AuthenticationOk, None) => {}
            (Message::AuthenticationOk, Some(_)) => {
                return Err(refused(io::Error::other("it does not prove that it knows the password")).into());
            }
            (Message::AuthenticationSasl(body), scram)
                if body.mechanisms().any(|name| Ok(name == SCRAM_SHA_256)).map_err(refused)? =>
            {
                let password = address.password.as_bytes();
                let new = scram.insert(ScramSha256::new(password, ChannelBinding::unsupported()));
                frontend::sasl_initial_response(SCRAM_SHA_256, new.message(), &mut self.output)?;
            }
            (Message::AuthenticationSaslContinue(body), Some(scram)) => {
                scram.update(body.data()).map_err(refused)?;
                frontend::sasl_response(scram.message(), &mut self.output)?;
            }
            (Message::AuthenticationSaslFinal(body), scram @ Some(_)) => {
                // Without this message, the database has not proved that it knows the password itself.
                scram.take().map_or(Ok(()), |mut scram| scram.finish(body.data())).map_err(refused)?;
            }
            // A password in the clear, only if nobody can read it on the way.
            (Message::AuthenticationCleartextPassword, _) if matches!(self.stream, Stream::Encrypted(_)) => {
                frontend::password_message(address.password.as_bytes(), &mut self.output)?;
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
             SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')",
            schema = address.schema,
            idle = READER_IDLE.as_millis(),
        );
        self.query(&settings)?;
        self.check_primary()
    }

    /// Refuses a standby, an old primary, and a database that lacks writes of this process.
    fn check_primary(&mut self) -> Outcome<()> {
        // The first eight digits of the name of a file of the log are the timeline.
        let found = self.query(
            "SELECT current_setting('transaction_read_only'), system_identifier,
                 CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END
             FROM pg_control_system()",
        )?;
        let row = found.first().and_then(|answer| answer.rows.first()).ok_or_else(malformed)?;
        if row.text(0) == "on" {
            let message = "the database accepts no writes";
            return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, message).into());
        }
        let file = row.text(2);
        let timeline = file.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.timeline = timeline.ok_or_else(malformed)?;
        self.newest.admit(&row.text(1), self.timeline)?;
        if let Some(acknowledged) = self.newest.acknowledged() {
            let slot = acknowledged.slot.iter().fold(String::new(), |mut digits, byte| {
                let _ = write!(digits, "{byte:02x}");
                digits
            });
            let found = self.query(&format!("SELECT number FROM writers WHERE slot = '\\x{slot}'"))?;
            let stored = found.first().and_then(|answer| answer.rows.first());
            acknowledged.admit(stored.and_then(|row| row.text(0).parse().ok()))?;
        }
        Ok(())
    }

    /// Switches the limits of time off, for work that takes as long as there are rows.
    pub(crate) fn without_timeouts(&mut self) -> Outcome<()> {
        self.query("SET statement_timeout = 0")?;
        self.stream.set_timeout(None)?;
        Ok(())
    }

    /// True if the connection cannot be used any more, or is one to an old primary.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost || self.timeline < self.newest.timeline()
    }

    /// Returns the number of round trips since this was called last.
    pub(crate) fn take_round_trips(&mut self) -> u64 {
        std::mem::take(&mut self.round_trips)
    }

    /// Adds a statement to the pipeline.
    pub(crate) fn push(&mut self, sql: Sql, params: &[Param<'_>]) {
        let pushed = message::execute(&mut self.output, sql.name(), params);
        pushed.expect("a statement has less than 2 GiB");
    }

    /// Sends the pipeline, and returns the answers to its statements; an error if one of them failed.
    pub(crate) fn run(&mut self) -> Outcome<Vec<Answer>> {
        frontend::sync(&mut self.output);
        self.exchange()
    }

    /// Sends a pipeline that commits. A warning says that the wait for a standby was cancelled: a failover may lose what was
    /// committed, so that it is not acknowledged.
    pub(crate) fn run_commit(&mut self) -> Outcome<Vec<Answer>> {
        let answers = self.run()?;
        match self.warning.take() {
            None => Ok(answers),
            Some(text) => Ok(self.checked(Err(io::Error::new(io::ErrorKind::ConnectionAborted, text)))?),
        }
    }

    /// Sends statements without parameters, and returns their answers, in the text format.
    pub(crate) fn query(&mut self, sql: &str) -> Outcome<Vec<Answer>> {
        frontend::query(sql, &mut self.output)?;
        self.exchange()
    }

    /// Sends the pipeline, whose answers do not matter.
    pub(crate) fn post(&mut self) {
        frontend::sync(&mut self.output);
        if self.send().is_ok() {
            self.unread += 1;
        }
    }

    fn exchange(&mut self) -> Outcome<Vec<Answer>> {
        self.send()?;
        self.warning = None;
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
            match self.receive()? {
                Message::DataRow(body) => answer.rows.push(self.checked(DataRow::read(&body))?),
                Message::CommandComplete(body) => {
                    answer.tag = self.checked(body.tag())?.to_owned();
                    answers.push(std::mem::take(&mut answer));
                }
                Message::NoticeResponse(body) => {
                    let (severity, code, text) = self.checked(message::error_fields(body.fields()))?;
                    if severity == "WARNING" && code == WARNING {
                        self.warning = Some(text);
                    }
                }
                Message::ErrorResponse(body) => {
                    let error = failure_of(&body);
                    if matches!(error, Failure::Lost(_)) {
                        self.lose();
                        return Err(error);
                    }
                    failure.get_or_insert(error);
                }
                Message::ReadyForQuery(body) => {
                    return match failure {
                        None => Ok(answers),
                        Some(failure) => {
                            if body.status() != IDLE {
                                self.push(Sql::Rollback, &[]);
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
        if self.output.capacity() > KEPT {
            self.output = BytesMut::new();
        }
        self.checked(sent)
    }

    /// Marks the connection as lost after an error.
    fn checked<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.lose();
        }
        result
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.newest.set_settled(false);
    }

    /// Receives a message.
    fn receive(&mut self) -> io::Result<Message> {
        let received = self.receive_message();
        self.checked(received)
    }

    fn receive_message(&mut self) -> io::Result<Message> {
        loop {
            if Header::parse(&self.input)?.is_some_and(|header| header.len() > MAX_MESSAGE) {
                return Err(malformed());
            }
            if let Some(message) = Message::parse(&mut self.input)? {
                return Ok(message);
            }
            self.read_more()?;
        }
    }

    /// Waits for more bytes of the database.
    fn read_more(&mut self) -> io::Result<()> {
        loop {
            match self.stream.read(&mut self.chunk) {
                Ok(0) => {
                    let message = "the database closed the connection";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
                }
                Ok(read) => {
                    self.input.extend_from_slice(&self.chunk[..read]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    let message = "the database did not answer in time";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_lost {
            frontend::terminate(&mut self.output);
            // The database notices the end of the connection, too.
            let _ = self.send();
        }
    }
}

fn failure_of(body: &ErrorResponseBody) -> Failure {
    match message::error_fields(body.fields()) {
        Ok((severity, code, message)) => Failure::of_database(&severity, code, message),
        Err(malformed) => malformed.into(),
    }
}
