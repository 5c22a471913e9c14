//! Facts for permission checks, from the shapes of operations: actions, access levels, resources and condition keys.
//!
//! The action of an operation is `<prefix of the service>:<operation>`, and its resources are its
//! [subjects](OperationShape::subjects). A call may need further actions, for example `iam:PassRole` on a role that it hands
//! to the service. Condition keys have values from parameters, or from the resource; the latter are only listed here.

use crate::{
    Place, Text,
    record::Fields,
    shape::{Effect, FieldShape, OperationShape, RecordShape, ServiceShape, Spelling, Type},
    subject,
    value::Ref,
};

pub use crate::shape::{AccessLevel, PermissionShape};

/// A permission that a call needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// Action: `logs:CreateLogGroup`.
    pub action: Text,
    /// ARNs of the resources, all of which must be allowed; `*` for an action without resources.
    pub resources: Vec<Text>,
    /// Condition keys that only this check has, and their values.
    pub context: Vec<(Text, Text)>,
}

/// Condition key of the values of tags in a request.
pub const REQUEST_TAG: &str = "aws:RequestTag/${TagKey}";
/// Condition key of the keys of tags in a request.
pub const TAG_KEYS: &str = "aws:TagKeys";

impl OperationShape {
    /// Returns the action that a caller needs.
    pub fn action(&self, service: &ServiceShape) -> Text {
        let name = if self.permission.action.is_empty() { self.name } else { self.permission.action };
        with_prefix(service, name)
    }

    /// Returns the action of the operation, and the further ones that a call may need.
    pub fn actions(&self, service: &ServiceShape) -> impl Iterator<Item = Text> {
        let further = self.permission.further.iter().map(|(action, _)| with_prefix(service, action));
        std::iter::once(self.action(service)).chain(further)
    }

    /// Returns the access level of the action.
    pub fn access_level(&self, service: &ServiceShape) -> AccessLevel {
        self.permission.access.unwrap_or_else(|| self.derived_access_level(service))
    }

    /// Returns the access level that follows from effect and name.
    fn derived_access_level(&self, service: &ServiceShape) -> AccessLevel {
        let is_tagging =
            self.name.starts_with("Tag") || self.name.starts_with("Untag") || self.name.ends_with("Tags");
        match self.effect {
            Effect::Read if self.name.starts_with("List") => AccessLevel::List,
            Effect::Read => AccessLevel::Read,
            Effect::Write if is_tagging => AccessLevel::Tagging,
            Effect::Write if service.prefix() == "iam" => AccessLevel::PermissionsManagement,
            Effect::Write => AccessLevel::Write,
        }
    }

    /// Returns the permissions that a call with these parameters needs, for a caller in `place`; none if every caller may run
    /// the operation.
    pub fn permissions(&self, service: &ServiceShape, params: &dyn Fields, place: &Place) -> Vec<Permission> {
        if self.permission.open {
            return Vec::new();
        }
        let own = Permission {
            action: self.action(service),
            resources: self.resources(
                service.prefix(),
                self.subject,
                params,
                &subject::place_in(service.global, place),
            ),
            context: place_values(service, place),
        };
        let mut needed = vec![own];
        for (action, template) in self.permission.further {
            let (action, receiver) = match action.split_once(" to ") {
                Some((action, receiver)) => (action, Some(receiver)),
                None => (*action, None),
            };
            let action = with_prefix(service, action);
            let prefix = action.split(':').next().unwrap_or_default();
            let resources = match template.strip_suffix('?') {
                Some(given) if subject::is_given(given, params) => needed[0].resources.clone(),
                Some(_) => Vec::new(),
                None => {
                    // Of other global services, this is the only one whose actions calls need.
                    let is_global = prefix == "iam" || (service.global && prefix == service.prefix());
                    self.resources(prefix, template, params, &subject::place_in(is_global, place))
                }
            };
            if !resources.is_empty() {
                let context = self.context_of(service, &action, prefix, receiver);
                needed.push(Permission { action, resources, context });
            }
        }
        needed
    }

