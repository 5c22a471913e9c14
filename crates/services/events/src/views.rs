//! Views of the service: `watch`, `explain-match` and `deliveries`.

use crate::{
    DEFAULT_BUS, EventBus, EventRule, RuleState, errors,
    pattern::{Event, Explanation, FieldExplanation, Pattern},
};
use nephos_cloud::{
    ControlItems, ItemFeed, ItemTable, Report, ReportView, ServiceView, ServiceViewForm, ServiceViews, Span,
    Tone, ViewArgument,
};
use nephos_core::{
    Error, ErrorKind, Map, Resource, Result, Session, Text, Value,
    json::{self, Writing},
};

/// Maximum length of the pattern of a rule.
const MAX_PATTERN: usize = 4096;

const BUS: ViewArgument =
    ViewArgument::option("bus", "NAME", "Name of the event bus; the default bus if it is not given")
        .of_parameter("EventBusName");

/// The views of the service.
pub(crate) const VIEWS: ServiceViews = ServiceViews {
    docs: "Follow an event bus, explain matches, and list deliveries",
    views: &[WATCH, EXPLAIN_MATCH, DELIVERIES],
};

const WATCH: ServiceView = ServiceView {
    name: "watch",
    docs: "Print the events that arrive at a bus, with the rules that they match",
    notes: "A bus keeps its newest 1000 events.",
    kind: None,
    arguments: &[
        BUS,
        ViewArgument::option("pattern", "FILE|-", "File of an event pattern that events must match")
            .of_parameter("EventPattern")
            .from_file(),
    ],
    form: ServiceViewForm::Feed(ItemFeed {
        source: ControlItems { control: "recent-events", items: "Events", after: "After" },
        last: "Last",
        limit_docs: "Number of events after which the command ends",
        since_start_docs: "Print the events that the bus has kept, too",
        value: event_of,
        line: event_line,
    }),
};

const EXPLAIN_MATCH: ServiceView = ServiceView {
    name: "explain-match",
    docs: "Show which part of the pattern of a rule an event does not match",
    notes: "Exit code: 0 if the event matches, 1 if it does not, or if the rule is disabled.",
    kind: None,
    arguments: &[
        ViewArgument::position("RULE", "Name of the rule").required(),
        ViewArgument::position(
            "EVENT_FILE",
            "File of an event as JSON, with its envelope; - for standard input",
        )
        .required()
        .from_file(),
        BUS,
    ],
    form: ServiceViewForm::Report(ReportView {
        make: |session, arguments| Box::pin(explain(session, arguments)),
        negative: "event does not match",
    }),
};

const DELIVERIES: ServiceView = ServiceView {
    name: "deliveries",
    docs: "List deliveries that are not done, and those to targets outside the cloud",
    notes: "",
    kind: Some(EventBus::KIND),
    arguments: &[
        ViewArgument::position("NAME", "Name of the event bus; all buses if it is not given")
            .of_parameter("EventBusName"),
        ViewArgument::option("rule", "NAME", "Only deliveries of this rule").of_parameter("Rule"),
        ViewArgument::option("target-arn", "ARN", "Only deliveries to this target").of_parameter("TargetArn"),
        ViewArgument::option("state", "STATE", "Only deliveries in this state").of_parameter("State"),
        ViewArgument::option("after", "NUMBER", "Only deliveries after the one with this number")
            .of_parameter("After"),
    ],
    form: ServiceViewForm::Table(ItemTable {
        source: ControlItems { control: "event-deliveries", items: "Deliveries", after: "After" },
        number: "Number",
        limit: "Limit",
        limit_docs: "Maximum number of deliveries, oldest first; all by default",
        columns: &["Number", "State", "Rule", "TargetArn", "NextAttempt", "ErrorCode"],
    }),
};

/// Returns the event of an item of the control `recent-events`.
fn event_of(recent: &Value) -> Value {
    let text = recent.get("Event").and_then(Value::as_text).unwrap_or_default();
    json::parse(text.as_bytes()).unwrap_or(Value::Null)
}

