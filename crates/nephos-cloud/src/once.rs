//! Idempotency tokens: a call that is repeated with the same token is not carried out again.

use crate::{Key, Tx, corrupt};
use nephos_core::{
    Error, Record, Ref, Result, Text,
    json::{self, Writing},
    record,
    shape::FieldShape,
};
use sha2::{Digest as _, Sha256};

/// Table of tokens, by operation and place.
const TOKENS: &str = "token";

/// Name of the parameter that only asks whether a call would be carried out. It is not compared.
const DRY_RUN: &str = "DryRun";

type Digest = [u8; 32];

/// A call with or without an idempotency token.
#[derive(Debug, Default)]
pub struct Once {
    /// Key of the row of the token; none if the call has no token.
    key: Option<Key>,
    /// Name of the parameter with the token.
    parameter: &'static str,
    /// Digest of the other parameters.
    digest: Digest,
    /// Digest and answer of the earlier call with the same token.
    earlier: Option<(Digest, Text)>,
}

impl Once {
    /// Returns what [`keep`](Self::keep) stored about an earlier call with the same token; refused with `mismatch` if its
    /// parameters were others.
    pub fn earlier(&self, mismatch: fn() -> Error) -> Result<Option<&str>> {
        match &self.earlier {
            Some((digest, _)) if *digest != self.digest => Err(mismatch().with_field(self.parameter)),
            earlier => Ok(earlier.as_ref().map(|(_, answer)| answer.as_str())),
        }
    }

    /// Stores what a repeated call needs for the same answer, such as an ID. Without a token, nothing is stored.
    pub fn keep(&self, cx: &mut Tx<'_>, answer: &str) -> Result<()> {
        let row = [&self.digest[..], answer.as_bytes()].concat();
        self.key.as_ref().map_or(Ok(()), |key| cx.put_row(key, &row))
    }
}

impl Tx<'_> {
    /// Looks up the idempotency token of a call, which is in the field that is marked as a token, among those of `place`: the
    /// names of the resource that it belongs to, if any.
    pub fn once<O: Record>(&self, operation: &O, place: &[&str]) -> Result<Once> {
        let mut parameters = operation.clone();
        let (mut token, mut parameter) = (None, "");
        for (index, field) in O::SHAPE.fields.iter().enumerate() {
            if field.details.token {
                parameter = field.name;
                token = given_text(operation, field);
            }
            if field.details.token || field.name == DRY_RUN {
                record::clear(&mut parameters, index)?;
            }
        }
        let Some(token) = token else { return Ok(Once::default()) };
        let text = json::write(Ref::Record(&parameters), Writing::EXPOSED);
        let digest = Sha256::digest(text.as_bytes()).into();
        let key = self.tokens_of::<O>(place).text(&token);
        let earlier = self.read_token(&key)?;
        Ok(Once { key: Some(key), parameter, digest, earlier })
    }

    /// Returns what a call of an operation stored; the last part of `token` is the token, and those before it are its place.
    pub fn kept_answer<O: Record>(&self, token: &[&str]) -> Result<Option<Text>> {
        let found = self.read_token(&self.tokens_of::<O>(token))?;
        Ok(found.map(|(_, answer)| answer))
    }

    fn read_token(&self, key: &Key) -> Result<Option<(Digest, Text)>> {
        let Some(row) = self.row(key)? else { return Ok(None) };
        let parts = row.split_first_chunk();
        let (digest, answer) = parts.ok_or_else(|| corrupt("the row of a token is too short"))?;
        Ok(Some((*digest, String::from_utf8_lossy(answer).as_ref().into())))
    }

    /// Forgets the tokens of an operation in places that begin with `place`.
    pub fn forget_tokens<O: Record>(&mut self, place: &[&str]) -> Result<()> {
        let range = self.tokens_of::<O>(place).prefix_range();
        self.remove_all(&range).map(drop)
    }

    fn tokens_of<O: Record>(&self, place: &[&str]) -> Key {
        let tokens = self.scope.key(TOKENS).text(O::SHAPE.name);
        place.iter().fold(tokens, |key, part| key.text(part))
    }
}

/// Returns the text in a field of an operation, if it is given.
fn given_text<O: Record>(operation: &O, field: &FieldShape) -> Option<Text> {
    let value = record::get(operation, field.name).ok()?;
    value.as_text().map(Text::from)
}
