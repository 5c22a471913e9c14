//! Messages of the PostgreSQL protocol 3.0, both directions, as far as the store needs them.

use std::io;

/// A parameter of a statement, in the binary format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param<'a> {
    Null,
    Bytes(&'a [u8]),
    Int(i64),
    /// An array of `bytea`.
    Array(&'a [&'a [u8]]),
}

/// Object ID of the type `bytea`.
const BYTEA: u32 = 17;

/// Appends a message with the tag `tag`, whose body `write` appends.
fn message(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    with_length(out, write);
}

/// Appends the length, which counts itself, and the body.
fn with_length(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    write(out);
    let length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.as_bytes());
    out.push(0);
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(bytes);
}

/// Appends the request for TLS.
pub(crate) fn tls_request(out: &mut Vec<u8>) {
    with_length(out, |out| out.extend(80_877_103u32.to_be_bytes()));
}

/// Appends the first message of a connection.
pub(crate) fn startup(out: &mut Vec<u8>, parameters: &[(&str, &str)]) {
    with_length(out, |out| {
        out.extend(196_608u32.to_be_bytes());
        for (name, value) in parameters {
            text(out, name);
            text(out, value);
        }
        out.push(0);
    });
}

/// Appends a password in the clear, or a later message of SCRAM.
pub(crate) fn password(out: &mut Vec<u8>, password: &[u8]) {
    message(out, b'p', |out| out.extend(password));
}

/// Appends the first message of SCRAM.
pub(crate) fn sasl_start(out: &mut Vec<u8>, mechanism: &str, first: &[u8]) {
    message(out, b'p', |out| {
        text(out, mechanism);
        bytes(out, first);
    });
}

/// Appends a query of several statements without parameters.
pub(crate) fn query(out: &mut Vec<u8>, sql: &str) {
    message(out, b'Q', |out| text(out, sql));
}

/// Appends the preparation of a statement.
pub(crate) fn parse(out: &mut Vec<u8>, name: &str, sql: &str) {
    message(out, b'P', |out| {
        text(out, name);
        text(out, sql);
        out.extend([0; 2]);
    });
}

/// Appends the execution of a prepared statement.
pub(crate) fn execute(out: &mut Vec<u8>, name: &str, params: &[Param<'_>]) {
    message(out, b'B', |out| {
        text(out, "");
        text(out, name);
        // One format for all parameters: binary.
        out.extend([0, 1, 0, 1]);
        out.extend(u16::try_from(params.len()).unwrap_or(u16::MAX).to_be_bytes());
        params.iter().for_each(|param| write_param(out, *param));
        out.extend([0, 1, 0, 1]);
    });
    message(out, b'E', |out| out.extend([0; 5]));
}

fn write_param(out: &mut Vec<u8>, param: Param<'_>) {
    match param {
        Param::Null => out.extend((-1i32).to_be_bytes()),
        Param::Bytes(value) => bytes(out, value),
        Param::Int(number) => bytes(out, &number.to_be_bytes()),
        Param::Array(values) => {
            let start = out.len();
            out.extend([0; 4]);
            let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
            // Dimensions, no nulls, type, length, first index.
            for number in [u32::from(count > 0), 0, BYTEA] {
                out.extend(number.to_be_bytes());
            }
            if count > 0 {
                out.extend(count.to_be_bytes());
                out.extend(1u32.to_be_bytes());
            }
            values.iter().for_each(|value| bytes(out, value));
            let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
            out[start..start + 4].copy_from_slice(&length.to_be_bytes());
        }
    }
}

/// Appends the end of a pipeline.
pub(crate) fn sync(out: &mut Vec<u8>) {
    message(out, b'S', |_| ());
}

/// Appends the end of a connection.
pub(crate) fn terminate(out: &mut Vec<u8>) {
    message(out, b'X', |_| ());
}

/// Maximum number of columns of an answer.
const COLUMNS: usize = 3;

/// A row of an answer.
#[derive(Clone, Debug)]
pub(crate) struct DataRow {
    body: Vec<u8>,
    columns: [(usize, usize); COLUMNS],
}

impl DataRow {
    pub(crate) fn read(body: Vec<u8>) -> io::Result<Self> {
        let mut columns = [(0, 0); COLUMNS];
        let mut reader = Reader(&body);
        let count = usize::from(u16::from_be_bytes(reader.take()?));
        let mut at = 2;
        for column in columns.iter_mut().take(count) {
            let length = i32::from_be_bytes(reader.take()?);
            at += 4;
            let length = usize::try_from(length).unwrap_or(0);
            reader.skip(length)?;
            *column = (at, at + length);
            at += length;
        }
        Ok(Self { body, columns })
    }

    /// Returns the bytes of a column; none if it is null.
    pub(crate) fn bytes(&self, column: usize) -> &[u8] {
        let (start, end) = self.columns[column];
        &self.body[start..end]
    }

    /// Returns the number in a column; 0 if it is none.
    pub(crate) fn int(&self, column: usize) -> i64 {
        self.bytes(column).try_into().map_or(0, i64::from_be_bytes)
    }

    /// Returns the text in a column.
    pub(crate) fn text(&self, column: usize) -> String {
        String::from_utf8_lossy(self.bytes(column)).into_owned()
    }
}

/// Reads the parts of a message.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    fn skip(&mut self, length: usize) -> io::Result<()> {
        self.0 = self.0.get(length..).ok_or_else(malformed)?;
        Ok(())
    }
}

/// Error for an answer that does not follow the protocol.
pub(crate) fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the database sent a malformed message")
}

/// Returns the severity, code and text of an error of the database.
pub(crate) fn error_fields(body: &[u8]) -> (String, String, String) {
    let (mut severity, mut code, mut text) = (String::new(), String::new(), String::new());
    for field in body.split(|byte| *byte == 0) {
        let Some((tag, value)) = field.split_first() else { continue };
        let value = String::from_utf8_lossy(value).into_owned();
        match tag {
            b'V' => severity = value,
            b'C' => code = value,
            b'M' => text = value,
            _ => {}
        }
    }
    (severity, code, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_lengths() {
        let mut out = Vec::new();
        execute(&mut out, "s", &[Param::Null, Param::Int(7), Param::Array(&[b"ab", b""])]);
        let length = u32::from_be_bytes(out[1..5].try_into().unwrap()) as usize;
        assert_eq!((out[0], out[length + 1]), (b'B', b'E'));
        assert_eq!(out.len(), length + 1 + 10);
    }

    #[test]
    fn truncated_rows_are_malformed() {
        let mut body = vec![0, 2];
        bytes(&mut body, b"key");
        body.extend((-1i32).to_be_bytes());
        let row = DataRow::read(body.clone()).unwrap();
        assert_eq!((row.bytes(0), row.bytes(1)), (b"key".as_slice(), b"".as_slice()));
        for length in 0..body.len() {
            assert!(DataRow::read(body[..length].to_vec()).is_err(), "{length}");
        }
    }

    #[test]
    fn error_is_read_from_its_fields() {
        let (severity, code, text) = error_fields(b"SFEHLER\0VERROR\0C40001\0Mtoo late\0\0");
        assert_eq!((severity.as_str(), code.as_str(), text.as_str()), ("ERROR", "40001", "too late"));
    }
}
