//! Every kind, with the example that its page starts with.

/// Part of a network: an isolated range of addresses. Every account has a default one in every Region.
///
/// ```
/// # use nephos::{Cloud, Vpc};
/// # let session = Cloud::in_memory().session();
/// let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
/// assert_eq!(vpc.security_groups().wait()?.len(), 1); // the default group
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "ec2")]
pub use crate::services::ec2::Vpc;

/// Range of addresses of a VPC in one Availability Zone.
///
/// ```
/// # use nephos::{Cloud, Subnet};
/// # let session = Cloud::in_memory().session();
/// let defaults = Subnet::objects(&session).list().results().filter(Subnet::FIELDS.default_for_az.eq(true));
/// let subnet = defaults.first().wait()?.expect("every Zone has a default subnet");
/// assert_eq!(subnet.vpc().wait()?.and_then(|vpc| vpc.is_default()), Some(true));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "ec2")]
pub use crate::services::ec2::Subnet;

/// Firewall of instances and load balancers: rules for traffic in and out.
///
/// ```
/// # use nephos::{Cloud, SecurityGroup, services::ec2::{IpPermission, IpRange}};
/// # let session = Cloud::in_memory().session();
/// let web = SecurityGroup::builder().group_name("web").description("Web servers").build()?;
/// let web = SecurityGroup::objects(&session).create(&web).wait()?;
/// let anywhere = IpRange::builder().cidr_ip("0.0.0.0/0").build()?;
/// let https = IpPermission::builder().ip_protocol("tcp").from_port(443).to_port(443).ip_ranges([anywhere]).build()?;
/// SecurityGroup::objects(&session).authorize_ingress(web.group_id().expect("it has an ID"), [https]).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "ec2")]
pub use crate::services::ec2::SecurityGroup;

/// Virtual server in a subnet. It has an address and a state, and runs nothing.
///
/// ```
/// # use nephos::{Cloud, Instance, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let server = Instance::builder().image_id("ami-12345678").instance_type("t3.micro").build()?;
/// let server = Instance::objects(&session).create(&server).wait()?;
/// let server = server.wait_until(|server| server.private_ip_address().is_some()).wait()?;
/// server.delete().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "ec2")]
pub use crate::services::ec2::Instance;

/// Distributes requests to targets. Its listeners and their rules decide which.
///
/// ```
/// # use nephos::{Cloud, LoadBalancer, Subnet, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let subnets = Subnet::objects(&session).list().results().all().wait()?;
/// # let ids: Vec<&str> = subnets.iter().filter_map(Subnet::subnet_id).take(2).collect();
/// let web = LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build()?;
/// let web = LoadBalancer::objects(&session).create(&web).tags([("team", "web")]).one().wait()?;
/// assert!(web.listeners().wait()?.is_empty());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "elbv2")]
pub use crate::services::elbv2::LoadBalancer;

/// Port of a load balancer, with the actions for requests that no rule matches.
///
/// ```
/// # use nephos::{Cloud, Listener, LoadBalancer, Subnet, prelude::*, services::elbv2::{Action, FixedResponseConfig}};
/// # let session = Cloud::in_memory().session();
/// # let subnets = Subnet::objects(&session).list().results().all().wait()?;
/// # let ids: Vec<&str> = subnets.iter().filter_map(Subnet::subnet_id).take(2).collect();
/// # let web = LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build()?;
/// # let web = LoadBalancer::objects(&session).create(&web).one().wait()?;
/// let teapot = FixedResponseConfig::builder().status_code("418").build()?;
/// let teapot = Action::builder().r#type("fixed-response").fixed_response_config(teapot).build()?;
/// let listener = Listener::builder().load_balancer_arn(web.require_arn()?).protocol("HTTP").port(80);
/// let listener = Listener::objects(&session).create(&listener.default_actions([teapot]).build()?).one().wait()?;
/// assert_eq!(listener.rules().wait()?.len(), 1); // the default rule
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "elbv2")]
pub use crate::services::elbv2::Listener;

