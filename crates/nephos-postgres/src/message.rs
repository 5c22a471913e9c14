//! The parts of messages that the store needs: parameters of statements, and rows of answers. `postgres-protocol` reads and writes
//! the messages themselves.

use bytes::{Bytes, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::{
    IsNull,
    message::{
        backend::{DataRowBody, ErrorFields},
        frontend,
    },
    types::{ArrayDimension, array_to_sql, bytea_to_sql, int8_to_sql},
};
use std::{error::Error, io, ops::Range};

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

/// Number of the binary format.
const BINARY: i16 = 1;

/// Appends the execution of a prepared statement.
pub(crate) fn execute(out: &mut BytesMut, name: &str, params: &[Param<'_>]) -> io::Result<()> {
    let bound = frontend::bind("", name, [BINARY], params, write_param, [BINARY], out);
    bound.map_err(|error| match error {
        frontend::BindError::Conversion(cause) => io::Error::other(cause),
        frontend::BindError::Serialization(cause) => cause,
    })?;
    frontend::execute("", 0, out)
}

fn write_param(param: &Param<'_>, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
    match param {
        Param::Null => return Ok(IsNull::Yes),
        Param::Bytes(value) => bytea_to_sql(value, out),
        Param::Int(number) => int8_to_sql(*number, out),
        Param::Array(values) => {
            let dimension = ArrayDimension { len: values.len().try_into()?, lower_bound: 1 };
            array_to_sql(
                [dimension],
                BYTEA,
                *values,
                |value, out| write_param(&Param::Bytes(value), out),
                out,
            )?;
        }
    }
    Ok(IsNull::No)
}

/// Maximum number of columns of an answer.
const COLUMNS: usize = 3;

/// A row of an answer.
#[derive(Debug)]
pub(crate) struct DataRow {
    body: Bytes,
    columns: [Range<usize>; COLUMNS],
}

impl DataRow {
    pub(crate) fn read(body: &DataRowBody) -> io::Result<Self> {
        let mut columns = [const { 0..0 }; COLUMNS];
        let mut ranges = body.ranges();
        for column in &mut columns {
            let Some(range) = ranges.next()? else { break };
            *column = range.unwrap_or_default();
        }
        Ok(Self { body: body.buffer_bytes().clone(), columns })
    }

    /// Returns the bytes of a column; none if it is null.
    pub(crate) fn bytes(&self, column: usize) -> &[u8] {
        &self.body[self.columns[column].clone()]
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

/// Error for an answer that does not follow the protocol.
pub(crate) fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the database sent a malformed message")
}

/// Returns the severity, code and text of an error or notice of the database.
pub(crate) fn error_fields(mut fields: ErrorFields<'_>) -> io::Result<(String, String, String)> {
    let mut severity = String::new();
    let mut code = String::new();
    let mut text = String::new();
    while let Some(field) = fields.next()? {
        let value = String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            // Not translated, unlike `S`.
            b'V' => severity = value,
            b'C' => code = value,
            b'M' => text = value,
            _ => {}
        }
    }
    Ok((severity, code, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postgres_protocol::message::backend::Message;

    fn receive(tag: u8, body: &[u8]) -> Message {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        let mut input = BytesMut::from([&[tag], length.as_slice(), body].concat().as_slice());
        Message::parse(&mut input).unwrap().expect("a whole message")
    }

    #[test]
    fn rows_have_columns_and_truncated_ones_are_malformed() {
        let body = [b"\0\x02\0\0\0\x03key".as_slice(), &(-1i32).to_be_bytes()].concat();
        let read = |body: &[u8]| match receive(b'D', body) {
            Message::DataRow(row) => DataRow::read(&row),
            _ => panic!("another message"),
        };
        let row = read(&body).unwrap();
        assert_eq!(
            (row.bytes(0), row.bytes(1), row.bytes(2)),
            (b"key".as_slice(), b"".as_slice(), b"".as_slice())
        );
        for length in 2..body.len() {
            assert!(read(&body[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn error_is_read_from_its_fields() {
        let Message::ErrorResponse(body) = receive(b'E', b"SFEHLER\0VERROR\0C40001\0Mtoo late\0\0") else {
            panic!("another message");
        };
        let (severity, code, text) = error_fields(body.fields()).unwrap();
        assert_eq!((severity.as_str(), code.as_str(), text.as_str()), ("ERROR", "40001", "too late"));
    }
}
