//! What conditions have to keep, alone and together.

use super::{Condition, HostHeaderConfig, PathPatternConfig, refused};
use crate::{addresses::Block, limits};
use nephos_core::{Result, Text, datum::DatumType};

/// What there can be only one of.
const ONCE: [&str; 4] = ["http-request-method", "host-header", "path-pattern", "source-ip"];

/// The conditions with everything that was not said, if they keep the rules.
pub(crate) fn settled(conditions: &[Condition]) -> Result<Vec<Condition>> {
    const FIELD: &str = "Conditions";
    if conditions.is_empty() {
        return Err(refused(FIELD, "one condition at least is required"));
    }
    let mut settled: Vec<Condition> = Vec::with_capacity(conditions.len());
    for (n, condition) in conditions.iter().enumerate() {
        let at = format!("{FIELD}[{n}]");
        let condition = condition.clone().settled().map_err(|error| error.within(&at))?;
        let field = condition.field.as_deref().unwrap_or_default();
        let twin = settled.iter().any(|other| other.field == condition.field);
        if ONCE.contains(&field) && twin {
            return Err(refused(at, format!("a rule has one {field} condition at most")));
        }
        settled.push(condition);
    }
    let values: Vec<Text> = settled.iter().flat_map(Condition::wanted).collect();
    if values.len() > limits::CONDITION_VALUES {
        let why = format!("{} values are more than the {} of a rule", values.len(), limits::CONDITION_VALUES);
        return Err(refused(FIELD, why));
    }
    let wildcards: usize = settled.iter().map(Condition::wildcards).sum();
    if wildcards > limits::CONDITION_WILDCARDS {
        let why =
            format!("{wildcards} wildcards are more than the {} of a rule", limits::CONDITION_WILDCARDS);
        return Err(refused(FIELD, why));
    }
    Ok(settled)
}

impl Condition {
    fn settled(mut self) -> Result<Self> {
        self.settle_field()?;
        let field = self.field.clone().unwrap_or_default();
        self.check_configs(&field)?;
        match field.as_str() {
            "host-header" => {
                let config = self.host_header_config.get_or_insert_with(HostHeaderConfig::blank);
                config.values = either(config.values.take(), self.values.take(), "Values")?;
                config.regex_values =
                    either(config.regex_values.take(), self.regex_values.take(), "RegexValues")?;
                (self.values, self.regex_values) = (config.values.clone(), config.regex_values.clone());
                check_either(config.values.as_deref(), config.regex_values.as_deref())?;
            }
            "path-pattern" => {
                let config = self.path_pattern_config.get_or_insert_with(PathPatternConfig::blank);
                config.values = either(config.values.take(), self.values.take(), "Values")?;
                config.regex_values =
                    either(config.regex_values.take(), self.regex_values.take(), "RegexValues")?;
                (self.values, self.regex_values) = (config.values.clone(), config.regex_values.clone());
                check_either(config.values.as_deref(), config.regex_values.as_deref())?;
            }
            "http-header" => {
                let regex_values = self.regex_values.take();
                let Some(config) = &mut self.http_header_config else {
                    return Err(refused("HttpHeaderConfig", "is required for an http-header condition"));
                };
                let Some(name) = config.http_header_name.as_deref() else {
                    return Err(refused("HttpHeaderConfig.HttpHeaderName", "is required"));
                };
                if name.eq_ignore_ascii_case("host") {
                    let why = "hosts are for a host-header condition";
                    return Err(refused("HttpHeaderConfig.HttpHeaderName", why));
                }
                config.regex_values = either(config.regex_values.take(), regex_values, "RegexValues")?;
                check_either(config.values.as_deref(), config.regex_values.as_deref())?;
            }
            "source-ip" => {
                for value in self.wanted() {
                    if Block::read(&value).is_none() {
                        let why = format!("{value:?} is not a block of addresses, as 10.0.0.0/8 is");
                        return Err(refused("SourceIpConfig.Values", why));
                    }
                }
            }
            _ => {}
        }
        if self.wanted().is_empty() {
            return Err(refused("Values", format!("a {field} condition wants one value at least")));
        }
        Ok(self)
    }

    /// Finds out what is looked at where only a config says so.
    fn settle_field(&mut self) -> Result<()> {
        if self.field.is_some() {
            return Ok(());
        }
        let given: Vec<_> = self.configs().into_iter().filter(|(given, ..)| *given).collect();
        let [(_, _, field)] = given.as_slice() else {
            return Err(refused("Field", "is required"));
        };
        self.field = Some((*field).into());
        Ok(())
    }