/// Conditions on requests and the actions for those that match, by priority.
///
/// ```
/// use nephos::{Rule, services::elbv2::{Action, Condition, FixedResponseConfig}};
///
/// let health = Condition::builder().field("path-pattern").values(["/health"]).build()?;
/// let ok = FixedResponseConfig::builder().status_code("200").build()?;
/// let ok = Action::builder().r#type("fixed-response").fixed_response_config(ok).build()?;
/// let rule = Rule::builder().priority("10").conditions([health]).actions([ok]).build()?;
/// // Rule::objects(&session).create(&rule, listener.require_arn()?)
/// # drop(rule);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "elbv2")]
pub use crate::services::elbv2::Rule;

/// Targets of a load balancer, and the health checks for them.
///
/// ```
/// # use nephos::{Cloud, TargetGroup, Vpc, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let vpc = Vpc::objects(&session).list().results().first().wait()?.expect("the default VPC");
/// let api = TargetGroup::builder().target_group_name("api").protocol("HTTP").port(8080).target_type("ip");
/// let api = TargetGroup::objects(&session).create(&api.vpc_id(vpc.vpc_id()).build()?, "api").one().wait()?;
/// TargetGroup::objects(&session).register(api.require_arn()?, ["172.31.0.10"]).wait()?;
/// assert_eq!(api.targets().wait()?.len(), 1);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "elbv2")]
pub use crate::services::elbv2::TargetGroup;

/// Certificates of authorities, against which listeners verify the certificates of clients.
///
/// ```
/// # use nephos::{Cloud, TrustStore};
/// # let session = Cloud::in_memory().session();
/// let store = TrustStore::builder().name("partners");
/// let store = store.ca_certificates_bundle_s3_bucket("certificates").ca_certificates_bundle_s3_key("ca.pem").build()?;
/// let store = TrustStore::objects(&session).create(&store).one().wait()?;
/// assert!(store.trust_store_arn().is_some());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "elbv2")]
pub use crate::services::elbv2::TrustStore;

/// Person or program with long-term credentials. Its permissions come from policies and from its groups.
///
/// ```
/// # use nephos::{AccessKey, Cloud, User, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let ann = User::objects(&session).create(&User::builder().user_name("ann").path("/web/").build()?).wait()?;
/// assert_eq!(ann.arn()?, Some("arn:aws:iam::123456789012:user/web/ann"));
/// let key = AccessKey::objects(&session).create().user_name("ann").wait()?;
/// assert!(key.secret_access_key().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::User;

/// Users who have the permissions of the policies of the group.
///
/// ```
/// # use nephos::{Cloud, Group, User, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let web = Group::objects(&session).create(&Group::builder().group_name("web").build()?).wait()?;
/// web.add_user("ann").wait()?;
/// assert_eq!(web.users().wait()?.len(), 1);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::Group;

/// Identity that principals assume, as its trust policy allows.
///
/// ```
/// # use nephos::{Cloud, Role};
/// # let session = Cloud::in_memory().session();
/// let trust = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
///     "Principal": {"Service": "ec2.amazonaws.com"}}]}"#;
/// let role = Role::builder().role_name("web").assume_role_policy_document(trust).build()?;
/// let role = Role::objects(&session).create(&role).wait()?;
/// assert_eq!(role.max_session_duration(), Some(3600));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::Role;

/// Container that gives a role to instances.
///
/// ```
/// # use nephos::{Cloud, InstanceProfile, Role};
/// # let session = Cloud::in_memory().session();
/// # let trust = r#"{"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}}"#;
/// # Role::objects(&session).create(&Role::builder().role_name("web").assume_role_policy_document(trust).build()?).wait()?;
/// let profile = InstanceProfile::builder().instance_profile_name("web").build()?;
/// let profile = InstanceProfile::objects(&session).create(&profile).wait()?;
/// profile.add_role("web").wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::InstanceProfile;

