//! Instances from one state to the next.

use super::{Instance, InstanceManager, InstanceState, InstanceStateName, StateReason, run::ClientToken};
use crate::{
    SERVICE, Vpc,
    calls::{DryRun, missing},
    errors, interface,
    network::{self, Member},
    only_to_try,
    subnet::Subnet,
};
use InstanceStateName::{Pending, Running, ShuttingDown, Stopped as AtRest, Stopping, Terminated as Over};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{
    Choice as _, ManagerOperation, Record, Result, SignedDuration, Text, WorkflowContext, operation,
};
use std::net::Ipv4Addr;

/// Time that an instance takes to start, to stop, and to be terminated.
const STARTING: SignedDuration = SignedDuration::from_secs(20);
const STOPPING: SignedDuration = SignedDuration::from_secs(30);
const ENDING: SignedDuration = SignedDuration::from_secs(30);

/// Time that a terminated instance is listed.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(1);

/// First public address: of a range that is reserved for benchmarks of networks, so that no address is in use.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
const PUBLIC_COUNT: u64 = 1 << 17;

/// A change of state of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceStateChange {
    /// State after the change.
    current_state: Option<InstanceState>,
    /// ID of the instance.
    instance_id: Option<Text>,
    /// State before the change.
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
    let settle = Settle { id: instance.instance_id.clone(), from: Some(state.as_str().into()) };
    instance.state = Some(state.into());
    instance.settle_in(&cx.scope().clone());
    cx.put(instance.clone())?;
    cx.settle(takes, &settle)
}

/// Takes an instance that is still in the state `from` on to the next one.
fn go_on(cx: &mut Tx<'_>, id: &str, from: &str) -> Result<()> {
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
            cx.schedule(time, &Forget { instance_id: instance.instance_id.clone() })?;
            Over
        }
        _ => return Ok(()),
    };
    instance.state = Some(next.into());
    cx.put(instance)
}

/// Frees the address of an instance.
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

/// The job that takes an instance on from a state to the one that follows.
#[derive(Record)]
pub struct Settle {
    /// ID of the instance.
    id: Option<Text>,
    /// The state that it leaves, if it is still in it.
    from: Option<Text>,
}

impl Work for Settle {
    const NAME: &'static str = "ec2/settle";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (id, from) = (self.id.unwrap_or_default(), self.from.unwrap_or_default());
        // An earlier version left jobs for VPCs and subnets, too; these go on by themselves now.
        match id.rsplit_once('-').map(|(word, _)| word) {
            Some(Vpc::WORD) => network::find::<Vpc>(cx, &id)?.map_or(Ok(()), |vpc| cx.put_and_go_on(vpc)),
            Some(Subnet::WORD) => {
                network::find::<Subnet>(cx, &id)?.map_or(Ok(()), |subnet| cx.put_and_go_on(subnet))
            }
            _ => go_on(cx, &id, &from),
        }
    }
}

/// The job that forgets an instance that was terminated a while ago.
#[derive(Record)]
pub struct Forget {
    /// ID of the instance.
    instance_id: Option<Text>,
}

impl Work for Forget {
    const NAME: &'static str = "ec2/forget";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        match network::find::<Instance>(cx, &self.instance_id.unwrap_or_default())? {
            Some(instance) if instance.state_name() == Some(&Over) => {
                ClientToken::forget(cx, &instance)?;
                network::remove(cx, &instance)
            }
            _ => Ok(()),
        }
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
        return Err(errors::MISSING.with_message("names nothing").with_field("InstanceIds"));
    }
    let mut instances: Vec<Instance> = Vec::new();
    for id in ids {
        let instance: Instance = network::require(cx, id, "InstanceIds")?;
        let state = instance.state_name();
        if !state.is_some_and(|state| from.contains(state) || settled.contains(state)) {
            let why = format!("The instance '{id}' is not in a state from which it can be {verb}");
            return Err(errors::INSTANCE_STATE.with_message(why).with_field("InstanceIds"));
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

/// Declares operations that bring instances into a state, and the calls that do so with one instance.
macro_rules! state_changes {
    ($(
        $(#[$docs:meta])+
        $operation:ident -> $output:ident as $name:literal { $instances:ident } = $verb:literal,
        from $from:expr, staying in $settled:expr, into $into:expr;
        $(#[$call_docs:meta])+
        $one:ident $call:literal;
    )+) => {$(
        $(#[$docs])+
        #[operation(
            service = SERVICE, also(DryRun), effect = write, output = $output, subject = "instance/{InstanceIds}"
        )]
        pub struct $operation {
            /// IDs of the instances.
            #[field(wire = "InstanceId")]
            pub instance_ids: Vec<Text>,
        }

        /// The changes of state of instances.
        #[derive(Record)]
        #[record(name = $name)]
        pub struct $output {
            /// The instances.
            #[field(wire = "instancesSet")]
            $instances: Option<Vec<InstanceStateChange>>,
        }

        impl Handler for $operation {
            fn run(self, cx: &mut Tx<'_>) -> Result<$output> {
                let states = (&$from[..], &$settled[..], &$into);
                let changes = bring(cx, &self.instance_ids, $verb, states, self.dry_run)?;
                Ok($output { $instances: Some(changes) })
            }
        }

        $(#[$call_docs])+
        #[operation(kind = Instance, call = $call, effect = write, output = InstanceStateChange, instance)]
        pub struct $one {
            /// ID of the instance.
            pub instance_id: Text,
        }

        impl ManagerOperation for $one {
            async fn run(&self, context: &WorkflowContext) -> Result<InstanceStateChange> {
                let changed = context.call($operation::new(vec![self.instance_id.clone()])).await?;
                changed.$instances.into_iter().flatten().next().ok_or_else(missing::<Instance>)
            }
        }
    )+};
}

state_changes! {
    /// Starts instances that are stopped.
    StartInstances -> Started as "StartInstancesResult" { starting_instances } = "started",
    from [AtRest], staying in [Pending, Running], into Pending;
    /// Starts an instance that is stopped.
    Start "start";

    /// Stops instances that run.
    StopInstances -> Stopped as "StopInstancesResult" { stopping_instances } = "stopped",
    from [Running], staying in [Stopping, AtRest], into Stopping;
    /// Stops an instance that runs.
    Stop "stop";

    /// Terminates instances: they are listed for another hour.
    TerminateInstances -> Terminated as "TerminateInstancesResult" { terminating_instances } = "terminated",
    from [Pending, Running, Stopping, AtRest], staying in [ShuttingDown, Over], into ShuttingDown;
    /// Terminates an instance: it is listed for another hour.
    Terminate "terminate";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VpcState, testing::Cloud};
    use nephos_cloud::Transitions;
    use nephos_core::{Clock, Resource as _, Timestamp};

    #[test]
    fn a_job_of_an_earlier_version_takes_a_vpc_on() -> Result<()> {
        let cloud = Cloud::in_memory();
        cloud.inside(|cx| {
            let mut vpc = crate::default_vpc(cx)?.expect("every account has one");
            vpc.state = Some(VpcState::Pending);
            let job = Settle { id: vpc.vpc_id.clone(), from: Some("pending".into()) };
            cx.put(vpc)?;
            cx.schedule(cx.now(), &job)
        })?;
        let vpc = Vpc::objects(&cloud.session()).list().results().first().wait()?;
        assert_eq!(vpc.and_then(|vpc| vpc.state), Some(VpcState::Available));
        Ok(())
    }

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
