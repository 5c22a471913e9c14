//! States of instances: operations and due work that change them.

use super::{
    Instance, InstanceManager, InstanceState, InstanceStateName, StateReason,
    launch::{LaunchRow, attach, run::forget_token},
};
use crate::{
    Vpc,
    calls::{DryRun, not_found},
    check_dry_run, errors,
    network::{self, Member},
    subnet::Subnet,
};
use InstanceStateName::{Pending, Running, ShuttingDown, Stopped, Stopping, Terminated};
use nephos_cloud::{Handler, Tx, Work};
use nephos_core::{
    Choice as _, Error, ManagerOperation, Record, Result, SignedDuration, Text, WorkflowContext, operation,
};
use std::net::Ipv4Addr;

/// Time from `pending` to `running`.
const START_TIME: SignedDuration = SignedDuration::from_secs(20);
/// Time from `stopping` to `stopped`.
const STOP_TIME: SignedDuration = SignedDuration::from_secs(30);
/// Time from `shutting-down` to `terminated`.
const TERMINATE_TIME: SignedDuration = SignedDuration::from_secs(30);

/// Time that a terminated instance stays in listings.
const RETENTION: SignedDuration = SignedDuration::from_hours(1);

/// First public address. The block is reserved for network benchmarks, so that no real host has these addresses.
const PUBLIC_START: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
/// Number of public addresses.
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

/// Sets an intermediate state of an instance, and schedules the transition to the next one.
pub(super) fn start_transition(
    cx: &mut Tx<'_>,
    instance: &mut Instance,
    state: InstanceStateName,
) -> Result<()> {
    start_transition_by(cx, instance, state, false)
}

/// Starts a transition. `hibernates` is true if an instance stops by hibernation.
fn start_transition_by(
    cx: &mut Tx<'_>,
    instance: &mut Instance,
    state: InstanceStateName,
    hibernates: bool,
) -> Result<()> {
    let duration = match state {
        Pending => START_TIME,
        Stopping => STOP_TIME,
        _ => TERMINATE_TIME,
    };
    if state == Pending {
        instance.launch_time = Some(cx.now());
        (instance.state_reason, instance.state_transition_reason) = (None, None);
        let subnet = instance.subnet_id.as_deref().unwrap_or_default();
        let subnet = network::find::<Subnet>(cx, subnet)?;
        let row = LaunchRow::find(cx, instance)?;
        let by_default = subnet.and_then(|subnet| subnet.map_public_ip_on_launch);
        if row.and_then(|row| row.associate_public_ip_address).or(by_default) == Some(true) {
            let offset = u32::try_from(cx.ids().below(PUBLIC_COUNT)).unwrap_or_default();
            let address = Ipv4Addr::from_bits(PUBLIC_START.to_bits() + offset);
            instance.public_ip_address = Some(address.to_string().into());
        }
    } else {
        let (code, text) = if hibernates {
            ("Client.UserInitiatedHibernate", ": User initiated hibernate")
        } else {
            ("Client.UserInitiatedShutdown", ": User initiated shutdown")
        };
        instance.state_reason =
            Some(StateReason { code: Some(code.into()), message: Some([code, text].concat().into()) });
        let time = cx.now().strftime("%Y-%m-%d %H:%M:%S GMT").to_string();
        instance.state_transition_reason = Some(format!("User initiated ({time})").into());
        instance.public_ip_address = None;
    }
    let transition =
        InstanceTransition { id: instance.instance_id.clone(), from: Some(state.as_str().into()) };
    instance.state = Some(state.into());
    instance.set_derived(&cx.scope().clone());
    cx.put(instance.clone())?;
    cx.schedule_transition(duration, &transition)
}

/// Moves an instance to its next state, if it is still in the state `from`.
fn run_transition(cx: &mut Tx<'_>, id: &str, from: &str) -> Result<()> {
    let Some(instance) = network::find::<Instance>(cx, id)? else { return Ok(()) };
    let mut instance = instance.described(cx)?;
    let Some(state) = instance.state_name().filter(|state| state.as_str() == from).cloned() else {
        return Ok(());
    };
    let next = match state {
        Pending => Running,
        Stopping => Stopped,
        ShuttingDown => {
            attach::detach(cx, &instance)?;
            (instance.subnet_id, instance.vpc_id, instance.private_ip_address) = (None, None, None);
            (instance.ipv6_address, instance.source_dest_check) = (None, None);
            instance.security_groups = Some(Vec::new());
            (instance.network_interfaces, instance.block_device_mappings) =
                (Some(Vec::new()), Some(Vec::new()));
            instance.monitoring = None;
            let time = cx.now().checked_add(RETENTION).unwrap_or(cx.now());
            cx.schedule(time, &InstanceRemoval { instance_id: instance.instance_id.clone() })?;
            Terminated
        }
        _ => return Ok(()),
    };
    instance.state = Some(next.into());
    instance.set_derived(&cx.scope().clone());
    cx.put(instance)
}

