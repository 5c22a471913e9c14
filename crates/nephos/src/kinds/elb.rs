//! Kinds of classic load balancers.

/// Sends connections of its listeners to the instances that are registered with it.
///
/// ```
/// # use nephos::{Cloud, ClassicELB, elb::{Listener, ListenerDescription}, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let http = Listener::builder().protocol("HTTP").load_balancer_port(80).instance_port(8080).build()?;
/// let web = ClassicELB::builder().load_balancer_name("web").availability_zones(["us-east-1a"]);
/// let web = web.listeners([ListenerDescription::from(http)]).tags([("team", "web")]).build()?;
/// let web = ClassicELB::objects(&session).create(&web).wait()?;
/// assert_eq!(web.vpc().wait()?.and_then(|vpc| vpc.is_default()), Some(true));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elb::ClassicELB;
