//! Conditions of statements: an operator, a context key, and values.

use super::{pattern::Pattern, request::Context};
use nephos_core::{Text, time};
use std::net::IpAddr;

/// A condition on one context key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    /// Operator as it is written, for messages.
    pub(super) written: String,
    /// Context key as it is written, for messages.
    pub(super) key: String,
    /// Context key in lower case, as contexts have it.
    lower_key: String,
    test: Test,
    /// True if the values must not match.
    is_negated: bool,
    if_exists: bool,
    set: Set,
    values: Vec<Wanted>,
}

/// Treatment of keys with several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// One of the values of the request must match.
    Any,
    /// All values of the request must match; none is enough.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Text { ignore_case: bool },
    Arn,
    Number(Order),
    Date(Order),
    Bool,
    Address,
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    fn holds<T: PartialOrd>(self, found: &T, wanted: &T) -> bool {
        match self {
            Self::Equal => found == wanted,
            Self::Less => found < wanted,
            Self::LessOrEqual => found <= wanted,
            Self::Greater => found > wanted,
            Self::GreaterOrEqual => found >= wanted,
        }
    }
}

/// A value of a condition.
#[derive(Clone, Debug, PartialEq)]
struct Wanted {
    text: String,
    pattern: Pattern,
}

/// Reads an operator without its set prefix and `IfExists`: the test, whether it is negated, and whether texts have
/// wildcards. `None` if there is no such operator.
fn read_operator(base: &str) -> Option<(Test, bool, bool)> {
    use Order::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    let order = |name: &str| {
        Some(match name {
            "Equals" => (Equal, false),
            "NotEquals" => (Equal, true),
            "LessThan" => (Less, false),
            "LessThanEquals" => (LessOrEqual, false),
            "GreaterThan" => (Greater, false),
            "GreaterThanEquals" => (GreaterOrEqual, false),
            _ => return None,
        })
    };
    let text = Test::Text { ignore_case: false };
    let ignoring = Test::Text { ignore_case: true };
    Some(match base {
        "StringEquals" | "BinaryEquals" => (text, false, false),
        "StringNotEquals" => (text, true, false),
        "StringEqualsIgnoreCase" => (ignoring, false, false),
        "StringNotEqualsIgnoreCase" => (ignoring, true, false),
        "StringLike" => (text, false, true),
        "StringNotLike" => (text, true, true),
        "ArnEquals" | "ArnLike" => (Test::Arn, false, true),
        "ArnNotEquals" | "ArnNotLike" => (Test::Arn, true, true),
        "Bool" => (Test::Bool, false, false),
        "IpAddress" => (Test::Address, false, false),
        "NotIpAddress" => (Test::Address, true, false),
        "Null" => (Test::Null, false, false),
        _ => {
            let number = base.strip_prefix("Numeric").and_then(order);
            let date = || base.strip_prefix("Date").and_then(order);
            match number {
                Some((order, is_negated)) => (Test::Number(order), is_negated, false),
                None => date().map(|(order, is_negated)| (Test::Date(order), is_negated, false))?,
            }
        }
    })
}

/// Strips the set prefix and the `IfExists` suffix of an operator.
pub(super) fn base_operator(written: &str) -> &str {
    let written = written.strip_suffix("IfExists").unwrap_or(written);
    ["ForAllValues:", "ForAnyValue:"].iter().find_map(|set| written.strip_prefix(set)).unwrap_or(written)
}

impl Condition {
    /// Reads a condition; `None` if there is no such operator.
    pub(super) fn read(written: &str, key: &str, values: &[&str], has_variables: bool) -> Option<Self> {
        let (test, is_negated, has_wildcards) = read_operator(base_operator(written))?;
        let parse = if has_wildcards { Pattern::parse } else { Pattern::parse_exact };
        let wanted = |text: &&str| Wanted { text: (*text).to_owned(), pattern: parse(text, has_variables) };
        Some(Self {
            written: written.to_owned(),
            key: key.to_owned(),
            lower_key: key.to_ascii_lowercase(),
            test,
            is_negated,
            if_exists: written.ends_with("IfExists"),
            set: if written.starts_with("ForAllValues:") { Set::All } else { Set::Any },
            values: values.iter().map(wanted).collect(),
        })
    }