/// Returns the line of an item of the control `recent-events`.
fn event_line(recent: &Value) -> Vec<Span> {
    let event = event_of(recent);
    let text = |name: &str| event.get(name).and_then(Value::as_text).unwrap_or_default();
    let rules = match recent.get("Rules") {
        Some(Value::List(rules)) => rules.iter().filter_map(Value::as_text).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    let rules = match rules.as_str() {
        "" => Span::new(Tone::Quiet, "(no rule)"),
        rules => Span::new(Tone::Good, format!("({rules})")),
    };
    let detail = event.get("detail").map(|detail| json::write(detail.view(), Writing::SHOWN));
    vec![
        Span::new(Tone::Quiet, text("time")),
        Span::new(Tone::Plain, text("source")),
        Span::new(Tone::Plain, format!("{:?}", text("detail-type"))),
        rules,
        Span::new(Tone::Plain, detail.unwrap_or_default()),
    ]
}

/// Explains the match of an event and a rule.
async fn explain(session: &Session, arguments: &Map<Text>) -> Result<Report> {
    let text = |name: &str| arguments.get(name).map(Text::as_str);
    let name = text("RULE").unwrap_or_default();
    let event = text("EVENT_FILE").unwrap_or_default();
    let event = json::parse(event.as_bytes()).map_err(|error| error.in_field("EVENT_FILE"))?;
    let event = Event::prepare(&event).ok_or_else(|| {
        Error::invalid("EVENT_FILE", "an event is a JSON object with source, detail-type and detail")
    })?;
    let rule = EventRule::objects(session).get(name).event_bus_name(text("bus")).await?;
    let bus = text("bus").unwrap_or(DEFAULT_BUS);
    let missing = || errors::NOT_FOUND.with_message(format!("Rule {name} does not exist on EventBus {bus}."));
    let rule = rule.ok_or_else(missing)?;
    let pattern = rule.event_pattern().ok_or_else(|| {
        Error::invalid("RULE", format!("the rule {name} has a schedule and no event pattern"))
    })?;
    let pattern = Pattern::parse_up_to(pattern, MAX_PATTERN)
        .map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
    let explanation = pattern.explain(&event);
    let is_disabled = rule.state() == Some(&RuleState::Disabled);
    let text = explanation.to_string();
    let text = if is_disabled { of_disabled_rule(name, &text) } else { text };
    let is_positive = explanation.matched && !is_disabled;
    Ok(Report {
        lines: text.lines().map(explanation_line).collect(),
        value: explanation_value(&explanation, is_positive, is_disabled),
        warnings: Vec::new(),
        is_positive,
    })
}

/// Returns the explanation for a rule that matches no event, whatever its pattern says.
fn of_disabled_rule(name: &str, explanation: &str) -> String {
    let (verdict, fields) = explanation.split_once('\n').unwrap_or((explanation, ""));
    let pattern = match verdict.strip_prefix("no match: ") {
        Some(reason) => format!(", and {reason}"),
        None => "; its pattern matches".to_owned(),
    };
    format!("no match: the rule {name} is disabled{pattern}\n{fields}")
}

fn explanation_line(line: &str) -> Span {
    let tone = match line.trim_start() {
        text if text.starts_with('✗') || text.starts_with("no match") => Tone::Bad,
        text if text.starts_with('✓') || text.starts_with("match") => Tone::Good,
        _ => Tone::Quiet,
    };
    Span::new(tone, line)
}

/// Returns an explanation as a value.
fn explanation_value(explanation: &Explanation, is_positive: bool, is_disabled: bool) -> Value {
    let texts = |texts: &[String]| Value::List(texts.iter().map(|text| text.as_str().into()).collect());
    let field = |field: &FieldExplanation| {
        Value::from_iter([
            ("field", field.field.as_str().into()),
            ("matched", field.matched.into()),
            ("values", texts(&field.values)),
            ("choices", texts(&field.choices)),
        ])
    };
    let alternatives = explanation.alternatives.iter().map(|alternative| {
        let fields = alternative.fields.iter().map(field).collect();
        Value::from_iter([("matched", alternative.matched.into()), ("fields", Value::List(fields))])
    });
    Value::from_iter([
        ("matched", is_positive.into()),
        ("disabled", is_disabled.into()),
        ("alternatives", Value::List(alternatives.collect())),
    ])
}
