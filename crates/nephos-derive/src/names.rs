//! Converts names between the spellings of the specification and of Rust.

use crate::attrs::refuse;
use syn::{LitStr, Result};

/// Hash of a field's name for `HasField`: 64 bits of FNV-1a.
pub(crate) fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Converts a name of the specification to Rust: `DBInstanceIdentifier` to `db_instance_identifier`.
pub(crate) fn snake(name: &str) -> String {
    // These would be split into several words.
    let name = name.replace("IPv4", "Ipv4").replace("IPv6", "Ipv6");
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, &this) in chars.iter().enumerate() {
        if !this.is_ascii_alphanumeric() {
            out.push('_');
            continue;
        }
        let before = at.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(at + 1);
        let starts_word = this.is_ascii_uppercase()
            && match before {
                Some(before) if before.is_ascii_lowercase() || before.is_ascii_digit() => true,
                Some(before) if before.is_ascii_uppercase() => {
                    // A plural s after a run of capitals belongs to the run.
                    let plural =
                        after == Some(&'s') && chars.get(at + 2).is_none_or(|c| c.is_ascii_uppercase());
                    after.is_some_and(char::is_ascii_lowercase) && !plural
                }
                _ => false,
            };
        if starts_word {
            out.push('_');
        }
        out.push(this.to_ascii_lowercase());
    }
    out
}

/// Case of a record's fields in the specification.
#[derive(Clone, Copy, Default)]
pub(crate) enum Case {
    #[default]
    Pascal,
    Camel,
    /// As in Rust.
    Snake,
}

impl Case {
    /// Word for it in attributes.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pascal => "pascal",
            Self::Camel => "camel",
            Self::Snake => "snake",
        }
    }

    pub(crate) fn read(text: &LitStr) -> Result<Self> {
        match text.value().as_str() {
            "pascal" => Ok(Self::Pascal),
            "camel" => Ok(Self::Camel),
            "snake" => Ok(Self::Snake),
            _ => refuse(text, "expected pascal, camel or snake"),
        }
    }

    /// Converts a Rust name to the specification's spelling.
    pub(crate) fn spell(self, rust: &str) -> String {
        let mut words = rust.split('_');
        let mut out = match self {
            Self::Pascal => String::new(),
            Self::Camel => words.next().unwrap_or_default().to_owned(),
            Self::Snake => return rust.to_owned(),
        };
        for word in words {
            let mut chars = word.chars();
            out.extend(chars.next().map(|first| first.to_ascii_uppercase()));
            out.push_str(chars.as_str());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specification_names_become_rust_names() {
        for (name, rust) in [
            ("logGroupName", "log_group_name"),
            ("DBInstanceIdentifier", "db_instance_identifier"),
            ("IAMDatabaseAuthenticationEnabled", "iam_database_authentication_enabled"),
            ("VPCId", "vpc_id"),
            ("ARN", "arn"),
            ("MultiAZ", "multi_az"),
            ("ServerlessV2ScalingConfiguration", "serverless_v2_scaling_configuration"),
            ("PrivateIPv4Address", "private_ipv4_address"),
            ("CanonicalHostedZoneNameID", "canonical_hosted_zone_name_id"),
            ("IOOptimizedNextAllowedModificationTime", "io_optimized_next_allowed_modification_time"),
            ("StorageBucketName", "storage_bucket_name"),
            ("GraphQLOperation", "graph_ql_operation"),
            ("TargetGroupARNs", "target_group_arns"),
        ] {
            assert_eq!(snake(name), rust);
        }
        assert_eq!(Case::Camel.spell("retention_in_days"), "retentionInDays");
        assert_eq!(Case::Pascal.spell("vpc_id"), "VpcId");
    }
}
