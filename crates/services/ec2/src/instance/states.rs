//! Instances from one state to the next.

use super::{Instance, InstanceState, InstanceStateName, StateReason, run::ClientToken};
use crate::{
    SERVICE, errors, interface,
    network::{self, Member},
    only_to_try,
    settling::{Forget, Settle},
    subnet::Subnet,
};
use InstanceStateName::{Pending, Running, ShuttingDown, Stopped as AtRest, Stopping, Terminated as Over};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Choice as _, Record, Result, SignedDuration, Text, operation};
use std::net::Ipv4Addr;

/// How long an instance takes to run, to stop, and to be terminated.
const STARTING: SignedDuration = SignedDuration::from_secs(20);
const STOPPING: SignedDuration = SignedDuration::from_secs(30);
const ENDING: SignedDuration = SignedDuration::from_secs(30);

/// For how long a terminated instance is told of.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(1);

/// Where public addresses come from: what is set apart for networks under test, so that none is anybody's.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
const PUBLIC_COUNT: u64 = 1 << 17;

/// An instance that was brought from one state into another.
#[derive(Record)]
pub struct InstanceStateChange {
    /// The state that it is in.
    #[field(wire = "currentState")]
    current_state: Option<InstanceState>,
    /// Its id.
    #[field(wire = "instanceId")]
    instance_id: Option<Text>,
    /// The state that it was in.
    #[field(wire = "previousState")]
    previous_state: Option<InstanceState>,
}

/// Brings an instance into a state that another follows, and leaves the rest for later.
pub(super) fn begin(cx: &mut Tx<'_>, instance: &mut Instance, state: InstanceStateName) -> Result<()> {
    let takes = match state {
        Pending => STARTING,
        Stopping => STOPPING,
        _ => ENDING,
    };
    if state == Pending {
        instance.launch_time = Some(cx.now());
        (instance.state_reason, instance.state_transition_reason) = (None, None);
        let subnet = instance.subnet_id.as_deref().unwrap_or_default();
        let subnet = network::find::<Subnet>(cx, subnet)?;
        if subnet.is_some_and(|subnet| subnet.map_public_ip_on_launch == Some(true)) {
            let place = u32::try_from(cx.ids().below(PUBLIC_COUNT)).unwrap_or_default();
            let address = Ipv4Addr::from_bits(PUBLIC.to_bits() + place);
            instance.public_ip_address = Some(address.to_string().into());
        }
    } else {
        let code = "Client.UserInitiatedShutdown";
        instance.state_reason = Some(StateReason {
            code: Some(code.into()),
            message: Some([code, ": User initiated shutdown"].concat().into()),
        });
        let when = cx.now().strftime("%Y-%m-%d %H:%M:%S GMT").to_string();
        instance.state_transition_reason = Some(format!("User initiated ({when})").into());
        instance.public_ip_address = None;
    }
    let settle = Settle::of(instance.id(), state.as_str());
    instance.state = Some(state.into());
    instance.settle_in(&cx.scope().clone());
    cx.put(instance.clone())?;
    cx.settle(takes, &settle)
}

/// Takes an instance that is still in the state `from` on to the next one.
pub(crate) fn go_on(cx: &mut Tx<'_>, id: &str, from: &str) -> Result<()> {
    let Some(mut instance) = network::find::<Instance>(cx, id)? else { return Ok(()) };
    let Some(state) = instance.state_name().filter(|state| state.as_str() == from).cloned() else {
        return Ok(());
    };
    let next = match state {
        Pending => Running,
        Stopping => AtRest,
        ShuttingDown => {
            release(cx, &instance)?;
            (instance.subnet_id, instance.vpc_id, instance.private_ip_address) = (None, None, None);
            instance.security_groups = Some(Vec::new());
            let time = cx.now().checked_add(REMEMBERED).unwrap_or(cx.now());
            cx.at(time, &Forget::of(id))?;
            Over
        }
        _ => return Ok(()),
    };
    instance.state = Some(next.into());
    cx.put(instance)
}

/// Gives back the address of an instance.
fn release(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
    let (Some(subnet), Some(address)) = (&instance.subnet_id, &instance.private_ip_address) else {
        return Ok(());
    };
    let Some(subnet) = network::find::<Subnet>(cx, subnet)? else { return Ok(()) };
    match interface::at(cx, &subnet, address)? {
        Some(interface) => interface::remove(cx, &interface),
        None => Ok(()),
    }
}

/// Forgets an instance that was terminated.
pub(crate) fn forget(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    match network::find::<Instance>(cx, id)? {
        Some(instance) if instance.state_name() == Some(&Over) => {
            ClientToken::forget(cx, &instance)?;
            network::remove(cx, &instance)
        }
        _ => Ok(()),
    }
}