    /// The configs: whether each is given, its name, and the field it is for.
    fn configs(&self) -> [(bool, &'static str, &'static str); 6] {
        [
            (self.host_header_config.is_some(), "HostHeaderConfig", "host-header"),
            (self.path_pattern_config.is_some(), "PathPatternConfig", "path-pattern"),
            (self.http_header_config.is_some(), "HttpHeaderConfig", "http-header"),
            (self.query_string_config.is_some(), "QueryStringConfig", "query-string"),
            (self.http_request_method_config.is_some(), "HttpRequestMethodConfig", "http-request-method"),
            (self.source_ip_config.is_some(), "SourceIpConfig", "source-ip"),
        ]
    }

    /// Refuses what belongs to another field.
    fn check_configs(&self, field: &str) -> Result<()> {
        for (given, config, own) in self.configs() {
            if given && own != field {
                return Err(refused(config, format!("is not for a {field} condition")));
            }
        }
        let text = ["host-header", "path-pattern"];
        if self.values.is_some() && !text.contains(&field) {
            return Err(refused(
                "Values",
                format!("is only for hosts and paths, not for a {field} condition"),
            ));
        }
        if self.regex_values.is_some() && !text.contains(&field) && field != "http-header" {
            return Err(refused(
                "RegexValues",
                format!("is only for hosts, paths and headers, not for {field}"),
            ));
        }
        Ok(())
    }

    /// What is wanted: each value, expression or pair.
    pub(crate) fn wanted(&self) -> Vec<Text> {
        let lists = [
            self.host_header_config.as_ref().map(|config| (&config.values, &config.regex_values)),
            self.path_pattern_config.as_ref().map(|config| (&config.values, &config.regex_values)),
            self.http_header_config.as_ref().map(|config| (&config.values, &config.regex_values)),
        ];
        let mut all: Vec<Text> = lists
            .into_iter()
            .flatten()
            .flat_map(|(values, expressions)| values.iter().chain(expressions).flatten().cloned())
            .collect();
        all.extend(
            self.http_request_method_config.iter().flat_map(|config| config.values.iter().flatten().cloned()),
        );
        all.extend(self.source_ip_config.iter().flat_map(|config| config.values.iter().flatten().cloned()));
        let pairs = self.query_string_config.iter().flat_map(|config| config.values.iter().flatten());
        all.extend(pairs.map(|pair| match (&pair.key, &pair.value) {
            (Some(key), Some(value)) => format!("{key}={value}").into(),
            (_, value) => value.clone().unwrap_or_default(),
        }));
        all
    }

    /// How many wildcards there are in what is wanted.
    fn wildcards(&self) -> usize {
        let plain = [
            self.host_header_config.as_ref().and_then(|config| config.values.as_ref()),
            self.path_pattern_config.as_ref().and_then(|config| config.values.as_ref()),
            self.http_header_config.as_ref().and_then(|config| config.values.as_ref()),
        ];
        let texts = plain.into_iter().flatten().flatten().map(Text::as_str);
        let pairs = self.query_string_config.iter().flat_map(|config| config.values.iter().flatten());
        let pairs = pairs.flat_map(|pair| pair.key.iter().chain(&pair.value)).map(Text::as_str);
        texts.chain(pairs).map(|text| text.matches(['*', '?']).count()).sum()
    }
}

/// What is given in one of two places; in both it has to be the same.
fn either(config: Option<Vec<Text>>, plain: Option<Vec<Text>>, field: &str) -> Result<Option<Vec<Text>>> {
    match (config.filter(|list| !list.is_empty()), plain.filter(|list| !list.is_empty())) {
        (Some(config), Some(plain)) if config != plain => {
            Err(refused(field, "says something else than the config; give one of the two"))
        }
        (config, plain) => Ok(config.or(plain)),
    }
}

/// Values or expressions, not both; expressions have to be such.
fn check_either(values: Option<&[Text]>, expressions: Option<&[Text]>) -> Result<()> {
    if values.is_some() && expressions.is_some() {
        return Err(refused("RegexValues", "values and expressions exclude each other"));
    }
    for expression in expressions.unwrap_or_default() {
        if regex::Regex::new(expression).is_err() {
            return Err(refused("RegexValues", format!("{expression:?} is not a regular expression")));
        }
    }
    Ok(())
}
