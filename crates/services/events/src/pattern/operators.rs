//! Parses the operators of a field.

use super::{
    PatternError,
    address::Network,
    choice::{Choice, TextTest, to_lower},
    number::{Bound, Number, Range},
    reasons,
    tokens::{Token, Tokens},
    wildcard::Wildcard,
};

type Result<T> = std::result::Result<T, PatternError>;

/// Parses an operator and its value, after the opening bracket.
pub(super) fn parse(tokens: &mut Tokens<'_>) -> Result<Choice> {
    let operator = name(tokens, reasons::NO_MATCH_TYPE)?;
    let choice = match &*operator {
        "exactly" => Choice::Text(TextTest::Equals(text(tokens, reasons::EXACT_TEXT)?)),
        "prefix" => Choice::Text(affix(tokens, &PREFIX)?),
        "suffix" => Choice::Text(affix(tokens, &SUFFIX)?),
        "equals-ignore-case" => {
            Choice::Text(TextTest::EqualsIgnoreCase(lower_text(tokens, reasons::IGNORE_CASE_TEXT)?))
        }
        "wildcard" => {
            let wildcard = text(tokens, reasons::WILDCARD_TEXT)?;
            Choice::Text(TextTest::Wildcard(parse_wildcard(tokens, &wildcard)?))
        }
        "cidr" => Choice::Network(Network::parse(&text(tokens, reasons::CIDR_TEXT)?)?),
        "exists" => match tokens.next()? {
            Token::True => Choice::Exists(true),
            Token::False => Choice::Exists(false),
            _ => return Err(tokens.error(reasons::EXISTS_BOOL)),
        },
        "numeric" => {
            let choice = numeric(tokens)?;
            return end(tokens, reasons::NUMERIC_TOO_MANY).map(|()| choice);
        }
        "anything-but" => {
            let choice = anything_but(tokens)?;
            return end(tokens, reasons::NUMERIC_TOO_MANY).map(|()| choice);
        }
        _ => return Err(tokens.error(&reasons::unrecognized(&operator))),
    };
    end(tokens, reasons::ONE_KEY)?;
    Ok(choice)
}

/// Refuses a wildcard text whose matching could take too long.
pub(super) fn check_complexity(choice: &Choice) -> Result<()> {
    match choice {
        Choice::Text(TextTest::Wildcard(wildcard)) => wildcard.check_complexity(),
        _ => Ok(()),
    }
}

fn name(tokens: &mut Tokens<'_>, missing: &str) -> Result<String> {
    match tokens.next()? {
        Token::Name(name) => Ok(name),
        _ => Err(tokens.error(missing)),
    }
}

fn end(tokens: &mut Tokens<'_>, more: &str) -> Result<()> {
    if tokens.next()? == Token::EndObject { Ok(()) } else { Err(tokens.error(more)) }
}

fn text(tokens: &mut Tokens<'_>, reason: &str) -> Result<Box<str>> {
    if tokens.next()? == Token::Text { Ok(tokens.text()?.into()) } else { Err(tokens.error(reason)) }
}

fn lower_text(tokens: &mut Tokens<'_>, reason: &str) -> Result<Box<str>> {
    text(tokens, reason).map(|text| to_lower(&text).into())
}

fn parse_wildcard(tokens: &Tokens<'_>, text: &str) -> Result<Wildcard> {
    Wildcard::parse(text).map_err(|reason| tokens.error(&reason))
}

/// Words and tests of `prefix` or `suffix`.
struct Affix {
    operator: &'static str,
    title: &'static str,
    not_text: &'static str,
    test: fn(Box<str>) -> TextTest,
    ignoring_case: fn(Box<str>) -> TextTest,
}

const PREFIX: Affix = Affix {
    operator: "prefix",
    title: "Prefix",
    not_text: reasons::PREFIX_TEXT,
    test: TextTest::Prefix,
    ignoring_case: TextTest::PrefixIgnoreCase,
};

