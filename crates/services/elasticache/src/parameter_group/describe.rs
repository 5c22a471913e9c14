//! Descriptions of parameters.

use super::{
    CacheParameterGroup, CacheParameterGroupManager, ParameterSetting, find, is_default, is_used, parameters,
    tables::{self, Change, NodeDefinition},
};
use crate::{
    engine::{Family, node_types},
    identifier::Page,
};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

choices! {
    /// When a change of a parameter takes effect.
    pub enum ChangeType {
        /// Immediately.
        Immediate = "immediate",
        /// After a reboot.
        RequiresReboot = "requires-reboot",
    }
}

/// Source of values that were changed in the group.
const USER: &str = "user";
/// Source of values that are the same in all groups.
const SYSTEM: &str = "system";

/// A parameter.
#[derive(Record)]
#[record(answer)]
pub struct Parameter {
    /// Name.
    parameter_name: Option<Text>,
    /// Value.
    parameter_value: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Source of the value: user or system.
    source: Option<Text>,
    /// Type of the values: boolean, float, integer or string.
    data_type: Option<Text>,
    /// Allowed values and ranges, such as `0,20-`.
    allowed_values: Option<Text>,
    /// True if the value can be changed.
    is_modifiable: Option<bool>,
    /// First version of the engine with the parameter.
    minimum_engine_version: Option<Text>,
    /// When a change takes effect; absent for memcached.
    change_type: Option<ChangeType>,
}

impl Parameter {
    /// Describes a parameter; `is_unused` if the group is one that no cluster uses, and not a default group.
    fn of_setting(setting: ParameterSetting, family: Family, is_unused: bool) -> Self {
        let ParameterSetting { definition, value, is_changed } = setting;
        let is_modifiable = match definition.change {
            Change::Now | Change::Reboot => true,
            Change::Unused => is_unused,
            Change::Never | Change::NeverReboot => false,
        };
        Self {
            parameter_name: Some(definition.name.into()),
            parameter_value: value,
            description: Some(definition.description.into()),
            source: Some(if is_changed { USER } else { SYSTEM }.into()),
            data_type: Some(definition.data_type.name().into()),
            allowed_values: Some(definition.allowed).filter(|allowed| !allowed.is_empty()).map(Text::new),
            is_modifiable: Some(is_modifiable),
            minimum_engine_version: Some(definition.first_version(family).into()),
            change_type: tables::has_change_types(family).then(|| definition.change_type()),
        }
    }
}

/// Value of a parameter for a type of nodes.
#[derive(Record)]
#[record(answer)]
pub struct CacheNodeTypeSpecificValue {
    /// Type of the nodes.
    cache_node_type: Option<Text>,
    /// Value.
    value: Option<Text>,
}

/// A parameter whose value depends on the type of the nodes.
#[derive(Record)]
#[record(answer)]
pub struct CacheNodeTypeSpecificParameter {
    /// Name.
    parameter_name: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Source of the values: system.
    source: Option<Text>,
    /// Type of the values: integer.
    data_type: Option<Text>,
    /// Allowed values and ranges.
    allowed_values: Option<Text>,
    /// True if the value can be changed.
    is_modifiable: Option<bool>,
    /// First version of the engine with the parameter.
    minimum_engine_version: Option<Text>,
    /// Values by the types of nodes.
    #[field(item = "CacheNodeTypeSpecificValue")]
    cache_node_type_specific_values: Option<Vec<CacheNodeTypeSpecificValue>>,
    /// When a change takes effect; absent for memcached.
    change_type: Option<ChangeType>,
}

/// Describes the parameters of a family whose values depend on the type of the nodes.
fn node_parameters(family: Family) -> Vec<CacheNodeTypeSpecificParameter> {
    let value = |(node_type, value): (&'static str, u64)| CacheNodeTypeSpecificValue {
        cache_node_type: Some(node_type.into()),
        value: Some(value.to_string().into()),
    };
    let describe = |definition: &NodeDefinition| CacheNodeTypeSpecificParameter {
        parameter_name: Some(definition.name.into()),
        description: Some(definition.description.into()),
        source: Some(SYSTEM.into()),
        data_type: Some("integer".into()),
        allowed_values: Some(definition.allowed.into()),
        is_modifiable: Some(false),
        minimum_engine_version: Some(family.first_version().into()),
        cache_node_type_specific_values: Some(node_types::values(definition.value).map(value).collect()),
        change_type: tables::has_change_types(family).then_some(ChangeType::Immediate),
    };
    tables::of_nodes(family).map(describe).collect()
}