/// Long-term credentials of a user. Only the creation returns the secret.
///
/// ```
/// # use nephos::{AccessKey, Cloud, User, prelude::*, services::iam::AccessKeyStatus};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let mut key = AccessKey::objects(&session).create().user_name("ann").wait()?;
/// key.set_status(AccessKeyStatus::Inactive)?;
/// key.save().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::AccessKey;

/// Crypto key: it encrypts, signs, authenticates or agrees on secrets, and its material never leaves the cloud.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let keys = CryptoKey::objects(&session);
/// let key = keys.create(&CryptoKey::builder().description("web").build()?).wait()?;
/// keys.create_alias("alias/web", key.key_id().expect("it has an ID")).wait()?;
/// assert_eq!(keys.get("alias/web").wait()?, Some(key));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "kms")]
pub use crate::services::kms::CryptoKey;

/// Name of a crypto key, which can be changed to name another key.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, KeyAlias, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let key = CryptoKey::objects(&session).create(&CryptoKey::builder().build()?).wait()?;
/// let alias = KeyAlias::builder().alias_name("alias/web").target_key_id(key.key_id().expect("it has an ID")).build()?;
/// let alias = KeyAlias::objects(&session).create(&alias).wait()?;
/// assert_eq!(alias.crypto_key().wait()?.as_deref(), Some(&key));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "kms")]
pub use crate::services::kms::KeyAlias;

/// Permission of a principal to use a crypto key, beside the policy of the key.
///
/// ```
/// # use nephos::{Cloud, CryptoKey, KeyGrant, User, prelude::*, services::kms::GrantOperation};
/// # let session = Cloud::in_memory().session();
/// let ann = User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let key = CryptoKey::objects(&session).create(&CryptoKey::builder().build()?).wait()?;
/// let grant = KeyGrant::builder()
///     .key_id(key.key_id().expect("it has an ID"))
///     .grantee_principal(ann.require_arn()?)
///     .operations([GrantOperation::Encrypt, GrantOperation::Decrypt])
///     .build()?;
/// let grant = KeyGrant::objects(&session).create(&grant).wait()?;
/// grant.delete().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "kms")]
pub use crate::services::kms::KeyGrant;

/// Event bus: it receives events and matches them with its rules. The bus `default` exists in every account and Region.
///
/// ```
/// # use nephos::{Cloud, EventBus, prelude::*, services::events::PutEventsRequestEntry};
/// # let session = Cloud::in_memory().session();
/// let buses = EventBus::objects(&session);
/// let shop = buses.create(&EventBus::builder().name("shop").build()?).wait()?;
/// let order = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"total": 7}"#).build()?;
/// let sent = shop.put_events([order]).wait()?;
/// assert_eq!(sent.failed_entry_count(), Some(0));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::EventBus;

/// Rule of an event bus: it selects events by a pattern, or creates them by a schedule, and sends them to its targets.
///
/// ```
/// # use nephos::{Cloud, EventRule, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let rules = EventRule::objects(&session);
/// let large = EventRule::builder().name("large").event_pattern(r#"{"detail": {"total": [{"numeric": [">", 100]}]}}"#);
/// rules.create(&large.build()?).wait()?;
/// let nightly = EventRule::builder().name("nightly").schedule_expression("cron(0 2 * * ? *)");
/// let nightly = rules.create(&nightly.build()?).wait()?;
/// nightly.disable().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::EventRule;

/// Target of a rule: a log group, another event bus, a function, or any other ARN, whose events stay in an outbox.
///
/// ```
/// # use nephos::{Cloud, EventRule, EventTarget, LogGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/events").build()?).wait()?;
/// let rule = EventRule::builder().name("orders").event_pattern(r#"{"source": ["shop"]}"#).build()?;
/// EventRule::objects(&session).create(&rule).wait()?;
/// let target = EventTarget::builder().rule("orders").id("log").arn("arn:aws:logs:us-east-1:123456789012:log-group:/events").build()?;
/// EventTarget::objects(&session).create(&target).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::EventTarget;

