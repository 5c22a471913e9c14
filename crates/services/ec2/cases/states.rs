//! States of instances.

use super::{HOUR, SECOND, World, ask, create_group, create_instance, default_vpc, refused};
use nephos_core::{Result, Text};
use nephos_ec2::{
    Instance, InstanceStateChange,
    InstanceStateName::{self, Pending, Running, ShuttingDown, Stopped, Stopping, Terminated},
    SecurityGroup, StopInstances, TerminateInstances, errors,
};

fn state(instance: &Instance) -> Option<&InstanceStateName> {
    instance.state().and_then(|state| state.name())
}

/// Previous and current state of a change.
fn states(change: &InstanceStateChange) -> [Option<InstanceStateName>; 2] {
    [change.previous_state(), change.current_state()]
        .map(|state| state.and_then(|state| state.name()).cloned())
}

pub(super) fn instance_stops_and_starts(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_instance(&session, "").wait()?;
    assert_eq!(state(&created), Some(&Pending));
    let get = || {
        Ok::<_, nephos_core::Error>(
            Instance::objects(&session).get(created.instance_id().unwrap()).wait()?.unwrap(),
        )
    };
    assert_eq!(state(&get()?), Some(&Running));
    assert_eq!(
        states(&created.start().wait()?),
        [Some(Running), Some(Running)],
        "a running instance stays as it is"
    );

    assert_eq!(states(&created.stop().wait()?), [Some(Running), Some(Stopping)]);
    let stopped = get()?;
    assert_eq!(state(&stopped), Some(&Stopped));
    assert_eq!(stopped.state_reason().and_then(|reason| reason.code()), Some("Client.UserInitiatedShutdown"));
    assert_eq!(stopped.state_transition_reason(), Some("User initiated (2026-01-31 12:00:00 GMT)"));
    assert_eq!(
        (stopped.public_ip_address(), stopped.public_dns_name()),
        (None, None),
        "only running instances have a public address"
    );
    assert_eq!(stopped.private_ip_address(), created.private_ip_address(), "the private address stays");
    assert_eq!(states(&created.stop().wait()?), [Some(Stopped), Some(Stopped)]);

    world.advance(60 * SECOND)?;
    assert_eq!(states(&created.start().wait()?), [Some(Stopped), Some(Pending)]);
    let again = get()?;
    assert_eq!(state(&again), Some(&Running));
    assert_eq!(again.launch_time().unwrap().as_millisecond(), world.now());
    assert_eq!((again.state_reason(), again.state_transition_reason()), (None, None));
    assert!(again.public_ip_address().is_some());
    Ok(())
}

pub(super) fn terminated_instance_is_listed_for_an_hour(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_instance(&session, "").wait()?;
    let id = created.instance_id().unwrap();
    world.advance(0)?;
    assert_eq!(states(&created.terminate().wait()?), [Some(Running), Some(ShuttingDown)]);
    let terminated = Instance::objects(&session).get(id).wait()?.unwrap();
    assert_eq!(state(&terminated), Some(&Terminated));
    assert_eq!(
        (terminated.private_ip_address(), terminated.subnet_id(), terminated.vpc_id()),
        (None, None, None)
    );
    assert!(terminated.security_groups().unwrap_or_default().is_empty());
    assert_eq!(states(&created.terminate().wait()?), [Some(Terminated), Some(Terminated)]);
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", || created.start().wait());
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", || created.stop().wait());
    world.advance(HOUR - SECOND)?;
    assert!(Instance::objects(&session).get(id).wait()?.is_some());
    world.advance(SECOND)?;
    assert_eq!(Instance::objects(&session).get(id).wait()?, None);
    refused(world, &errors::INSTANCE_NOT_FOUND, "InstanceIds", || created.terminate().wait());
    Ok(())
}

pub(super) fn state_change_is_refused_in_a_wrong_state(world: &World) -> Result<()> {
    let session = world.session();
    let model = Instance::builder().image_id("ami-12345678").build()?;
    let created = Instance::objects(&session).run(&model, 2).wait()?;
    world.advance(0)?;
    created[1].terminate().wait()?;
    let ids: Vec<Text> = created.iter().map(|one| one.instance_id().unwrap().into()).collect();
    // Either all instances change, or none.
    let stop = || ask(&session, StopInstances::new(ids.clone()));
    refused(world, &errors::INSTANCE_STATE, "InstanceIds", stop);
    let first = Instance::objects(&session).get(ids[0].clone()).wait()?.unwrap();
    assert_eq!(state(&first), Some(&Running));
    let absent = || ask(&session, TerminateInstances::new([ids[0].as_str(), "i-12345678"]));
    refused(world, &errors::INSTANCE_NOT_FOUND, "InstanceIds", absent);
    refused(world, &errors::INSTANCE_MALFORMED, "InstanceIds", || ask(&session, StopInstances::new(["x"])));
    refused(world, &errors::MISSING, "InstanceIds", || ask(&session, StopInstances::new(Vec::<Text>::new())));
    let stopped = ask(&session, StopInstances::new([ids[0].as_str(), ids[0].as_str()]))?;
    assert_eq!(stopped.stopping_instances().unwrap().len(), 1, "duplicates count once");
    Ok(())
}

pub(super) fn terminated_instance_releases_its_address_and_security_group(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_group(&session, default_vpc(&session)?.vpc_id().unwrap(), "web")?;
    world.advance(0)?;
    let before = world.state()?;
    let created = create_instance(&session, "").security_group_ids(vec![own.clone()]).wait()?;
    created.delete().wait()?;
    assert_eq!(create_instance(&session, "").wait()?.private_ip_address(), created.private_ip_address());
    for instance in Instance::objects(&session).list().results().all().wait()? {
        instance.delete().wait()?;
    }
    world.advance(0)?;
    world.advance(HOUR)?;
    let after: Vec<_> = world.state()?.into_iter().filter(|row| !before.contains(row)).collect();
    assert!(after.iter().all(|(key, _)| key.starts_with(b"cloud\0")), "only the clock differs: {after:?}");
    SecurityGroup::objects(&session).delete(own).wait()
}
