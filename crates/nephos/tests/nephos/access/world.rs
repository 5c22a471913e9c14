//! A cloud with resources in two accounts, and callers with policies.

use nephos::{
    AccessKey, AllServices, Cloud, Credentials, Kernel, Map, Permissions, Result, Session, SignedDuration,
    Value,
};
use nephos_cloud::{Entry, ServiceSet, TemporarySession};
use nephos_core::{
    Ref, dynamic::fill_parameter, field_value::FieldType, fill::Reader, json, record::Fields, wait,
};
use serde_json::json as object;
use std::collections::BTreeMap;

/// Account of the resources.
pub(crate) const ACCOUNT: &str = nephos::DEFAULT_ACCOUNT;
/// Another account.
pub(crate) const OTHER: &str = "222222222222";
/// Value of the secrets.
pub(crate) const HIDDEN: &str = "hunter2";

/// Returns the options of a cloud with a fixed seed.
pub(crate) fn options() -> nephos::CloudOptions {
    Cloud::options().clock(nephos_testing::clock()).seed(7)
}

/// Finds an operation by its action, such as `logs:CreateLogGroup`.
fn entry(action: &str) -> &'static Entry {
    let (prefix, name) = action.split_once(':').unwrap();
    let services = AllServices::SERVICES.iter().filter(|service| service.shape.signing == prefix);
    services.flat_map(|service| service.handlers).find(|entry| entry.operation.name == name).unwrap()
}

fn workflow(action: &str, input: &str) -> Result<std::sync::Arc<dyn nephos_core::Workflow>> {
    let Ok(Value::Map(input)) = json::parse(input.as_bytes()) else { panic!("{input} is not an object") };
    let fill = |params: &mut dyn Fields| {
        input.iter().try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
    };
    entry(action).workflow(&mut |params| fill(params))
}

/// Runs an operation on the wire with parameters in JSON; returns its answer.
pub(crate) fn call(session: &Session, action: &str, input: &str) -> Result<Value> {
    let outcome = wait(session.transport().run(session, workflow(action, input)?))?;
    let answer = outcome.downcast::<Box<dyn Fields>>().unwrap();
    Ok(Ref::Record(&**answer).to_value())
}

/// Previews an operation on the wire.
pub(crate) fn preview(session: &Session, action: &str, input: &str) -> Result<()> {
    wait(session.transport().preview(session, workflow(action, input)?)).map(drop)
}

/// Returns the text at a path into an answer.
pub(crate) fn text_at(answer: &Value, path: &[&str]) -> String {
    let mut value = answer;
    for name in path {
        value = match value {
            Value::Map(fields) => &fields[*name],
            Value::List(items) => &items[name.parse::<usize>().unwrap()],
            other => panic!("no {name} in {other:?}"),
        };
    }
    value.as_text().unwrap().to_owned()
}

/// A statement that allows an action on a resource.
pub(crate) fn allow(action: &str, resource: &str) -> String {
    statement("Allow", action, resource, "")
}

/// A statement that denies an action on a resource.
pub(crate) fn deny(action: &str, resource: &str) -> String {
    statement("Deny", action, resource, "")
}

