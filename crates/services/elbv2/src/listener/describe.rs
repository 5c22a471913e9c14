//! Finding listeners.

use super::{Listener, require, within};
use crate::{SERVICE, load_balancer, names, paging};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes listeners: those of a balancer, in order of their ports, or those that are asked for.
#[operation(service = SERVICE, effect = read, output = Listeners, subject = "listener/*")]
pub struct DescribeListeners {
    /// The balancer they belong to.
    pub load_balancer_arn: Option<Text>,
    /// Only these.
    pub listener_arns: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of listeners.
#[derive(Record)]
#[record(name = "DescribeListenersOutput")]
pub struct Listeners {
    /// The listeners.
    pub(crate) listeners: Option<Vec<Listener>>,
    /// Where this page ends.
    pub(crate) next_marker: Option<Text>,
}

/// The listener that was made or changed.
#[derive(Record)]
#[record(name = "CreateListenerOutput")]
pub struct OneListener {
    /// The listener.
    pub(crate) listeners: Option<Vec<Listener>>,
}

impl OneListener {
    pub(super) fn of(listener: Listener) -> Self {
        Self { listeners: Some(vec![listener]) }
    }
}

impl Handler for DescribeListeners {
    fn run(self, cx: &mut Tx<'_>) -> Result<Listeners> {
        let (token, size) = (self.marker.as_deref(), self.page_size);
        let (listeners, next_marker) = match (&self.load_balancer_arn, &self.listener_arns) {
            (Some(_), Some(_)) => {
                return Err(names::invalid("ListenerArns", "a balancer and listeners exclude each other"));
            }
            (None, None) => {
                return Err(names::invalid("LoadBalancerArn", "a balancer or listeners are required"));
            }
            (Some(arn), None) => {
                let balancer = load_balancer::require(cx, arn, "LoadBalancerArn")?;
                let mut listeners = within(cx, balancer.own_name())?;
                listeners.sort_by_key(|listener| listener.port);
                let port =
                    |_, listener: &Listener| format!("{:05}", listener.port.unwrap_or_default()).into();
                paging::page(cx, &self, listeners, token, size, port)?
            }
            (None, Some(arns)) => {
                let found: Result<Vec<_>> =
                    paging::once(arns).iter().map(|arn| require(cx, arn, "ListenerArns")).collect();
                paging::page(cx, &self, found?, token, size, paging::numbered)?
            }
        };
        Ok(Listeners { listeners: Some(listeners), next_marker })
    }
}
