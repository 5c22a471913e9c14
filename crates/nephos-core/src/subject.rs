//! ARNs that an operation acts on: a template over its parameters.
//!
//! `log-group:{logGroupName}` is the resource part of an ARN, with the values of parameters in braces. Of
//! alternatives, `{logGroupIdentifier|logGroupName}`, the first that was given counts; `{Rules.RuleArn}` leads
//! into records; a list makes an ARN for each of its items. A value that is an ARN is the subject itself, and one
//! that was not given is `*`. `{Type: application=app, network=net}` replaces the prefix of a value; the first
//! replacement is used for a value that was not given.

use crate::{
    Arn, Place, global_region,
    record::Fields,
    shape::{OperationShape, ServiceShape},
    value::Ref,
};

impl OperationShape {
    /// Returns the ARNs that the operation acts on with these parameters, for a caller in `place`.
    pub fn subjects(&self, service: &ServiceShape, params: &dyn Fields, place: &Place) -> Vec<Arn> {
        let mut texts = vec![String::new()];
        let mut rest = self.subject;
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, behind) = after.split_once('}').unwrap_or((after, ""));
            let values = values(placeholder, params);
            let arns: Vec<_> = values.iter().filter_map(|value| Arn::read(value)).collect();
            if !arns.is_empty() {
                return arns;
            }
            let joined =
                |text: &String| values.iter().map(|value| [text, before, value].concat()).collect::<Vec<_>>();
            texts = texts.iter().flat_map(joined).collect();
            rest = behind;
        }
        let global = service.global.then(|| Place::new(global_region(place.region()), place.account()));
        let place = global.as_ref().unwrap_or(place);
        texts.iter().map(|text| place.arn(service.signing, &[text, rest])).collect()
    }

    /// Returns the names of parameters in the template, with alternatives and paths into records.
    pub fn subject_parameters(&self) -> Vec<&'static str> {
        let placeholders = self.subject.split('{').skip(1).filter_map(|part| part.split_once('}'));
        let names = placeholders.flat_map(|(placeholder, _)| {
            placeholder.split_once(':').map_or(placeholder, |(names, _)| names).split('|')
        });
        names.map(str::trim).collect()
    }
}

/// Returns the values of a placeholder; at least one.
fn values(placeholder: &str, params: &dyn Fields) -> Vec<String> {
    let (names, replaced) = placeholder.split_once(':').unwrap_or((placeholder, ""));
    let replaced: Vec<(&str, &str)> = replaced
        .split(',')
        .filter_map(|one| one.split_once('='))
        .map(|(from, to)| (from.trim(), to.trim()))
        .collect();
    let mut found = Vec::new();
    for name in names.split('|') {
        let path: Vec<&str> = name.trim().split('.').collect();
        collect(Ref::Record(params), &path, &mut found);
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        return vec![replaced.first().map_or("*", |(_, to)| to).to_owned()];
    }
    let replace = |value: String| match replaced.iter().find(|(from, _)| value.starts_with(from)) {
        Some((from, to)) => value.replacen(from, to, 1),
        None => value,
    };
    found.into_iter().map(replace).collect()
}

fn collect(value: Ref<'_>, path: &[&str], found: &mut Vec<String>) {
    match (value, path.split_first()) {
        (Ref::List(items), _) => (0..items.len()).for_each(|n| collect(items.item(n), path, found)),
        (Ref::Record(record), Some((name, rest))) => {
            if let Some((index, _)) = record.shape().field(name) {
                collect(record.field(index).view(), rest, found);
            }
        }
        (value, None) => found.extend(value.as_text().filter(|text| !text.is_empty()).map(str::to_owned)),
        _ => {}
    }
}
