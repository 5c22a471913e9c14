//! Load balancers: listeners and rules that route requests to the targets of target groups.
//!
//! ```
//! use nephos::services::elbv2::{Action, ActionType, Protocol};
//! use nephos::{Cloud, Listener, LoadBalancer, Subnet, TargetGroup, prelude::*};
//!
//! let session = Cloud::in_memory().session();
//! let subnets = Subnet::objects(&session).list().results().all().wait()?;
//! let ids: Vec<_> = subnets.iter().filter_map(Subnet::subnet_id).collect();
//! let web = LoadBalancer::builder().load_balancer_name("web").subnets(ids.as_slice()).build()?;
//! let web = &LoadBalancer::objects(&session).create(&web).wait()?[0];
//!
//! let group = TargetGroup::builder().port(80).protocol(Protocol::Http).vpc_id(web.vpc_id().unwrap_or_default());
//! let group = &TargetGroup::objects(&session).create(&group.build()?, "web").wait()?[0];
//! let action = Action::builder().r#type(ActionType::Forward).target_group_arn(group.require_arn()?).build()?;
//! let port = Listener::builder().load_balancer_arn(web.require_arn()?).port(80).protocol(Protocol::Http);
//! Listener::objects(&session).create(&port.default_actions([action]).build()?).wait()?;
//!
//! let group = TargetGroup::objects(&session).get().name("web").wait()?.expect("the target group exists");
//! assert_eq!(group.load_balancer_arns(), Some(&[web.require_arn()?.into()][..]));
//! # Ok::<(), nephos::Error>(())
//! ```

mod attributes;
pub mod errors;
mod limits;
mod listener;
mod load_balancer;
#[doc(hidden)]
pub mod network;
mod paging;
mod routing;
mod rows;
mod rule;
mod tagging;
mod target_group;
mod trust_store;
mod validation;

pub use attributes::*;
pub use limits::*;
pub use listener::*;
pub use load_balancer::*;
pub use routing::*;
pub use rule::*;
pub use tagging::*;
pub use target_group::*;
pub use trust_store::*;

use nephos_cloud::Addressed;
pub use nephos_core::Empty;
use nephos_core::{FromModel, Record, Result, Text, WorkflowContext, retag, shape::Protocol as WireProtocol};

nephos_cloud::parts! {
    load_balancer: load_balancer,
    dns: load_balancer::dns,
    redirect: routing::action::redirect,
    bucket: trust_store::bucket,
}

nephos_cloud::service! {
    ELBV2 = "elbv2", "Load balancers: listeners and rules that route requests to the targets of target groups.";
    shape {
        api_version: "2015-12-01",
        protocol: WireProtocol::AwsQuery {
            namespace: "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/",
        },
        endpoint: "elasticloadbalancing",
        signing: "elasticloadbalancing",
        invalid: &errors::INVALID,
        invalid_arn: Some(|arn, kind| errors::invalid_arn(arn, kind.words())),
        invalid_token: errors::invalid_marker,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}", "elasticloadbalancing:ResourceTag/${TagKey}"])],
    }
    kinds {
        TargetGroup, LoadBalancer, Listener, Rule, TrustStore,
    }
    operations {
        CreateTargetGroup, DescribeTargetGroups, ModifyTargetGroup, DeleteTargetGroup,
        RegisterTargets, DeregisterTargets, DescribeTargetHealth,
        CreateLoadBalancer, DescribeLoadBalancers, DeleteLoadBalancer, SetSubnets, SetSecurityGroups, SetIpAddressType,
        CreateListener, DescribeListeners, ModifyListener, DeleteListener,
        AddListenerCertificates, RemoveListenerCertificates, DescribeListenerCertificates,
        CreateRule, DescribeRules, ModifyRule, DeleteRule, SetRulePriorities,
        DescribeLoadBalancerAttributes, ModifyLoadBalancerAttributes,
        DescribeListenerAttributes, ModifyListenerAttributes,
        DescribeTargetGroupAttributes, ModifyTargetGroupAttributes,
        ModifyIpPools, ModifyCapacityReservation, DescribeCapacityReservation,
        CreateTrustStore, DescribeTrustStores, ModifyTrustStore, DeleteTrustStore, DescribeTrustStoreAssociations,
        AddTrustStoreRevocations, RemoveTrustStoreRevocations, DescribeTrustStoreRevocations,
        GetTrustStoreCaCertificatesBundle, GetTrustStoreRevocationContent,
        GetResourcePolicy, DeleteSharedTrustStoreAssociation,
        AddTags, RemoveTags, DescribeTags, DescribeSSLPolicies, DescribeAccountLimits,
    }
    calls {
        LoadBalancerAttributeMap, ListenerAttributeMap, TargetGroupAttributeMap,
        LoadBalancerUpdate, LoadBalancerTag, LoadBalancerUntag, LoadBalancerListTags, ListenerUpdate,
        ListenerAddCertificates, ListenerRemoveCertificates, ListenerTag, ListenerUntag, ListenerListTags,
        TrustStoreUpdate, TrustStoreTag, TrustStoreUntag, TrustStoreListTags, RuleCreate, RuleUpdate,
        RuleTag, RuleUntag, RuleListTags, TargetGroupCreate, TargetGroupUpdate, TargetGroupTargets,
        TargetGroupTag, TargetGroupUntag, TargetGroupListTags,
    }
    controls {
        "target-health" => SetTargetHealth,
    }
    views { routing::map::MAP }
    works {
        target_group::Deregistration,
    }
    tables {
        TargetGroup, LoadBalancer, Listener, Rule, target_group::TargetRow, routing::routes::RouteRow,
        routing::routes::TargetGroupUseRow, TrustStore, trust_store::TrustStoreUseRow,
        trust_store::RevocationsRow, load_balancer::CapacityRow, listener::AddedCertificateRow,
        attributes::AttributesRow, tagging::TagsRow,
    }
    access {
        find_resource: Some(tagging::find_resource),
    }
    tagged { tagging::TAGGED }
}

/// Returns the ARN of a model that is updated; refuses a model that was never created.
fn saved_arn<M: Addressed>(model: &M) -> Result<Text> {
    model.arn()?.map(Text::new).ok_or_else(|| errors::resource_not_created().with_field(M::arn_field()))
}

/// Sends the changes since the model was read: fields by the operation `O`, and tags. Returns the ARN.
async fn send_changes<O: FromModel<Output: Record>>(
    context: &WorkflowContext,
    model: &impl Addressed,
) -> Result<Text> {
    let arn = saved_arn(model)?;
    if let Some(modify) = O::changes_of(model)? {
        context.call(modify).await?;
    }
    retag(context, model, model).await?;
    Ok(arn)
}