/// Archive of an event bus: it keeps events that match its pattern, for a number of days or for all time.
///
/// ```
/// # use nephos::{Archive, Cloud, EventBus, prelude::*, services::events::PutEventsRequestEntry};
/// # let session = Cloud::in_memory().session();
/// let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// let archive = Archive::builder().archive_name("orders").event_source_arn(bus).retention_days(30).build()?;
/// Archive::objects(&session).create(&archive).wait()?;
/// let order = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"total": 7}"#).build()?;
/// EventBus::objects(&session).put_events("default", [order]).wait()?;
/// let archive = Archive::objects(&session).get("orders").wait()?;
/// assert_eq!(archive.and_then(|archive| archive.event_count()), Some(1));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::Archive;

/// Replay of an archive: it sends the events between two times to the bus again, to all rules or to some.
///
/// ```
/// # use nephos::{Archive, Cloud, Replay, SignedDuration, prelude::*, services::events::ReplayDestination};
/// # let cloud = Cloud::in_memory();
/// # let session = cloud.session();
/// # let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// # let archive = Archive::builder().archive_name("orders").event_source_arn(bus).build()?;
/// # let archive = Archive::objects(&session).create(&archive).wait()?;
/// let now = cloud.clock().now();
/// let replay = Replay::builder()
///     .replay_name("yesterday")
///     .event_source_arn(archive.require_arn()?)
///     .event_start_time(now - SignedDuration::from_hours(24))
///     .event_end_time(now)
///     .destination(ReplayDestination::builder().arn(bus).build()?)
///     .build()?;
/// let replay = Replay::objects(&session).create(&replay).wait()?;
/// println!("{:?}", replay.state());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::Replay;

/// Connection: authorization of requests to API destinations, whose secret values are kept in a secret.
///
/// ```
/// # use nephos::{Cloud, Connection, prelude::*};
/// # use nephos::services::events::{ConnectionAuthParameters, ConnectionAuthorizationType, ConnectionBasicAuthParameters};
/// # let session = Cloud::in_memory().session();
/// let user = ConnectionBasicAuthParameters::builder().username("ann").password("hunter2").build()?;
/// let connection = Connection::builder()
///     .name("shop")
///     .authorization_type(ConnectionAuthorizationType::Basic)
///     .auth_parameters(ConnectionAuthParameters::builder().basic_auth_parameters(user).build()?)
///     .build()?;
/// let connection = Connection::objects(&session).create(&connection).wait()?;
/// assert!(connection.secret_arn().is_some());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::Connection;

/// API destination: an HTTP endpoint as a target of rules. A server calls endpoints on its own machine; in process, a function
/// that is registered as `nephos:http` does.
///
/// ```
/// # use nephos::{ApiDestination, Cloud, Connection, Result, Session, prelude::*};
/// # use nephos::services::events::ApiDestinationHttpMethod;
/// fn create_destination(session: &Session, connection: &Connection) -> Result<ApiDestination> {
///     let orders = ApiDestination::builder()
///         .name("orders")
///         .connection_arn(connection.require_arn()?)
///         .invocation_endpoint("http://localhost:8080/orders/*")
///         .http_method(ApiDestinationHttpMethod::Post)
///         .invocation_rate_limit_per_second(10)
///         .build()?;
///     ApiDestination::objects(session).create(&orders).wait()
/// }
/// ```
#[cfg(feature = "events")]
pub use crate::services::events::ApiDestination;

/// Permissions that are attached to users, groups and roles, in versions.
///
/// ```
/// # use nephos::{Cloud, Group, Policy, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = Group::objects(&session).create(&Group::builder().group_name("web").build()?).wait()?;
/// let document = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}]}"#;
/// let policy = Policy::builder().policy_name("logs").build()?;
/// let policy = Policy::objects(&session).create(&policy, document).wait()?;
/// web.attach_policy(policy.require_arn()?).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::Policy;

