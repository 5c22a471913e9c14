//! Operations that make, change and delete target groups.

use super::{
    OneTargetGroup, ResponseCodeMatcher, TargetGroup, TargetGroupIpAddressType, TargetType, arn_of, find,
    missing, named, require,
};
use crate::{Empty, SERVICE, attributes, errors, limits, protocol::Protocol, routes, tagging, targets};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Result, Tag, Text, datum::DatumType, operation};

/// Creates a target group. The same settings again give the same group back.
#[operation(service = SERVICE, effect = write, output = OneTargetGroup, subject = "targetgroup/{Name}/*")]
pub struct CreateTargetGroup {
    /// Its name.
    #[field(like = TargetGroup::target_group_name)]
    pub name: Text,
    /// The protocol that targets are spoken to in.
    pub protocol: Option<Protocol>,
    /// The version of HTTP that targets speak.
    #[field(like = TargetGroup::protocol_version)]
    pub protocol_version: Option<Text>,
    /// The port that targets are spoken to at.
    #[field(like = TargetGroup::port)]
    pub port: Option<i64>,
    /// The network that the targets are in.
    pub vpc_id: Option<Text>,
    /// The protocol of health checks.
    pub health_check_protocol: Option<Protocol>,
    /// The port of health checks.
    #[field(like = TargetGroup::health_check_port)]
    pub health_check_port: Option<Text>,
    /// Whether there are health checks.
    pub health_check_enabled: Option<bool>,
    /// The path that health checks ask for.
    #[field(like = TargetGroup::health_check_path)]
    pub health_check_path: Option<Text>,
    /// How many seconds there are between two health checks.
    #[field(like = TargetGroup::health_check_interval_seconds)]
    pub health_check_interval_seconds: Option<i64>,
    /// How many seconds without an answer count as a failure.
    #[field(like = TargetGroup::health_check_timeout_seconds)]
    pub health_check_timeout_seconds: Option<i64>,
    /// How many successes in a row make a target healthy.
    #[field(like = TargetGroup::healthy_threshold_count)]
    pub healthy_threshold_count: Option<i64>,
    /// How many failures in a row make a target unhealthy.
    #[field(like = TargetGroup::unhealthy_threshold_count)]
    pub unhealthy_threshold_count: Option<i64>,
    /// The codes that a healthy target answers with.
    pub matcher: Option<ResponseCodeMatcher>,
    /// What the targets are; instances if not said.
    pub target_type: Option<TargetType>,
    /// Its tags.
    #[field(length(1..))]
    pub tags: Option<Vec<Tag>>,
    /// The addresses that targets have; IPv4 if not said.
    pub ip_address_type: Option<TargetGroupIpAddressType>,
    /// The port at which targets are controlled.
    #[field(like = TargetGroup::target_control_port)]
    pub target_control_port: Option<i64>,
}

impl Handler for CreateTargetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneTargetGroup> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        let mut group = TargetGroup::blank();
        group.target_group_name = Some(self.name);
        group.protocol = self.protocol;
        group.protocol_version = self.protocol_version;
        group.port = self.port;
        group.vpc_id = self.vpc_id;
        group.health_check_protocol = self.health_check_protocol;
        group.health_check_port = self.health_check_port;
        group.health_check_enabled = self.health_check_enabled;
        group.health_check_path = self.health_check_path;
        group.health_check_interval_seconds = self.health_check_interval_seconds;
        group.health_check_timeout_seconds = self.health_check_timeout_seconds;
        group.healthy_threshold_count = self.healthy_threshold_count;
        group.unhealthy_threshold_count = self.unhealthy_threshold_count;
        group.matcher = self.matcher;
        group.target_type = self.target_type;
        group.ip_address_type = self.ip_address_type;
        group.target_control_port = self.target_control_port;
        let mut group = group.settled(cx)?;
        if let Some(found) = named(cx, group.own_name())? {
            group.target_group_arn = found.target_group_arn.clone();
            if group != found || !tagging::are(cx, found.own_arn(), &tags)? {
                let why =
                    format!("there is a target group {} already, with other settings", found.own_name());
                return Err(errors::DUPLICATE_TARGET_GROUP.because(why));
            }
            return OneTargetGroup::of(cx, found);
        }
        limits::groups(group.protocol.as_ref()).add_one(cx, &errors::TOO_MANY_TARGET_GROUPS)?;
        let id = cx.ids().hex(16);
        group.target_group_arn = Some(arn_of(cx.scope(), group.own_name(), &id).into());
        cx.put(group.clone())?;
        tagging::put(cx, group.own_arn(), tags)?;
        OneTargetGroup::of(cx, group)
    }
}