const SUFFIX: Affix = Affix {
    operator: "suffix",
    title: "Suffix",
    not_text: reasons::SUFFIX_TEXT,
    test: TextTest::Suffix,
    ignoring_case: TextTest::SuffixIgnoreCase,
};

fn affix(tokens: &mut Tokens<'_>, affix: &Affix) -> Result<TextTest> {
    match tokens.next()? {
        Token::Text => Ok((affix.test)(tokens.text()?.into())),
        Token::BeginObject => {
            let operator = name(tokens, &reasons::no_affix_name(affix.title))?;
            if operator != "equals-ignore-case" {
                return Err(tokens.error(&reasons::unsupported(affix.operator, &operator)));
            }
            let text = lower_text(tokens, reasons::IGNORE_CASE_TEXT)?;
            end(tokens, reasons::ONE_KEY)?;
            Ok((affix.ignoring_case)(text))
        }
        _ => Err(tokens.error(affix.not_text)),
    }
}

/// Parses the comparisons of `numeric`: one, or a lower and an upper bound in this order.
fn numeric(tokens: &mut Tokens<'_>) -> Result<Choice> {
    if tokens.next()? != Token::BeginArray {
        return Err(tokens.error(reasons::NUMERIC_ARRAY));
    }
    let operator = match tokens.next()? {
        Token::Text => tokens.text()?,
        token => return Err(tokens.error(&reasons::numeric_member(token.characters()))),
    };
    let token = tokens.next()?;
    let (word, is_low) = match &*operator {
        "=" => ("equals", false),
        ">" | ">=" => (&*operator, true),
        "<" | "<=" => (&*operator, false),
        _ => return Err(tokens.error(&reasons::numeric_operator(&operator))),
    };
    let Token::Number(digits) = token else { return Err(tokens.error(&reasons::numeric_value(word))) };
    let next = tokens.next()?;
    let number = compared(tokens, digits);
    if is_low {
        let included = operator == ">=";
        if next == Token::EndArray {
            return Ok(Choice::Range(Range::new(Some(Bound::new(number?, included)), None)));
        }
        let high = upper_bound(tokens, &next)?;
        let low = Bound::new(number?, included);
        if low.number >= high.number {
            return Err(tokens.error(reasons::NUMERIC_ORDER));
        }
        return Ok(Choice::Range(Range::new(Some(low), Some(high))));
    }
    if next != Token::EndArray {
        return Err(tokens.error(reasons::NUMERIC_TOO_MANY));
    }
    let number = number?;
    Ok(match &*operator {
        "=" => Choice::Number(Number::from_f64(number)),
        operator => Choice::Range(Range::new(None, Some(Bound::new(number, operator == "<=")))),
    })
}

fn upper_bound(tokens: &mut Tokens<'_>, token: &Token<'_>) -> Result<Bound> {
    let operator = match token {
        Token::Text => tokens.text()?,
        token => return Err(tokens.error(&reasons::range_value(token.characters()))),
    };
    if !matches!(&*operator, "<" | "<=") {
        return Err(tokens.error(&reasons::range_operator(&operator)));
    }
    let Token::Number(digits) = tokens.next()? else {
        return Err(tokens.error(&reasons::numeric_value(&operator)));
    };
    if tokens.next()? != Token::EndArray {
        return Err(tokens.error(reasons::NUMERIC_TOO_MANY_TERMS));
    }
    Ok(Bound::new(compared(tokens, digits)?, operator == "<="))
}

/// Returns a number that operators can compare.
fn compared(tokens: &Tokens<'_>, digits: &str) -> Result<f64> {
    Number::parse(digits).compared().ok_or_else(|| tokens.error(reasons::NUMERIC_LIMIT))
}

/// Nested operators of `anything-but`.
#[derive(Clone, Copy, PartialEq)]
enum Nested {
    None,
    Prefix,
    Suffix,
    IgnoreCase,
    Wildcard,
}

