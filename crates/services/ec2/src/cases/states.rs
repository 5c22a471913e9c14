//! Instances from one state to the next.

use super::{HOUR, SECOND, World, ask, default_vpc, group, refused, running};
use crate::{
    Instance, InstanceStateChange,
    InstanceStateName::{self, Pending, Running, ShuttingDown, Stopped, Stopping, Terminated},
    SecurityGroup, StopInstances, TerminateInstances, errors,
};
use nephos_core::{Result, Text};

fn state(instance: &Instance) -> Option<&InstanceStateName> {
    instance.state().and_then(|state| state.name())
}

fn change(change: &InstanceStateChange) -> [Option<InstanceStateName>; 2] {
    [change.previous_state(), change.current_state()]
        .map(|state| state.and_then(|state| state.name()).cloned())
}

pub(super) fn an_instance_runs_and_stops_and_starts(world: &World) -> Result<()> {
    let session = world.session();
    let made = running(&session, "").wait()?;
    assert_eq!(state(&made), Some(&Pending));
    let look = || {
        Ok::<_, nephos_core::Error>(
            Instance::objects(&session).get(made.instance_id().unwrap()).wait()?.unwrap(),
        )
    };
    assert_eq!(state(&look()?), Some(&Running));
    assert_eq!(change(&made.start().wait()?), [Some(Running), Some(Running)], "it runs already");

    assert_eq!(change(&made.stop().wait()?), [Some(Running), Some(Stopping)]);
    let stopped = look()?;
    assert_eq!(state(&stopped), Some(&Stopped));
    assert_eq!(stopped.state_reason().and_then(|reason| reason.code()), Some("Client.UserInitiatedShutdown"));
    assert_eq!(stopped.state_transition_reason(), Some("User initiated (2026-01-31 12:00:00 GMT)"));
    assert_eq!(
        (stopped.public_ip_address(), stopped.public_dns_name()),
        (None, None),
        "a public address is for running"
    );
    assert_eq!(stopped.private_ip_address(), made.private_ip_address(), "the other one is kept");
    assert_eq!(change(&made.stop().wait()?), [Some(Stopped), Some(Stopped)]);

    world.advance(60 * SECOND)?;
    assert_eq!(change(&made.start().wait()?), [Some(Stopped), Some(Pending)]);
    let again = look()?;
    assert_eq!(state(&again), Some(&Running));
    assert_eq!(again.launch_time().unwrap().as_millisecond(), world.now());
    assert_eq!((again.state_reason(), again.state_transition_reason()), (None, None));
    assert!(again.public_ip_address().is_some());
    Ok(())
}

pub(super) fn a_terminated_instance_is_told_of_for_an_hour(world: &World) -> Result<()> {
    let session = world.session();
    let made = running(&session, "").wait()?;
    let id = made.instance_id().unwrap();
    world.advance(0)?;
    assert_eq!(change(&made.terminate().wait()?), [Some(Running), Some(ShuttingDown)]);
    let over = Instance::objects(&session).get(id).wait()?.unwrap();
    assert_eq!(state(&over), Some(&Terminated));
    assert_eq!((over.private_ip_address(), over.subnet_id(), over.vpc_id()), (None, None, None));
    assert!(over.security_groups().unwrap_or_default().is_empty());
    assert_eq!(change(&made.terminate().wait()?), [Some(Terminated), Some(Terminated)]);
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", || made.start().wait());
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", || made.stop().wait());
    world.advance(HOUR - SECOND)?;
    assert!(Instance::objects(&session).get(id).wait()?.is_some());
    world.advance(SECOND)?;
    assert_eq!(Instance::objects(&session).get(id).wait()?, None);
    refused(world, &errors::INSTANCE_NOT_FOUND, "InstanceIds", || made.terminate().wait());
    Ok(())
}

pub(super) fn states_have_rules(world: &World) -> Result<()> {
    let session = world.session();
    let model = Instance::builder().image_id("ami-12345678").build()?;
    let made = Instance::objects(&session).run(&model, 2).wait()?;
    world.advance(0)?;
    made[1].terminate().wait()?;
    let ids: Vec<Text> = made.iter().map(|one| one.instance_id().unwrap().into()).collect();
    // All of them, or none.
    let stop = || ask(&session, StopInstances::new(ids.clone()));
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", stop);
    let first = Instance::objects(&session).get(ids[0].clone()).wait()?.unwrap();
    assert_eq!(state(&first), Some(&Running));
    let absent = || ask(&session, TerminateInstances::new([ids[0].as_str(), "i-12345678"]));
    refused(world, &errors::INSTANCE_NOT_FOUND, "InstanceIds", absent);
    refused(world, &errors::INSTANCE_MALFORMED, "InstanceIds", || ask(&session, StopInstances::new(["x"])));
    refused(world, &errors::MISSING, "InstanceIds", || ask(&session, StopInstances::new(Vec::<Text>::new())));
    let stopped = ask(&session, StopInstances::new([ids[0].as_str(), ids[0].as_str()]))?;
    assert_eq!(stopped.stopping_instances().unwrap().len(), 1, "each counts once");
    Ok(())
}

pub(super) fn what_an_instance_used_is_free_again(world: &World) -> Result<()> {
    let session = world.session();
    let own = group(&session, default_vpc(&session)?.vpc_id().unwrap(), "web")?;
    world.advance(0)?;
    let before = world.state()?;
    let made = running(&session, "").security_group_ids(vec![own.clone()]).wait()?;
    made.delete().wait()?;
    assert_eq!(running(&session, "").wait()?.private_ip_address(), made.private_ip_address());
    for instance in Instance::objects(&session).list().results().all().wait()? {
        instance.delete().wait()?;
    }
    world.advance(0)?;
    world.advance(HOUR)?;
    let after: Vec<_> = world.state()?.into_iter().filter(|row| !before.contains(row)).collect();
    assert!(after.iter().all(|(key, _)| key.starts_with(b"cloud\0")), "only the time is another: {after:?}");
    SecurityGroup::objects(&session).delete(own).wait()
}
