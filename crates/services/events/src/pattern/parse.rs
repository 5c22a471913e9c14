//! Parses patterns.

use super::{
    Alternative, Leaf, PatternError,
    choice::Choice,
    number::Number,
    operators, reasons,
    tokens::{Token, Tokens},
};
use std::{collections::BTreeMap, sync::Arc};

/// Maximum number of alternatives that the combinations of `$or` give.
const MAX_ALTERNATIVES: usize = 1000;

/// Names that are refused for fields inside `$or`.
const RESERVED: [&str; 24] = [
    "exactly",
    "equals-ignore-case",
    "prefix",
    "suffix",
    "anything-but",
    "exists",
    "wildcard",
    "numeric",
    "cidr",
    "=",
    "<",
    "<=",
    ">",
    ">=",
    "regex",
    "not-wildcard",
    "not-equals-ignore-case",
    "date-after",
    "date-on-or-after",
    "date-before",
    "date-on-or-before",
    "in-date-range",
    "ip-address-in-range",
    "ip-address-not-in-range",
];

type Fields = BTreeMap<Arc<str>, Arc<[Choice]>>;

/// Parses a pattern into its alternatives.
pub(super) fn parse(text: &str) -> Result<Vec<Alternative>, PatternError> {
    let mut parser = Parser {
        tokens: Tokens::new(text),
        path: String::new(),
        alternatives: Vec::new(),
        choices: Vec::new(),
    };
    if parser.tokens.next()? != Token::BeginObject {
        return Err(parser.tokens.error(reasons::NOT_AN_OBJECT));
    }
    parser.object(false)?;
    if parser.tokens.next()? != Token::End {
        return Err(parser.tokens.error(reasons::CONTENT_AFTER_END));
    }
    for choice in parser.choices.iter().flat_map(|choices| &**choices) {
        operators::check_complexity(choice)?;
    }
    let leaves = |fields: Fields| fields.into_iter().map(|(path, choices)| Leaf { path, choices }).collect();
    Ok(parser.alternatives.into_iter().map(|fields| Alternative { leaves: leaves(fields) }).collect())
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    /// Names of the fields around the present one, with dots between them.
    path: String,
    /// Fields of each combination of the objects of `$or`. A field that is named twice has the choices named last.
    alternatives: Vec<Fields>,
    /// Choices of all fields.
    choices: Vec<Arc<[Choice]>>,
}

impl Parser<'_> {
    /// Parses the fields of an object, after its opening bracket.
    fn object(&mut self, inside_or: bool) -> Result<(), PatternError> {
        let mut is_empty = true;
        while let Token::Name(name) = self.tokens.next()? {
            is_empty = false;
            if name == "$or" {
                self.or()?;
                continue;
            }
            if inside_or && RESERVED.contains(&&*name) {
                return Err(self.tokens.error(&reasons::reserved(&name)));
            }
            let outer = self.path.len();
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            match self.tokens.next()? {
                Token::BeginObject => self.object(inside_or)?,
                Token::BeginArray => self.leaf()?,
                _ => return Err(self.tokens.error(&reasons::neither_object_nor_array(&name))),
            }
            self.path.truncate(outer);
        }
        if is_empty { Err(self.tokens.error(reasons::EMPTY_OBJECT)) } else { Ok(()) }
    }

    /// Parses the array of `$or`. Each object in it is combined with all alternatives before it.
    fn or(&mut self) -> Result<(), PatternError> {
        if self.tokens.next()? != Token::BeginArray {
            return Err(self.tokens.error(reasons::OR_ARRAY));
        }
        let mut before = std::mem::take(&mut self.alternatives);
        if before.is_empty() {
            before.push(Fields::new());
        }
        let mut combined = Vec::new();
        let mut objects = 0;
        loop {
            match self.tokens.next()? {
                Token::EndArray => break,
                Token::BeginObject => {}
                _ => return Err(self.tokens.error(reasons::OR_OBJECTS)),
            }
            objects += 1;
            self.alternatives.clone_from(&before);
            self.object(true)?;
            combined.append(&mut self.alternatives);
            if combined.len() > MAX_ALTERNATIVES {
                return Err(PatternError::new(reasons::too_many_combinations(MAX_ALTERNATIVES)));
            }
        }
        if objects < 2 {
            return Err(self.tokens.error(reasons::OR_TOO_FEW));
        }
        self.alternatives = combined;
        Ok(())
    }

    /// Parses the choices of a field, after the opening bracket.
    fn leaf(&mut self) -> Result<(), PatternError> {
        let mut choices = Vec::new();
        loop {
            let choice = match self.tokens.next()? {
                Token::EndArray => break,
                Token::BeginObject => operators::parse(&mut self.tokens)?,
                Token::Text => Choice::text(self.tokens.text()?),
                Token::Number(digits) => Choice::Number(Number::parse(digits)),
                Token::True => Choice::Bool(true),
                Token::False => Choice::Bool(false),
                Token::Null => Choice::Null,
                _ => return Err(self.tokens.error(reasons::MATCH_VALUE)),
            };
            choices.push(choice);
        }
        if choices.is_empty() {
            return Err(self.tokens.error(reasons::EMPTY_ARRAY));
        }
        if self.alternatives.is_empty() {
            self.alternatives.push(Fields::new());
        }
        let (path, choices): (Arc<str>, Arc<[Choice]>) = (self.path.as_str().into(), choices.into());
        for fields in &mut self.alternatives {
            fields.insert(path.clone(), choices.clone());
        }
        self.choices.push(choices);
        Ok(())
    }
}
