//! Tests of `instance::states`.

use nephos_cloud::Transitions;
use nephos_core::{Clock, Resource as _, Result, SignedDuration, Text, Timestamp};
use nephos_ec2::InstanceStateName::Pending;
use nephos_ec2::InstanceStateName::Running;
use nephos_ec2::InstanceStateName::ShuttingDown;
use nephos_ec2::InstanceStateName::Stopped;
use nephos_ec2::InstanceStateName::Terminated;
use nephos_ec2::Vpc;
use nephos_ec2::VpcState;
use nephos_ec2::parts::instance::Instance;
use nephos_ec2::parts::states::*;
use nephos_ec2_cases::Cloud;
use nephos_testing::with_fields;

#[test]
fn due_work_of_an_earlier_version_completes_the_transition_of_a_vpc() -> Result<()> {
    let cloud = Cloud::in_memory();
    cloud.run_in_transaction(|cx| {
        let vpc = nephos_ec2::default_vpc(cx)?.expect("every account has a default VPC");
        let vpc = with_fields(&vpc, r#"{"State": "pending"}"#);
        let work = InstanceTransition { id: vpc.vpc_id().map(Text::new), from: Some("pending".into()) };
        cx.put(vpc)?;
        cx.schedule(cx.now(), &work)
    })?;
    let vpc = Vpc::objects(&cloud.session()).list().results().first().wait()?;
    assert_eq!(vpc.as_ref().and_then(Vpc::state), Some(&VpcState::Available));
    Ok(())
}

#[test]
fn realistic_transitions_take_time() -> Result<()> {
    let clock = Clock::frozen(Timestamp::UNIX_EPOCH);
    let cloud = Cloud::options().clock(clock).transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    let model = Instance::builder().image_id("ami-12345678").build()?;
    let instance = Instance::objects(&session).create(&model).wait()?;
    let id = instance.instance_id().unwrap_or_default();
    let state = || {
        let found = Instance::objects(&session).get(id).wait()?;
        Ok::<_, nephos_core::Error>(found.and_then(|found| found.state_name().cloned()))
    };
    let advance = |seconds| cloud.clock().advance(SignedDuration::from_secs(seconds)).map(drop);
    advance(19)?;
    assert_eq!(state()?, Some(Pending));
    assert_eq!(instance.stop().wait().unwrap_err().code(), "IncorrectInstanceState");
    advance(1)?;
    assert_eq!(state()?, Some(Running));
    instance.stop().wait()?;
    assert_eq!(instance.start().wait().unwrap_err().code(), "IncorrectInstanceState");
    advance(30)?;
    assert_eq!(state()?, Some(Stopped));
    instance.start().wait()?;
    advance(5)?;
    // The pending transition to running does not happen after the termination.
    instance.terminate().wait()?;
    advance(29)?;
    assert_eq!(state()?, Some(ShuttingDown));
    advance(1)?;
    assert_eq!(state()?, Some(Terminated));
    let waited = Instance::objects(&session).create(&model).wait()?;
    let waited = waited.wait_until(|instance| instance.state_name() == Some(&Running)).wait()?;
    assert!(waited.public_ip_address().is_some());
    Ok(())
}
