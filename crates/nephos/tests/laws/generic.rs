//! Operations with random parameters, generated from shapes.

use crate::{
    examples::{DEFAULT_EXAMPLES, parse_json_params, with_examples},
    test_resource::TestResource,
};
use nephos::{
    AllServices, Arn, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Map, REGISTRY, Session, Value,
    shape::{
        FieldShape, Identity, KindShape, Literal, OperationShape, Presence, RecordShape, Rule, ServiceShape,
        Type,
    },
};
use nephos_cloud::{Entry, ServiceSet};
use nephos_core::{
    Place, Ref, Result,
    dynamic::{self, AnyResults, Reach, fill_parameter},
    fill::Reader,
    record::Fields,
    wait,
};
use std::{collections::BTreeMap, sync::LazyLock};

/// Returns the options of a cloud with a fixed seed, so that generated IDs are the same in all clouds.
pub(crate) fn options() -> nephos::CloudOptions {
    Cloud::options().clock(nephos_testing::clock()).seed(7)
}

/// Texts of the examples and of the listings of a cloud with the examples, by field name in lower case.
static KNOWN_TEXTS: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut known = BTreeMap::new();
    for (name, text) in nephos_cases::laws().flat_map(|service| service.values) {
        collect_texts(&mut known, name, &Value::from(*text));
    }
    for example in nephos_cases::laws().flat_map(|service| service.kinds).flat_map(|facts| facts.examples) {
        collect_texts(&mut known, "", &Value::Map(parse_json_params(example)));
    }
    DEFAULT_EXAMPLES
        .iter()
        .for_each(|resource| collect_texts(&mut known, "", &Value::Map(resource.known.clone())));
    let cloud = with_examples(options().in_memory());
    for kind in REGISTRY.kinds() {
        let list = kind.call("list").filter(|list| !list.params.fields.iter().any(is_required));
        if let Some(list) = list {
            // Some listings need one of several optional parameters.
            if let Ok(answer) = Operation::of_kind(kind, list).run(&cloud.session(), &Map::default()) {
                collect_texts(&mut known, "", &answer);
            }
        }
    }
    known
});

/// All known ARNs, for parameters that accept any.
static ARNS: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let arns =
        KNOWN_TEXTS.iter().filter(|(name, _)| name.ends_with("arn")).flat_map(|(_, texts)| texts.clone());
    [("resourcearn", arns.collect())].into()
});

fn is_required(param: &FieldShape) -> bool {
    param.presence == Presence::Required
}

fn collect_texts(known: &mut BTreeMap<String, Vec<String>>, name: &str, value: &Value) {
    match value {
        Value::Map(fields) => fields.iter().for_each(|(name, value)| collect_texts(known, name, value)),
        Value::List(items) => items.iter().for_each(|item| collect_texts(known, name, item)),
        Value::Text(text) if text.starts_with('$') => {}
        Value::Text(text) => {
            let texts = known.entry(name.to_lowercase()).or_default();
            if !texts.contains(&text.to_string()) {
                texts.push(text.to_string());
            }
        }
        _ => {}
    }
}

/// Returns the texts of a field, in any letter case, or of its singular.
fn known_texts(name: &str) -> &'static [String] {
    let name = name.to_lowercase();
    let singular = name.strip_suffix('s').unwrap_or(&name);
    // Some operations accept any ARN.
    let found = KNOWN_TEXTS.get(&name).or_else(|| KNOWN_TEXTS.get(singular));
    found.or_else(|| ARNS.get(singular)).map_or(&[], Vec::as_slice)
}

/// An operation of the registry: of a kind's manager, or of a service.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) service: &'static ServiceShape,
    pub(crate) shape: &'static OperationShape,
    kind: Option<&'static KindShape>,
    entry: Option<&'static Entry>,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind.map_or(self.service.name, |kind| kind.name), self.shape.name)
    }
}

/// Returns all operations of the registry.
pub(crate) fn operations() -> Vec<Operation> {
    let calls = REGISTRY
        .kinds()
        .flat_map(|kind| kind.calls().into_iter().map(move |call| Operation::of_kind(kind, call)));
    let wire = AllServices::SERVICES.iter().flat_map(|service| {
        service.handlers.iter().map(|entry| Operation {
            service: service.shape,
            shape: entry.operation,
            kind: None,
            entry: Some(entry),
        })
    });
    calls.chain(wire).collect()
}

/// Returns the models of a set as values.
pub(crate) fn all_values(mut results: AnyResults) -> Result<Vec<Value>> {
    let mut models = Vec::new();
    while let Some(model) = wait(results.try_next())? {
        models.push(Ref::Record(&*model).to_value());
    }
    Ok(models)
}