/// Parameters of a group.
#[derive(Record)]
#[record(answer)]
pub struct DescribeCacheParametersResponse {
    /// Pagination token of the next page.
    marker: Option<Text>,
    /// Parameters.
    #[field(item = "Parameter")]
    parameters: Option<Vec<Parameter>>,
    /// Parameters whose values depend on the type of the nodes. They are on the first page.
    #[field(item = "CacheNodeTypeSpecificParameter")]
    cache_node_type_specific_parameters: Option<Vec<CacheNodeTypeSpecificParameter>>,
}

/// Describes the parameters of a group, in order of their names.
#[operation(
    of = CacheParameterGroup, call = "parameters", on_model, needs(cache_parameter_group_name), include(Page),
    output = DescribeCacheParametersResponse, returns(parameters: Vec<Parameter>, marker), effect = read, access = list
)]
pub struct DescribeCacheParameters {
    /// Source of the values: user for changed ones, system for the others.
    #[field(one_of("user", "system", "engine-default"))]
    pub source: Option<Text>,
}

impl Handler for DescribeCacheParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.cache_parameter_group_name;
        let Some(group) = find(cx, name)? else {
            return Err(CacheParameterGroup::not_found(name).with_field("CacheParameterGroupName"));
        };
        let family = group.family()?;
        let is_unused = !is_default(group.group_name()) && !is_used(cx, group.group_name())?;
        let source = self.source.as_deref();
        let is_selected = |found: &str| source.is_none_or(|source| source == found);
        let all = parameters(cx, &group)?.into_iter();
        let all = all.map(|setting| Parameter::of_setting(setting, family, is_unused));
        let selected = all.filter(|parameter| is_selected(parameter.source.as_deref().unwrap_or_default()));
        let (parameters, marker) = cx.page_list(&self, selected)?;
        let with_nodes = self.marker.is_none() && is_selected(SYSTEM);
        Ok(DescribeCacheParametersResponse {
            marker,
            parameters: Some(parameters),
            cache_node_type_specific_parameters: Some(if with_nodes {
                node_parameters(family)
            } else {
                Vec::new()
            }),
        })
    }
}

/// Describes the parameters of a group whose values depend on the type of the nodes.
#[operation(
    kind = CacheParameterGroup, of = CacheParameterGroup, call = "node_type_parameters", on_model,
    needs(cache_parameter_group_name), runs = DescribeCacheParameters,
    returns(cache_node_type_specific_parameters: Vec<CacheNodeTypeSpecificParameter>), effect = read
)]
pub struct CacheParameterGroupNodeTypeParameters {}

/// Parameters of a family.
#[derive(Record)]
#[record(answer)]
pub struct EngineDefaults {
    /// Name of the family.
    cache_parameter_group_family: Option<Text>,
    /// Pagination token of the next page.
    marker: Option<Text>,
    /// Parameters with their default values.
    #[field(item = "Parameter")]
    parameters: Option<Vec<Parameter>>,
    /// Parameters whose values depend on the type of the nodes. They are on the first page.
    #[field(item = "CacheNodeTypeSpecificParameter")]
    cache_node_type_specific_parameters: Option<Vec<CacheNodeTypeSpecificParameter>>,
}

/// Describes the parameters of a family with their default values, in order of their names.
#[operation(
    of = CacheParameterGroup, call = "engine_defaults", needs(cache_parameter_group_family), include(Page),
    wraps(engine_defaults: EngineDefaults), effect = read, subject = "*"
)]
pub struct DescribeEngineDefaultParameters {}

impl Handler for DescribeEngineDefaultParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let family = Family::read(&self.cache_parameter_group_family)?;
        let describe = |definition: &'static tables::Definition| {
            let value = definition.default.map(Text::new);
            Parameter::of_setting(ParameterSetting { definition, value, is_changed: false }, family, false)
        };
        let (parameters, marker) = cx.page_list(&self, tables::of_family(family).map(describe))?;
        let nodes = if self.marker.is_none() { node_parameters(family) } else { Vec::new() };
        let defaults = EngineDefaults {
            cache_parameter_group_family: Some(family.name().into()),
            marker,
            parameters: Some(parameters),
            cache_node_type_specific_parameters: Some(nodes),
        };
        Ok(defaults.into())
    }
}
