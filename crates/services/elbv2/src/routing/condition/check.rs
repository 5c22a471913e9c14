//! Validation of conditions.

use super::{Condition, HostHeaderConfig, HttpHeaderConfig, PathPatternConfig, QueryStringKeyValuePair};
use crate::{
    errors, limits,
    network::Cidr,
    validation::{check_regex, has_items, is_set, refuse_fields},
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
        return Err(errors::conditions_missing().with_field(FIELD));
    }
    let mut normalized: Vec<Condition> = Vec::with_capacity(conditions.len());
    for (n, condition) in conditions.iter().enumerate() {
        let path = format!("{FIELD}[{n}]");
        let condition = condition.clone().normalized().map_err(|error| error.in_field(&path))?;
        let field = condition.field.as_deref().unwrap_or_default();
        let repeated = || normalized.iter().any(|other| other.field == condition.field);
        if UNIQUE_FIELDS.contains(&field) && repeated() {
            return Err(errors::condition_repeated(field).with_field(path));
        }
        normalized.push(condition);
    }
    let values: Vec<Text> = normalized.iter().flat_map(Condition::all_values).collect();
    if values.len() > limits::MAX_CONDITION_VALUES {
        return Err(errors::too_many_condition_values(limits::MAX_CONDITION_VALUES)
            .with_field(FIELD)
            .with_hint(format!("got {}", values.len())));
    }
    let wildcards: usize = normalized.iter().map(Condition::wildcard_count).sum();
    if wildcards > limits::MAX_CONDITION_WILDCARDS {
        return Err(errors::too_many_condition_wildcards(limits::MAX_CONDITION_WILDCARDS)
            .with_field(FIELD)
            .with_hint(format!("got {wildcards}")));
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
                fill_lists(lists, [&mut self.values, &mut self.regex_values]);
            }
            "path-pattern" => {
                let config = self.path_pattern_config.get_or_insert_with(PathPatternConfig::blank);
                let lists = [&mut config.values, &mut config.regex_values];
                fill_lists(lists, [&mut self.values, &mut self.regex_values]);
            }
            "http-header" => {
                let regex_values = self.regex_values.take();
                if let Some(config) = &mut self.http_header_config {
                    config.check_name()?;
                    config.regex_values = config.regex_values.take().or(regex_values);
                }
            }
            "source-ip" => {
                for value in self.all_values() {
                    if Cidr::parse(&value).is_none() {
                        return Err(errors::cidr_invalid(value)
                            .with_field("SourceIpConfig.Values")
                            .with_hint("for example 10.0.0.0/8"));
                    }
                }
            }
            _ => {}
        }
        self.value_lists().try_for_each(|(values, expressions)| check_values(values, expressions))?;
        if self.all_values().is_empty() {
            return Err(errors::condition_value_missing().with_field("Values"));
        }
        Ok(self)
    }

    /// Removes values that the config repeats. The service returns them in both places, and takes them in one.
    pub(crate) fn remove_repeated_values(&mut self) {
        let host = self.host_header_config.iter().map(|config| (&config.values, &config.regex_values));
        let path = self.path_pattern_config.iter().map(|config| (&config.values, &config.regex_values));
        for (values, expressions) in host.chain(path) {
            if has_items(values) && *values == self.values {
                self.values = None;
            }
            if has_items(expressions) && *expressions == self.regex_values {
                self.regex_values = None;
            }
        }
    }

    /// Infers the type of the condition from its config.
    fn infer_field(&mut self) -> Result<()> {
        if self.field.is_some() {
            return Ok(());
        }
        let given: Vec<_> = CONFIGS.iter().filter(|(config, _)| is_set(self, config)).collect();
        let [(_, field)] = given.as_slice() else {
            return Err(errors::setting_missing("condition field").with_field("Field"));
        };
        self.field = Some((*field).into());
        Ok(())
    }

    /// Refuses configs and values of other types of conditions, and values both in the condition and in its config.
    fn check_configs(&self, field: &str) -> Result<()> {
        let others = CONFIGS.iter().filter(|(_, own)| *own != field).map(|(config, _)| *config);
        let refusal = |setting| errors::condition_setting_unsupported(setting, field);
        refuse_fields(self, &others.collect::<Vec<_>>(), refusal)?;
        let text = ["host-header", "path-pattern"];
        if !text.contains(&field) {
            refuse_fields(self, &["Values"], refusal)?;
        }
        if !text.contains(&field) && field != "http-header" {
            refuse_fields(self, &["RegexValues"], refusal)?;
        }
        let own = CONFIGS.iter().find(|(_, own)| *own == field).map_or("", |(config, _)| *config);
        if !is_set(self, own) {
            let error = errors::condition_config_missing(own, field).with_field(own);
            return if text.contains(&field) { Ok(()) } else { Err(error) };
        }
        // The name of a header is only in its config, so regular expressions can be beside it.
        let in_config = field != "http-header" || self.value_lists().any(|(_, own)| has_items(own));
        let lists = [(&self.values, "Values"), (&self.regex_values, "RegexValues")];
        match lists.into_iter().find(|(list, _)| in_config && has_items(list)) {
            Some((_, setting)) => {
                Err(errors::condition_values_given_twice(setting, own, field).with_field(setting))
            }
            None => Ok(()),
        }
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

impl HttpHeaderConfig {
    /// Requires a name of a header other than Host, which has its own type of condition.
    fn check_name(&self) -> Result<()> {
        let error = match self.http_header_name.as_deref() {
            None => errors::condition_config_missing("HttpHeaderName", "http-header"),
            Some(name) if name.eq_ignore_ascii_case("host") => errors::header_name_host(),
            Some(_) => return Ok(()),
        };
        Err(error.with_field("HttpHeaderConfig.HttpHeaderName"))
    }
}

/// Copies values and regular expressions between a condition and its config, one of which has them, so that both have.
fn fill_lists(config: [&mut TextList; 2], plain: [&mut TextList; 2]) {
    for (config, plain) in config.into_iter().zip(plain) {
        let own = config.take().filter(|list| !list.is_empty());
        *config = own.or_else(|| plain.take()).filter(|list| !list.is_empty());
        plain.clone_from(config);
    }
}

/// Refuses values together with regular expressions, and invalid regular expressions.
fn check_values(values: &TextList, expressions: &TextList) -> Result<()> {
    if values.is_some() && expressions.is_some() {
        return Err(errors::both_given("Values", "RegexValues").with_field("RegexValues"));
    }
    expressions.iter().flatten().try_for_each(|expression| check_regex(expression, "RegexValues"))
}
