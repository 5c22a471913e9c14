//! Shapes of services, and the list of all of them.

use super::{FieldShape, KindShape, OperationShape, Presence, RecordShape};
use crate::{Code, Error, partition_of};
use std::borrow::Cow;

/// Protocol of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// JSON with the operation in a header.
    AwsJson {
        /// Prefix of the operation's name in the header.
        target: &'static str,
        /// `1.0` or `1.1`.
        version: &'static str,
        /// Member of an error that has its text: `message` or `Message`.
        message: &'static str,
    },
    /// A form with the operation as `Action`; the response is XML.
    AwsQuery {
        /// XML namespace of responses.
        namespace: &'static str,
    },
    /// As [`AwsQuery`](Self::AwsQuery), in EC2's dialect.
    Ec2Query {
        /// XML namespace of responses.
        namespace: &'static str,
    },
    /// HTTP method and path, JSON bodies.
    RestJson,
}

/// Names of the key and the value of a tag on the wire of a service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagNames {
    /// `Key` and `Value`.
    #[default]
    Usual,
    /// `TagKey` and `TagValue`.
    WithPrefix,
    /// `key` and `value`.
    LowerCase,
}

impl TagNames {
    /// Returns the name on the wire of a field of a tag: its key, or its value.
    pub fn wire(self, field: &FieldShape) -> &'static str {
        match (self, field.rust_name) {
            (Self::Usual, _) => field.wire,
            (Self::WithPrefix, "key") => "TagKey",
            (Self::WithPrefix, _) => "TagValue",
            (Self::LowerCase, name) => name,
        }
    }
}

/// A service.
#[derive(Debug)]
pub struct ServiceShape {
    /// Short name, as in ARNs and endpoints.
    pub name: &'static str,
    /// Documentation.
    pub docs: &'static str,
    /// Version of the API.
    pub api_version: &'static str,
    /// Protocol.
    pub protocol: Protocol,
    /// First part of the host name.
    pub endpoint: &'static str,
    /// Service name in the credential scope of signatures.
    pub signing: &'static str,
    /// Name in actions of policies, if it is not the one in signatures.
    pub action_prefix: Option<&'static str>,
    /// True if it is the same in every Region.
    pub global: bool,
    /// True if messages about broken rules contain the values.
    pub shows_values: bool,
    /// True if messages about unknown values of enums contain the values.
    pub shows_unknown_values: bool,
    /// True if the names of its resources are kept in lower case, and found in any case.
    pub lower_case_names: bool,
    /// Names of the members of tags.
    pub tag_names: TagNames,
    /// Kinds of the service.
    pub kinds: &'static [&'static KindShape],
    /// Operations on the wire.
    pub operations: &'static [&'static OperationShape],
    /// Calls of the managers of its kinds: for each operation, those that are made of it, then calls of several operations.
    pub calls: &'static [&'static [&'static OperationShape]],
    /// Error codes.
    pub codes: &'static [&'static Code],
    /// Error code for a parameter that breaks a rule.
    pub invalid: &'static Code,
    /// Error for an invalid pagination token.
    pub invalid_token: fn() -> Error,
    /// Error for a text that is no ARN of this kind, where only ARNs are accepted.
    pub invalid_arn: Option<fn(&str, &KindShape) -> Error>,
    /// Condition keys with values of resources, by the start of the subjects that have them: `security-group/`, an empty text
    /// for all subjects, `*` also for operations without resources.
    pub resource_keys: &'static [(&'static str, &'static [&'static str])],
}

impl ServiceShape {
    /// Returns the name on the wire of a field of `record`.
    pub fn wire_name(&self, record: &RecordShape, field: &FieldShape) -> &'static str {
        if crate::tags::is_tag(record) { self.tag_names.wire(field) } else { field.wire }
    }

    /// True if requests must have this field of `record`. Tags with other names than usual need both.
    pub fn requires(&self, record: &RecordShape, field: &FieldShape) -> bool {
        let needs_all = self.tag_names != TagNames::Usual && crate::tags::is_tag(record);
        needs_all || field.presence == Presence::Required
    }

    /// A service of this name without anything, for the lists of services to complete.
    #[doc(hidden)]
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            docs: "",
            api_version: "",
            protocol: Protocol::RestJson,
            endpoint: name,
            signing: name,
            action_prefix: None,
            global: false,
            shows_values: true,
            shows_unknown_values: true,
            lower_case_names: false,
            tag_names: TagNames::Usual,
            kinds: &[],
            operations: &[],
            calls: &[],
            codes: &[],
            invalid: &crate::error::INVALID,
            invalid_token: || crate::error::INVALID.with_message("The token is invalid."),
            invalid_arn: None,
            resource_keys: &[],
        }
    }

    /// Returns the Region that requests for `region` are signed for. A global service has one in each partition.
    pub fn signing_region<'r>(&self, region: &'r str) -> &'r str {
        match (self.global, partition_of(region)) {
            (false, _) => region,
            (true, "aws-cn") => "cn-north-1",
            (true, "aws-us-gov") => "us-gov-west-1",
            (true, _) => "us-east-1",
        }
    }

    /// Returns the name, or the resource part of an ARN, as the service keeps it.
    pub fn kept_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.lower_case_names && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            name.to_ascii_lowercase().into()
        } else {
            name.into()
        }
    }

    /// Name in actions of policies.
    pub fn prefix(&self) -> &'static str {
        self.action_prefix.unwrap_or(self.signing)
    }

    /// Returns the row of the table for an error on the wire. Of rows with the same code it is the one with the text, or else the
    /// first.
    pub fn find_code(&self, code: &str, text: &str) -> Option<&'static Code> {
        let rows = || self.codes.iter().copied().filter(|row| row.code == code);
        rows().find(|row| row.has_text(text)).or_else(|| rows().next())
    }

    /// Error code for a missing parameter; `invalid` unless the service has a code of its own.
    pub fn missing(&self) -> &'static Code {
        self.codes.iter().copied().find(|code| code.code == "MissingParameter").unwrap_or(self.invalid)
    }
}

/// An explicit list of all services.
#[derive(Clone, Copy, Debug)]
pub struct Registry {
    /// Services, in order.
    pub services: &'static [&'static ServiceShape],
}

impl Registry {
    /// Finds a service by name.
    pub fn service(&self, name: &str) -> Option<&'static ServiceShape> {
        self.services.iter().find(|service| service.name == name).copied()
    }

    /// Iterates over all kinds of all services.
    pub fn kinds(&self) -> impl Iterator<Item = &'static KindShape> {
        self.services.iter().flat_map(|service| service.kinds).copied()
    }

    /// Finds a kind by name, ignoring case and hyphens: `LogGroup`, `log-group`.
    pub fn kind(&self, name: &str) -> Option<&'static KindShape> {
        let plain = |name: &str| {
            name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect::<String>()
        };
        let wanted = plain(name);
        self.kinds().find(|kind| plain(kind.name) == wanted)
    }
}