/// Version of a policy with its document. The default version is in effect.
///
/// ```
/// # use nephos::{Cloud, Policy, PolicyVersion, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let document = r#"{"Statement": {"Effect": "Allow", "Action": "logs:*", "Resource": "*"}}"#;
/// # let policy = Policy::objects(&session).create(&Policy::builder().policy_name("logs").build()?, document).wait()?;
/// let versions = PolicyVersion::objects(&session);
/// let second = versions.create(policy.require_arn()?, document).set_as_default(true).wait()?;
/// assert_eq!((second.version_id(), second.is_default_version()), (Some("v2"), Some(true)));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::PolicyVersion;

/// Password of a user, which follows the password policy of the account. It is not returned.
///
/// ```
/// # use nephos::{Cloud, LoginProfile, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let profile = LoginProfile::builder().user_name("ann").password("correct-Horse-7").build()?;
/// let profile = LoginProfile::objects(&session).create(&profile).wait()?;
/// assert_eq!((profile.password(), profile.password_reset_required()), (None, Some(false)));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::LoginProfile;

/// Seed of one-time codes. Two consecutive codes assign the device to a user.
///
/// ```
/// # use nephos::{Cloud, VirtualMFADevice};
/// # let session = Cloud::in_memory().session();
/// let device = VirtualMFADevice::builder().virtual_mfa_device_name("phone").build()?;
/// let device = VirtualMFADevice::objects(&session).create(&device).wait()?;
/// assert!(device.base32_string_seed().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::VirtualMFADevice;

/// Issuer whose tokens principals exchange for temporary credentials.
///
/// ```
/// # use nephos::{Cloud, OpenIDConnectProvider, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let provider = OpenIDConnectProvider::builder().url("https://token.example.com").build()?;
/// let provider = OpenIDConnectProvider::objects(&session).create(&provider).wait()?;
/// provider.add_client_id("sts.amazonaws.com").wait()?;
/// assert_eq!(provider.require_arn()?, "arn:aws:iam::123456789012:oidc-provider/token.example.com");
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::OpenIDConnectProvider;

/// Identity provider whose assertions principals exchange for temporary credentials, with its metadata document.
///
/// ```
/// # use nephos::{Cloud, SAMLProvider};
/// # let session = Cloud::in_memory().session();
/// assert!(SAMLProvider::builder().name("corp").saml_metadata_document("<too short/>").build().is_err());
/// assert!(SAMLProvider::objects(&session).list().results().all().wait()?.is_empty());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::SAMLProvider;

/// Certificate with its private key, for listeners of load balancers. The key is sealed, and not returned.
///
/// ```
/// # use nephos::{Cloud, ServerCertificate};
/// # let session = Cloud::in_memory().session();
/// let model = ServerCertificate::builder().server_certificate_name("web").certificate_body("no PEM");
/// let refused = ServerCertificate::objects(&session).create(&model.private_key("no PEM").build()?).wait();
/// assert_eq!(refused.unwrap_err().code(), "MalformedCertificate");
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::ServerCertificate;

/// Certificate of a user, or of the root user, which signs requests of old protocols.
///
/// ```
/// # use nephos::{Cloud, SigningCertificate};
/// # let session = Cloud::in_memory().session();
/// assert!(SigningCertificate::objects(&session).list().results().all().wait()?.is_empty());
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::SigningCertificate;

/// RSA public key of a user for SSH.
///
/// ```
/// # use nephos::{Cloud, SSHPublicKey, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let refused = SSHPublicKey::objects(&session).create("ann", "ssh-ed25519 AAAA").wait();
/// assert_eq!(refused.unwrap_err().code(), "InvalidPublicKey");
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::SSHPublicKey;

/// User name and password, or API key, of a user for a service that does not verify signatures.
///
/// ```
/// # use nephos::{Cloud, ServiceSpecificCredential, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let credentials = ServiceSpecificCredential::objects(&session);
/// let credential = credentials.create("ann", "codecommit.amazonaws.com").wait()?;
/// assert_eq!(credential.service_user_name(), Some("ann-at-123456789012"));
/// assert!(credential.service_password().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::ServiceSpecificCredential;