fn fill(params: &mut dyn Fields, input: &Map<Value>) -> Result<()> {
    input.iter().try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
}

impl Operation {
    pub(crate) fn of_kind(kind: &'static KindShape, shape: &'static OperationShape) -> Self {
        Self { service: (kind.service)(), shape, kind: Some(kind), entry: None }
    }

    /// Returns the parameters, and the fields of the model that it takes.
    pub(crate) fn parameters(&self) -> Vec<&'static FieldShape> {
        let whole = |param: &&'static FieldShape| match (param.details.model, &param.ty) {
            (true, Type::Record(model)) => own_fields(model).collect(),
            _ => vec![*param],
        };
        self.shape.params.fields.iter().flat_map(|param| whole(&param)).collect()
    }

    /// Runs the operation; returns its answer as a value.
    pub(crate) fn run(&self, session: &Session, input: &Map<Value>) -> Result<Value> {
        if let Some(entry) = self.entry {
            let workflow = entry.workflow(&mut |params| fill(params, input))?;
            let outcome = wait(session.transport().run(session, workflow))?;
            let answer = outcome.downcast::<Box<dyn Fields>>().expect("the workflow has one operation");
            return Ok(Ref::Record(&**answer).to_value());
        }
        match dynamic::reach(self.shape) {
            Reach::Call(_) => {
                let call = dynamic::call(self.shape, session, &mut |params| fill(params, input))?;
                let answer = wait(call.run())?;
                Ok(answer.map_or(Value::Null, |answer| answer.view().to_value()))
            }
            Reach::List(_) => all_values(self.results(session, input)?).map(Value::List),
            Reach::Wire(_) => unreachable!("a manager has no wire operations"),
        }
    }

    /// Returns the result set of a listing.
    pub(crate) fn results(&self, session: &Session, input: &Map<Value>) -> Result<AnyResults> {
        dynamic::results(self.shape, session, &mut |params| fill(params, input))
    }

    /// Returns the ARNs that a wire operation acts on with these parameters, for the default caller; none if they are
    /// invalid, or for an operation of a manager.
    pub(crate) fn subjects(&self, input: &Map<Value>) -> Option<Vec<Arn>> {
        let Reach::Wire(_) = dynamic::reach(self.shape) else { return None };
        let request = dynamic::request(self.shape, &mut |params| fill(params, input)).ok()?;
        let place = Place::new(DEFAULT_REGION, DEFAULT_ACCOUNT);
        Some(self.shape.subjects(self.service, &*request.params, &place))
    }

    /// Returns the parameters of an example in half of the creates.
    fn example(&self, random: &mut Random) -> Option<Map<Value>> {
        let kind = self.kind.filter(|_| self.shape.name == "create" && random.percent(50))?;
        let own: Vec<_> =
            DEFAULT_EXAMPLES.iter().filter(|resource| resource.kind.name == kind.name).collect();
        (!own.is_empty()).then(|| random.one_of(&own).input.clone())
    }

    /// Runs a preview, if the operation supports it.
    pub(crate) fn preview(&self, session: &Session, input: &Map<Value>) -> Option<Result<()>> {
        if let Some(entry) = self.entry {
            let tried = entry.workflow(&mut |params| fill(params, input));
            let tried = tried.and_then(|workflow| wait(session.transport().preview(session, workflow)));
            return Some(tried.map(drop));
        }
        match dynamic::reach(self.shape) {
            Reach::Call(_) => {
                let call = dynamic::call(self.shape, session, &mut |params| fill(params, input));
                Some(call.and_then(|call| call.preview().wait()).map(drop))
            }
            _ => None,
        }
    }
}