/// Due work that moves an instance to its next state.
#[derive(Record)]
pub struct InstanceTransition {
    /// ID of the instance.
    pub id: Option<Text>,
    /// State before the transition; nothing happens if the instance is in another state by then.
    pub from: Option<Text>,
}

impl Work for InstanceTransition {
    const NAME: &'static str = "ec2/settle";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (id, from) = (self.id.unwrap_or_default(), self.from.unwrap_or_default());
        // An earlier version scheduled this work for VPCs and subnets, too; now they have their own transitions.
        match id.rsplit_once('-').map(|(prefix, _)| prefix) {
            Some(Vpc::ID_PREFIX) => {
                network::find::<Vpc>(cx, &id)?.map_or(Ok(()), |vpc| cx.put_and_schedule_transition(vpc))
            }
            Some(Subnet::ID_PREFIX) => network::find::<Subnet>(cx, &id)?
                .map_or(Ok(()), |subnet| cx.put_and_schedule_transition(subnet)),
            _ => run_transition(cx, &id, &from),
        }
    }
}

/// Due work that removes a terminated instance from listings.
#[derive(Record)]
pub(crate) struct InstanceRemoval {
    /// ID of the instance.
    instance_id: Option<Text>,
}

impl Work for InstanceRemoval {
    const NAME: &'static str = "ec2/forget";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        match network::find::<Instance>(cx, &self.instance_id.unwrap_or_default())? {
            Some(instance) if instance.state_name() == Some(&Terminated) => {
                forget_token(cx, &instance)?;
                LaunchRow::remove(cx, &instance)?;
                network::remove(cx, &instance)
            }
            _ => Ok(()),
        }
    }
}

/// A change of state that callers request.
struct Change {
    /// Participle of the verb, for errors.
    verb: &'static str,
    /// States in which the change happens.
    from: &'static [InstanceStateName],
    /// States in which nothing is left to do.
    settled: &'static [InstanceStateName],
    /// Intermediate state.
    to: InstanceStateName,
    /// Protection from the change.
    protection: Option<Protection>,
}

/// Protection of instances from a change of state.
struct Protection {
    /// Name of the attribute of the instance.
    attribute: &'static str,
    /// Returns the value of the attribute in the row of the launch.
    is_set: fn(&LaunchRow) -> Option<bool>,
}

const START: Change =
    Change { verb: "started", from: &[Stopped], settled: &[Pending, Running], to: Pending, protection: None };
const STOP: Change = Change {
    verb: "stopped",
    from: &[Running],
    settled: &[Stopping, Stopped],
    to: Stopping,
    protection: Some(Protection { attribute: "disableApiStop", is_set: |row| row.disable_api_stop }),
};
const TERMINATE: Change = Change {
    verb: "terminated",
    from: &[Pending, Running, Stopping, Stopped],
    settled: &[ShuttingDown, Terminated],
    to: ShuttingDown,
    protection: Some(Protection {
        attribute: "disableApiTermination",
        is_set: |row| row.disable_api_termination,
    }),
};

impl Change {
    /// Validates the change for an instance.
    fn check(&self, cx: &Tx<'_>, instance: &Instance, hibernates: bool) -> Result<()> {
        let id = instance.id();
        let refused = |error: Error| Err(error.with_field("InstanceIds"));
        let state = instance.state_name();
        if !state.is_some_and(|state| self.from.contains(state) || self.settled.contains(state)) {
            return refused(errors::instance_in_wrong_state(id, self.verb));
        }
        if let Some(protection) = &self.protection
            && LaunchRow::find(cx, instance)?.as_ref().and_then(protection.is_set) == Some(true)
        {
            return refused(errors::instance_protected(id, self.verb, protection.attribute));
        }
        let configured = instance.hibernation_options.as_ref().and_then(|options| options.configured);
        if hibernates && configured != Some(true) {
            return refused(errors::hibernation_not_configured(id));
        }
        Ok(())
    }

