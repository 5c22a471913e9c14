//! Validation of conditions.

use super::{Condition, HostHeaderConfig, PathPatternConfig, QueryStringKeyValuePair};
use crate::{
    cidr::Cidr,
    limits,
    validation::{check_regex, invalid, is_set, refuse_fields},
};
use nephos_core::{Result, Text, field_value::FieldType};

type TextList = Option<Vec<Text>>;

/// Configs of conditions, each with the type of condition that it belongs to.
const CONFIGS: [(&str, &str); 6] = [
    ("HostHeaderConfig", "host-header"),
    ("PathPatternConfig", "path-pattern"),
    ("HttpHeaderConfig", "http-header"),
    ("QueryStringConfig", "query-string"),
    ("HttpRequestMethodConfig", "http-request-method"),
    ("SourceIpConfig", "source-ip"),
];

/// Types of conditions that a rule can have only once.
const UNIQUE_FIELDS: [&str; 4] = ["http-request-method", "host-header", "path-pattern", "source-ip"];

/// Fills in defaults and validates the conditions.
pub(crate) fn normalize_conditions(conditions: &[Condition]) -> Result<Vec<Condition>> {
    const FIELD: &str = "Conditions";
    if conditions.is_empty() {
        return Err(invalid(FIELD, "at least one condition is required"));
    }
    let mut normalized: Vec<Condition> = Vec::with_capacity(conditions.len());
    for (n, condition) in conditions.iter().enumerate() {
        let path = format!("{FIELD}[{n}]");
        let condition = condition.clone().normalized().map_err(|error| error.in_field(&path))?;
        let field = condition.field.as_deref().unwrap_or_default();
        let repeated = normalized.iter().any(|other| other.field == condition.field);
        if UNIQUE_FIELDS.contains(&field) && repeated {
            return Err(invalid(&path, format!("a rule can have at most one {field} condition")));
        }
        normalized.push(condition);
    }
    let values: Vec<Text> = normalized.iter().flat_map(Condition::all_values).collect();
    if values.len() > limits::MAX_CONDITION_VALUES {
        let message = format!(
            "a rule can have at most {} condition values, got {}",
            limits::MAX_CONDITION_VALUES,
            values.len()
        );
        return Err(invalid(FIELD, message));
    }
    let wildcards: usize = normalized.iter().map(Condition::wildcard_count).sum();
    if wildcards > limits::MAX_CONDITION_WILDCARDS {
        let message =
            format!("a rule can have at most {} wildcards, got {wildcards}", limits::MAX_CONDITION_WILDCARDS);
        return Err(invalid(FIELD, message));
    }
    Ok(normalized)
}

impl Condition {
    fn normalized(mut self) -> Result<Self> {
        self.infer_field()?;
        let field = self.field.clone().unwrap_or_default();
        self.check_configs(&field)?;
        match field.as_str() {
            "host-header" => {
                let config = self.host_header_config.get_or_insert_with(HostHeaderConfig::blank);
                let lists = [&mut config.values, &mut config.regex_values];
                merge_lists(lists, [&mut self.values, &mut self.regex_values], &field)?;
            }
            "path-pattern" => {
                let config = self.path_pattern_config.get_or_insert_with(PathPatternConfig::blank);
                let lists = [&mut config.values, &mut config.regex_values];
                merge_lists(lists, [&mut self.values, &mut self.regex_values], &field)?;
            }
            "http-header" => {
                let regex_values = self.regex_values.take();
                let Some(config) = &mut self.http_header_config else {
                    return Err(invalid(
                        "HttpHeaderConfig",
                        "is required for a condition of type http-header",
                    ));
                };
                let Some(name) = config.http_header_name.as_deref() else {
                    return Err(invalid("HttpHeaderConfig.HttpHeaderName", "is required"));
                };
                if name.eq_ignore_ascii_case("host") {
                    let message = "must not be Host: use a condition of type host-header";
                    return Err(invalid("HttpHeaderConfig.HttpHeaderName", message));
                }
                config.regex_values = merge(config.regex_values.take(), regex_values, "RegexValues", &field)?;
            }
            "source-ip" => {
                for value in self.all_values() {
                    if Cidr::parse(&value).is_none() {
                        let message = format!("{value:?} is not a CIDR block, for example 10.0.0.0/8");
                        return Err(invalid("SourceIpConfig.Values", message));
                    }
                }
            }
            _ => {}
        }
        self.value_lists().try_for_each(|(values, expressions)| check_values(values, expressions))?;
        if self.all_values().is_empty() {
            return Err(invalid("Values", format!("a {field} condition must have at least one value")));
        }
        Ok(self)
    }