fn anything_but(tokens: &mut Tokens<'_>) -> Result<Choice> {
    let mut token = tokens.next()?;
    let mut nested = Nested::None;
    if token == Token::BeginObject {
        let operator = name(tokens, reasons::ANYTHING_BUT_NAME)?;
        nested = match &*operator {
            "prefix" => Nested::Prefix,
            "suffix" => Nested::Suffix,
            "equals-ignore-case" => Nested::IgnoreCase,
            "wildcard" => Nested::Wildcard,
            _ => return Err(tokens.error(&reasons::unsupported("anything-but", &operator))),
        };
        token = tokens.next()?;
    }
    let choice = match token {
        Token::BeginArray => excluded_list(tokens, nested)?,
        Token::Text | Token::Number(_) => excluded_value(tokens, nested, token)?,
        _ => return Err(tokens.error(reasons::ANYTHING_BUT_VALUE)),
    };
    if nested != Nested::None {
        end(tokens, reasons::NUMERIC_TOO_MANY)?;
    }
    Ok(choice)
}

fn excluded_value(tokens: &mut Tokens<'_>, nested: Nested, token: Token<'_>) -> Result<Choice> {
    if let (Token::Number(digits), Nested::None) = (&token, nested) {
        let number = compared(tokens, digits)?;
        return Ok(Choice::AnythingButNumbers([Number::from_f64(number)].into()));
    }
    let text = excluded_text(tokens, nested, &token).map_err(|reason| tokens.error(reason))?;
    let text = text?;
    Ok(Choice::AnythingBut([excluded_test(tokens, nested, text)?].into()))
}

fn excluded_list(tokens: &mut Tokens<'_>, nested: Nested) -> Result<Choice> {
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    loop {
        match (tokens.next()?, nested) {
            (Token::EndArray, _) => break,
            (Token::Number(digits), Nested::None) => {
                numbers.push(Number::from_f64(compared(tokens, digits)?));
            }
            // The provider adds the position of an item twice.
            (token, nested) => match excluded_text(tokens, nested, &token) {
                Ok(text) => texts.push(text?),
                Err(reason) => return Err(tokens.error(tokens.error(reason).reason())),
            },
        }
    }
    match (nested, texts.is_empty(), numbers.is_empty()) {
        (Nested::None, true, true) | (_, false, false) => Err(tokens.error(reasons::ANYTHING_BUT_MIXED)),
        (_, true, true) => Err(tokens.error(reasons::EMPTY_ARRAY)),
        (_, true, false) => Ok(Choice::AnythingButNumbers(numbers.into())),
        (_, false, true) => {
            let tests: Result<Vec<_>> =
                texts.into_iter().map(|text| excluded_test(tokens, nested, text)).collect();
            Ok(Choice::AnythingBut(tests?.into()))
        }
    }
}

/// Reads a text that is excluded. The outer error is a reason without a position.
fn excluded_text(
    tokens: &mut Tokens<'_>,
    nested: Nested,
    token: &Token<'_>,
) -> std::result::Result<Result<String>, &'static str> {
    if *token != Token::Text {
        return Err(match nested {
            Nested::None => reasons::ANYTHING_BUT_ITEM,
            Nested::IgnoreCase => reasons::ANYTHING_BUT_IGNORE_CASE,
            Nested::Wildcard => reasons::WILDCARD_TEXT,
            Nested::Prefix | Nested::Suffix => reasons::ANYTHING_BUT_AFFIX,
        });
    }
    match tokens.text() {
        Ok(text) if text.is_empty() && matches!(nested, Nested::Prefix | Nested::Suffix) => {
            Err(reasons::ANYTHING_BUT_EMPTY_AFFIX)
        }
        text => Ok(text),
    }
}

fn excluded_test(tokens: &Tokens<'_>, nested: Nested, text: String) -> Result<TextTest> {
    Ok(match nested {
        Nested::None => TextTest::Equals(text.into()),
        Nested::Prefix => TextTest::Prefix(text.into()),
        Nested::Suffix => TextTest::Suffix(text.into()),
        Nested::IgnoreCase => TextTest::EqualsIgnoreCase(to_lower(&text).into()),
        Nested::Wildcard => TextTest::Wildcard(parse_wildcard(tokens, &text)?),
    })
}