/// A statement that allows an action on everything under a condition.
pub(crate) fn allow_if(action: &str, condition: &str) -> String {
    statement("Allow", action, "*", &format!(r#", "Condition": {{{condition}}}"#))
}

fn statement(effect: &str, action: &str, resource: &str, more: &str) -> String {
    format!(r#"{{"Effect": "{effect}", "Action": "{action}", "Resource": "{resource}"{more}}}"#)
}

fn document(statements: &[String]) -> String {
    format!(r#"{{"Version": "2012-10-17", "Statement": [{}]}}"#, statements.join(", "))
}

/// Kind of a caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Root,
    User,
    /// A session of a user, with a token.
    UserSession,
    RoleSession,
}

/// A caller and its policies.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) kind: Kind,
    account: &'static str,
    inline: Vec<String>,
    attached: Vec<String>,
    group: Vec<String>,
    boundary: Vec<String>,
    session: Vec<String>,
}

macro_rules! policies {
    ($($layer:ident),+) => {$(
        pub(crate) fn $layer(mut self, statement: String) -> Self {
            self.$layer.push(statement);
            self
        }
    )+};
}

impl Who {
    fn new(kind: Kind) -> Self {
        let none = Vec::new;
        let [inline, attached, group, boundary, session] = [none(), none(), none(), none(), none()];
        Self { kind, account: ACCOUNT, inline, attached, group, boundary, session }
    }

    policies!(inline, attached, group, boundary, session);

    pub(crate) fn of_other_account(mut self) -> Self {
        self.account = OTHER;
        self
    }

    /// Name of the user or role.
    fn name(&self) -> &'static str {
        if self.kind == Kind::RoleSession { "worker" } else { "ann" }
    }

    /// ARN of the caller.
    pub(crate) fn arn(&self) -> String {
        let account = self.account;
        match self.kind {
            Kind::Root => format!("arn:aws:iam::{account}:root"),
            Kind::User | Kind::UserSession => format!("arn:aws:iam::{account}:user/ann"),
            Kind::RoleSession => format!("arn:aws:sts::{account}:assumed-role/worker/job"),
        }
    }
}

pub(crate) fn root() -> Who {
    Who::new(Kind::Root)
}

pub(crate) fn ann() -> Who {
    Who::new(Kind::User)
}

pub(crate) fn ann_in_session() -> Who {
    Who::new(Kind::UserSession)
}

pub(crate) fn worker() -> Who {
    Who::new(Kind::RoleSession)
}

/// A cloud with resources, and their names in texts: `$secret`.
pub(crate) struct World {
    pub(crate) cloud: Cloud,
    names: BTreeMap<&'static str, String>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(options().in_memory())
    }

    pub(crate) fn with(cloud: Cloud) -> Self {
        let mut world = Self { cloud, names: BTreeMap::new() };
        world.create_resources();
        world
    }

    /// Returns a copy of this world.
    pub(crate) fn fork(&self) -> Self {
        Self { cloud: self.cloud.fork().unwrap(), names: self.names.clone() }
    }

    /// Replaces names such as `$secret` by their values.
    pub(crate) fn fill(&self, text: &str) -> String {
        let longest_first = self.names.iter().rev();
        longest_first.fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// Runs an operation as the root of an account.
    pub(crate) fn as_root(&self, account: &str, action: &str, input: &serde_json::Value) -> Value {
        let input = self.fill(&input.to_string());
        let session = self.cloud.session().with_account(account);
        call(&session, action, &input).unwrap_or_else(|error| panic!("{action} {input}: {error}"))
    }

    fn name(&mut self, name: &'static str, value: impl Into<String>) {
        self.names.insert(name, value.into());
    }

    fn create_resources(&mut self) {
        let tags = |team: &str| object!({"team": team});
        for (group, team) in [("/web", "web"), ("/db", "db")] {
            let input = object!({"logGroupName": group, "tags": tags(team)});
            self.as_root(ACCOUNT, "logs:CreateLogGroup", &input);
            let input = object!({"logGroupName": group, "logStreamName": "main"});
            self.as_root(ACCOUNT, "logs:CreateLogStream", &input);
        }
        let to = |principal: &str, statement: String| {
            statement.replacen('{', &format!(r#"{{"Principal": {principal}, "#), 1)
        };
        // Everybody who may read a secret may use its key for that.
        let via = r#""StringEquals": {"kms:ViaService": "secretsmanager.us-east-1.amazonaws.com"}"#;
        let own = format!(r#"{{"AWS": "{ACCOUNT}"}}"#);
        let policy = document(&[to(&own, allow("kms:*", "*")), to(r#""*""#, allow_if("kms:*", via))]);
        let key = self.as_root(ACCOUNT, "kms:CreateKey", &object!({"Policy": policy}));
        let alias =
            object!({"AliasName": "alias/own", "TargetKeyId": text_at(&key, &["KeyMetadata", "KeyId"])});
        self.as_root(ACCOUNT, "kms:CreateAlias", &alias);
        for (name, id) in [("db", "$secret"), ("shared", "$shared")] {
            let input = object!({"Name": name, "SecretString": HIDDEN, "CryptoKeyId": "alias/own",
                "Tags": [{"Key": "team", "Value": name}]});
            let created = self.as_root(ACCOUNT, "secretsmanager:CreateSecret", &input);
            self.name(id, text_at(&created, &["ARN"]));
        }
        let ann = format!(r#"{{"AWS": "arn:aws:iam::{ACCOUNT}:user/ann"}}"#);
        let other = format!(r#"{{"AWS": "{OTHER}"}}"#);
        let policy = document(&[
            to(&ann, allow("secretsmanager:DescribeSecret", "*")),
            to(&other, allow("secretsmanager:GetSecretValue", "*")),
            to(r#""*""#, deny("secretsmanager:DeleteSecret", "*")),
        ]);
        let input = object!({"SecretId": "shared", "ResourcePolicy": policy});
        self.as_root(ACCOUNT, "secretsmanager:PutResourcePolicy", &input);
        self.as_root(
            ACCOUNT,
            "schemas:CreateRegistry",
            &object!({"RegistryName": "shop", "Tags": tags("web")}),
        );
        let policy = document(&[to(&ann, allow("schemas:DescribeRegistry", "*"))]);
        let input = object!({"RegistryName": "shop", "Policy": policy});
        self.as_root(ACCOUNT, "schemas:PutResourcePolicy", &input);
        let repository = object!({"repositoryName": "web", "tags": [{"Key": "team", "Value": "web"}]});
        self.as_root(ACCOUNT, "ecr:CreateRepository", &repository);
        // A policy of a repository can only name users that exist, which these do not yet.
        let is_ann = format!(r#""ArnEquals": {{"aws:PrincipalArn": "arn:aws:iam::{ACCOUNT}:user/ann"}}"#);
        let without_resource = |statement: String| statement.replace(r#", "Resource": "*""#, "");
        let policy = document(&[
            without_resource(to(r#""*""#, allow_if("ecr:DescribeRepositories", &is_ann))),
            without_resource(to(&other, allow("ecr:PutImageTagMutability", "*"))),
            without_resource(to(r#""*""#, deny("ecr:DeleteRepository", "*"))),
        ]);
        let input = object!({"repositoryName": "web", "policyText": policy});
        self.as_root(ACCOUNT, "ecr:SetRepositoryPolicy", &input);
        let registry = document(&[to(&other, allow("ecr:CreateRepository", "*"))]);
        self.as_root(ACCOUNT, "ecr:PutRegistryPolicy", &object!({"policyText": registry}));
        let source = object!({"name": "Fetch", "outputArtifacts": [{"name": "source"}],
            "actionTypeId": {"category": "Source", "owner": "Provider", "provider": "S3", "version": "1"},
            "configuration": {"S3Bucket": "sources", "S3ObjectKey": "web.zip"}});
        let manual =
            object!({"category": "Approval", "owner": "Provider", "provider": "Manual", "version": "1"});
        let stages = object!([{"name": "Source", "actions": [source]},
            {"name": "Ask", "actions": [{"name": "Ask", "actionTypeId": manual}]}]);
        let pipeline = object!({"name": "web", "roleArn": "arn:aws:iam::210987654321:role/pipelines", "stages": stages,
            "artifactStore": {"type": "S3", "location": "artifacts"}});
        let tags = object!([{"Key": "team", "Value": "web"}]);
        self.as_root(ACCOUNT, "codepipeline:CreatePipeline", &object!({"pipeline": pipeline, "tags": tags}));
        let rule = object!({"Name": "orders", "EventPattern": r#"{"source": ["shop"]}"#});
        self.as_root(ACCOUNT, "events:PutRule", &rule);
        let target = object!({"Name": "tg", "Protocol": "HTTP", "Port": 80, "VpcId": "$vpc",
            "Tags": [{"Key": "team", "Value": "web"}]});
        let vpcs = self.as_root(ACCOUNT, "ec2:DescribeVpcs", &object!({}));
        self.name("$vpc", text_at(&vpcs, &["Vpcs", "0", "VpcId"]));
        let group = object!({"GroupName": "web", "Description": "web", "VpcId": "$vpc"});
        let created = self.as_root(ACCOUNT, "ec2:CreateSecurityGroup", &group);
        self.name("$sg", text_at(&created, &["GroupId"]));
        let created = self.as_root(ACCOUNT, "elasticloadbalancing:CreateTargetGroup", &target);
        self.name("$target", text_at(&created, &["TargetGroups", "0", "TargetGroupArn"]));
        let trust = object!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
            "Action": "sts:AssumeRole", "Principal": {"Service": "logs.amazonaws.com"}}]});
        let input = object!({"RoleName": "deliver", "AssumeRolePolicyDocument": trust.to_string()});
        self.as_root(ACCOUNT, "iam:CreateRole", &input);
        for profile in ["node", "web"] {
            let input = object!({"InstanceProfileName": profile});
            self.as_root(ACCOUNT, "iam:CreateInstanceProfile", &input);
        }
        let input = object!({"InstanceProfileName": "web", "RoleName": "deliver"});
        self.as_root(ACCOUNT, "iam:AddRoleToInstanceProfile", &input);
        let central = object!({"destinationName": "central", "targetArn": "arn:aws:kinesis:us-east-1:222222222222:stream/all",
            "roleArn": "arn:aws:iam::222222222222:role/deliver"});
        self.as_root(OTHER, "logs:PutDestination", &central);
        let policy = document(&[to(
            &format!(r#"{{"AWS": "{ACCOUNT}"}}"#),
            allow("logs:PutSubscriptionFilter", "arn:aws:logs:us-east-1:222222222222:destination:central"),
        )]);
        let input = object!({"destinationName": "central", "accessPolicy": policy});
        self.as_root(OTHER, "logs:PutDestinationPolicy", &input);
    }

    /// Creates a caller with its policies, and returns its session.
    pub(crate) fn session(&self, who: &Who) -> Session {
        let session = self.cloud.session().with_account(who.account);
        if who.kind == Kind::Root {
            return session;
        }
        let (kind, name) = match who.kind {
            Kind::RoleSession => ("Role", who.name()),
            _ => ("User", who.name()),
        };
        let id = self.create_identity(who, kind, name);
        let credentials = match who.kind {
            Kind::User => self.new_key(who.account, name),
            _ => self.temporary(who, id),
        };
        session.with_credentials(credentials)
    }

    fn create_identity(&self, who: &Who, kind: &str, name: &str) -> String {
        let mut new = object!({ format!("{kind}Name"): name, "Tags": [{"Key": "team", "Value": "web"}] });
        if kind == "Role" {
            let trust = object!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
                "Action": "sts:AssumeRole", "Principal": {"AWS": "*"}}]});
            new["AssumeRolePolicyDocument"] = trust.to_string().into();
        }
        let created = self.as_root(who.account, &format!("iam:Create{kind}"), &new);
        let put = |operation: String, fields: serde_json::Value| {
            let mut input = fields;
            input[format!("{kind}Name")] = name.into();
            self.as_root(who.account, &operation, &input);
        };
        if !who.inline.is_empty() {
            let fields = object!({"PolicyName": "own", "PolicyDocument": self.fill(&document(&who.inline))});
            put(format!("iam:Put{kind}Policy"), fields);
        }
        for (n, statement) in who.attached.iter().enumerate() {
            let policy = self.create_policy(who.account, &format!("attached-{n}"), statement);
            put(format!("iam:Attach{kind}Policy"), object!({"PolicyArn": policy}));
        }
        for statement in &who.boundary {
            let policy = self.create_policy(who.account, "boundary", statement);
            put(format!("iam:Put{kind}PermissionsBoundary"), object!({"PermissionsBoundary": policy}));
        }
        if !who.group.is_empty() {
            self.as_root(who.account, "iam:CreateGroup", &object!({"GroupName": "staff"}));
            let fields = object!({"GroupName": "staff", "PolicyName": "own",
                "PolicyDocument": self.fill(&document(&who.group))});
            self.as_root(who.account, "iam:PutGroupPolicy", &fields);
            put("iam:AddUserToGroup".into(), object!({"GroupName": "staff"}));
        }
        text_at(&created, &[kind, &format!("{kind}Id")])
    }

    fn create_policy(&self, account: &str, name: &str, statement: &str) -> String {
        let document = self.fill(&document(&[statement.to_owned()]));
        let input = object!({"PolicyName": name, "PolicyDocument": document});
        text_at(&self.as_root(account, "iam:CreatePolicy", &input), &["Policy", "Arn"])
    }

    /// Creates an access key of a user.
    pub(crate) fn new_key(&self, account: &str, user: &str) -> Credentials {
        let session = self.cloud.session().with_account(account);
        let key = AccessKey::objects(&session).create().user_name(user).wait().unwrap();
        Credentials {
            access_key_id: key.access_key_id().unwrap().into(),
            secret_access_key: key.secret_access_key().unwrap().clone(),
            session_token: None,
            expiration: None,
        }
    }

    fn temporary(&self, who: &Who, id: String) -> Credentials {
        let (who, policies) = (who.clone(), who.session.clone());
        let policies: Vec<_> =
            policies.iter().map(|one| self.fill(&document(std::slice::from_ref(one))).into()).collect();
        let issued = self.cloud.run_in_transaction(move |cx| {
            let mut session = TemporarySession::blank();
            session.account = Some(who.account.into());
            session.arn = Some(who.arn().into());
            let suffix = if who.kind == Kind::RoleSession { ":job" } else { "" };
            session.user_id = Some(format!("{id}{suffix}").into());
            session.identity = Some(id.as_str().into());
            session.issued = Some(cx.now());
            session.expiration = Some(cx.now() + SignedDuration::from_hours(1));
            session.policies = (!policies.is_empty()).then(|| policies.clone());
            session.tags = Some(Map::from_iter([("shift".into(), "night".into())]));
            cx.issue_credentials(session)
        });
        issued.unwrap()
    }
}

/// Sets the enforcement of policies.
pub(crate) fn set(cloud: &Kernel, permissions: Permissions) {
    cloud.set_permissions(permissions).unwrap();
}
