//! Examples of every kind, and a cloud that is furnished with them.

use crate::generic::{Operation, options};
use nephos::{
    Cloud, Map, REGISTRY, Session, Text, Value,
    shape::{FieldShape, Identity, KindShape, OperationShape, Presence},
};
use nephos_core::{
    FieldSet, Result,
    dynamic::{self, AnyCall, Reach},
    field_value::FieldValue,
    json,
    record::{self, Fields},
    wait,
};
use std::sync::LazyLock;

/// At least two of every kind, those that others need first: the parameters of the call that makes them. `$Kind.Field` is
/// a field of the last one of a kind that was made, `$Kind0.Field` of the first. Account and Region are replaced where
/// others are furnished.
pub(crate) const EXAMPLES: &[(&str, &str)] = &[
    (
        "LogGroup",
        r#"{"logGroupName": "/a", "retentionInDays": 7, "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("LogGroup", r#"{"logGroupName": "/a/b", "logGroupClass": "INFREQUENT_ACCESS"}"#),
    ("LogGroup", r#"{"logGroupName": "/b", "kmsKeyId": "arn:aws:kms:us-east-1:123456789012:key/one"}"#),
    ("LogStream", r#"{"logGroupName": "/a", "logStreamName": "/a"}"#),
    ("LogStream", r#"{"logGroupName": "/a", "logStreamName": "/a 2"}"#),
    (
        "LogEvent",
        r#"{"logGroupName": "/a", "logStreamName": "/a", "logEvents": [{"timestamp": 1769860800000, "message": "ERROR one"}]}"#,
    ),
    (
        "LogEvent",
        r#"{"logGroupName": "/a", "logStreamName": "/a 2", "logEvents": [{"timestamp": 1769860801000, "message": "two"}]}"#,
    ),
    (
        "MetricFilter",
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "ERROR",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "1"}]}"#,
    ),
    (
        "MetricFilter",
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "$.a",
        "dimensions": {"d": "$.d"}, "unit": "Bytes/Second"}]}"#,
    ),
    (
        "SubscriptionFilter",
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "",
        "destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:out"}"#,
    ),
    (
        "SubscriptionFilter",
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "x",
        "destinationArn": "arn:aws:kinesis:us-east-1:123456789012:stream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out", "distribution": "Random"}"#,
    ),
    ("Registry", r#"{"RegistryName": "one", "Description": "d", "Tags": {"team": "web"}}"#),
    ("Registry", r#"{"RegistryName": "two"}"#),
    (
        "Schema",
        r#"{"RegistryName": "one", "SchemaName": "s", "Type": "JSONSchemaDraft4", "Description": "d",
        "Content": "{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"type\": \"object\"}"}"#,
    ),
    (
        "Schema",
        r#"{"RegistryName": "one", "SchemaName": "t@1", "Type": "OpenApi3", "Content":
        "{\"openapi\": \"3.0.0\", \"info\": {\"version\": \"1\", \"title\": \"t\"}, \"paths\": {}, \"components\": {\"schemas\": {}}}"}"#,
    ),
    ("Discoverer", r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/default"}"#),
    (
        "Discoverer",
        r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/other", "Description": "d",
        "CrossAccount": false, "Tags": {"team": "web"}}"#,
    ),
    (
        "Secret",
        r#"{"Name": "/a", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}, {"Key": "x", "Value": ""}],
        "SecretString": "hunter2"}"#,
    ),
    ("Secret", r#"{"Name": "one", "CryptoKeyId": "alias/one", "Type": "partner"}"#),
    ("SecretVersion", r#"{"SecretId": "/a", "SecretString": "hunter3"}"#),
    ("SecretVersion", r#"{"SecretId": "one", "SecretString": "hunter4"}"#),
    ("Vpc", r#"{"CidrBlock": "10.1.0.0/16", "InstanceTenancy": "dedicated"}"#),
    ("Vpc", r#"{"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "team", "Value": "web"}]}"#),
    ("Subnet", r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-east-1a"}"#),
    (
        "Subnet",
        r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.1.0/24", "AvailabilityZone": "us-east-1b",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("SecurityGroup", r#"{"GroupName": "api", "Description": "d", "VpcId": "$Vpc.VpcId"}"#),
    // In the default network of the account in its Region, which there is from the start.
    ("SecurityGroup", r#"{"GroupName": "db", "Description": "d"}"#),
    (
        "SecurityGroup",
        r#"{"GroupName": "web", "Description": "d", "VpcId": "$Vpc.VpcId", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("Instance", r#"{"ImageId": "ami-12345678"}"#),
    (
        "Instance",
        r#"{"ImageId": "ami-12345678", "SubnetId": "$Subnet.SubnetId", "InstanceType": "t3.micro", "KeyName": "key",
        "PrivateIpAddress": "10.0.1.10", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("TargetGroup", r#"{"Name": "tcp", "Protocol": "TCP", "Port": 80, "VpcId": "$Vpc.VpcId"}"#),
    ("TargetGroup", r#"{"Name": "fn", "TargetType": "function"}"#),
    (
        "TargetGroup",
        r#"{"Name": "web", "Protocol": "HTTP", "Port": 80, "VpcId": "$Vpc.VpcId",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "TrustStore",
        r#"{"Name": "api", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "api.pem"}"#,
    ),
    (
        "TrustStore",
        r#"{"Name": "web", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "LoadBalancer",
        r#"{"LoadBalancerName": "net", "Type": "network", "Scheme": "internal", "Subnets": ["$Subnet0.SubnetId"]}"#,
    ),
    (
        "LoadBalancer",
        r#"{"LoadBalancerName": "web", "Subnets": ["$Subnet0.SubnetId", "$Subnet.SubnetId"],
        "SecurityGroups": ["$SecurityGroup.GroupId"], "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer0.LoadBalancerArn", "Port": 443, "Protocol": "TLS",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/one"}],
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup0.TargetGroupArn"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 80, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 8080, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "503"}}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "Rule",
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "10",
        "Conditions": [{"Field": "path-pattern", "Values": ["/a"]}],
        "Actions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}]}"#,
    ),
    (
        "Rule",
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "20",
        "Conditions": [{"Field": "host-header", "Values": ["a.example.com"]}],
        "Actions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
];

/// Changes that need values which no shape tells.
pub(crate) const CHANGES: &[(&str, &str)] = &[
    ("SubscriptionFilter", r#"{"destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:other"}"#),
    ("TrustStore", r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem"}"#),
    (
        "TrustStore",
        r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem",
        "CaCertificatesBundleS3ObjectVersion": "2"}"#,
    ),
    ("LoadBalancer", r#"{"SecurityGroups": ["$SecurityGroup0.GroupId"]}"#),
    ("Listener", r#"{"AlpnPolicy": ["HTTP2Preferred"]}"#),
    ("Listener", r#"{"SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}"#),
    (
        "Listener",
        r#"{"Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/two"}],
        "MutualAuthentication": {"Mode": "verify", "TrustStoreArn": "$TrustStore.TrustStoreArn"}}"#,
    ),
    (
        "Rule",
        r#"{"Transforms": [{"Type": "url-rewrite",
        "UrlRewriteConfig": {"Rewrites": [{"Regex": "^/a", "Replace": "/b"}]}}]}"#,
    ),
];

/// Kinds that no `create` makes: the kind and its call that do.
const MADE_BY: &[(&str, &str, &str)] =
    &[("LogEvent", "LogEvent", "put"), ("SecretVersion", "Secret", "set_value")];

/// Parameters that a listing needs although its shape does not say so, or says so under another name: the kind, the
/// parameter, and the field or parameter of `create` that it is.
const LISTED_BY: &[(&str, &str, &str)] = &[
    ("Listener", "LoadBalancerArn", "LoadBalancerArn"),
    ("Rule", "ListenerArn", "ListenerArn"),
    ("LogEvent", "logGroupIdentifier", "logGroupName"),
];

/// Parameters without which a listing leaves some out: versions of a secret that have no stage.
const LISTED_WITH: &[(&str, &str, bool)] = &[("SecretVersion", "IncludeDeprecated", true)];

/// What tells another one from an example that is otherwise the same, where that is not its name: the kind, the field, and
/// what it is in the one of number `#`.
const TOLD_APART_BY: &[(&str, &str, &str)] = &[
    ("Vpc", "", ""),
    ("Instance", "PrivateIpAddress", "10.0.1.2#"),
    ("Subnet", "CidrBlock", "10.0.3#.0/24"),
    ("TargetGroup", "Name", "web#"),
    ("Listener", "Port", "909#"),
    ("Rule", "Priority", "5#"),
    ("Discoverer", "SourceArn", "arn:aws:events:us-east-1:123456789012:event-bus/other#"),
    ("LogEvent", "", ""),
    ("SecretVersion", "SecretString", "hunter#"),
    ("MetricFilter", "filterName", "two#"),
    ("SubscriptionFilter", "filterName", "two#"),
];

/// A resource that was made of an example.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) kind: &'static KindShape,
    /// The parameters of the call that made it.
    pub(crate) given: Map<Value>,
    /// The same, and what the service answered.
    pub(crate) known: Map<Value>,
}

/// The call that makes resources of a kind.
pub(crate) fn maker(kind: &'static KindShape) -> Operation {
    if let Some(create) = kind.call("create") {
        return Operation::of_kind(kind, create);
    }
    let made_by = MADE_BY.iter().find(|(name, ..)| *name == kind.name);
    let (_, by, call) = made_by.unwrap_or_else(|| panic!("nothing makes {}: name what does", kind.name));
    let by = REGISTRY.kind(by).unwrap();
    Operation::of_kind(by, by.call(call).unwrap())
}

impl Made {
    /// Makes one with these parameters.
    pub(crate) fn make(session: &Session, kind: &'static KindShape, given: Map<Value>) -> Result<Self> {
        let answer = maker(kind).carry_out(session, &given)?;
        let answer = match answer {
            Value::List(mut models) => models.remove(0),
            answer => answer,
        };
        let mut known = given.clone();
        if let Some(Value::List(events)) = given.get("logEvents") {
            known.extend(fields(&events[0]).clone());
        } else if let Value::Map(answer) = answer {
            known.extend(answer);
        }
        Ok(Self { kind, given, known })
    }

    /// The parameters of another one like it, and different enough that there can be both.
    pub(crate) fn another(&self, n: usize) -> Map<Value> {
        let mut given = self.given.clone();
        let told_apart = TOLD_APART_BY.iter().find(|(name, ..)| *name == self.kind.name);
        match (told_apart, &self.kind.name_identity) {
            (Some((_, field, text)), _) if given.contains_key(*field) => {
                let text = text.replace('#', &n.to_string());
                let value = match self.given.get(*field) {
                    Some(Value::Int(_)) => Value::Int(text.parse().unwrap()),
                    _ => text.as_str().into(),
                };
                given.insert((*field).into(), value);
            }
            (None, Identity::Path([.., name])) => {
                let text = format!("{}{n}", self.given[*name].as_text().unwrap());
                given.insert((*name).into(), text.into());
            }
            // There can be any number of these.
            (Some(_), _) => {}
            _ => panic!("what tells one {} from another?", self.kind.name),
        }
        given
    }

    /// The parameters of a call on it.
    pub(crate) fn parameters(&self, call: &OperationShape) -> Map<Value> {
        let own = call.params.fields.iter();
        let own = own.filter(|param| param.presence == Presence::Required || !param.from.is_empty());
        let find = |param: &FieldShape| self.known.get(param.from).or_else(|| self.known.get(param.name));
        own.filter_map(|param| Some((param.name.into(), find(param)?.clone()))).collect()
    }

    /// Carries out a call on it.
    pub(crate) fn call(&self, session: &Session, call: &str) -> Result<Value> {
        self.call_with(session, call, Map::default())
    }

    /// Carries out a call on it, with other parameters beside those that name it.
    pub(crate) fn call_with(&self, session: &Session, call: &str, others: Map<Value>) -> Result<Value> {
        let call = self.kind.call(call).unwrap_or_else(|| panic!("{} has no call {call}", self.kind.name));
        let mut given = self.parameters(call);
        given.extend(others);
        Operation::of_kind(self.kind, call).carry_out(session, &given)
    }

    /// It as `get` tells it, or, where there is none, a listing; none if it is not there.
    pub(crate) fn find(&self, session: &Session) -> Result<Option<Map<Value>>> {
        let found = match self.kind.call("get") {
            Some(_) => self.call(session, "get")?,
            None => self.list(session, None)?.into_iter().find(|one| self.is(one)).unwrap_or(Value::Null),
        };
        Ok(match found {
            Value::Map(found) => Some(found),
            _ => None,
        })
    }

    /// It as [`find`](Self::find) tells it, which must find it.
    pub(crate) fn found(&self, session: &Session) -> Map<Value> {
        self.find(session)
            .unwrap()
            .unwrap_or_else(|| panic!("there is no {} {:?}", self.kind.name, self.known))
    }

    /// Lists all that stand where it does, by pages of `size`.
    pub(crate) fn list(&self, session: &Session, size: Option<(&str, i64)>) -> Result<Vec<Value>> {
        let list = self.kind.call("list").unwrap_or_else(|| panic!("{} has no listing", self.kind.name));
        let mut given = self.parameters(list);
        let others = LISTED_BY.iter().filter(|(name, ..)| *name == self.kind.name);
        given.extend(
            others.filter_map(|(_, param, from)| Some((Text::new(param), self.known.get(*from)?.clone()))),
        );
        let others = LISTED_WITH.iter().filter(|(name, ..)| *name == self.kind.name);
        given.extend(others.map(|(_, param, value)| (Text::new(param), Value::Bool(*value))));
        given.extend(size.map(|(param, size)| (Text::new(param), size.into())));
        match Operation::of_kind(self.kind, list).carry_out(session, &given)? {
            Value::List(listed) => Ok(listed),
            other => panic!("a listing is a list, not {other:?}"),
        }
    }

    /// Whether its fields say all that a listing of its kind needs.
    pub(crate) fn can_list(&self) -> bool {
        let mut others = LISTED_BY.iter().filter(|(name, ..)| *name == self.kind.name);
        let list = self.kind.call("list").map_or(&[][..], |list| list.params.fields);
        let mut required = list.iter().filter(|param| param.presence == Presence::Required);
        others.all(|(_, _, from)| self.known.contains_key(*from))
            && required
                .all(|param| self.known.contains_key(param.name) || self.known.contains_key(param.from))
    }

    /// Whether `model` is about it.
    pub(crate) fn is(&self, model: &Value) -> bool {
        let same = |path: &&[&str]| fields(model).get(path[0]) == self.known.get(path[0]);
        match (self.kind.name, &self.kind.pk) {
            ("LogEvent", _) => same(&&["message"][..]) && same(&&["logStreamName"][..]),
            (_, Identity::Path(path)) if self.known.contains_key(path[0]) => same(path),
            (_, Identity::Mapping(paths)) => paths.iter().all(same),
            // What answers nothing has a name that its caller gave it.
            (_, _) => match &self.kind.name_identity {
                Identity::Path(path) => same(path),
                _ => panic!("{} has neither key nor name", self.kind.name),
            },
        }
    }

    /// Updates the model that the service has, with other values in some fields.
    pub(crate) fn update(&self, session: &Session, changes: &Map<Value>) -> Result<Value> {
        let answer = wait(self.prepare_update(session, changes)?.run())?;
        Ok(match answer.map_or(Value::Null, |answer| answer.view().to_value()) {
            Value::List(mut models) if models.len() == 1 => models.remove(0),
            answer => answer,
        })
    }

    /// The call that does so.
    pub(crate) fn prepare_update(&self, session: &Session, changes: &Map<Value>) -> Result<Box<dyn AnyCall>> {
        let (get, update) = (self.kind.call("get").unwrap(), self.kind.call("update").unwrap());
        let mut found = self.look_up(session, get)?;
        let mut assigned = Ok(());
        found.each_record(&mut |model| {
            let mut changes = changes.iter();
            assigned = changes.try_for_each(|(name, value)| record::set(model, name, value.clone()));
        });
        assigned?;
        let Reach::Call(prepare) = dynamic::reach(update) else { panic!("update is a call") };
        prepare(session, &mut |params| {
            let at = params.shape().fields.iter().position(|field| field.model).unwrap();
            let model = params.field_mut(at);
            model.each_record(&mut |model| found.each_record(&mut |found| replace(model, found)));
            params.note_given(FieldSet::single(at));
            Ok(())
        })
    }

    fn look_up(&self, session: &Session, get: &OperationShape) -> Result<Box<dyn FieldValue>> {
        let Reach::Call(prepare) = dynamic::reach(get) else { panic!("get is a call") };
        let given = self.parameters(get);
        let call = prepare(session, &mut |params| {
            given.iter().try_for_each(|(name, value)| record::set(params, name, value.clone()))
        })?;
        Ok(wait(call.run())?.expect("get answers something"))
    }
}

/// Puts a model that was looked up, and changed, in the place of another.
fn replace(model: &mut dyn Fields, found: &mut dyn Fields) {
    for index in 0..model.shape().fields.len() {
        model.field_mut(index).take_from(found.field_mut(index));
    }
    let changed = found.slot().map(|slot| slot.changed()).unwrap_or_default();
    if let Some(slot) = model.slot_mut() {
        slot.set_given(changed);
    }
}

/// A cloud in which there are some of each kind already, so that calls meet something.
pub(crate) fn furnished(cloud: Cloud) -> Cloud {
    cloud.register("renew", std::sync::Arc::new(|_, _| Ok(())));
    furnish(&cloud.session());
    cloud
}

/// Makes some of each kind where the session acts.
pub(crate) fn furnish(session: &Session) -> Vec<Made> {
    let mut all: Vec<Made> = Vec::new();
    for (name, example) in EXAMPLES {
        let given = given_in(session, &all, example);
        let made = Made::make(session, REGISTRY.kind(name).unwrap(), given);
        all.push(made.unwrap_or_else(|error| panic!("{name} {example}: {error}")));
    }
    all
}

/// The parameters that a JSON text says where the session acts and these were made.
pub(crate) fn given_in(session: &Session, made: &[Made], text: &str) -> Map<Value> {
    let text = text.replace("us-east-1", session.region()).replace("123456789012", session.account());
    given_of(&text).into_iter().map(|(field, value)| (field, resolved(made, value))).collect()
}

/// What every cloud that is furnished by default is furnished with.
pub(crate) static FURNISHED: LazyLock<Vec<Made>> =
    LazyLock::new(|| furnish(&options().in_memory().session()));

/// `value` with each text `$Kind.Field` replaced by that field of the last one made of the kind, and `$Kind0.Field` by that
/// of the first: what only the service names.
fn resolved(made: &[Made], value: Value) -> Value {
    match value {
        Value::Text(text) => {
            let named = text.strip_prefix('$').and_then(|path| path.split_once('.'));
            let made = named.and_then(|(name, field)| {
                let of = |name: &'static str| move |made: &&Made| made.kind.name == name;
                let kind = REGISTRY.kind(name.trim_end_matches('0')).filter(|_| !name.is_empty())?;
                let mut all = made.iter().filter(of(kind.name));
                let made = if name.ends_with('0') { all.next() } else { all.next_back() };
                Some(made.unwrap_or_else(|| panic!("{text} was not made")).known[field].clone())
            });
            made.unwrap_or(Value::Text(text))
        }
        Value::List(items) => Value::List(items.into_iter().map(|item| resolved(made, item)).collect()),
        Value::Map(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, resolved(made, value))).collect())
        }
        value => value,
    }
}

/// The parameters that a JSON text says.
pub(crate) fn given_of(text: &str) -> Map<Value> {
    match json::parse(text.as_bytes()).unwrap() {
        Value::Map(given) => given,
        other => panic!("{other:?} are no parameters"),
    }
}

/// The fields of a model.
pub(crate) fn fields(value: &Value) -> &Map<Value> {
    let Value::Map(fields) = value else { panic!("a model was expected, not {value:?}") };
    fields
}