/// Brings instances into a state, all of them or none. Those in `settled` states stay as they are; those in any that is
/// not in `from` refuse.
fn bring(
    cx: &mut Tx<'_>,
    ids: &[Text],
    verb: &str,
    (from, settled, to): (&[InstanceStateName], &[InstanceStateName], &InstanceStateName),
    dry_run: Option<bool>,
) -> Result<Vec<InstanceStateChange>> {
    if ids.is_empty() {
        return Err(errors::MISSING.because("names nothing").with_field("InstanceIds"));
    }
    let mut instances: Vec<Instance> = Vec::new();
    for id in ids {
        let instance: Instance = network::require(cx, id, "InstanceIds")?;
        let state = instance.state_name();
        if !state.is_some_and(|state| from.contains(state) || settled.contains(state)) {
            let why = format!("The instance '{id}' is not in a state from which it can be {verb}");
            return Err(errors::INSTANCE_STATE.because(why).with_field("InstanceIds"));
        }
        if !instances.iter().any(|other| other.id() == instance.id()) {
            instances.push(instance);
        }
    }
    only_to_try(dry_run)?;
    let mut changes = Vec::with_capacity(instances.len());
    for mut instance in instances {
        let before = instance.state.clone();
        if instance.state_name().is_some_and(|state| from.contains(state)) {
            begin(cx, &mut instance, to.clone())?;
        }
        changes.push(InstanceStateChange {
            current_state: instance.state,
            instance_id: instance.instance_id,
            previous_state: before,
        });
    }
    Ok(changes)
}

/// Starts instances that are stopped.
#[operation(service = SERVICE, effect = write, output = Started, subject = "instance/{InstanceIds}")]
pub struct StartInstances {
    /// Their ids.
    #[field(wire = "InstanceId")]
    pub instance_ids: Vec<Text>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

/// Instances that start.
#[derive(Record)]
#[record(name = "StartInstancesResult")]
pub struct Started {
    /// The instances.
    #[field(wire = "instancesSet")]
    pub(super) starting_instances: Option<Vec<InstanceStateChange>>,
}

impl Handler for StartInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Started> {
        let states = (&[AtRest][..], &[Pending, Running][..], &Pending);
        let changes = bring(cx, &self.instance_ids, "started", states, self.dry_run)?;
        Ok(Started { starting_instances: Some(changes) })
    }
}

/// Stops instances that run.
#[operation(service = SERVICE, effect = write, output = Stopped, subject = "instance/{InstanceIds}")]
pub struct StopInstances {
    /// Their ids.
    #[field(wire = "InstanceId")]
    pub instance_ids: Vec<Text>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

/// Instances that stop.
#[derive(Record)]
#[record(name = "StopInstancesResult")]
pub struct Stopped {
    /// The instances.
    #[field(wire = "instancesSet")]
    pub(super) stopping_instances: Option<Vec<InstanceStateChange>>,
}

impl Handler for StopInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Stopped> {
        let states = (&[Running][..], &[Stopping, AtRest][..], &Stopping);
        let changes = bring(cx, &self.instance_ids, "stopped", states, self.dry_run)?;
        Ok(Stopped { stopping_instances: Some(changes) })
    }
}

/// Terminates instances: they are told of for an hour, and then no more.
#[operation(service = SERVICE, effect = write, output = Terminated, subject = "instance/{InstanceIds}")]
pub struct TerminateInstances {
    /// Their ids.
    #[field(wire = "InstanceId")]
    pub instance_ids: Vec<Text>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

/// Instances that are terminated.
#[derive(Record)]
#[record(name = "TerminateInstancesResult")]
pub struct Terminated {
    /// The instances.
    #[field(wire = "instancesSet")]
    pub(super) terminating_instances: Option<Vec<InstanceStateChange>>,
}

impl Handler for TerminateInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Terminated> {
        let states = (&[Pending, Running, Stopping, AtRest][..], &[ShuttingDown, Over][..], &ShuttingDown);
        let changes = bring(cx, &self.instance_ids, "terminated", states, self.dry_run)?;
        Ok(Terminated { terminating_instances: Some(changes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Cloud;
    use nephos_cloud::Transitions;
    use nephos_core::{Clock, Resource as _, Timestamp};

    #[test]
    fn states_take_a_while_where_they_are_to() -> Result<()> {
        let clock = Clock::frozen(Timestamp::UNIX_EPOCH);
        let cloud = Cloud::options().clock(clock).transitions(Transitions::Realistic).in_memory();
        let session = cloud.session();
        let model = Instance::builder().image_id("ami-12345678").build()?;
        let made = Instance::objects(&session).create(&model).wait()?;
        let id = made.instance_id().unwrap_or_default();
        let state = || {
            let found = Instance::objects(&session).get(id).wait()?;
            Ok::<_, nephos_core::Error>(found.and_then(|found| found.state_name().cloned()))
        };
        let pass = |seconds| cloud.clock().advance(SignedDuration::from_secs(seconds)).map(drop);
        pass(19)?;
        assert_eq!(state()?, Some(Pending));
        assert_eq!(made.stop().wait().unwrap_err().code(), "IncorrectInstanceState");
        pass(1)?;
        assert_eq!(state()?, Some(Running));
        made.stop().wait()?;
        assert_eq!(made.start().wait().unwrap_err().code(), "IncorrectInstanceState");
        pass(30)?;
        assert_eq!(state()?, Some(AtRest));
        made.start().wait()?;
        pass(5)?;
        // What was on its way to run is terminated, and not taken for running meanwhile.
        made.terminate().wait()?;
        pass(29)?;
        assert_eq!(state()?, Some(ShuttingDown));
        pass(1)?;
        assert_eq!(state()?, Some(Over));
        let waited = Instance::objects(&session).create(&model).wait()?;
        let waited = waited.wait_until(|instance| instance.state_name() == Some(&Running)).wait()?;
        assert!(waited.public_ip_address().is_some());
        Ok(())
    }
}
