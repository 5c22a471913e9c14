//! Changes of the options of a group.

use super::{
    GroupOption, OptionConfiguration, OptionGroup, OptionSetting,
    table::{self, OptionDefinition},
};
use crate::{
    VpcSecurityGroupMembership, engine, errors,
    parameter_group::{
        tables::{DataType, Definition},
        values,
    },
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, nearest};
use nephos_ec2 as ec2;

/// What answers have in place of the value of a secret setting, which is not kept.
const HIDDEN: &str = "****";
/// Request parameter with the options to add or change.
pub(super) const INCLUDE: &str = "OptionsToInclude";
/// Request parameter with the names of the options to remove.
pub(super) const REMOVE: &str = "OptionsToRemove";

impl OptionSetting {
    /// Makes a setting with its default value.
    fn of(definition: &Definition) -> Self {
        let is_list = definition.data_type == DataType::List;
        let data_type = if is_list { DataType::String } else { definition.data_type };
        let default: Option<Text> = definition.default.map(Text::new);
        Self {
            name: Some(definition.name.into()),
            value: default.clone(),
            default_value: default,
            description: Some(definition.description.into()),
            apply_type: Some(definition.apply_type().to_ascii_uppercase().into()),
            data_type: Some(data_type.name().to_ascii_uppercase().into()),
            allowed_values: definition.allowed_values(),
            is_modifiable: Some(definition.is_modifiable()),
            is_collection: Some(is_list),
        }
    }
}

impl GroupOption {
    fn of(definition: &OptionDefinition) -> Self {
        Self {
            option_name: Some(definition.name.into()),
            option_description: Some(definition.description.into()),
            persistent: Some(definition.persistent),
            permanent: Some(definition.permanent),
            port: definition.port,
            option_version: None,
            option_settings: Some(definition.settings.iter().map(OptionSetting::of).collect()),
            db_security_group_memberships: Some(Vec::new()),
            vpc_security_group_memberships: Some(Vec::new()),
        }
    }

    fn name(&self) -> &str {
        self.option_name.as_deref().unwrap_or_default()
    }

    /// Sets a setting.
    fn set(&mut self, definition: &OptionDefinition, given: OptionSetting) -> Result<()> {
        let name = given.name.unwrap_or_default();
        let option = definition.name;
        let Some(setting) = definition.setting(&name) else {
            let hint = nearest::hint(&name, definition.settings.iter().map(|setting| setting.name));
            return Err(errors::option_setting_unknown(&name, option).with_field(INCLUDE).with_hint(hint));
        };
        let is_secret = definition.secret.contains(&setting.name);
        let value = given.value.or(setting.default.map(Text::new));
        if let Some(value) = &value {
            if !values::is_constant_allowed(setting, value) {
                let shown = if is_secret { HIDDEN } else { value };
                return Err(errors::option_setting_value(shown, &name, option).with_field(INCLUDE));
            }
            if !setting.is_modifiable() && Some(value.as_str()) != setting.default {
                return Err(errors::option_setting_fixed(&name, option).with_field(INCLUDE));
            }
        }
        let value = if is_secret { value.map(|_| Text::new(HIDDEN)) } else { value };
        for one in self.option_settings.iter_mut().flatten().filter(|one| one.name.as_ref() == Some(&name)) {
            one.value.clone_from(&value);
        }
        Ok(())
    }

    /// Sets the port and its security groups.
    fn set_port(&mut self, cx: &Tx<'_>, port: Option<i64>, groups: Option<Vec<Text>>) -> Result<()> {
        let name = self.option_name.clone().unwrap_or_default();
        if self.port.is_none() && (port.is_some() || groups.is_some()) {
            return Err(errors::option_without_port(&name).with_field(INCLUDE));
        }
        self.port = port.or(self.port);
        if let Some(ids) = groups {
            for id in &ids {
                if ec2::security_group(cx, id)?.is_none() {
                    return Err(errors::security_group_invalid(id).with_field(INCLUDE));
                }
            }
            let membership = |id| VpcSecurityGroupMembership {
                vpc_security_group_id: Some(id),
                status: Some("active".into()),
            };
            self.vpc_security_group_memberships = Some(ids.into_iter().map(membership).collect());
        }
        if self.port.is_some() && self.vpc_security_group_memberships.as_ref().is_none_or(Vec::is_empty) {
            return Err(errors::option_needs_security_group(&name).with_field(INCLUDE));
        }
        Ok(())
    }

