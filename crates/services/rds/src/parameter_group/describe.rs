//! Descriptions of parameters.

use super::{
    group::{self, ParameterGroup, ParameterValueRow},
    tables::{self, Definition, Level},
};
use crate::filters::{self, Filter};
use nephos_cloud::Tx;
use nephos_core::{Record, Result, Text, choices};

choices! {
    /// When a change of a parameter takes effect.
    #[derive(Eq)]
    pub enum ApplyMethod {
        /// At once.
        Immediate = "immediate",
        /// After a reboot.
        PendingReboot = "pending-reboot",
    }
}

/// A parameter: as it is described, or with the name, the value and the method of a change.
#[derive(Record)]
pub struct Parameter {
    /// Name.
    pub(super) parameter_name: Option<Text>,
    /// Value. A reset does not need it.
    pub(super) parameter_value: Option<Text>,
    /// Description.
    #[field(service_set)]
    description: Option<Text>,
    /// Source of the value: user, system or engine-default.
    #[field(service_set)]
    source: Option<Text>,
    /// Type of the parameter: static or dynamic.
    #[field(service_set)]
    apply_type: Option<Text>,
    /// Type of the values: boolean, float, integer, list or string.
    #[field(service_set)]
    data_type: Option<Text>,
    /// Allowed values and ranges, such as `0,20-100`.
    #[field(service_set)]
    allowed_values: Option<Text>,
    /// True if the value can be changed.
    #[field(service_set)]
    is_modifiable: Option<bool>,
    /// First version of the engine with the parameter.
    #[field(service_set)]
    minimum_engine_version: Option<Text>,
    /// When a change takes effect. A static parameter changes after a reboot only.
    pub(super) apply_method: Option<ApplyMethod>,
    /// Modes of the engine with the parameter.
    #[field(service_set)]
    supported_engine_modes: Option<Vec<Text>>,
}

impl Parameter {
    /// Describes a parameter with its default value.
    fn of_definition(definition: &Definition, modes: Option<Vec<Text>>) -> Self {
        let source = if definition.default.is_some() { "system" } else { "engine-default" };
        Self {
            parameter_name: Some(definition.name.into()),
            parameter_value: definition.default.map(Text::new),
            description: Some(definition.description.into()),
            source: Some(source.into()),
            apply_type: Some(definition.apply_type().into()),
            data_type: Some(definition.data_type.name().into()),
            allowed_values: definition.allowed_values(),
            is_modifiable: Some(definition.is_modifiable()),
            minimum_engine_version: None,
            apply_method: None,
            supported_engine_modes: modes,
        }
    }

    /// Takes the value that was changed in the group.
    fn take_changed(&mut self, changed: &[ParameterValueRow]) {
        self.apply_method = Some(ApplyMethod::PendingReboot);
        if let Some(row) = changed.iter().find(|row| row.parameter_name == self.parameter_name) {
            self.parameter_value.clone_from(&row.value);
            self.apply_method.clone_from(&row.apply_method);
            self.source = Some("user".into());
        }
    }
}

/// Parameters of a family.
#[derive(Record)]
#[record(answer)]
pub struct EngineDefaults {
    /// Name of the family.
    #[field(name = "DBParameterGroupFamily")]
    db_parameter_group_family: Option<Text>,
    /// Pagination token of the next page.
    marker: Option<Text>,
    /// Parameters with their default values.
    #[field(item = "Parameter")]
    parameters: Option<Vec<Parameter>>,
}

impl EngineDefaults {
    /// Makes the description of a page of the parameters of a family.
    pub(super) fn of(family: &str, (parameters, marker): (Vec<Parameter>, Option<Text>)) -> Self {
        Self { db_parameter_group_family: Some(family.into()), marker, parameters: Some(parameters) }
    }
}

/// Returns the parameters of a family with their default values that match the filters, in order of their names.
pub(super) fn of_family(family: &str, level: Level, filters: Option<&[Filter]>) -> Result<Vec<Parameter>> {
    let filters = filters::read(filters, &["parameter-name"])?;
    group::check_family(family, level)?;
    let is_aurora_cluster = level == Level::Cluster && family.starts_with("aurora");
    let modes = is_aurora_cluster.then(|| vec![Text::new("provisioned")]);
    let all = tables::of_family(family, level).into_iter();
    let matching = all.filter(|definition| filters.match_all(|_, name| definition.name == name));
    Ok(matching.map(|definition| Parameter::of_definition(definition, modes.clone())).collect())
}

/// Returns the parameters of a group that match, in order of their names.
pub(super) fn of_group<G: ParameterGroup>(
    cx: &Tx<'_>,
    name: &str,
    source: Option<&str>,
    filters: Option<&[Filter]>,
) -> Result<Vec<Parameter>> {
    let group: G = group::require_named(cx, name, G::NAME)?;
    let changed = group::changed_values(cx, &group)?;
    let mut parameters = of_family(group.family(), G::LEVEL, filters)?;
    parameters.iter_mut().for_each(|parameter| parameter.take_changed(&changed));
    parameters.retain(|parameter| source.is_none() || source == parameter.source.as_deref());
    Ok(parameters)
}