    /// Returns the keys and values that a further check has beside those of the request. A role is passed to `receiver`, or else to
    /// the service itself.
    fn context_of(
        &self,
        service: &ServiceShape,
        action: &str,
        prefix: &str,
        receiver: Option<&str>,
    ) -> Vec<(Text, Text)> {
        if action == "iam:PassRole" {
            // Roles in instance profiles are for instances.
            let own = if service.prefix() == "iam" { "ec2" } else { service.prefix() };
            let receiver = receiver.map_or_else(|| format!("{own}.amazonaws.com"), str::to_owned);
            return vec![("iam:PassedToService".into(), receiver.into())];
        }
        let tags_created = prefix == service.prefix() && action.ends_with("Tags");
        let key = || (format!("{prefix}:CreateAction").into(), self.name.into());
        tags_created.then(key).into_iter().collect()
    }

    fn resources(&self, prefix: &str, template: &str, params: &dyn Fields, place: &Place) -> Vec<Text> {
        let everything = match template.split_once("? ") {
            Some((given, "*")) => subject::is_given(given, params),
            _ => template == "*",
        };
        if everything {
            return vec!["*".into()];
        }
        subject::arns(prefix, template, params, place).into_iter().map(Text::from).collect()
    }

    /// Returns the condition keys with a value in these parameters, and their values.
    pub fn condition_values(&self, params: &dyn Fields) -> Vec<(Text, Text)> {
        let mut values = Vec::new();
        record_values(params, &mut values);
        values
    }

    /// Returns the condition keys that a check of this operation has: those of parameters, then those of resources.
    pub fn condition_keys(&self, service: &ServiceShape) -> Vec<&'static str> {
        let (mut keys, mut outer) = (Vec::new(), Vec::new());
        record_keys(self.params, &mut outer, &mut keys);
        let parts: Vec<_> = self.subject.split(" + ").map(without_condition).collect();
        for (start, of_resource) in service.resource_keys {
            let applies = |part: &&str| *start == "*" || (*part != "*" && part.starts_with(start));
            if parts.iter().any(applies) {
                of_resource.iter().for_each(|key| add_once(&mut keys, key));
            }
        }
        keys
    }
}

/// Returns the condition keys of the Region and the account of the caller, if the service has its own, and their values.
fn place_values(service: &ServiceShape, place: &Place) -> Vec<(Text, Text)> {
    let keys = service.resource_keys.iter().flat_map(|(_, keys)| *keys);
    let value = |key: &&'static str| match key.strip_prefix(service.prefix())? {
        ":Region" => Some(((*key).into(), place.region().into())),
        ":CallerAccount" => Some(((*key).into(), place.account().into())),
        _ => None,
    };
    keys.filter_map(value).collect()
}

/// Returns a part of a template without the parameter that it depends on.
fn without_condition(part: &str) -> &str {
    part.split_once("? ").map_or(part, |(_, template)| template)
}

fn with_prefix(service: &ServiceShape, action: &str) -> Text {
    if action.contains(':') { action.into() } else { [service.prefix(), ":", action].concat().into() }
}

/// Use of a field in condition keys of tags.
enum TagsForm {
    /// Tags: keys and values.
    Tags,
    /// Keys of tags.
    Keys,
}

fn tags_form(field: &FieldShape) -> Option<TagsForm> {
    let is = |name: &str| field.name.eq_ignore_ascii_case(name);
    match field.ty {
        Type::Map(Type::Text) if is("tags") => Some(TagsForm::Tags),
        Type::List(Type::Record(tag)) if is("tags") => match tag.field("value") {
            Some(_) => Some(TagsForm::Tags),
            None => tag.field("key").map(|_| TagsForm::Keys),
        },
        Type::List(Type::Text) if is("tags") || is("tagKeys") => Some(TagsForm::Keys),
        _ => None,
    }
}

fn record_values(record: &dyn Fields, values: &mut Vec<(Text, Text)>) {
    for (index, field) in record.shape().fields.iter().enumerate() {
        let may_have_values = !field.details.condition.is_empty()
            || tags_form(field).is_some()
            || record_of(&field.ty).is_some();
        if may_have_values {
            field_values(field, record.field(index).view(), values);
        }
    }
}