/// Rules for the passwords of an account.
///
/// ```
/// # use nephos::{Cloud, PasswordPolicy};
/// # let session = Cloud::in_memory().session();
/// let policy = PasswordPolicy::builder().minimum_password_length(14).require_symbols(true).build()?;
/// PasswordPolicy::objects(&session).update(&policy).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::PasswordPolicy;

/// Numbers of the entities of an account, and its quotas; also its alias and authorization details.
///
/// ```
/// # use nephos::{AccountSummary, Cloud};
/// # let session = Cloud::in_memory().session();
/// let account = AccountSummary::objects(&session);
/// account.create_alias("my-company").wait()?;
/// assert_eq!(account.get().wait()?.summary_map().and_then(|numbers| numbers.get("UsersQuota")), Some(&5000));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "iam")]
pub use crate::services::iam::AccountSummary;

/// Group of log streams with one retention.
///
/// ```
/// # use nephos::{Cloud, LogGroup};
/// # let session = Cloud::in_memory().session();
/// let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
/// LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait()?;
///
/// let long = LogGroup::objects(&session).list().results().filter(LogGroup::FIELDS.retention_in_days.ge(30));
/// assert_eq!(long.count().wait()?, 1);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::LogGroup;

/// Sequence of events from one source, in a log group.
///
/// ```
/// # use nephos::{Cloud, LogGroup, LogStream};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let stream = LogStream::builder().log_group_name("/web").log_stream_name("host-1").build()?;
/// LogStream::objects(&session).create(&stream).wait()?;
/// assert!(LogStream::objects(&session).list("/web").results().exists().wait()?);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::LogStream;

/// Message with a time, in a log stream. Read-only once it is written.
///
/// ```
/// # use nephos::{Cloud, LogEvent, LogGroup, LogStream, services::logs::InputLogEvent};
/// # let cloud = Cloud::in_memory();
/// # let session = cloud.session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// # let stream = LogStream::builder().log_group_name("/web").log_stream_name("host-1").build()?;
/// # LogStream::objects(&session).create(&stream).wait()?;
/// let now = cloud.clock().now().as_millisecond();
/// let event = InputLogEvent::builder().timestamp(now).message("GET /orders 500").build()?;
/// LogEvent::objects(&session).put("/web", "host-1", [event]).wait()?;
/// let failed = LogEvent::objects(&session).list("/web").filter_pattern("500").results();
/// assert_eq!(failed.count().wait()?, 1);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::LogEvent;

/// Filter pattern that counts or measures events of a log group as a metric.
///
/// ```
/// # use nephos::{Cloud, LogGroup, MetricFilter, services::logs::MetricTransformation};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let count = MetricTransformation::builder().metric_name("errors").metric_namespace("web").metric_value("1").build()?;
/// let filter = MetricFilter::builder().log_group_name("/web").filter_name("errors").filter_pattern("ERROR");
/// MetricFilter::objects(&session).create(&filter.metric_transformations([count]).build()?).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::MetricFilter;

/// Filter pattern whose events are delivered to a destination.
///
/// ```
/// # use nephos::{Cloud, LogGroup, SubscriptionFilter};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let filter = SubscriptionFilter::builder().log_group_name("/web").filter_name("alarm").filter_pattern("ERROR");
/// let filter = filter.destination_arn("arn:aws:lambda:us-east-1:123456789012:function:alarm").build()?;
/// SubscriptionFilter::objects(&session).create(&filter).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::SubscriptionFilter;

