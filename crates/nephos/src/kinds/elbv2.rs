//! Kinds of load balancers.

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
pub use crate::services::elbv2::TrustStore;