    /// True if all variables in its values have a value in `context`, or a default.
    pub(super) fn has_values(&self, context: &Context) -> bool {
        self.values.iter().all(|wanted| wanted.pattern.has_values(context))
    }

    /// True if the condition holds for a request.
    pub(super) fn holds(&self, context: &Context) -> bool {
        let found = context.get(&self.lower_key);
        if self.test == Test::Null {
            let is_absent = if found.is_empty() { "true" } else { "false" };
            return self.values.iter().any(|wanted| wanted.text.eq_ignore_ascii_case(is_absent));
        }
        if found.is_empty() {
            let is_set = self.written.starts_with("ForAnyValue:");
            return self.if_exists || self.set == Set::All || (self.is_negated && !is_set);
        }
        let matches = |value: &Text| {
            self.values.iter().any(|wanted| self.matches(value, wanted, context)) != self.is_negated
        };
        match self.set {
            Set::Any => found.iter().any(matches),
            Set::All => found.iter().all(matches),
        }
    }

    fn matches(&self, found: &str, wanted: &Wanted, context: &Context) -> bool {
        let numbers = || Some((found.parse::<f64>().ok()?, wanted.text.parse::<f64>().ok()?));
        match self.test {
            Test::Text { ignore_case } => wanted.pattern.matches(found, ignore_case, context),
            Test::Arn => wanted.pattern.matches_arn(found, context),
            Test::Number(order) => numbers().is_some_and(|(found, wanted)| order.holds(&found, &wanted)),
            Test::Date(order) => time::parse(found)
                .zip(time::parse(&wanted.text))
                .is_some_and(|(found, wanted)| order.holds(&found, &wanted)),
            Test::Bool => found.eq_ignore_ascii_case(&wanted.text),
            Test::Address => is_in_network(found, &wanted.text).unwrap_or(false),
            Test::Null => false,
        }
    }
}