/// Changes the health checks of a target group.
#[operation(service = SERVICE, effect = write, output = OneTargetGroup, subject = "{TargetGroupArn}")]
pub struct ModifyTargetGroup {
    /// Its resource name.
    pub target_group_arn: Text,
    /// The protocol of health checks.
    pub health_check_protocol: Option<Protocol>,
    /// The port of health checks.
    #[field(like = TargetGroup::health_check_port)]
    pub health_check_port: Option<Text>,
    /// The path that health checks ask for.
    #[field(like = TargetGroup::health_check_path)]
    pub health_check_path: Option<Text>,
    /// Whether there are health checks.
    pub health_check_enabled: Option<bool>,
    /// How many seconds there are between two health checks.
    #[field(like = TargetGroup::health_check_interval_seconds)]
    pub health_check_interval_seconds: Option<i64>,
    /// How many seconds without an answer count as a failure.
    #[field(like = TargetGroup::health_check_timeout_seconds)]
    pub health_check_timeout_seconds: Option<i64>,
    /// How many successes in a row make a target healthy.
    #[field(like = TargetGroup::healthy_threshold_count)]
    pub healthy_threshold_count: Option<i64>,
    /// How many failures in a row make a target unhealthy.
    #[field(like = TargetGroup::unhealthy_threshold_count)]
    pub unhealthy_threshold_count: Option<i64>,
    /// The codes that a healthy target answers with.
    pub matcher: Option<ResponseCodeMatcher>,
}

impl Handler for ModifyTargetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneTargetGroup> {
        let before = require(cx, &self.target_group_arn, "TargetGroupArn")?;
        let mut group = before.clone();
        let by_request = self.health_check_protocol.as_ref().is_none_or(Protocol::is_http);
        if !by_request {
            // What checks by TCP cannot have, and nobody asks for, goes.
            (group.health_check_path, group.matcher) = (None, None);
        }
        macro_rules! take {
            ($($field:ident)*) => { $(if self.$field.is_some() { group.$field = self.$field; })* };
        }
        take!(
            health_check_protocol health_check_port health_check_path health_check_enabled
            health_check_interval_seconds health_check_timeout_seconds healthy_threshold_count
            unhealthy_threshold_count matcher
        );
        let group = group.settled(cx)?;
        if group != before {
            targets::keep_states(cx, &before)?;
            cx.put(group.clone())?;
        }
        OneTargetGroup::of(cx, group)
    }
}

/// Deletes a target group that no action names, with its targets.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{TargetGroupArn}")]
pub struct DeleteTargetGroup {
    /// Its resource name.
    pub target_group_arn: Text,
}

impl Handler for DeleteTargetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let Some(group) = find(cx, &self.target_group_arn, "TargetGroupArn")? else {
            return Err(missing(&self.target_group_arn));
        };
        if routes::is_used(cx, group.own_name())? {
            let why = format!("target group {} is named by a listener or a rule", group.own_name());
            return Err(errors::IN_USE.because(why));
        }
        targets::remove_all(cx, group.own_name())?;
        attributes::forget(cx, group.own_arn())?;
        tagging::forget(cx, group.own_arn())?;
        limits::groups(group.protocol.as_ref()).remove_one(cx)?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}
