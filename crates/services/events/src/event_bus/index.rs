//! The enabled rules of a bus with their targets, and its archives, compiled for matching and kept between transactions.

use crate::{
    EventRule, EventTarget, HttpParameters, RuleState,
    archive::{self, events::CompiledArchive},
    event_rule, event_target,
    input::{InputPath, RuleFacts, Template},
    pattern::{Event, Index},
};
use nephos_cloud::Tx;
use nephos_core::{
    Result, Text, Value,
    json::{self, Writing},
};
use std::sync::Arc;

/// Compiled rules and archives of a bus.
pub(crate) struct BusIndex {
    patterns: Index<u32>,
    rules: Vec<CompiledRule>,
    pub(crate) archives: Vec<CompiledArchive>,
}

/// A rule with its targets.
pub(crate) struct CompiledRule {
    pub(crate) name: Text,
    pub(crate) arn: Text,
    pub(crate) targets: Vec<CompiledTarget>,
}

/// A target with its parsed input.
pub(crate) struct CompiledTarget {
    pub(crate) id: Text,
    pub(crate) arn: Text,
    pub(crate) role: Option<Text>,
    pub(crate) http: Option<HttpParameters>,
    input: Input,
}

/// Input of a target.
enum Input {
    Event,
    Constant(Text),
    Path(InputPath),
    Template(Template),
}

/// Name of the cached index of a bus.
fn cache_name(bus: &str) -> String {
    format!("events/rules/{bus}")
}

/// Notes that the rules of a bus, their targets or the archives of the bus change.
pub(crate) fn change(cx: &mut Tx<'_>, bus: &str) -> Result<()> {
    cx.change_cached(&cache_name(bus))
}

/// Returns the compiled rules and archives of a bus of this account and Region.
pub(crate) fn of_bus(cx: &Tx<'_>, bus: &str) -> Result<Arc<BusIndex>> {
    cx.cached(&cache_name(bus), |cx| BusIndex::compile(cx, bus))
}

impl BusIndex {
    fn compile(cx: &Tx<'_>, bus: &str) -> Result<Self> {
        let (mut patterns, mut rules) = (Index::default(), Vec::new());
        for rule in cx.all::<EventRule>(&event_rule::key_prefix(cx.scope(), bus))? {
            // Archives are part of the index, and their rules have no other effect.
            if rule.state == Some(RuleState::Disabled) || archive::rule::is_of_archive(&rule) {
                continue;
            }
            let Some(pattern) = &rule.event_pattern else { continue };
            let number = u32::try_from(rules.len()).unwrap_or(u32::MAX);
            patterns.add(number, &event_rule::put::parse_pattern(pattern)?);
            rules.push(CompiledRule::read(cx, bus, &rule)?);
        }
        Ok(Self { patterns, rules, archives: archive::events::compile(cx, bus)? })
    }

    /// Returns the rules that an event matches, in order of their names.
    pub(crate) fn matches(&self, event: &Value) -> Vec<&CompiledRule> {
        let Some(event) = Event::prepare(event) else { return Vec::new() };
        let mut numbers: Vec<_> = self.patterns.matches(&event).into_iter().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.rules.get(number as usize)).collect()
    }
}

impl CompiledRule {
    /// Reads the targets of a rule of the bus `bus`.
    pub(crate) fn read(cx: &Tx<'_>, bus: &str, rule: &EventRule) -> Result<Self> {
        let name = rule.name.clone().unwrap_or_default();
        let targets = event_target::targets_of(cx, bus, &name)?;
        let targets = targets.into_iter().map(CompiledTarget::new).collect();
        Ok(Self { arn: event_rule::arn_of(cx.scope(), bus, &name).into(), name, targets })
    }
}

impl CompiledTarget {
    fn new(target: EventTarget) -> Self {
        let input = match (target.input, target.input_path, target.input_transformer) {
            (Some(constant), ..) => Input::Constant(constant),
            (_, Some(path), _) => InputPath::parse(&path).map_or(Input::Event, Input::Path),
            (_, _, Some(transformer)) => {
                let paths = transformer.input_paths_map.as_ref();
                let find_path = |name: &str| paths.and_then(|paths| InputPath::parse(paths.get(name)?));
                let template = transformer.input_template.as_deref().unwrap_or_default();
                // It was checked when it was stored.
                Template::parse(template, find_path).map_or(Input::Event, Input::Template)
            }
            _ => Input::Event,
        };
        let (id, arn) = (target.id.unwrap_or_default(), target.arn.unwrap_or_default());
        Self { id, arn, role: target.role_arn, http: target.http_parameters, input }
    }

    /// True if an input can be delivered: a template of a JSON object may become something else.
    pub(crate) fn accepts(&self, input: &str) -> bool {
        match &self.input {
            Input::Template(template) if template.is_object() => json::parse(input.as_bytes()).is_ok(),
            _ => true,
        }
    }

    /// Returns the input for an event, or none if it is too long; `text` is the event as JSON.
    pub(crate) fn render(&self, event: &Value, text: &Text, rule: &RuleFacts<'_>) -> Option<Text> {
        Some(match &self.input {
            Input::Event => text.clone(),
            Input::Constant(constant) => constant.clone(),
            Input::Path(path) => {
                let found = path.select(event).unwrap_or(Value::Null);
                json::write(found.view(), Writing::EXPOSED).into()
            }
            Input::Template(template) => return template.render(event, rule).map(Text::from),
        })
    }
}
