//! ARNs that an operation acts on: a template over its parameters.
//!
//! `log-group:{logGroupName}` is the resource part of an ARN, with the values of parameters in braces. Of
//! alternatives, `{logGroupIdentifier|logGroupName}`, the first that was given counts; `{Rules.RuleArn}` leads
//! into records; a list makes an ARN for each of its items. A value that is an ARN is the subject itself, and one
//! that was not given is `*`. `{Type: application=app, network=net}` replaces the prefix of a value, or of the resource
//! in an ARN; the first replacement is used for a value that was not given. Text after an ARN continues it.
//!
//! Several resources are joined with ` + `. One that counts only if a parameter was given starts with its name:
//! `subnet/* + VpcId? vpc/{VpcId}`; ARNs of other services do not count for it. Resources of no account start with `::`. The
//! template `*` is for operations without resources.

use crate::{
    Arn, Place, global_region,
    record::Fields,
    shape::{OperationShape, ServiceShape},
    value::Ref,
};

impl OperationShape {
    /// Returns the ARNs that the operation acts on with these parameters, for a caller in `place`.
    pub fn subjects(&self, service: &ServiceShape, params: &dyn Fields, place: &Place) -> Vec<Arn> {
        arns(service.signing, self.subject, params, &place_in(service.global, place))
    }

    /// Returns the names of parameters in the templates of the subject and of further actions, with alternatives and paths
    /// into records.
    pub fn subject_parameters(&self) -> Vec<&'static str> {
        let templates = self.permission.further.iter().map(|(_, template)| *template);
        std::iter::once(self.subject).chain(templates).flat_map(parameters).collect()
    }
}

fn parameters(template: &'static str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for part in template.split(" + ") {
        names.extend(part.split_once('?').map(|(given, _)| given));
        let placeholders = part.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        names.extend(placeholders.flat_map(|(placeholder, _)| {
            placeholder.split_once(':').map_or(placeholder, |(names, _)| names).split('|').map(str::trim)
        }));
    }
    names
}

/// Returns the place of resources for a caller in `place`: those of global services are in no Region.
pub(crate) fn place_in(is_global: bool, place: &Place) -> Place {
    if is_global { Place::new(global_region(place.region()), place.account()) } else { place.clone() }
}

/// Returns the ARNs of a template in `service`.
pub(crate) fn arns(service: &str, template: &str, params: &dyn Fields, place: &Place) -> Vec<Arn> {
    let mut found = Vec::new();
    for part in template.split(" + ") {
        match part.split_once("? ") {
            Some((name, _)) if !is_given(name, params) => {}
            Some((_, part)) => {
                let arns = arns_of_part(service, part, params, place).into_iter();
                found.extend(arns.filter(|arn| arn.service() == service));
            }
            None => found.extend(arns_of_part(service, part, params, place)),
        }
    }
    found
}

fn arns_of_part(service: &str, template: &str, params: &dyn Fields, place: &Place) -> Vec<Arn> {
    let (mut arns, mut texts) = (Vec::new(), vec![String::new()]);
    let no_account = template.starts_with("::").then(|| Place::new(place.region(), ""));
    let mut rest = template.trim_start_matches(':');
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, behind) = after.split_once('}').unwrap_or((after, ""));
        let mut names = Vec::new();
        for value in values(placeholder, params) {
            match Arn::read(&value) {
                Some(arn) => arns.push(continued(arn, placeholder, behind, params)),
                None => names.push(value),
            }
        }
        let joined =
            |text: &String| names.iter().map(|name| [text, before, name].concat()).collect::<Vec<_>>();
        texts = texts.iter().flat_map(joined).collect();
        rest = behind;
    }
    let place = no_account.as_ref().unwrap_or(place);
    arns.extend(texts.iter().map(|text| place.arn(service, &[text, rest])));
    arns
}

/// Returns an ARN with its resource replaced as the placeholder says, and continued with the rest of the template.
fn continued(arn: Arn, placeholder: &str, behind: &str, params: &dyn Fields) -> Arn {
    let replaced = replace(&replacements(placeholder), arn.resource());
    if behind.is_empty() && replaced == arn.resource() {
        return arn;
    }
    let mut rest = behind.to_owned();
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, behind) = after.split_once('}').unwrap_or((after, ""));
        rest = [before, &values(placeholder, params)[0], behind].concat();
    }
    // The ARN of a log group may end with an asterisk, which stands for its streams.
    let resource = replaced.trim_end_matches(":*");
    let head = &arn.as_str()[..arn.as_str().len() - arn.resource().len()];
    Arn::read(&[head, resource, &rest].concat()).unwrap_or(arn)
}

/// True if the parameter has a value. An empty list has none. A member of the items of a list has one if it is given in one of them.
pub(crate) fn is_given(path: &str, params: &dyn Fields) -> bool {
    has_value(Ref::Record(params), &path.split('.').collect::<Vec<_>>())
}

fn has_value(value: Ref<'_>, path: &[&str]) -> bool {
    match (value, path.split_first()) {
        (Ref::Record(record), Some((name, rest))) => {
            let field = record.shape().field(name);
            field.is_some_and(|(index, _)| has_value(record.field(index).view(), rest))
        }
        (Ref::List(items), Some(_)) => (0..items.len()).any(|n| has_value(items.item(n), path)),
        (_, Some(_)) | (Ref::Null, None) => false,
        (Ref::List(items), None) => !items.is_empty(),
        (Ref::Map(entries), None) => !entries.is_empty(),
        (_, None) => true,
    }
}

/// Returns the values of a placeholder; at least one.
fn values(placeholder: &str, params: &dyn Fields) -> Vec<String> {
    let names = placeholder.split_once(':').map_or(placeholder, |(names, _)| names);
    let replacements = replacements(placeholder);
    let mut found = Vec::new();
    for name in names.split('|') {
        let path: Vec<&str> = name.trim().split('.').collect();
        collect(Ref::Record(params), &path, &mut found);
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        return vec![replacements.first().map_or("*", |(_, to)| to).to_owned()];
    }
    found.into_iter().map(|value| replace(&replacements, &value)).collect()
}

/// Returns the replacements of a placeholder: `{Type: application=app, network=net}`.
fn replacements(placeholder: &str) -> Vec<(&str, &str)> {
    let replaced = placeholder.split_once(':').map_or("", |(_, replaced)| replaced);
    let pairs = replaced.split(',').filter_map(|one| one.split_once('='));
    pairs.map(|(from, to)| (from.trim(), to.trim())).collect()
}

fn replace(replacements: &[(&str, &str)], value: &str) -> String {
    match replacements.iter().find(|(from, _)| value.starts_with(from)) {
        Some((from, to)) => value.replacen(from, to, 1),
        None => value.to_owned(),
    }
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
