//! Memberships of instances in directories of users.
//!
//! A directory of the provider must exist, and none does. One of the customer is known by its domain controllers and by a secret with
//! a user that may join it; the instance joins it as soon as it is available.

use super::{DBInstance, InstanceDomain};
use crate::{DomainMembership, engine::Engine, errors};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, field_value::FieldType};
use std::net::Ipv4Addr;

/// Maximum number of characters of a domain name, and of an organizational unit.
const MAX_LENGTH: usize = 64;

/// True if instances of the engine can be in a directory.
fn has_directories(engine: &Engine) -> bool {
    ["db2", "mysql", "oracle", "postgres", "sqlserver"].iter().any(|family| engine.name.starts_with(family))
}

/// True for a name in a distinguished form: `OU=databases,DC=corp,DC=example,DC=com`.
fn is_distinguished(name: &str) -> bool {
    let is_part = |part: &str| {
        part.split_once('=').is_some_and(|(key, value)| {
            ["OU", "DC", "CN"].contains(&key.trim().to_ascii_uppercase().as_str()) && !value.is_empty()
        })
    };
    name.split(',').all(is_part)
}

/// True for a domain name with at least two labels.
fn is_domain_name(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    name.contains('.') && name.split('.').all(is_label)
}

impl InstanceDomain {
    /// Returns the membership that these parameters ask for; none if they ask for none.
    pub(super) fn read(&self, cx: &mut Tx<'_>, engine: &Engine) -> Result<Option<DomainMembership>> {
        let own = [
            ("DomainFqdn", self.domain_fqdn.is_some()),
            ("DomainOu", self.domain_ou.is_some()),
            ("DomainAuthSecretArn", self.domain_auth_secret_arn.is_some()),
            ("DomainDnsIps", self.domain_dns_ips.is_some()),
        ];
        let first_own = own.iter().find(|(_, is_given)| *is_given).map(|(field, _)| *field);
        let managed =
            [("Domain", self.domain.is_some()), ("DomainIAMRoleName", self.domain_iam_role_name.is_some())];
        let first_managed = managed.iter().find(|(_, is_given)| *is_given).map(|(field, _)| *field);
        if let (Some(_), Some(field)) = (first_own, first_managed) {
            return Err(errors::domain_of_both_kinds().with_field(field));
        }
        if let Some(field) = first_managed.filter(|_| !has_directories(engine)) {
            return Err(errors::cluster_parameter_unsupported(field, engine.name).with_field(field));
        }
        if let Some(domain) = &self.domain {
            return Err(errors::domain_not_found(domain).with_field("Domain"));
        }
        if let Some(field) = first_managed {
            return Err(errors::domain_needed().with_field(field));
        }
        let Some(field) = first_own else { return Ok(None) };
        if !engine.is_sqlserver() {
            return Err(errors::domain_unsupported(engine.name).with_field(field));
        }
        if let Some((missing, _)) = own.iter().find(|(_, is_given)| !is_given) {
            return Err(errors::domain_incomplete().with_field(*missing));
        }
        self.read_own(cx).map(Some)
    }

    /// Reads the membership in a directory of the customer.
    fn read_own(&self, cx: &mut Tx<'_>) -> Result<DomainMembership> {
        let refuse = |error: Error, field: &str| Err(error.with_field(field));
        let name = self.domain_fqdn.as_deref().unwrap_or_default();
        if name.len() > MAX_LENGTH || !is_domain_name(name) {
            return refuse(errors::domain_name_invalid(name), "DomainFqdn");
        }
        let unit = self.domain_ou.as_deref().unwrap_or_default();
        if unit.len() > MAX_LENGTH || !is_distinguished(unit) {
            return refuse(errors::domain_unit_invalid(unit), "DomainOu");
        }
        let addresses = self.domain_dns_ips.as_deref().unwrap_or_default();
        if addresses.len() != 2 || addresses.iter().any(|address| address.parse::<Ipv4Addr>().is_err()) {
            return refuse(errors::domain_addresses_invalid(), "DomainDnsIps");
        }
        let secret = self.domain_auth_secret_arn.clone().unwrap_or_default();
        let found =
            cx.call_service("secretsmanager", "DescribeSecret", &[("SecretId", secret.as_str().into())]);
        if !secret.starts_with("arn:") || !matches!(found, Ok(Some(_))) {
            return refuse(errors::domain_secret_invalid(&secret), "DomainAuthSecretArn");
        }
        let mut membership = DomainMembership::blank();
        membership.status = Some("pending-join".into());
        membership.fqdn.clone_from(&self.domain_fqdn);
        membership.ou.clone_from(&self.domain_ou);
        membership.auth_secret_arn = Some(secret);
        membership.dns_ips.clone_from(&self.domain_dns_ips);
        Ok(membership)
    }
}

impl DBInstance {
    /// Joins the directories of users that the instance is about to join.
    pub(super) fn join_domains(&mut self) {
        for membership in self.domain_memberships.iter_mut().flatten() {
            membership.status = Some("joined".into());
        }
    }
}
