//! Descriptions of the options that groups can have.

use super::{
    OptionGroup, OptionGroupManager,
    table::{self, OptionDefinition},
};
use crate::{
    engine::{Engine, Major},
    filters::{self, Filter},
    identifier::Page,
    parameter_group::tables::Definition,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// First version of an engine with a value of a setting.
#[derive(Record)]
#[record(answer)]
pub struct MinimumEngineVersionPerAllowedValue {
    /// Value.
    allowed_value: Option<Text>,
    /// First version with the value.
    minimum_engine_version: Option<Text>,
}

/// A setting that an option can have.
#[derive(Record)]
#[record(answer)]
pub struct OptionGroupOptionSetting {
    /// Name.
    setting_name: Option<Text>,
    /// Description.
    setting_description: Option<Text>,
    /// Default value.
    default_value: Option<Text>,
    /// Type of changes: STATIC after a restart, DYNAMIC at once.
    apply_type: Option<Text>,
    /// Allowed values and ranges.
    allowed_values: Option<Text>,
    /// True if the value can be changed.
    is_modifiable: Option<bool>,
    /// True if a value must be given.
    is_required: Option<bool>,
    /// First versions of the engine with the values; empty if all versions have them.
    #[field(item = "MinimumEngineVersionPerAllowedValue")]
    minimum_engine_version_per_allowed_value: Option<Vec<MinimumEngineVersionPerAllowedValue>>,
}

/// A version of an option.
#[derive(Record)]
#[record(answer)]
pub struct OptionVersion {
    /// Version.
    version: Option<Text>,
    /// True for the default version.
    is_default: Option<bool>,
}

/// An option that groups can have.
#[derive(Record)]
#[record(answer)]
pub struct OptionGroupOption {
    /// Name.
    name: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Engine with the option.
    engine_name: Option<Text>,
    /// Major version of the engine.
    major_engine_version: Option<Text>,
    /// First minor version of the engine with the option.
    minimum_required_minor_engine_version: Option<Text>,
    /// True if the option has a port.
    port_required: Option<bool>,
    /// Port by default.
    default_port: Option<i64>,
    /// Options that must be in the group, too.
    #[field(item = "OptionName")]
    options_depended_on: Option<Vec<Text>>,
    /// Options that cannot be in the same group.
    #[field(item = "OptionConflictName")]
    options_conflicts_with: Option<Vec<Text>>,
    /// True if the option cannot be removed while an instance uses the group.
    persistent: Option<bool>,
    /// True if the option cannot be removed.
    permanent: Option<bool>,
    /// True if instances with the option need automatic minor upgrades.
    requires_auto_minor_engine_version_upgrade: Option<bool>,
    /// True if only instances in a VPC can have the option.
    vpc_only: Option<bool>,
    /// True if an older version of the option can be set.
    supports_option_version_downgrade: Option<bool>,
    /// Settings.
    #[field(item = "OptionGroupOptionSetting")]
    option_group_option_settings: Option<Vec<OptionGroupOptionSetting>>,
    /// Versions of the option.
    #[field(item = "OptionVersion")]
    option_group_option_versions: Option<Vec<OptionVersion>>,
    /// True if groups with the option can be copied to another account.
    copyable_cross_account: Option<bool>,
    /// True if groups with the option can be copied to another Region.
    copyable_cross_region: Option<bool>,
}

impl OptionGroupOption {
    fn of(option: &OptionDefinition, engine: &Engine, major: &Major) -> Self {
        let texts = |names: &[&str]| Some(names.iter().map(|name| Text::new(name)).collect());
        let newest = option.versions.last();
        let version = |one: &&str| OptionVersion {
            version: Some(Text::new(one)),
            is_default: Some(Some(one) == newest.as_ref().copied()),
        };
        let setting = |one: &Definition| OptionGroupOptionSetting {
            setting_name: Some(one.name.into()),
            setting_description: Some(one.description.into()),
            default_value: one.default.map(Text::new),
            apply_type: Some(one.apply_type().to_ascii_uppercase().into()),
            allowed_values: one.allowed_values(),
            is_modifiable: Some(one.is_modifiable()),
            is_required: Some(option.required.contains(&one.name)),
            minimum_engine_version_per_allowed_value: Some(Vec::new()),
        };
        Self {
            name: Some(option.name.into()),
            description: Some(option.description.into()),
            engine_name: Some(engine.name.into()),
            major_engine_version: Some(major.version.into()),
            minimum_required_minor_engine_version: None,
            port_required: Some(option.port.is_some()),
            default_port: option.port,
            options_depended_on: texts(option.depends_on),
            options_conflicts_with: texts(option.conflicts_with),
            persistent: Some(option.persistent),
            permanent: Some(option.permanent),
            requires_auto_minor_engine_version_upgrade: Some(false),
            vpc_only: Some(false),
            supports_option_version_downgrade: (!option.versions.is_empty()).then_some(false),
            option_group_option_settings: Some(option.settings.iter().map(setting).collect()),
            option_group_option_versions: Some(option.versions.iter().map(version).collect()),
            copyable_cross_account: Some(true),
            copyable_cross_region: Some(true),
        }
    }
}

/// Describes the options that groups of an engine can have, in order of versions and names.
#[operation(
    of = OptionGroup, call = "engine_options", needs(engine_name), takes(major_engine_version),
    page(option_group_options(item = "OptionGroupOption"): OptionGroupOption, marker),
    returns(option_group_options: Vec<OptionGroupOption>, marker), include(Page), effect = read, access = list, subject = "*"
)]
pub struct DescribeOptionGroupOptions {
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeOptionGroupOptions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let engine = super::require_engine(&self.engine_name)?;
        let given = self.major_engine_version.as_deref();
        if let Some(major) = given {
            super::require_major(engine, major)?;
        }
        let majors = engine.majors.iter().filter(|major| given.is_none_or(|given| given == major.version));
        let options = majors.flat_map(|major| {
            table::of_version(engine, major).map(move |option| OptionGroupOption::of(option, engine, major))
        });
        Ok(cx.page_list(&self, options)?.into())
    }
}