    /// Changes the state of all instances, or, on an error, of none.
    fn run(
        &self,
        cx: &mut Tx<'_>,
        ids: &[Text],
        dry_run: Option<bool>,
        hibernates: bool,
    ) -> Result<Vec<InstanceStateChange>> {
        if ids.is_empty() {
            return Err(errors::parameter_missing("InstanceId").with_field("InstanceIds"));
        }
        let mut instances: Vec<Instance> = Vec::new();
        for id in ids {
            let instance: Instance = network::require(cx, id, "InstanceIds")?;
            self.check(cx, &instance, hibernates)?;
            if !instances.iter().any(|other| other.id() == instance.id()) {
                instances.push(instance);
            }
        }
        check_dry_run(dry_run)?;
        let mut changes = Vec::with_capacity(instances.len());
        for mut instance in instances {
            let before = instance.state.clone();
            if instance.state_name().is_some_and(|state| self.from.contains(state)) {
                start_transition_by(cx, &mut instance, self.to.clone(), hibernates)?;
            }
            changes.push(InstanceStateChange {
                current_state: instance.state,
                instance_id: instance.instance_id,
                previous_state: before,
            });
        }
        Ok(changes)
    }
}

/// Declares operations that change the state of instances, and the calls that do so for one instance.
macro_rules! state_changes {
    ($(
        $(#[$docs:meta])+
        $operation:ident { $($(#[$field:meta])+ $parameter:ident: Option<$type:ty>,)+ } -> $instances:ident
        = $change:ident $(hibernating if $hibernate:ident)?;
        $(#[$call_docs:meta])+
        $one:ident $call:literal;
    )+) => {$(
        $(#[$docs])+
        #[operation(
            include(DryRun), effect = write, subject = "instance/{InstanceIds}",
            wraps($instances(wire = "instancesSet"): Vec<InstanceStateChange>)
        )]
        pub struct $operation {
            /// IDs of the instances.
            #[field(wire = "InstanceId", condition = "ec2:InstanceID")]
            pub instance_ids: Vec<Text>,
            $($(#[$field])+ pub $parameter: Option<$type>,)+
        }

        impl Handler for $operation {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let hibernates = false $(|| self.$hibernate == Some(true))?;
                Ok($change.run(cx, &self.instance_ids, self.dry_run, hibernates)?.into())
            }
        }

        $(#[$call_docs])+
        #[operation(kind = Instance, call = $call, effect = write, output = InstanceStateChange, on_model)]
        pub struct $one {
            /// ID of the instance.
            pub instance_id: Text,
            $($(#[$field])+ pub $parameter: Option<$type>,)+
        }

        impl ManagerOperation for $one {
            async fn run(&self, context: &WorkflowContext) -> Result<InstanceStateChange> {
                let mut change = $operation::new(vec![self.instance_id.clone()]);
                $(change.$parameter.clone_from(&self.$parameter);)+
                let changed = context.call(change).await?;
                changed.$instances.into_iter().flatten().next().ok_or_else(not_found::<Instance>)
            }
        }
    )+};
}

state_changes! {
    /// Starts stopped instances.
    StartInstances {
        /// Reserved by the provider.
        #[field(wire = "additionalInfo", no_effect)]
        additional_info: Option<Text>,
    } -> starting_instances = START;
    /// Starts a stopped instance.
    InstanceStart "start";

    /// Stops running instances.
    StopInstances {
        /// Hibernates the instances, which must be configured for it.
        hibernate: Option<bool>,
        /// Skips the shutdown of the operating system; there is none here.
        #[field(no_effect)]
        skip_os_shutdown: Option<bool>,
        /// Stops the instances without a shutdown of the operating system; there is none here.
        #[field(wire = "force", no_effect)]
        force: Option<bool>,
    } -> stopping_instances = STOP hibernating if hibernate;
    /// Stops a running instance.
    InstanceStop "stop";

    /// Terminates instances. They stay in listings for an hour.
    TerminateInstances {
        /// Terminates the instances without a shutdown of the operating system; there is none here.
        #[field(no_effect)]
        force: Option<bool>,
        /// Skips the shutdown of the operating system; there is none here.
        #[field(no_effect)]
        skip_os_shutdown: Option<bool>,
    } -> terminating_instances = TERMINATE;
    /// Terminates an instance. It stays in listings for an hour.
    InstanceTerminate "terminate";
}