/// Stream that log groups of other accounts can deliver events to.
///
/// ```
/// # use nephos::{Cloud, Destination, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let destination = Destination::builder().destination_name("central");
/// let destination = destination.target_arn("arn:aws:kinesis:us-east-1:123456789012:stream/central");
/// let destination = destination.role_arn("arn:aws:iam::123456789012:role/central").build()?;
/// let destination = Destination::objects(&session).create(&destination).wait()?;
/// assert!(destination.require_arn()?.ends_with(":destination:central"));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "logs")]
pub use crate::services::logs::Destination;

/// Collection of event schemas.
///
/// ```
/// # use nephos::{Cloud, SchemaRegistry};
/// # let session = Cloud::in_memory().session();
/// let shop = SchemaRegistry::builder().registry_name("shop").description("Events of the shop").build()?;
/// SchemaRegistry::objects(&session).create(&shop).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "schemas")]
pub use crate::services::schemas::Registry as SchemaRegistry;

/// Description of an event's structure, in numbered versions.
///
/// ```
/// # use nephos::{Cloud, Schema, SchemaRegistry, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # SchemaRegistry::objects(&session).create(&SchemaRegistry::builder().registry_name("shop").build()?).wait()?;
/// let schema = Schema::builder().registry_name("shop").schema_name("Order").r#type("JSONSchemaDraft4");
/// let schema = schema.content(r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}"#);
/// let mut schema = Schema::objects(&session).create(&schema.build()?).wait()?;
/// schema.set_description("An order of the shop")?;
/// schema.save().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "schemas")]
pub use crate::services::schemas::Schema;

/// Infers schemas from the events on an event bus.
///
/// ```
/// # use nephos::{Cloud, Discoverer};
/// # let session = Cloud::in_memory().session();
/// let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// let discoverer = Discoverer::builder().source_arn(bus).build()?;
/// let discoverer = Discoverer::objects(&session).create(&discoverer).wait()?;
/// discoverer.stop().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "schemas")]
pub use crate::services::schemas::Discoverer;

/// Value that no log, error or debug output shows, in versions with labels.
///
/// ```
/// # use nephos::{Cloud, Secret};
/// # let session = Cloud::in_memory().session();
/// let secrets = Secret::objects(&session);
/// secrets.create(&Secret::builder().name("prod/db").build()?).secret_string("hunter2").wait()?;
/// let value = secrets.get_value("prod/db").wait()?;
/// assert_eq!(value.secret_string().map(|text| text.expose()), Some("hunter2"));
/// assert!(!format!("{value:?}").contains("hunter2"));
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "secrets")]
pub use crate::services::secrets::Secret;

/// Version of a secret, with its labels and without its value. Read-only.
///
/// ```
/// # use nephos::{Cloud, Secret, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let secret = Secret::builder().name("prod/db").build()?;
/// let secret = Secret::objects(&session).create(&secret).secret_string("hunter2").wait()?;
/// let versions = secret.versions().wait()?;
/// assert_eq!(versions.len(), 1);
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "secrets")]
pub use crate::services::secrets::SecretVersion;

/// Session of a role: temporary credentials. [`AssumeSession::assume`](crate::AssumeSession::assume) makes a `Session` of it.
///
/// ```
/// # use nephos::{AssumeRole, Cloud, Role, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let trust = r#"{"Version": "2012-10-17", "Statement": [
///     {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "123456789012"}}]}"#;
/// let role = Role::builder().role_name("web").assume_role_policy_document(trust).build()?;
/// let role = Role::objects(&session).create(&role).wait()?;
/// let assumed = AssumeRole::objects(&session).assume(role.require_arn()?, "deploy").wait()?;
/// assert_eq!(assumed.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/deploy");
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "sts")]
pub use crate::services::sts::AssumeRole;

/// Identity of the caller: account, unique ID and ARN.
///
/// ```
/// # use nephos::{CallerIdentity, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let caller = CallerIdentity::objects(&session).get().wait()?;
/// assert_eq!(caller.require_arn()?, "arn:aws:iam::123456789012:root");
/// # Ok::<(), nephos::Error>(())
/// ```
#[cfg(feature = "sts")]
pub use crate::services::sts::CallerIdentity;