    /// Sets the version.
    fn set_version(&mut self, definition: &OptionDefinition, version: Option<Text>) -> Result<()> {
        let option = definition.name;
        match version.or(self.option_version.take()) {
            None if definition.versions.is_empty() => {}
            Some(version) if definition.versions.contains(&version.as_str()) => {
                self.option_version = Some(version);
            }
            None => {
                let versions = definition.versions.join(",");
                return Err(errors::option_version_needed(option, &versions).with_field(INCLUDE));
            }
            Some(version) => return Err(errors::option_version_unknown(&version, option).with_field(INCLUDE)),
        }
        Ok(())
    }

    /// Refuses an option without a setting that it needs.
    fn check_required(&self, definition: &OptionDefinition) -> Result<()> {
        let settings = self.option_settings.as_deref().unwrap_or_default();
        let is_set =
            |name: &str| settings.iter().any(|one| one.name.as_deref() == Some(name) && one.value.is_some());
        match definition.required.iter().find(|name| !is_set(name)) {
            None => Ok(()),
            Some(name) => Err(errors::option_setting_needed(definition.name, name).with_field(INCLUDE)),
        }
    }
}

impl OptionGroup {
    /// Finds the definition of an option for the engine and version of the group.
    fn definition(&self, name: &str) -> Result<&'static OptionDefinition> {
        let engine = engine::require(self.engine_name.as_deref().unwrap_or_default())?;
        let version = engine.version(self.major_engine_version.as_deref().unwrap_or_default())?;
        let known = table::of_version(engine, version.major);
        if let Some(found) = known.clone().find(|option| option.name == name) {
            return Ok(found);
        }
        let hint = nearest::hint(name, known.map(|option| option.name));
        Err(errors::option_unknown(name).with_field(INCLUDE).with_hint(hint))
    }

    /// Adds an option, or changes it.
    pub(super) fn include(&mut self, cx: &Tx<'_>, given: OptionConfiguration) -> Result<()> {
        let name = given.option_name.unwrap_or_default();
        let definition = self.definition(&name)?;
        if given.db_security_group_memberships.is_some_and(|names| !names.is_empty()) {
            return Err(errors::db_security_groups_refused().with_field(INCLUDE));
        }
        let options = self.options.get_or_insert_default();
        let found = options.iter().position(|option| option.name() == name);
        let mut option = found.map_or_else(|| GroupOption::of(definition), |at| options[at].clone());
        option.set_version(definition, given.option_version)?;
        option.set_port(cx, given.port, given.vpc_security_group_memberships)?;
        for setting in given.option_settings.unwrap_or_default() {
            option.set(definition, setting)?;
        }
        option.check_required(definition)?;
        match found {
            Some(at) => options[at] = option,
            None => options.push(option),
        }
        Ok(())
    }

    /// Removes an option; `is_used` if an instance uses the group.
    pub(super) fn exclude(&mut self, name: &str, is_used: bool) -> Result<()> {
        let options = self.options.get_or_insert_default();
        let Some(at) = options.iter().position(|option| option.name() == name) else {
            return Err(errors::option_not_in_group(name).with_field(REMOVE));
        };
        if options[at].permanent == Some(true) {
            return Err(errors::option_permanent(name).with_field(REMOVE));
        }
        if is_used && options[at].persistent == Some(true) {
            return Err(errors::option_persistent(name).with_field(REMOVE));
        }
        options.remove(at);
        Ok(())
    }

    /// Checks that the options can be in one group, and sets the VPC of their security groups.
    pub(super) fn settle(&mut self, cx: &Tx<'_>) -> Result<()> {
        let options = self.options.as_deref().unwrap_or_default();
        let has = |name: &str| options.iter().any(|option| option.name() == name);
        let mut vpc: Option<Text> = None;
        for option in options {
            let definition = self.definition(option.name())?;
            if let Some(other) = definition.depends_on.iter().find(|other| !has(other)) {
                return Err(errors::option_needs_option(option.name(), other).with_field(INCLUDE));
            }
            if let Some(other) = definition.conflicts_with.iter().find(|other| has(other)) {
                return Err(errors::options_conflict(option.name(), other).with_field(INCLUDE));
            }
            for membership in option.vpc_security_group_memberships.iter().flatten() {
                let id = membership.vpc_security_group_id.as_deref().unwrap_or_default();
                let found = ec2::security_group(cx, id)?.and_then(|group| group.vpc_id().map(Text::new));
                if vpc.is_some() && found.is_some() && vpc != found {
                    return Err(errors::options_of_several_vpcs().with_field(INCLUDE));
                }
                vpc = vpc.or(found);
            }
        }
        self.allows_vpc_and_non_vpc_instance_memberships = Some(vpc.is_none());
        self.vpc_id = vpc;
        Ok(())
    }
}