/// True if an address is in a network in CIDR notation; `None` if one of them is neither IPv4 nor IPv6.
fn is_in_network(address: &str, network: &str) -> Option<bool> {
    let (base, length) =
        network.split_once('/').map_or((network, None), |(base, length)| (base, Some(length)));
    let (address, base) = (address.parse::<IpAddr>().ok()?, base.parse::<IpAddr>().ok()?);
    let (found, base, width) = match (address, base) {
        (IpAddr::V4(found), IpAddr::V4(base)) => {
            (u128::from(found.to_bits()), u128::from(base.to_bits()), 32)
        }
        (IpAddr::V6(found), IpAddr::V6(base)) => (found.to_bits(), base.to_bits(), 128),
        _ => return Some(false),
    };
    let length =
        length.map_or(Some(width), |length| length.parse().ok().filter(|length| *length <= width))?;
    let shift = width - length;
    // Shifting out all 128 bits is not possible in one step.
    Some(shift == 128 || found >> shift == base >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests a condition on the key `k:v` of a request with these values.
    fn holds(operator: &str, wanted: &[&str], found: &[&str]) -> bool {
        let context = found.iter().fold(Context::default(), |context, value| context.with("K:V", *value));
        Condition::read(operator, "k:v", wanted, true).expect(operator).holds(&context)
    }

    #[test]
    fn operators_compare_texts_numbers_dates_addresses_and_arns() {
        for (operator, wanted, found, expected) in [
            ("StringEquals", "web", "web", true),
            ("StringEquals", "we*", "web", false),
            ("StringNotEquals", "web", "api", true),
            ("StringEqualsIgnoreCase", "WEB", "web", true),
            ("StringNotEqualsIgnoreCase", "WEB", "web", false),
            ("StringLike", "w?b*", "web", true),
            ("StringNotLike", "w*", "web", false),
            ("NumericEquals", "10", "10.0", true),
            ("NumericLessThan", "10", "9", true),
            ("NumericLessThanEquals", "10", "10", true),
            ("NumericGreaterThan", "10", "9", false),
            ("NumericGreaterThanEquals", "10", "x", false),
            ("NumericNotEquals", "10", "9", true),
            ("DateGreaterThan", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", true),
            ("DateLessThan", "1767225600", "2025-12-31", true),
            ("DateEquals", "2026-01-01", "2026-01-01T00:00:00Z", true),
            ("Bool", "true", "True", true),
            ("Bool", "true", "false", false),
            ("BinaryEquals", "QUJD", "QUJD", true),
            ("IpAddress", "10.0.0.0/8", "10.1.2.3", true),
            ("IpAddress", "10.0.0.0/8", "11.1.2.3", false),
            ("IpAddress", "10.1.2.3", "10.1.2.3", true),
            ("IpAddress", "2001:db8::/32", "2001:db8:1::1", true),
            ("IpAddress", "::/0", "10.1.2.3", false),
            ("IpAddress", "::/0", "::1", true),
            ("IpAddress", "10.0.0.0/33", "10.0.0.0", false),
            ("NotIpAddress", "10.0.0.0/8", "11.1.2.3", true),
            ("ArnLike", "arn:aws:iam::*:role/w*", "arn:aws:iam::123456789012:role/web", true),
            ("ArnEquals", "arn:aws:iam::*:role/web", "arn:aws:iam::123456789012:role/web", true),
            ("ArnNotLike", "arn:aws:iam::*:role/w*", "arn:aws:iam::123456789012:role/web", false),
        ] {
            assert_eq!(holds(operator, &[wanted], &[found]), expected, "{operator} {wanted} {found}");
        }
        assert!(holds("StringEquals", &["api", "web"], &["web"]));
        assert!(!holds("StringNotEquals", &["api", "web"], &["web"]));
        assert!(Condition::read("StringIs", "k:v", &[], true).is_none());
    }

    #[test]
    fn missing_keys_match_negated_operators_if_exists_and_null() {
        for (operator, expected) in [
            ("StringEquals", false),
            ("StringNotEquals", true),
            ("StringEqualsIfExists", true),
            ("Bool", false),
            ("NotIpAddress", true),
            ("ForAllValues:StringEquals", true),
            ("ForAnyValue:StringEquals", false),
            ("ForAnyValue:StringNotEquals", false),
            ("ForAnyValue:StringEqualsIfExists", true),
        ] {
            assert_eq!(holds(operator, &["web"], &[]), expected, "{operator}");
        }
        assert!(holds("Null", &["true"], &[]) && !holds("Null", &["true"], &["web"]));
        assert!(holds("Null", &["false"], &["web"]) && !holds("Null", &["false"], &[]));
    }

    #[test]
    fn sets_match_with_all_or_any_of_their_values() {
        for (operator, found, expected) in [
            ("ForAllValues:StringEquals", &["a", "b"][..], true),
            ("ForAllValues:StringEquals", &["a", "x"], false),
            ("ForAnyValue:StringEquals", &["a", "x"], true),
            ("ForAnyValue:StringEquals", &["x", "y"], false),
            ("ForAllValues:StringNotEquals", &["x", "y"], true),
            ("ForAllValues:StringNotEquals", &["a", "y"], false),
            ("ForAnyValue:StringNotEquals", &["a", "y"], true),
            ("ForAnyValue:StringNotEquals", &["a", "b"], false),
        ] {
            assert_eq!(holds(operator, &["a", "b"], found), expected, "{operator} {found:?}");
        }
    }
}