    /// Infers the type of the condition from its config.
    fn infer_field(&mut self) -> Result<()> {
        if self.field.is_some() {
            return Ok(());
        }
        let given: Vec<_> = CONFIGS.iter().filter(|(config, _)| is_set(self, config)).collect();
        let [(_, field)] = given.as_slice() else {
            return Err(invalid("Field", "is required"));
        };
        self.field = Some((*field).into());
        Ok(())
    }

    /// Refuses configs and values of other types of conditions.
    fn check_configs(&self, field: &str) -> Result<()> {
        let others = CONFIGS.iter().filter(|(_, own)| *own != field).map(|(config, _)| *config);
        let refusal = |config| invalid(config, format!("is not allowed for a {field} condition"));
        refuse_fields(self, &others.collect::<Vec<_>>(), refusal)?;
        let text = ["host-header", "path-pattern"];
        if self.values.is_some() && !text.contains(&field) {
            let message =
                format!("is only allowed for host-header and path-pattern conditions, not for {field}");
            return Err(invalid("Values", message));
        }
        if self.regex_values.is_some() && !text.contains(&field) && field != "http-header" {
            let message = format!(
                "is only allowed for host-header, path-pattern and http-header conditions, not for {field}"
            );
            return Err(invalid("RegexValues", message));
        }
        Ok(())
    }

    /// Returns values and regular expressions of the configs that have both.
    fn value_lists(&self) -> impl Iterator<Item = (&TextList, &TextList)> {
        let host = self.host_header_config.iter().map(|config| (&config.values, &config.regex_values));
        let path = self.path_pattern_config.iter().map(|config| (&config.values, &config.regex_values));
        let header = self.http_header_config.iter().map(|config| (&config.values, &config.regex_values));
        host.chain(path).chain(header)
    }

    fn query_pairs(&self) -> impl Iterator<Item = &QueryStringKeyValuePair> {
        self.query_string_config.iter().flat_map(|config| config.values.iter().flatten())
    }

    /// Returns all values, regular expressions and pairs that requests are compared with.
    pub(crate) fn all_values(&self) -> Vec<Text> {
        let texts = self.value_lists().flat_map(|(values, expressions)| values.iter().chain(expressions));
        let methods = self.http_request_method_config.iter().flat_map(|config| &config.values);
        let addresses = self.source_ip_config.iter().flat_map(|config| &config.values);
        let pairs = self.query_pairs().map(|pair| match (&pair.key, &pair.value) {
            (Some(key), Some(value)) => format!("{key}={value}").into(),
            (_, value) => value.clone().unwrap_or_default(),
        });
        texts.chain(methods).chain(addresses).flatten().cloned().chain(pairs).collect()
    }

    /// Returns the number of wildcards in the values.
    fn wildcard_count(&self) -> usize {
        let texts = self.value_lists().flat_map(|(values, _)| values.iter().flatten());
        let pairs = self.query_pairs().flat_map(|pair| pair.key.iter().chain(&pair.value));
        texts.chain(pairs).map(|text| text.matches(['*', '?']).count()).sum()
    }
}

/// Merges values and regular expressions of a condition and its config, so that both have the same.
fn merge_lists(config: [&mut TextList; 2], plain: [&mut TextList; 2], condition: &str) -> Result<()> {
    for ((config, plain), field) in config.into_iter().zip(plain).zip(["Values", "RegexValues"]) {
        *config = merge(config.take(), plain.take(), field, condition)?;
        plain.clone_from(config);
    }
    Ok(())
}

/// Returns the list from the config or the condition; if both have one, they must be equal.
fn merge(config: TextList, plain: TextList, field: &str, condition: &str) -> Result<TextList> {
    let name = CONFIGS.iter().find(|(_, own)| *own == condition).map_or("", |(name, _)| *name);
    match (config.filter(|list| !list.is_empty()), plain.filter(|list| !list.is_empty())) {
        (Some(config), Some(plain)) if config != plain => {
            let message =
                format!("You cannot provide both {field} and '{name}' for a condition of type '{condition}'");
            Err(invalid(field, message))
        }
        (config, plain) => Ok(config.or(plain)),
    }
}

/// Refuses values together with regular expressions, and invalid regular expressions.
fn check_values(values: &TextList, expressions: &TextList) -> Result<()> {
    if values.is_some() && expressions.is_some() {
        return Err(invalid("RegexValues", "cannot be combined with values"));
    }
    expressions.iter().flatten().try_for_each(|expression| check_regex(expression, "RegexValues"))
}
