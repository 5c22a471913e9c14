//! Settings of the account.

use super::RegistryRow;
use crate::{Repository, RepositoryManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, nearest, operation};

/// A setting of the account: its name, its values, of which the first is the default, and its member in the row.
struct Setting {
    name: &'static str,
    values: [&'static str; 2],
    member: fn(&mut RegistryRow) -> &mut Option<Text>,
}

const POLICY_SCOPE: Setting = Setting {
    name: "REGISTRY_POLICY_SCOPE",
    values: ["V2", "V1"],
    member: |registry| &mut registry.registry_policy_scope,
};

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "BASIC_SCAN_TYPE_VERSION",
        values: ["AWS_NATIVE", "CLAIR"],
        member: |registry| &mut registry.basic_scan_type_version,
    },
    POLICY_SCOPE,
    Setting {
        name: "BLOB_MOUNTING",
        values: ["DISABLED", "ENABLED"],
        member: |registry| &mut registry.blob_mounting,
    },
];

impl Setting {
    /// Finds the setting with this name, or refuses.
    fn require(name: &str) -> Result<&'static Self> {
        let names = SETTINGS.each_ref().map(|setting| setting.name);
        SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(|| not_one_of("name", name, &names))
    }

    fn value(&self, registry: &mut RegistryRow) -> Text {
        (self.member)(registry).clone().unwrap_or_else(|| self.values[0].into())
    }
}

/// True if the policy of a registry counts for few actions only.
pub(super) fn has_older_policy_scope(registry: &RegistryRow) -> bool {
    registry.registry_policy_scope.as_deref() == Some(POLICY_SCOPE.values[1])
}

fn not_one_of(member: &str, given: &str, values: &[&str]) -> nephos_core::Error {
    let reason = format!("Member must satisfy enum value set: [{}]", values.join(", "));
    let hint = nearest::hint(given, values.iter().copied());
    errors::invalid_parameter(member, reason).with_field(member).with_hint(hint)
}

/// A setting of the account, with its value.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct AccountSetting {
    /// Name of the setting.
    name: Option<Text>,
    /// Value.
    value: Option<Text>,
}

/// Returns a setting of the account.
#[operation(
    of = Repository, case = "camel", call = "get_account_setting", effect = read, output = AccountSetting, subject = "*"
)]
pub struct GetAccountSetting {
    /// Name of the setting: `BASIC_SCAN_TYPE_VERSION`, `REGISTRY_POLICY_SCOPE` or `BLOB_MOUNTING`.
    #[field(length(1..=64), condition = "ecr:AccountSetting")]
    pub name: Text,
}

impl Handler for GetAccountSetting {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountSetting> {
        let setting = Setting::require(&self.name)?;
        let value = setting.value(&mut RegistryRow::find(cx)?);
        Ok(AccountSetting { name: Some(self.name), value: Some(value) })
    }
}

/// Changes a setting of the account. The version of basic scanning and the mounting of layers have no effect here.
#[operation(
    of = Repository, case = "camel", call = "set_account_setting", effect = write, output = AccountSetting, subject = "*"
)]
pub struct PutAccountSetting {
    /// Name of the setting: `BASIC_SCAN_TYPE_VERSION`, `REGISTRY_POLICY_SCOPE` or `BLOB_MOUNTING`.
    #[field(length(1..=64), condition = "ecr:AccountSetting")]
    pub name: Text,
    /// Value: `AWS_NATIVE` or `CLAIR`, `V1` or `V2`, `ENABLED` or `DISABLED`.
    pub value: Text,
}

impl Handler for PutAccountSetting {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountSetting> {
        let setting = Setting::require(&self.name)?;
        if !setting.values.contains(&self.value.as_str()) {
            return Err(not_one_of("value", &self.value, &setting.values));
        }
        RegistryRow::change(cx, |registry| *(setting.member)(registry) = Some(self.value.clone()))?;
        Ok(AccountSetting { name: Some(self.name), value: Some(self.value) })
    }
}