fn own_fields(record: &'static RecordShape) -> impl Iterator<Item = &'static FieldShape> {
    record.fields.iter().filter(|field| field.presence != Presence::ServiceSet)
}

/// Pseudorandom numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Returns true with the probability in percent.
    fn percent(&mut self, probability: usize) -> bool {
        self.below(100) < probability
    }

    fn one_of<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// Returns the value of an example of the kind, or of a kind of the service, for a parameter that identifies one.
fn example_value(operation: &Operation, param: &FieldShape, random: &mut Random) -> Option<Value> {
    let is_own = |resource: &&TestResource| match operation.kind {
        Some(kind) => resource.kind.name == kind.name,
        None => (resource.kind.service)().name == operation.service.name,
    };
    let takes_arn = ["ResourceArn", "ResourceARN", "ResourceName", "resourceArn"].contains(&param.name);
    let values = DEFAULT_EXAMPLES.iter().filter(is_own).filter_map(|resource| {
        let field = match resource.kind.arn {
            Identity::Path([arn]) if takes_arn => arn,
            _ => param.source(),
        };
        resource.known.get(field).filter(|value| value.as_text().is_some()).cloned()
    });
    let values: Vec<_> = values.collect();
    (matches!(param.ty, Type::Text) && !values.is_empty()).then(|| random.one_of(&values))
}

/// Returns random parameters, most of them valid.
pub(crate) fn parameters(operation: &Operation, random: &mut Random, now: i64) -> Map<Value> {
    let mut input = operation.example(random).unwrap_or_default();
    // Many optional parameters together are hardly ever valid.
    let optional = (300 / operation.parameters().len().max(1)).min(20);
    for param in operation.parameters() {
        let probability = if param.presence == Presence::Required { 97 } else { optional };
        // The name of a kind may be optional in its shape but is required in effect.
        let named = operation.shape.name == "create" && param.name.ends_with("Name");
        let probability = if named { 97 } else { probability };
        // Examples are mostly left unchanged.
        let probability = if input.contains_key(param.name) { 5 } else { probability };
        if random.percent(probability) {
            let known = if random.percent(60) { example_value(operation, param, random) } else { None };
            let value = known.unwrap_or_else(|| value(param.name, param.ty, param.rules, random, now));
            input.insert(param.name.into(), value);
        }
    }
    if random.percent(1) {
        input.insert("unknown".into(), Value::Null);
    }
    input
}

/// Texts for parameters, beside those of the services.
const TEXTS: &[&str] = &[
    "/b",
    "/a/b",
    "/c",
    "two",
    "",
    "a b",
    "aws/x",
    "é",
    "1",
    "$.a",
    "{ $.a = 1 }",
    "[a",
    "a:b",
    "123456789012",
    "one",
    "eu-west-1",
    "{\"a\": {\"b\": [1, null]}}",
];

/// Texts for parameters.
static ALL_TEXTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let of_services = nephos_cases::laws().flat_map(|service| service.texts);
    TEXTS.iter().chain(of_services).copied().collect()
});

fn text(random: &mut Random) -> String {
    match random.below(100) {
        0..50 => "/a".to_owned(),
        50 => "x".repeat(600),
        51 => "\0\n\u{2028}".to_owned(),
        _ => random.one_of(&ALL_TEXTS).to_owned(),
    }
}

fn number(rules: &[Rule], random: &mut Random, now: i64) -> i64 {
    for rule in rules {
        match rule {
            Rule::OneOf(literals) if random.percent(90) => {
                if let Literal::Int(number) = random.one_of(literals) {
                    return number;
                }
            }
            Rule::Range { min, max } if random.percent(60) => {
                return random.one_of(&[
                    *min,
                    *max,
                    min.saturating_add(1),
                    min.saturating_sub(1),
                    max.saturating_add(1),
                ]);
            }
            _ => {}
        }
    }
    let day = 24 * 60 * 60 * 1000;
    random.one_of(&[
        0,
        1,
        2,
        7,
        50,
        -1,
        i64::MAX,
        i64::MIN,
        now / 1000,
        now,
        now,
        now,
        now - 1,
        now - day,
        now + day,
    ])
}

fn value(name: &str, ty: Type, rules: &[Rule], random: &mut Random, now: i64) -> Value {
    if random.percent(1) {
        return random.one_of(&[
            Value::Null,
            Value::Bool(true),
            Value::List(Vec::new()),
            Value::Map(Map::default()),
        ]);
    }
    let inner = rules.iter().find_map(|rule| match rule {
        Rule::Each(inner) => Some(*inner),
        _ => None,
    });
    let inner = inner.unwrap_or_default();
    match ty {
        Type::Bool => Value::Bool(random.percent(50)),
        Type::Int => number(rules, random, now).into(),
        Type::Float => random.one_of(&[0.0, 1.5, -1.0, f64::MAX]).into(),
        Type::Choice(choice) if random.percent(95) => {
            choice.values[random.below(choice.values.len())].name.into()
        }
        Type::Record(record) => {
            let mut fields = Map::default();
            for field in own_fields(record) {
                if random.percent(if field.presence == Presence::Required { 97 } else { 30 }) {
                    fields.insert(field.name.into(), value(field.name, field.ty, field.rules, random, now));
                }
            }
            Value::Map(fields)
        }
        Type::List(item) => {
            let count = random.one_of(&[0, 1, 1, 1, 1, 2, 3]);
            Value::List((0..count).map(|_| value(name, *item, inner, random, now)).collect())
        }
        Type::Map(of) => {
            let count = random.one_of(&[0, 1, 1, 2]);
            (0..count)
                .map(|_| (text(random).into(), value("", *of, inner, random, now)))
                .collect::<Map<_>>()
                .into()
        }
        Type::Text if !known_texts(name).is_empty() && random.percent(60) => {
            random.one_of(known_texts(name)).into()
        }
        _ => text(random).into(),
    }
}