fn field_values(field: &FieldShape, value: Ref<'_>, values: &mut Vec<(Text, Text)>) {
    if tags_form(field).is_some() {
        return tag_values(value, values);
    }
    match value {
        Ref::List(items) => (0..items.len()).for_each(|n| field_values(field, items.item(n), values)),
        Ref::Record(record) => {
            if !field.details.condition.is_empty() {
                let names = given_members(record).map(|name| (field.details.condition.into(), name.into()));
                values.extend(names);
            }
            record_values(record, values);
        }
        Ref::Map(entries) => {
            for n in 0..entries.len() {
                let (name, value) = entries.entry(n);
                let text = value.text_form().map_or(Text::default(), |text| text.into_owned().into());
                values.extend(keys_of(field).map(|key| match key.split_once("${") {
                    Some((prefix, _)) => ([prefix, name].concat().into(), text.clone()),
                    None => (key.into(), name.into()),
                }));
            }
        }
        value if !field.details.condition.is_empty() => {
            let text = single_value(field, value);
            values.extend(keys_of(field).zip(text).map(|(key, text)| (key.into(), text)));
        }
        _ => {}
    }
}

/// Returns the value of the condition key of a field with one value.
fn single_value(field: &FieldShape, value: Ref<'_>) -> Option<Text> {
    let (rule, default) = match field.details.condition.split_once(" = ") {
        Some((rule, default)) => (rule, Some(default)),
        None => (field.details.condition, None),
    };
    let text = match value {
        Ref::Null => return default.map(Text::from),
        Ref::Secret(secret) if secret.expose().is_empty() => return default.map(Text::from),
        Ref::Choice { wire, .. } => Some(wire.into()),
        Ref::Text(text) => Some(field.spelled(text, Spelling::Wire).into()),
        value => value.text_form(),
    };
    match rule.split_once(" is ") {
        Some((_, "given")) => Some("true".into()),
        Some((_, wanted)) => Some(if text.as_deref() == Some(wanted) { "true" } else { "false" }.into()),
        None => text.map(|text| text.into_owned().into()),
    }
}

/// Returns the condition keys of a field: one, or two for a map, whose entries have a key each, and whose names have one.
fn keys_of(field: &FieldShape) -> impl Iterator<Item = &'static str> {
    let parts = field.details.condition.split(" + ").filter(|part| !part.is_empty());
    parts.map(|part| part.split_once(' ').map_or(part, |(key, _)| key))
}

/// Returns the names on the wire of the members of a record that have a value.
fn given_members(record: &dyn Fields) -> impl Iterator<Item = &'static str> {
    let fields = record.shape().fields.iter().enumerate();
    fields.filter(|(index, _)| !matches!(record.field(*index).view(), Ref::Null)).map(|(_, field)| field.wire)
}

fn tag_values(value: Ref<'_>, values: &mut Vec<(Text, Text)>) {
    let mut add = |key: &str, value: Option<&str>| {
        values.extend(value.map(|value| (["aws:RequestTag/", key].concat().into(), value.into())));
        values.push((TAG_KEYS.into(), key.into()));
    };
    match value {
        Ref::Map(tags) => (0..tags.len()).for_each(|n| {
            let (key, value) = tags.entry(n);
            add(key, value.as_text());
        }),
        Ref::List(items) => (0..items.len()).for_each(|n| match items.item(n) {
            Ref::Record(tag) => {
                let member =
                    |name| tag.shape().field(name).and_then(|(index, _)| tag.field(index).view().as_text());
                add(member("key").unwrap_or_default(), member("value"));
            }
            key => add(key.as_text().unwrap_or_default(), None),
        }),
        _ => {}
    }
}

/// Returns the record that a type holds, directly or in lists.
fn record_of(ty: &Type) -> Option<&'static RecordShape> {
    match ty {
        Type::Record(record) => Some(record),
        Type::List(item) => record_of(item),
        _ => None,
    }
}

fn add_once(keys: &mut Vec<&'static str>, key: &'static str) {
    if !keys.contains(&key) {
        keys.push(key);
    }
}

/// Collects the condition keys of a record and of nested records; a recursive record is visited once.
fn record_keys(
    record: &'static RecordShape,
    outer: &mut Vec<&'static RecordShape>,
    keys: &mut Vec<&'static str>,
) {
    if outer.iter().any(|seen| std::ptr::eq(*seen, record)) {
        return;
    }
    outer.push(record);
    for field in record.fields {
        match (tags_form(field), record_of(&field.ty)) {
            (Some(TagsForm::Tags), _) => [REQUEST_TAG, TAG_KEYS].iter().for_each(|key| add_once(keys, key)),
            (Some(TagsForm::Keys), _) => add_once(keys, TAG_KEYS),
            (None, nested) => {
                keys_of(field).for_each(|key| add_once(keys, key));
                nested.into_iter().for_each(|nested| record_keys(nested, outer, keys));
            }
        }
    }
}
