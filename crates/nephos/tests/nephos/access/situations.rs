//! Situations: a caller with policies, an operation, and the expected decision.

use super::world::{Who, allow, allow_if, ann, ann_in_session, deny, root, worker};

/// Expected decision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    Allowed,
    /// Refused because no policy of a kind allows an action on a resource.
    Missing(&'static str, &'static str, &'static str),
    /// Refused by a statement of a kind of policy, with its article.
    Denied(&'static str, &'static str, &'static str),
}

use Expected::{Allowed, Denied, Missing};

pub(crate) struct Situation {
    pub(crate) title: &'static str,
    pub(crate) who: Who,
    pub(crate) action: &'static str,
    pub(crate) input: &'static str,
    pub(crate) expected: Expected,
}

impl Expected {
    /// Text of the refusal of a caller with this ARN, without what a protocol adds.
    pub(crate) fn refusal(&self, caller: &str) -> Option<String> {
        let on = |resource: &str| match resource {
            "*" => String::new(),
            _ => format!(" on resource: {resource}"),
        };
        match self {
            Allowed => None,
            Missing(layer, action, resource) => Some(format!(
                "User: {caller} is not authorized to perform: {action}{} because no {layer} allows the {action} action",
                on(resource)
            )),
            Denied(layer, action, resource) => Some(format!(
                "User: {caller} is not authorized to perform: {action}{} with an explicit deny in {layer}",
                on(resource)
            )),
        }
    }
}

const IDENTITY: &str = "identity-based policy";
const BOUNDARY: &str = "permissions boundary";
const SESSION: &str = "session policy";
const RESOURCE: &str = "resource-based policy";

const CREATE: &str = "logs:CreateLogGroup";
const NEW: &str = r#"{"logGroupName": "/new"}"#;
const NEW_ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/new:log-stream:";
const WEB: &str = r#"{"logGroupName": "/web"}"#;
const WEB_ARN: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web:log-stream:";
const DELETE: &str = "logs:DeleteLogGroup";
const READ: &str = "secretsmanager:GetSecretValue";
const DB: &str = r#"{"SecretId": "db"}"#;
const SHARED: &str = r#"{"SecretId": "$shared"}"#;
const DELIVER: &str = "arn:aws:iam::123456789012:role/deliver";
const ANN: &str = "arn:aws:iam::123456789012:user/ann";

/// All situations.
pub(crate) fn situations() -> Vec<Situation> {
    let all = [
        callers(),
        log_groups(),
        secrets(),
        events(),
        repositories(),
        pipelines(),
        other_services(),
        identity(),
        accounts(),
        conditions(),
    ];
    all.into_iter().flatten().collect()
}

type Row = (&'static str, Who, &'static str, &'static str, Expected);

fn table(rows: Vec<Row>) -> Vec<Situation> {
    let situation = |(title, who, action, input, expected)| Situation { title, who, action, input, expected };
    rows.into_iter().map(situation).collect()
}

/// Kinds of callers and of policies.
#[rustfmt::skip]
fn callers() -> Vec<Situation> {
    let logs = || allow("logs:*", "*");
    let no_create = || deny(CREATE, "*");
    table(vec![
        ("root may do everything", root(), CREATE, NEW, Allowed),
        ("root of another account acts there", root().of_other_account(), CREATE, NEW, Allowed),
        ("a user without policies may do nothing", ann(), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("inline policy", ann().inline(logs()), CREATE, NEW, Allowed),
        ("attached policy", ann().attached(logs()), CREATE, NEW, Allowed),
        ("policy of a group", ann().group(logs()), CREATE, NEW, Allowed),
        ("other actions", ann().inline(allow("logs:Delete*", "*")), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("deny in the same policy", ann().inline(logs()).inline(no_create()), CREATE, NEW, Denied("an identity-based policy", CREATE, NEW_ARN)),
        ("deny of a group", ann().inline(logs()).group(no_create()), CREATE, NEW, Denied("an identity-based policy", CREATE, NEW_ARN)),
        ("deny of an attached policy", ann().inline(logs()).attached(no_create()), CREATE, NEW, Denied("an identity-based policy", CREATE, NEW_ARN)),
        ("deny of another action", ann().inline(logs()).inline(deny(DELETE, "*")), CREATE, NEW, Allowed),
        ("boundary that allows", ann().inline(logs()).boundary(logs()), CREATE, NEW, Allowed),
        ("boundary alone allows nothing", ann().boundary(logs()), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("boundary without the action", ann().inline(logs()).boundary(allow("ec2:*", "*")), CREATE, NEW, Missing(BOUNDARY, CREATE, NEW_ARN)),
        ("boundary that denies", ann().inline(logs()).boundary(no_create()), CREATE, NEW, Denied("a permissions boundary", CREATE, NEW_ARN)),
        ("session of a user", ann_in_session().inline(logs()), CREATE, NEW, Allowed),
        ("session policy that allows", ann_in_session().inline(logs()).session(logs()), CREATE, NEW, Allowed),
        ("session policy without the action", ann_in_session().inline(logs()).session(allow(DELETE, "*")), CREATE, NEW, Missing(SESSION, CREATE, NEW_ARN)),
        ("session policy that denies", ann_in_session().inline(logs()).session(no_create()), CREATE, NEW, Denied("a session policy", CREATE, NEW_ARN)),
        ("session policy alone allows nothing", ann_in_session().session(logs()), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("session of a role", worker().inline(logs()), CREATE, NEW, Allowed),
        ("attached policy of a role", worker().attached(logs()), CREATE, NEW, Allowed),
        ("role without policies", worker(), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("boundary of a role", worker().inline(logs()).boundary(allow(DELETE, "*")), CREATE, NEW, Missing(BOUNDARY, CREATE, NEW_ARN)),
        ("session policy of a role", worker().inline(logs()).session(allow(DELETE, "*")), CREATE, NEW, Missing(SESSION, CREATE, NEW_ARN)),
    ])
}

/// Spellings of log groups, streams and destinations in policies.
#[rustfmt::skip]
fn log_groups() -> Vec<Situation> {
    let on = |action: &str, resource: &str| {
        ann().inline(allow(action, &format!("arn:aws:logs:us-east-1:123456789012:{resource}")))
    };
    let stream = r#"{"logGroupName": "/web", "logStreamName": "new"}"#;
    let stream_arn = "arn:aws:logs:us-east-1:123456789012:log-group:/web:log-stream:new";
    let tag = r#"{"resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:/web", "tags": {"a": "b"}}"#;
    let tagged = r#"{"logGroupName": "/new", "tags": {"team": "web"}}"#;
    let destination = r#"{"destinationName": "all", "targetArn": "arn:aws:kinesis:us-east-1:123456789012:stream/all", "roleArn": "arn:aws:iam::123456789012:role/deliver"}"#;
    let put = "logs:PutDestination";
    table(vec![
        ("a log group with an asterisk", on(DELETE, "log-group:/web:*"), DELETE, WEB, Allowed),
        ("a log group without an asterisk", on(DELETE, "log-group:/web"), DELETE, WEB, Missing(IDENTITY, DELETE, WEB_ARN)),
        ("another log group", on(DELETE, "log-group:/db:*"), DELETE, WEB, Missing(IDENTITY, DELETE, WEB_ARN)),
        ("another Region", ann().inline(allow(DELETE, "arn:aws:logs:eu-west-1:*:log-group:*")), DELETE, WEB, Missing(IDENTITY, DELETE, WEB_ARN)),
        ("one log stream", on("logs:CreateLogStream", "log-group:/web:log-stream:new"), "logs:CreateLogStream", stream, Allowed),
        ("another log stream", on("logs:CreateLogStream", "log-group:/web:log-stream:old"), "logs:CreateLogStream", stream, Missing(IDENTITY, "logs:CreateLogStream", stream_arn)),
        ("tags are on the log group itself", on("logs:TagResource", "log-group:/web"), "logs:TagResource", tag, Allowed),
        ("all log groups", on("logs:DescribeLogGroups", "log-group:*"), "logs:DescribeLogGroups", "{}", Allowed),
        ("listing with one log group", on("logs:DescribeLogGroups", "log-group:/web:*"), "logs:DescribeLogGroups", "{}", Missing(IDENTITY, "logs:DescribeLogGroups", "arn:aws:logs:us-east-1:123456789012:log-group::log-stream:"),
        ),
        ("tags at creation need their own permission", ann().inline(allow(CREATE, "*")), CREATE, tagged, Missing(IDENTITY, "logs:TagResource", "arn:aws:logs:us-east-1:123456789012:log-group:/new")),
        ("tags at creation", ann().inline(allow(CREATE, "*")).inline(allow("logs:TagResource", "*")), CREATE, tagged, Allowed),
        ("a role must be passed", ann().inline(allow(put, "*")), put, destination, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("another role may be passed", ann().inline(allow(put, "*")).inline(allow("iam:PassRole", "arn:aws:iam::*:role/other")), put, destination, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("the role may be passed", ann().inline(allow(put, "*")).inline(allow("iam:PassRole", DELIVER)), put, destination, Allowed),
    ])
}

#[rustfmt::skip]
fn secrets() -> Vec<Situation> {
    let secret = |name: &str| {
        ann().inline(allow(READ, &format!("arn:aws:secretsmanager:us-east-1:123456789012:secret:{name}")))
    };
    let batch = "secretsmanager:BatchGetSecretValue";
    table(vec![
        ("name of a secret in a refusal", ann(), READ, DB, Missing(IDENTITY, READ, "db")),
        ("ARN of a secret in a refusal", ann(), READ, r#"{"SecretId": "$secret"}"#, Missing(IDENTITY, READ, "$secret")),
        ("secret with its suffix", secret("db-??????"), READ, DB, Allowed),
        ("secret with an asterisk", secret("db*"), READ, DB, Allowed),
        ("secret without its suffix", secret("db"), READ, DB, Missing(IDENTITY, READ, "db")),
        ("whole ARN of a secret", ann().inline(allow(READ, "$secret")), READ, DB, Allowed),
        ("listing has no resource", ann(), "secretsmanager:ListSecrets", "{}", Missing(IDENTITY, "secretsmanager:ListSecrets", "*")),
        ("listing with a resource", ann().inline(allow("secretsmanager:ListSecrets", "$secret")), "secretsmanager:ListSecrets", "{}", Missing(IDENTITY, "secretsmanager:ListSecrets", "*")),
        ("resource policy names the user", ann(), "secretsmanager:DescribeSecret", SHARED, Allowed),
        ("resource policy names another user", worker(), "secretsmanager:DescribeSecret", SHARED, Missing(IDENTITY, "secretsmanager:DescribeSecret", "$shared")),
        ("resource policy denies", ann().inline(allow("*", "*")), "secretsmanager:DeleteSecret", SHARED, Denied("a resource-based policy", "secretsmanager:DeleteSecret", "$shared")),
        ("resource policy denies the root", root(), "secretsmanager:DeleteSecret", SHARED, Denied("a resource-based policy", "secretsmanager:DeleteSecret", "$shared")),
        ("batch needs its own permission", ann().inline(allow(READ, "*")), batch, r#"{"SecretIdList": ["db"]}"#, Missing(IDENTITY, batch, "*")),
        ("batch with filters lists", ann().inline(allow(batch, "*")), batch, r#"{"Filters": [{"Key": "name", "Values": ["db"]}]}"#, Missing(IDENTITY, "secretsmanager:ListSecrets", "*")),
    ])
}

#[rustfmt::skip]
fn other_services() -> Vec<Situation> {
    let describe = "elasticloadbalancing:DescribeTargetGroups";
    let group = "elasticloadbalancing:DeleteTargetGroup";
    let registry = r#"{"RegistryName": "shop"}"#;
    let registry_arn = "arn:aws:schemas:us-east-1:123456789012:registry/shop";
    let vpc = "arn:aws:ec2:us-east-1:123456789012:vpc/$vpc";
    let subnet = r#"{"VpcId": "$vpc", "CidrBlock": "172.31.200.0/24"}"#;
    let create_subnet = "ec2:CreateSubnet";
    let launch = r#"{"ImageId": "ami-0123456789abcdef0", "MinCount": 1, "MaxCount": 1, "IamInstanceProfile": {"Name": "web"}}"#;
    table(vec![
        ("describing target groups", ann(), describe, "{}", Missing(IDENTITY, describe, "*")),
        ("describing target groups is allowed", ann().inline(allow("elasticloadbalancing:Describe*", "*")), describe, "{}", Allowed),
        ("deleting a target group", ann(), group, r#"{"TargetGroupArn": "$target"}"#, Missing(IDENTITY, group, "$target")),
        ("a registry", ann(), "schemas:DeleteRegistry", registry, Missing(IDENTITY, "schemas:DeleteRegistry", registry_arn)),
        ("policy of a registry", ann(), "schemas:DescribeRegistry", registry, Allowed),
        ("describing VPCs", ann(), "ec2:DescribeVpcs", "{}", Missing(IDENTITY, "ec2:DescribeVpcs", "*")),
        ("describing VPCs is allowed", ann().inline(allow("ec2:Describe*", "*")), "ec2:DescribeVpcs", "{}", Allowed),
        ("a subnet needs its VPC too", ann().inline(allow(create_subnet, "arn:aws:ec2:*:*:subnet/*")), create_subnet, subnet, Missing(IDENTITY, create_subnet, vpc)),
        ("a subnet in its VPC", ann().inline(allow(create_subnet, "arn:aws:ec2:*:*:subnet/*")).inline(allow(create_subnet, vpc)), create_subnet, subnet, Allowed),
        ("the role of an instance profile is passed", ann().inline(allow("ec2:*", "*")), "ec2:RunInstances", launch, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("the role of an instance profile may be passed", ann().inline(allow("ec2:*", "*")).inline(allow("iam:PassRole", DELIVER)), "ec2:RunInstances", launch, Allowed),
    ])
}

/// Pipelines, by their ARNs and tags.
#[rustfmt::skip]
fn pipelines() -> Vec<Situation> {
    let (get, delete) = ("codepipeline:GetPipeline", "codepipeline:DeletePipeline");
    let web = r#"{"name": "web"}"#;
    let arn = "arn:aws:codepipeline:us-east-1:123456789012:web";
    let team = |team: &str| allow_if(delete, &format!(r#""StringEquals": {{"aws:ResourceTag/team": "{team}"}}"#));
    table(vec![
        ("ARN of a pipeline", ann().inline(allow(get, arn)), get, web, Allowed),
        ("ARN of another pipeline", ann().inline(allow(get, "arn:aws:codepipeline:us-east-1:123456789012:api")), get, web, Missing(IDENTITY, get, arn)),
        ("tag of a pipeline", ann().inline(team("web")), delete, web, Allowed),
        ("other tag of a pipeline", ann().inline(team("api")), delete, web, Missing(IDENTITY, delete, arn)),
    ])
}

/// Repositories, by their own policies and by that of the registry.
#[rustfmt::skip]
fn repositories() -> Vec<Situation> {
    let (describe, mutability) = ("ecr:DescribeRepositories", "ecr:PutImageTagMutability");
    let (create, delete) = ("ecr:CreateRepository", "ecr:DeleteRepository");
    let guest = || ann().of_other_account();
    let web = r#"{"repositoryNames": ["web"]}"#;
    let put = r#"{"repositoryName": "web", "imageTagMutability": "IMMUTABLE"}"#;
    let put_there = r#"{"registryId": "123456789012", "repositoryName": "web", "imageTagMutability": "IMMUTABLE"}"#;
    let new_there = r#"{"registryId": "123456789012", "repositoryName": "new"}"#;
    let arn = "arn:aws:ecr:us-east-1:123456789012:repository/web";
    let own_team = r#""StringEquals": {"ecr:ResourceTag/team": "web"}"#;
    table(vec![
        ("policy of a repository names the user", ann(), describe, web, Allowed),
        ("policy of a repository names another action", ann(), mutability, put, Missing(IDENTITY, mutability, arn)),
        ("tag of a repository", ann().inline(allow_if(mutability, own_team)), mutability, put, Allowed),
        ("policy of a repository denies", ann().inline(allow("*", "*")), delete, r#"{"repositoryName": "web"}"#, Denied("a resource-based policy", delete, arn)),
        ("repository of another account", guest().inline(allow("ecr:*", "*")), mutability, put_there, Allowed),
        ("repository of another account that only its policy allows", guest(), mutability, put_there, Missing(IDENTITY, mutability, arn)),
        ("repository of another account that only the caller allows", guest().inline(allow("*", "*")), describe, r#"{"registryId": "123456789012", "repositoryNames": ["web"]}"#, Missing(RESOURCE, describe, arn)),
        ("policy of the registry allows a new repository", guest().inline(allow(create, "*")), create, new_there, Allowed),
    ])
}

/// Buses, rules and targets.
#[rustfmt::skip]
fn events() -> Vec<Situation> {
    let (put_events, put_rule, put_targets) = ("events:PutEvents", "events:PutRule", "events:PutTargets");
    let order = r#"{"Entries": [{"Source": "shop", "DetailType": "Order", "Detail": "{}"}]}"#;
    let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
    let rule = r#"{"Name": "nightly", "ScheduleExpression": "rate(1 day)"}"#;
    let rule_arn = "arn:aws:events:us-east-1:123456789012:rule/nightly";
    let with_role = r#"{"Name": "nightly", "ScheduleExpression": "rate(1 day)", "RoleArn": "arn:aws:iam::123456789012:role/deliver"}"#;
    let of_shop = r#""ForAllValues:StringEquals": {"events:source": ["shop"]}"#;
    let of_bank = r#""ForAllValues:StringEquals": {"events:source": ["bank"]}"#;
    let target = r#"{"Rule": "orders", "Targets": [{"Id": "log", "Arn": "arn:aws:logs:us-east-1:123456789012:log-group:/web"}]}"#;
    let target_with_role = r#"{"Rule": "orders", "Targets": [{"Id": "log", "Arn": "arn:aws:logs:us-east-1:123456789012:log-group:/web"},
        {"Id": "web", "Arn": "arn:aws:codepipeline:us-east-1:123456789012:web", "RoleArn": "arn:aws:iam::123456789012:role/deliver"}]}"#;
    let target_rule = "arn:aws:events:us-east-1:123456789012:rule/orders";
    let to_logs = r#""ArnLike": {"events:TargetArn": "arn:aws:logs:*:*:*"}"#;
    let to_queues = r#""ArnLike": {"events:TargetArn": "arn:aws:sqs:*:*:*"}"#;
    let own = r#""StringEquals": {"events:creatorAccount": "${aws:PrincipalAccount}"}"#;
    let managed = r#""Null": {"events:ManagedBy": "false"}"#;
    let disable = "events:DisableRule";
    let orders = r#"{"Name": "orders"}"#;
    table(vec![
        ("sending events", ann(), put_events, order, Missing(IDENTITY, put_events, bus)),
        ("sending events to a bus", ann().inline(allow(put_events, bus)), put_events, order, Allowed),
        ("source of events", ann().inline(allow_if(put_events, of_shop)), put_events, order, Allowed),
        ("another source of events", ann().inline(allow_if(put_events, of_bank)), put_events, order, Missing(IDENTITY, put_events, bus)),
        ("a rule", ann().inline(allow(put_rule, rule_arn)), put_rule, rule, Allowed),
        ("a rule of another name", ann().inline(allow(put_rule, "arn:aws:events:*:*:rule/a")), put_rule, rule, Missing(IDENTITY, put_rule, rule_arn)),
        ("the role of a rule is passed", ann().inline(allow(put_rule, "*")), put_rule, with_role, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("target of a rule", ann().inline(allow_if(put_targets, to_logs)), put_targets, target, Allowed),
        ("another target of a rule", ann().inline(allow_if(put_targets, to_queues)), put_targets, target, Missing(IDENTITY, put_targets, target_rule)),
        ("the role of a target is passed", ann().inline(allow(put_targets, "*")), put_targets, target_with_role, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("the role of a target may be passed", ann().inline(allow(put_targets, "*")).inline(allow("iam:PassRole", DELIVER)), put_targets, target_with_role, Allowed),
        ("creator of a rule", ann().inline(allow_if(disable, own)), disable, orders, Allowed),
        ("rules of services only", ann().inline(allow_if(disable, managed)), disable, orders, Missing(IDENTITY, disable, target_rule)),
    ])
}

#[rustfmt::skip]
fn identity() -> Vec<Situation> {
    let own = "arn:aws:iam::*:user/${aws:username}";
    let add = "iam:AddRoleToInstanceProfile";
    let profile = r#"{"InstanceProfileName": "node", "RoleName": "deliver"}"#;
    table(vec![
        ("everybody may ask who they are", ann().inline(deny("*", "*")), "sts:GetCallerIdentity", "{}", Allowed),
        ("own user by name", ann().inline(allow("iam:GetUser", own)), "iam:GetUser", r#"{"UserName": "ann"}"#, Allowed),
        ("own user without a name", ann().inline(allow("iam:GetUser", own)), "iam:GetUser", "{}", Allowed),
        ("own keys without a name", ann(), "iam:CreateAccessKey", "{}", Missing(IDENTITY, "iam:CreateAccessKey", ANN)),
        ("users cannot give themselves policies", ann().inline(allow("iam:List*", "*")), "iam:PutUserPolicy", r#"{"UserName": "ann", "PolicyName": "more", "PolicyDocument": "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}}"}"#, Missing(IDENTITY, "iam:PutUserPolicy", ANN)),
        ("a role in an instance profile is passed", ann().inline(allow(add, "*")), add, profile, Missing(IDENTITY, "iam:PassRole", DELIVER)),
        ("a role in an instance profile may be passed", ann().inline(allow(add, "*")).inline(allow("iam:PassRole", "*")), add, profile, Allowed),
    ])
}

/// Callers and resources of different accounts.
#[rustfmt::skip]
fn accounts() -> Vec<Situation> {
    let guest = || ann().of_other_account();
    let put = "logs:PutSubscriptionFilter";
    let filter = r#"{"logGroupName": "/web", "filterName": "all", "filterPattern": "", "destinationArn": "arn:aws:logs:us-east-1:222222222222:destination:central"}"#;
    let central = "arn:aws:logs:us-east-1:222222222222:destination:central";
    let describe = "secretsmanager:DescribeSecret";
    table(vec![
        ("both accounts allow", guest().inline(allow(READ, "*")).inline(allow("kms:Decrypt", "*")), READ, SHARED, Allowed),
        ("root of the other account", root().of_other_account(), READ, SHARED, Allowed),
        ("only the resource allows", guest(), READ, SHARED, Missing(IDENTITY, READ, "$shared")),
        ("only the caller's account allows", guest().inline(allow("*", "*")), describe, SHARED, Missing(RESOURCE, describe, "$shared")),
        ("root of the other account without a statement", root().of_other_account(), describe, SHARED, Missing(RESOURCE, describe, "$shared")),
        ("resource without a policy", guest().inline(allow("*", "*")), READ, r#"{"SecretId": "$secret"}"#, Missing(RESOURCE, READ, "$secret")),
        ("resource denies all accounts", root().of_other_account(), "secretsmanager:DeleteSecret", SHARED, Denied("a resource-based policy", "secretsmanager:DeleteSecret", "$shared")),
        ("destination of another account", ann().inline(allow(put, "*")), put, filter, Allowed),
        ("destination that the caller's account does not allow", ann().inline(allow(put, "arn:aws:logs:*:123456789012:*")), put, filter, Missing(IDENTITY, put, central)),
    ])
}

/// Tags and other conditions.
#[rustfmt::skip]
fn conditions() -> Vec<Situation> {
    let own_team = r#""StringEquals": {"aws:ResourceTag/team": "${aws:PrincipalTag/team}"}"#;
    let delete_group = "ec2:DeleteSecurityGroup";
    let requested = r#""StringEquals": {"aws:RequestTag/team": "web"}, "ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}"#;
    let web = r#"{"Name": "new", "SecretString": "x", "Tags": [{"Key": "team", "Value": "web"}]}"#;
    let db = r#"{"Name": "new", "SecretString": "x", "Tags": [{"Key": "team", "Value": "db"}]}"#;
    let more = r#"{"Name": "new", "SecretString": "x", "Tags": [{"Key": "team", "Value": "web"}, {"Key": "b", "Value": "c"}]}"#;
    let create = "secretsmanager:CreateSecret";
    let creator =
        || ann().inline(allow_if(create, requested)).inline(allow("secretsmanager:TagResource", "*"));
    table(vec![
        ("tag of a log group", ann().inline(allow_if(DELETE, own_team)), DELETE, WEB, Allowed),
        ("tag of another log group", ann().inline(allow_if(DELETE, own_team)), DELETE, r#"{"logGroupName": "/db"}"#, Missing(IDENTITY, DELETE, "arn:aws:logs:us-east-1:123456789012:log-group:/db:log-stream:")),
        ("tag of a secret, by the key of the service", ann().inline(allow_if(READ, r#""StringEquals": {"secretsmanager:ResourceTag/team": "db"}"#)), READ, DB, Allowed),
        ("another tag of a secret", ann().inline(allow_if(READ, r#""StringEquals": {"secretsmanager:ResourceTag/team": "web"}"#)), READ, DB, Missing(IDENTITY, READ, "db")),
        ("tag of a target group", ann().inline(allow_if("elasticloadbalancing:DeleteTargetGroup", own_team)), "elasticloadbalancing:DeleteTargetGroup", r#"{"TargetGroupArn": "$target"}"#, Allowed),
        ("tag of a registry", ann().inline(allow_if("schemas:DeleteRegistry", own_team)), "schemas:DeleteRegistry", r#"{"RegistryName": "shop"}"#, Allowed),
        ("tags of the request", creator(), create, web, Allowed),
        ("another value of a tag of the request", creator(), create, db, Missing(IDENTITY, create, "new")),
        ("another tag of the request", creator(), create, more, Missing(IDENTITY, create, "new")),
        ("VPC of a security group", ann().inline(allow_if(delete_group, r#""ArnLike": {"ec2:Vpc": "arn:aws:ec2:*:*:vpc/$vpc"}"#)), delete_group, r#"{"GroupId": "$sg"}"#, Allowed),
        ("another VPC of a security group", ann().inline(allow_if(delete_group, r#""ArnLike": {"ec2:Vpc": "arn:aws:ec2:*:*:vpc/vpc-0"}"#)), delete_group, r#"{"GroupId": "$sg"}"#, Missing(IDENTITY, delete_group, "arn:aws:ec2:us-east-1:123456789012:security-group/$sg")),
        ("tag of the session", ann_in_session().inline(allow_if(CREATE, r#""StringEquals": {"aws:PrincipalTag/shift": "night"}"#)), CREATE, NEW, Allowed),
        ("Region of the request", ann().inline(allow_if(CREATE, r#""StringEquals": {"aws:RequestedRegion": "eu-west-1"}"#)), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("time of the request", ann().inline(allow_if(CREATE, r#""DateGreaterThan": {"aws:CurrentTime": "2000-01-01T00:00:00Z"}"#)), CREATE, NEW, Allowed),
        ("a condition key that the request does not have", ann().inline(allow_if(CREATE, r#""Bool": {"aws:MultiFactorAuthPresent": "true"}"#)), CREATE, NEW, Missing(IDENTITY, CREATE, NEW_ARN)),
        ("parameter of the request", ann().inline(allow_if("secretsmanager:DeleteSecret", r#""Bool": {"secretsmanager:ForceDeleteWithoutRecovery": "false"}"#)), "secretsmanager:DeleteSecret", r#"{"SecretId": "db", "ForceDeleteWithoutRecovery": true}"#, Missing(IDENTITY, "secretsmanager:DeleteSecret", "db")),
        ("service that a role is passed to", ann().inline(allow("iam:AddRoleToInstanceProfile", "*")).inline(allow_if("iam:PassRole", r#""StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}"#)), "iam:AddRoleToInstanceProfile", r#"{"InstanceProfileName": "node", "RoleName": "deliver"}"#, Allowed),
    ])
}
