//! Decisions over requests: who may do what, in all settings of permissions.

mod databases;
mod keys;
mod situations;
mod world;

use self::{
    situations::{Expected, Situation, situations},
    world::{
        ACCOUNT, HIDDEN, Kind, OTHER, World, allow, ann, ann_in_session, call, deny, options, preview, root,
        set, worker,
    },
};
use nephos::{
    AccessQuery, Cloud, ErrorKind, Permissions, Session, SignedDuration, services::events::ListDeliveries,
    smallest_policy,
};
use serde_json::json as object;

const CREATE: &str = "logs:CreateLogGroup";
const NEW: &str = r#"{"logGroupName": "/new"}"#;

/// Asserts that an operation is refused with a text, with the code of its protocol, and changes nothing.
#[track_caller]
fn assert_refused(world: &World, session: &Session, situation: &Situation, text: &str) {
    let Situation { title, action, .. } = situation;
    let input = world.fill(situation.input);
    let before = world.cloud.rows().unwrap();
    let error = preview(session, action, &input).map(drop).expect_err(title);
    assert_eq!(error.kind(), ErrorKind::Denied, "{title}: {error}");
    assert!(world.cloud.decisions(None).unwrap().is_empty(), "{title}: previews are not logged");
    let error = call(session, action, &input).map(drop).expect_err(title);
    assert_eq!(world.cloud.rows().unwrap(), before, "{title}");
    let prefix = action.split(':').next().unwrap();
    let code = match prefix {
        "ec2" => ("UnauthorizedOperation", 403),
        "schemas" => ("AccessDeniedException", 403),
        "iam" | "elasticloadbalancing" => ("AccessDenied", 403),
        _ => ("AccessDeniedException", 400),
    };
    assert_eq!((error.code(), error.status(), error.kind()), (code.0, code.1, ErrorKind::Denied), "{title}");
    if prefix == "ec2" {
        let start = format!(
            "You are not authorized to perform this operation. {text}. Encoded authorization failure message: "
        );
        let encoded = error.message().strip_prefix(&start);
        let encoded = encoded.unwrap_or_else(|| panic!("{title}: {error}")).to_owned();
        let decoded =
            world.cloud.run_in_transaction(move |cx| Ok(cx.decode_message(&encoded))).unwrap().unwrap();
        let refused = text.split(" perform: ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        assert!(decoded.contains(r#""allowed":false"#) && decoded.contains(refused), "{title}: {decoded}");
    } else {
        assert_eq!(error.message(), text, "{title}");
    }
}

/// Asserts that the log has no secrets.
#[track_caller]
fn assert_no_secrets(cloud: &Cloud, session: &Session) {
    let logged = format!("{:?}", cloud.decisions(None).unwrap());
    assert!(!logged.contains(HIDDEN), "{logged}");
    if let Some(credentials) = session.credentials() {
        assert!(!logged.contains(credentials.secret_access_key.expose()), "{logged}");
        let token = credentials.session_token.as_ref().map(|token| token.expose());
        assert!(token.is_none_or(|token| !logged.contains(token)), "{logged}");
    }
}

#[test]
fn every_situation_is_decided_as_expected() {
    let base = World::new();
    let all = situations();
    assert!(all.len() >= 60, "{}", all.len());
    for situation in &all {
        let Situation { title, who, action, input, expected } = situation;
        let world = base.fork();
        let session = world.session(who);
        set(&world.cloud, Permissions::Enforce);
        match expected.refusal(&who.arn()) {
            None => {
                call(&session, action, &world.fill(input)).unwrap_or_else(|error| panic!("{title}: {error}"));
                assert!(world.cloud.decisions(None).unwrap().is_empty(), "{title}: only refusals are logged");
            }
            Some(text) => {
                assert_refused(&world, &session, situation, &world.fill(&text));
                let [logged] = &world.cloud.decisions(Some(&who.arn())).unwrap()[..] else {
                    panic!("{title}: one refusal is logged")
                };
                assert_eq!((logged.allowed, logged.refused), (Some(false), Some(true)), "{title}");
            }
        }
        assert_no_secrets(&world.cloud, &session);
    }
}

/// The policy that is made from recorded requests allows those that identity policies do not.
#[test]
fn recording_refuses_nothing_and_gives_the_missing_policy() {
    let base = World::new();
    for Situation { title, who, action, input, expected } in situations() {
        let world = base.fork();
        let session = world.session(&who);
        set(&world.cloud, Permissions::Record);
        let recorded = world.fork();
        let session_there = recorded.cloud.session().with_account(session.account());
        let session_there = session_there.with_credentials(session.credentials().cloned());
        let input = world.fill(input);
        let result = call(&session_there, action, &input);
        result.unwrap_or_else(|error| panic!("{title}: {error}"));
        let decisions = recorded.cloud.decisions(None).unwrap();
        assert!(decisions.iter().all(|decision| decision.refused == Some(false)), "{title}");
        let is_open = action == "sts:GetCallerIdentity";
        assert_eq!(decisions.is_empty(), is_open, "{title}: every decision is logged");
        let is_allowed = decisions.iter().all(|decision| decision.allowed == Some(true));
        assert_eq!(is_allowed, matches!(expected, Expected::Allowed), "{title}");
        assert_no_secrets(&recorded.cloud, &session);
        if let (Expected::Missing("identity-based policy", ..), Kind::User) = (expected, who.kind) {
            let policy = smallest_policy(&decisions);
            let policy = nephos_core::json::write(policy.view(), nephos_core::json::Writing::EXPOSED);
            let grant = object!({"UserName": "ann", "PolicyName": "recorded", "PolicyDocument": policy});
            world.as_root(session.account(), "iam:PutUserPolicy", &grant);
            set(&world.cloud, Permissions::Enforce);
            call(&session, action, &input).unwrap_or_else(|error| panic!("{title}: {policy}: {error}"));
        }
    }
}

#[test]
fn nothing_is_compared_or_logged_while_permissions_are_off() {
    let world = World::new();
    let session = world.session(&ann().inline(deny("*", "*")));
    assert_eq!(world.cloud.permissions(), Permissions::Off);
    call(&session, CREATE, NEW).unwrap();
    assert!(world.cloud.decisions(None).unwrap().is_empty());
}

/// Resource policies decide across accounts in every setting.
#[test]
fn accounts_are_separate_while_permissions_are_off() {
    let world = World::new();
    let input = world.fill(r#"{"SecretId": "$shared"}"#);
    let guest = world.session(&ann().of_other_account());
    call(&guest, "secretsmanager:GetSecretValue", &input).unwrap();
    let error = call(&guest, "secretsmanager:DescribeSecret", &input).unwrap_err();
    let text = "User: arn:aws:iam::222222222222:user/ann is not authorized to perform: secretsmanager:DescribeSecret on \
        resource: $shared because no resource-based policy allows the secretsmanager:DescribeSecret action";
    assert_eq!((error.code(), error.message()), ("AccessDeniedException", world.fill(text).as_str()));
}

/// The values that may not be read are errors of their secrets, not of the request.
#[test]
fn batch_returns_refusals_one_by_one() {
    let world = World::new();
    let who = ann().inline(allow("secretsmanager:BatchGetSecretValue", "*"));
    let session = world.session(&who.inline(allow("secretsmanager:GetSecretValue", "$secret")));
    set(&world.cloud, Permissions::Enforce);
    let input = world.fill(r#"{"SecretIdList": ["db", "shared", "$shared"]}"#);
    let answer = call(&session, "secretsmanager:BatchGetSecretValue", &input).unwrap();
    let nephos::Value::Map(answer) = answer else { panic!("{answer:?}") };
    let count = |name: &str| match &answer[name] {
        nephos::Value::List(items) => items.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((count("SecretValues"), count("Errors")), (1, 2));
    let message = |n: &str| world::text_at(&answer["Errors"], &[n, "Message"]);
    let text = |id: &str| {
        let text =
            situations::Expected::Missing("identity-based policy", "secretsmanager:GetSecretValue", "id");
        text.refusal("arn:aws:iam::123456789012:user/ann").unwrap().replace(": id ", &format!(": {id} "))
    };
    assert_eq!([message("0"), message("1")], [text("shared"), text(&world.fill("$shared"))]);
    assert_eq!(world.cloud.decisions(None).unwrap().len(), 2);
}

/// A rule may call a target with its role, or if the policy of the target allows it, and never one of another account.
#[test]
fn rules_deliver_what_policies_allow() {
    let world = World::new();
    let pipeline = "arn:aws:codepipeline:us-east-1:123456789012:web";
    let group = "arn:aws:logs:us-east-1:123456789012:log-group:/web";
    let foreign = "arn:aws:logs:us-east-1:222222222222:log-group:/web";
    let role = "arn:aws:iam::123456789012:role/deliver";
    world.as_root(OTHER, "logs:CreateLogGroup", &object!({"logGroupName": "/web"}));
    let targets = object!([{"Id": "foreign", "Arn": foreign}, {"Id": "group", "Arn": group},
        {"Id": "pipeline", "Arn": pipeline, "RoleArn": role}]);
    world.as_root(ACCOUNT, "events:PutTargets", &object!({"Rule": "orders", "Targets": targets}));
    let order = object!({"Entries": [{"Source": "shop", "DetailType": "Order", "Detail": "{}"}]});
    let refused_targets = |world: &World| {
        world.as_root(ACCOUNT, "events:PutEvents", &order);
        let all = world.cloud.control(ListDeliveries::new()).unwrap();
        let failed = all.deliveries().unwrap().iter().map(|delivery| {
            assert_eq!(delivery.error_code(), Some("NO_PERMISSIONS"));
            delivery.target_id().unwrap().to_owned()
        });
        failed.collect::<Vec<_>>()
    };
    for permissions in [Permissions::Off, Permissions::Record] {
        let fork = world.fork();
        set(&fork.cloud, permissions);
        assert_eq!(refused_targets(&fork), ["foreign"], "{permissions}");
    }
    set(&world.cloud, Permissions::Enforce);
    assert_eq!(refused_targets(&world.fork()), ["foreign", "group", "pipeline"]);
    let start = object!({"Version": "2012-10-17", "Statement": {"Effect": "Allow",
        "Action": "codepipeline:StartPipelineExecution", "Resource": pipeline}});
    let inline = object!({"RoleName": "deliver", "PolicyName": "start", "PolicyDocument": start.to_string()});
    world.as_root(ACCOUNT, "iam:PutRolePolicy", &inline);
    assert_eq!(refused_targets(&world.fork()), ["foreign", "group"]);
    let write = object!({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "logs:PutLogEvents",
        "Principal": {"Service": "events.amazonaws.com"}, "Resource": format!("{group}:*")}});
    let policy = object!({"policyName": "events", "policyDocument": write.to_string()});
    world.as_root(ACCOUNT, "logs:PutResourcePolicy", &policy);
    assert_eq!(refused_targets(&world), ["foreign"]);
}

/// The root may do everything with what its account owns, unless the policy of a resource denies it, or a key policy does not allow it.
#[test]
fn policies_of_resources_bind_the_root() {
    let world = World::new();
    set(&world.cloud, Permissions::Enforce);
    let session = world.session(&root());
    call(&session, "secretsmanager:GetSecretValue", r#"{"SecretId": "db"}"#).unwrap();
    let denial = deny("secretsmanager:GetSecretValue", "*").replacen('{', r#"{"Principal": "*", "#, 1);
    let policy = object!({"SecretId": "db", "ResourcePolicy": format!(r#"{{"Statement": [{denial}]}}"#)});
    call(&session, "secretsmanager:PutResourcePolicy", &policy.to_string()).unwrap();
    let error = call(&session, "secretsmanager:GetSecretValue", r#"{"SecretId": "db"}"#).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    call(&session, "secretsmanager:DeleteResourcePolicy", r#"{"SecretId": "db"}"#).unwrap();
    call(&session, "secretsmanager:GetSecretValue", r#"{"SecretId": "db"}"#).unwrap();
    world.session(&ann());
    let only_ann = allow("kms:*", "*").replacen(
        '{',
        &format!(r#"{{"Principal": {{"AWS": "arn:aws:iam::{ACCOUNT}:user/ann"}}, "#),
        1,
    );
    let key = object!({"Policy": format!(r#"{{"Version": "2012-10-17", "Statement": [{only_ann}]}}"#),
        "BypassPolicyLockoutSafetyCheck": true});
    let key = call(&session, "kms:CreateKey", &key.to_string()).unwrap();
    let id = object!({"KeyId": world::text_at(&key, &["KeyMetadata", "KeyId"])}).to_string();
    assert_eq!(call(&session, "kms:DescribeKey", &id).unwrap_err().kind(), ErrorKind::Denied);
}

/// A key of the root is as good as the root.
#[test]
fn root_has_no_policies_of_its_own() {
    let world = World::new();
    set(&world.cloud, Permissions::Enforce);
    let session = world.session(&root());
    let key = nephos::AccessKey::objects(&session).create().wait().unwrap();
    let credentials = nephos::Credentials {
        access_key_id: key.access_key_id().unwrap().into(),
        secret_access_key: key.secret_access_key().unwrap().clone(),
        session_token: None,
        expiration: None,
    };
    call(&session.with_credentials(credentials), CREATE, NEW).unwrap();
}

/// The boundary of a user is a fact about it, unless the request is to set another one.
#[test]
fn boundary_of_a_user_is_a_condition_key() {
    let world = World::new();
    let boundary = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    world.as_root(ACCOUNT, "iam:CreateUser", &object!({"UserName": "bob", "PermissionsBoundary": boundary}));
    let condition = format!(r#""StringEquals": {{"iam:PermissionsBoundary": "{boundary}"}}"#);
    let who =
        ann().inline(allow("iam:*", "*")).inline(deny("iam:DeleteUserPermissionsBoundary", "*").replacen(
            '}',
            &format!(r#", "Condition": {{{condition}}}}}"#),
            1,
        ));
    let session = world.session(&who);
    set(&world.cloud, Permissions::Enforce);
    let delete = || call(&session, "iam:DeleteUserPermissionsBoundary", r#"{"UserName": "bob"}"#);
    assert_eq!(delete().unwrap_err().kind(), ErrorKind::Denied);
    let other =
        object!({"UserName": "bob", "PermissionsBoundary": "arn:aws:iam::aws:policy/PowerUserAccess"});
    call(&session, "iam:PutUserPermissionsBoundary", &other.to_string()).unwrap();
    delete().unwrap();
}

/// The log has a limit, and pages.
#[test]
fn log_of_decisions_is_limited() {
    let world = World::new();
    let session = world.session(&ann());
    set(&world.cloud, Permissions::Enforce);
    for _ in 0..25 {
        call(&session, CREATE, NEW).unwrap_err();
    }
    let first = world.cloud.decision_page(None, None, 10).unwrap();
    let second = world.cloud.decision_page(None, first.next.as_deref(), 10).unwrap();
    let third = world.cloud.decision_page(None, second.next.as_deref(), 10).unwrap();
    let counts = [&first, &second, &third].map(|page| page.decisions.len());
    assert_eq!((counts, third.next), ([10, 10, 5], None));
    assert_eq!(world.cloud.decision_page(None, Some("?"), 1).unwrap_err().field(), Some("after"));
    // Decisions of long ago are removed as others are added.
    world.cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
    for _ in 0..25 {
        call(&session, CREATE, NEW).unwrap_err();
    }
    assert_eq!(world.cloud.decisions(None).unwrap().len(), 25);
}

/// Changes of keys and policies hold from the next request on.
#[test]
fn changes_hold_at_the_next_request() {
    let world = World::new();
    let session = world.session(&ann().inline(allow("logs:*", "*")));
    set(&world.cloud, Permissions::Enforce);
    let create = |n: i32| call(&session, CREATE, &format!(r#"{{"logGroupName": "/{n}"}}"#)).map(drop);
    create(1).unwrap();
    let id = session.credentials().unwrap().access_key_id.clone();
    let status = |status: &str| {
        let input = object!({"UserName": "ann", "AccessKeyId": id.as_str(), "Status": status});
        world.as_root(ACCOUNT, "iam:UpdateAccessKey", &input);
    };
    status("Inactive");
    let error = create(2).unwrap_err();
    assert_eq!((error.code(), error.status()), ("InvalidClientTokenId", 403));
    status("Active");
    create(3).unwrap();
    let policy = object!({"UserName": "ann", "PolicyName": "own"});
    world.as_root(ACCOUNT, "iam:DeleteUserPolicy", &policy);
    assert_eq!(create(4).unwrap_err().kind(), ErrorKind::Denied);
}

#[test]
fn sessions_expire_and_end_with_their_role() {
    let world = World::new();
    let session = world.session(&worker().inline(allow("logs:*", "*")));
    set(&world.cloud, Permissions::Enforce);
    call(&session, CREATE, NEW).unwrap();
    let other = world.fork();
    let there = other.cloud.session().with_credentials(session.credentials().cloned());
    call(&there, "logs:DeleteLogGroup", NEW).unwrap();
    other.as_root(ACCOUNT, "iam:DeleteRolePolicy", &object!({"RoleName": "worker", "PolicyName": "own"}));
    other.as_root(ACCOUNT, "iam:DeleteRole", &object!({"RoleName": "worker"}));
    assert_eq!(call(&there, CREATE, NEW).unwrap_err().kind(), ErrorKind::Denied);
    world.cloud.clock().advance(SignedDuration::from_hours(2)).unwrap();
    assert_eq!(call(&session, CREATE, NEW).unwrap_err().code(), "ExpiredToken");
}

#[test]
fn forks_and_reopened_clouds_keep_the_setting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let credentials = {
        let world = World::with(options().open(&path).unwrap());
        let session = world.session(&ann());
        set(&world.cloud, Permissions::Enforce);
        let fork = world.fork();
        assert_eq!(fork.cloud.permissions(), Permissions::Enforce);
        let there = fork.cloud.session().with_credentials(session.credentials().cloned());
        assert_eq!(call(&there, CREATE, NEW).unwrap_err().kind(), ErrorKind::Denied);
        assert!(world.cloud.decisions(None).unwrap().is_empty(), "a fork has its own log");
        set(&fork.cloud, Permissions::Off);
        call(&there, CREATE, NEW).unwrap();
        assert_eq!(call(&session, CREATE, NEW).unwrap_err().kind(), ErrorKind::Denied);
        session.credentials().cloned()
    };
    let cloud = options().open(&path).unwrap();
    assert_eq!(cloud.permissions(), Permissions::Enforce);
    let session = cloud.session().with_credentials(credentials);
    assert_eq!(call(&session, CREATE, NEW).unwrap_err().kind(), ErrorKind::Denied);
    assert_eq!(cloud.decisions(None).unwrap().len(), 2, "the log is kept");
}

/// A session of another account than that of its credentials acts in the account of the credentials.
#[test]
fn credentials_decide_over_the_account() {
    let world = World::new();
    let session = world.session(&ann().inline(allow("logs:*", "*"))).with_account(OTHER);
    set(&world.cloud, Permissions::Enforce);
    call(&session, CREATE, NEW).unwrap();
    call(&world.cloud.session(), "logs:DeleteLogGroup", NEW).unwrap();
}

/// Requests about a log group are checked with the ARN of its streams, and so are questions about them.
#[test]
fn questions_have_the_resources_of_requests() {
    let world = World::new();
    let group = format!("arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/web");
    let who = ann().inline(allow("logs:*", &format!("{group}:*")));
    let session = world.session(&who);
    set(&world.cloud, Permissions::Enforce);
    let input = r#"{"logGroupName": "/web", "retentionInDays": 7}"#;
    call(&session, "logs:PutRetentionPolicy", input).unwrap();
    for (action, resource, checked) in [
        ("logs:PutRetentionPolicy", group.clone(), Some(":log-stream:")),
        ("logs:PutRetentionPolicy", format!("{group}:*"), Some(":log-stream:")),
        ("logs:putretentionpolicy", format!("{group}:log-stream:main"), Some(":log-stream:main")),
        ("logs:PutLogEvents", group.clone(), Some(":log-stream:*")),
        ("logs:PutLogEvents", format!("{group}:log-stream:main"), Some(":log-stream:main")),
        ("logs:ListTagsForResource", group.clone(), None),
    ] {
        let query = AccessQuery {
            principal: who.arn().into(),
            action: action.into(),
            resource: resource.as_str().into(),
            context: Vec::new(),
        };
        let explained = world.cloud.explain_access(&query).unwrap();
        let (found, asked) = (explained.allowed, explained.resource.unwrap());
        assert_eq!(found, Some(checked.is_some()), "{action} {resource}");
        assert_eq!(asked, format!("{group}{}", checked.unwrap_or_default()), "{action} {resource}");
    }
}

#[test]
fn session_of_a_user_calls_iam_only_with_mfa() {
    let world = World::new();
    let session = world.session(&ann_in_session().inline(allow("*", "*")));
    let list = || call(&session, "iam:ListUsers", "{}");
    for permissions in [Permissions::Off, Permissions::Record] {
        set(&world.cloud, permissions);
        list().unwrap();
    }
    set(&world.cloud, Permissions::Enforce);
    let error = list().unwrap_err();
    assert_eq!((error.code(), error.status()), ("InvalidClientTokenId", 403));
    assert_eq!(error.message(), "The security token included in the request is invalid");
    call(&session, CREATE, NEW).unwrap();
    call(&session, "sts:GetCallerIdentity", "{}").unwrap();
    let input = r#"{"AccessKeyId": "AKIAIOSFODNN7EXAMPLE"}"#;
    let error = call(&session, "sts:GetAccessKeyInfo", input).unwrap_err();
    assert_eq!((error.code(), error.status()), ("AccessDenied", 403));
    assert_eq!(error.message(), "Cannot call GetAccessKeyInfo with session credentials");
}

#[test]
fn federated_users_have_what_session_policies_allow() {
    let cloud = options().permissions(Permissions::Enforce).in_memory();
    let session = |policy: Option<&str>| {
        let name = nephos::AssumeRole::objects(&cloud.session()).federation_token("bea");
        let answer = name.policy(policy).wait().unwrap();
        let issued = answer.credentials().cloned().unwrap();
        cloud.session().with_credentials(Some(nephos::Credentials {
            access_key_id: issued.access_key_id().unwrap().into(),
            secret_access_key: issued.secret_access_key().cloned().unwrap(),
            session_token: issued.session_token().cloned(),
            expiration: issued.expiration(),
        }))
    };
    let document = |action: &str| format!(r#"{{"Statement": [{}]}}"#, allow(action, "*"));
    let list = |policy: Option<&str>| call(&session(policy), "logs:DescribeLogGroups", "{}").is_ok();
    assert!(list(Some(&document("logs:Describe*"))));
    assert!(!list(Some(&document("logs:Get*"))));
    assert!(!list(None), "without session policies there are no permissions");
}
