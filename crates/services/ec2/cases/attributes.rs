//! Attributes of instances.

use super::{World, ask, create_group, create_instance, create_vpc, default_vpc, refused};
use nephos_core::{Choice as _, Result, Session, Text, prelude::*};
use nephos_ec2::{
    BlockDeviceMapping, DescribeInstanceAttribute, EbsBlockDevice, EbsInstanceBlockDeviceSpecification,
    EnclaveOptions, Instance, InstanceAttribute, InstanceAttributeName as Name,
    InstanceBlockDeviceMappingSpecification, InstanceMarketOptions, InstanceNetworkInterfaceSpecification,
    InstanceStateName, MarketType, ModifyInstanceAttribute, RunInstances, SecurityGroup, ShutdownBehavior,
    TerminateInstances, errors,
};

/// User data `#!/bin/sh` in Base64.
const SCRIPT: &str = "IyEvYmluL3No";

/// Names of all attributes.
fn all_names() -> impl Iterator<Item = Name> {
    (0..Name::SHAPE.values.len()).map(Name::from_index)
}

/// Parameters for one instance.
fn run_one() -> RunInstances {
    RunInstances::new(1, 1).image_id("ami-12345678").instance_type("t3.micro")
}

/// Runs one instance, and returns it once it is running.
fn run(session: &Session, call: RunInstances) -> Result<Instance> {
    let reservation = ask(session, call)?;
    let id = reservation.instances().unwrap()[0].instance_id().unwrap();
    Ok(Instance::objects(session).get(id).wait()?.unwrap())
}

/// Finds an instance again.
fn reload(session: &Session, instance: &Instance) -> Result<Instance> {
    Ok(Instance::objects(session).get(instance.instance_id().unwrap()).wait()?.unwrap())
}

/// Parameters of a change of an instance.
fn modify(instance: &Instance) -> ModifyInstanceAttribute {
    ModifyInstanceAttribute::new(instance.instance_id().unwrap())
}

/// Describes an attribute.
fn describe(instance: &Instance, name: Name) -> Result<InstanceAttribute> {
    let instances = Instance::objects(instance.require_session()?);
    instances.attribute(instance.instance_id().unwrap(), name).wait()
}

/// Values of all attributes, in the order of their names.
fn values(instance: &Instance) -> Result<String> {
    let values = all_names().map(|name| {
        let text = value(instance, name)?;
        Ok(if text.is_empty() { "-".into() } else { text })
    });
    Ok(values.collect::<Result<Vec<_>>>()?.join(" | "))
}

/// Value of an attribute, as a text; empty if it is not set.
fn value(instance: &Instance, name: Name) -> Result<String> {
    Ok(text_of(&describe(instance, name.clone())?, &name))
}

/// The attribute with this name in an answer, as a text.
fn text_of(found: &InstanceAttribute, name: &Name) -> String {
    let flag = match name {
        Name::DisableApiTermination => found.disable_api_termination(),
        Name::SourceDestCheck => found.source_dest_check(),
        Name::EbsOptimized => found.ebs_optimized(),
        Name::EnaSupport => found.ena_support(),
        Name::DisableApiStop => found.disable_api_stop(),
        _ => None,
    };
    let text = match name {
        Name::InstanceType => found.instance_type(),
        Name::Kernel => found.kernel_id(),
        Name::Ramdisk => found.ramdisk_id(),
        Name::InstanceInitiatedShutdownBehavior => found.instance_initiated_shutdown_behavior(),
        Name::RootDeviceName => found.root_device_name(),
        Name::SriovNetSupport => found.sriov_net_support(),
        _ => None,
    };
    match name {
        Name::UserData => {
            found.user_data().unwrap().value().map(|data| data.expose().to_owned()).unwrap_or_default()
        }
        Name::BlockDeviceMapping => {
            let devices = found.block_device_mappings().unwrap().iter().map(|device| {
                let deletion = device.ebs().unwrap().delete_on_termination().unwrap();
                format!("{} {deletion}", device.device_name().unwrap())
            });
            devices.collect::<Vec<_>>().join(", ")
        }
        Name::ProductCodes => format!("{} codes", found.product_codes().unwrap_or_default().len()),
        Name::GroupSet => {
            let groups = found.groups().unwrap().iter();
            groups.map(|group| group.group_name().unwrap()).collect::<Vec<_>>().join(", ")
        }
        Name::EnclaveOptions => found.enclave_options().unwrap().enabled().unwrap().to_string(),
        _ => match (flag, text) {
            (Some(flag), None) => flag.value().unwrap().to_string(),
            (None, Some(text)) => text.value().unwrap_or_default().to_owned(),
            _ => panic!("expected one value of {name:?}: {found:?}"),
        },
    }
}

pub(super) fn every_attribute_is_described(world: &World) -> Result<()> {
    let session = world.session();
    let plain = run(&session, run_one())?;
    let expected = "t3.micro | - | - | - | false | stop | /dev/xvda | /dev/xvda true | 0 codes | true | default | false | - \
                    | true | false | false";
    assert_eq!(values(&plain)?, expected);
    for name in all_names() {
        let answer = describe(&plain, name.clone())?;
        assert_eq!(answer.instance_id(), plain.instance_id());
        // The attribute is the only one.
        for other in all_names().filter(|other| *other != name) {
            let key = match other.as_str() {
                "groupSet" => "Groups".to_owned(),
                "blockDeviceMapping" => "BlockDeviceMappings".to_owned(),
                "kernel" => "KernelId".to_owned(),
                "ramdisk" => "RamdiskId".to_owned(),
                text => text[..1].to_uppercase() + &text[1..],
            };
            assert!(!answer.to_json().contains(&format!("\"{key}\":")), "{name:?}: {}", answer.to_json());
        }
    }
    Ok(())
}

pub(super) fn attributes_are_those_of_the_launch(world: &World) -> Result<()> {
    let session = world.session();
    let group = create_group(&session, default_vpc(&session)?.vpc_id().unwrap(), "web")?;
    let data = EbsBlockDevice::builder().volume_size(8).delete_on_termination(false).build()?;
    let data = BlockDeviceMapping::builder().device_name("/dev/sdb").ebs(data).build()?;
    let call = run_one()
        .kernel_id("aki-12345678")
        .ramdisk_id("ari-12345678")
        .user_data(SCRIPT)
        .disable_api_termination(true)
        .disable_api_stop(true)
        .instance_initiated_shutdown_behavior(ShutdownBehavior::Terminate)
        .ebs_optimized(true)
        .enclave_options(EnclaveOptions::builder().enabled(true).build()?)
        .block_device_mappings(vec![data])
        .security_group_ids([group.as_str()]);
    let launched = run(&session, call)?;
    let expected = "t3.micro | aki-12345678 | ari-12345678 | IyEvYmluL3No | true | terminate | /dev/xvda | \
                    /dev/xvda true, /dev/sdb false | 0 codes | true | web | true | - | true | true | true";
    assert_eq!(values(&launched)?, expected);
    let answer = describe(&launched, Name::UserData)?;
    assert!(!format!("{answer:?}").contains(SCRIPT), "user data are not printed");
    Ok(())
}

pub(super) fn attributes_can_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run(&session, run_one())?;
    instance.stop().wait()?;
    let device = |name: &str, ebs: EbsInstanceBlockDeviceSpecification| {
        InstanceBlockDeviceMappingSpecification::builder().device_name(name).ebs(ebs).build()
    };
    let own = instance.block_device_mappings().unwrap()[0].ebs().unwrap().volume_id().unwrap();
    let kept = EbsInstanceBlockDeviceSpecification::builder().delete_on_termination(false).volume_id(own);
    let kept = device("/dev/xvda", kept.build()?)?;
    for (change, name, expected) in [
        (modify(&instance).instance_type("m5.4xlarge"), Name::InstanceType, "m5.4xlarge"),
        (modify(&instance).kernel("aki-12345678"), Name::Kernel, "aki-12345678"),
        (modify(&instance).ramdisk("ari-12345678"), Name::Ramdisk, "ari-12345678"),
        (modify(&instance).user_data("#!/bin/sh"), Name::UserData, SCRIPT),
        (modify(&instance).disable_api_termination(true), Name::DisableApiTermination, "true"),
        (
            modify(&instance).instance_initiated_shutdown_behavior("terminate"),
            Name::InstanceInitiatedShutdownBehavior,
            "terminate",
        ),
        (modify(&instance).block_device_mappings(vec![kept]), Name::BlockDeviceMapping, "/dev/xvda false"),
        (modify(&instance).source_dest_check(false), Name::SourceDestCheck, "false"),
        (modify(&instance).ebs_optimized(true), Name::EbsOptimized, "true"),
        (modify(&instance).sriov_net_support("simple"), Name::SriovNetSupport, "simple"),
        (modify(&instance).ena_support(false), Name::EnaSupport, "false"),
        (
            modify(&instance).enclave_options(EnclaveOptions::builder().enabled(true).build()?),
            Name::EnclaveOptions,
            "true",
        ),
        (modify(&instance).disable_api_stop(true), Name::DisableApiStop, "true"),
    ] {
        ask(&session, change)?;
        assert_eq!(value(&instance, name.clone())?, expected, "{name:?}");
    }
    let is_in_clear = |row: &[u8]| row.windows(SCRIPT.len()).any(|part| part == SCRIPT.as_bytes());
    assert!(!world.state()?.iter().any(|(_, row)| is_in_clear(row)));

    let change = modify(&instance).user_data("pass");
    assert!(!format!("{change:?} {:?}", change.clone().value("pass")).contains("pass"));

    // What is described of the instance follows.
    let found = reload(&session, &instance)?;
    assert_eq!((found.instance_type(), found.ebs_optimized()), (Some("m5.4xlarge"), Some(true)));
    assert_eq!(found.cpu_options().unwrap().core_count(), Some(8));
    assert_eq!((found.kernel_id(), found.ramdisk_id()), (Some("aki-12345678"), Some("ari-12345678")));
    assert_eq!((found.source_dest_check(), found.ena_support()), (Some(false), Some(false)));
    assert_eq!(found.network_interfaces().unwrap()[0].source_dest_check(), Some(false));
    assert_eq!(found.sriov_net_support(), Some("simple"));
    assert_eq!(found.enclave_options().unwrap().enabled(), Some(true));

    // Without a value, a volume is deleted with its instance. Empty user data are none.
    let deleted = device("/dev/xvda", EbsInstanceBlockDeviceSpecification::builder().build()?)?;
    instance.modify_attribute().block_device_mappings(vec![deleted]).wait()?;
    assert_eq!(value(&instance, Name::BlockDeviceMapping)?, "/dev/xvda true");
    instance.modify_attribute().user_data("").wait()?;
    assert_eq!(value(&instance, Name::UserData)?, "");
    assert_eq!(reload(&session, &instance)?.state_name(), Some(&InstanceStateName::Stopped));
    Ok(())
}

pub(super) fn attributes_can_be_changed_by_name(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run(&session, run_one())?;
    instance.stop().wait()?;
    for (name, expected) in [
        (Name::InstanceType, "t3.large"),
        (Name::Kernel, "aki-12345678"),
        (Name::Ramdisk, "ari-12345678"),
        (Name::UserData, SCRIPT),
        (Name::DisableApiTermination, "true"),
        (Name::InstanceInitiatedShutdownBehavior, "terminate"),
        (Name::SourceDestCheck, "false"),
        (Name::EbsOptimized, "true"),
        (Name::SriovNetSupport, "simple"),
        (Name::EnaSupport, "false"),
        (Name::EnclaveOptions, "true"),
        (Name::DisableApiStop, "true"),
    ] {
        ask(&session, modify(&instance).attribute(name.clone()).value(expected))?;
        assert_eq!(value(&instance, name.clone())?, expected, "{name:?}");
    }
    // The name may stand beside the parameter of the same attribute.
    ask(&session, modify(&instance).attribute(Name::DisableApiStop).disable_api_stop(false))?;
    assert_eq!(value(&instance, Name::DisableApiStop)?, "false");

    let by_name = |name: Name, value: &str| ask(&session, modify(&instance).attribute(name).value(value));
    for name in [Name::RootDeviceName, Name::ProductCodes] {
        refused(world, &errors::INVALID, "Attribute", || by_name(name, "x"));
    }
    refused(world, &errors::INVALID, "Value", || by_name(Name::EnaSupport, "yes"));
    refused(world, &errors::IMAGE_MALFORMED, "Value", || by_name(Name::Kernel, "x"));
    let error = refused(world, &errors::INVALID, "Value", || by_name(Name::UserData, "pass word!"));
    assert!(!error.to_string().contains("pass"), "{error}");
    refused(world, &errors::MISSING, "Groups", || by_name(Name::GroupSet, "x"));
    refused(world, &errors::MISSING, "BlockDeviceMappings", || by_name(Name::BlockDeviceMapping, "x"));
    refused(world, &errors::MISSING, "Value", || ask(&session, modify(&instance).attribute(Name::Kernel)));
    refused(world, &errors::MISSING, "Attribute", || ask(&session, modify(&instance).value("true")));
    let both = modify(&instance).attribute(Name::DisableApiStop).value("true").disable_api_stop(true);
    refused(world, &errors::COMBINATION, "Value", || ask(&session, both));
    Ok(())
}

pub(super) fn protection_can_be_turned_on_and_off(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run(&session, run_one().disable_api_termination(true))?;
    refused(world, &errors::NOT_PERMITTED, "InstanceIds", || instance.terminate().wait());
    instance.modify_attribute().disable_api_termination(false).wait()?;
    instance.modify_attribute().disable_api_stop(true).wait()?;
    refused(world, &errors::NOT_PERMITTED, "InstanceIds", || instance.stop().wait());
    instance.modify_attribute().disable_api_stop(false).wait()?;
    instance.stop().wait()?;
    Instance::objects(&session)
        .modify_attribute(instance.instance_id().unwrap())
        .disable_api_termination(true)
        .wait()?;
    let id = instance.instance_id().unwrap();
    let terminate = || ask(&session, TerminateInstances::new([id]));
    refused(world, &errors::NOT_PERMITTED, "InstanceIds", terminate);
    instance.modify_attribute().disable_api_termination(false).wait()?;
    terminate()?;

    let change = || instance.modify_attribute().disable_api_termination(true).wait();
    refused(world, &errors::INSTANCE_STATE, "InstanceId", change);
    assert_eq!(value(&instance, Name::DisableApiTermination)?, "false");
    let market = InstanceMarketOptions::builder().market_type(MarketType::Spot).build()?;
    let spot = run(&session, run_one().instance_market_options(market))?;
    let protect = || spot.modify_attribute().disable_api_termination(true).wait();
    let error = refused(world, &errors::UNSUPPORTED, "DisableApiTermination", protect);
    let text = "Modifying 'disableApiTermination' is not supported for spot instances.";
    assert_eq!(error.message(), text);
    Ok(())
}

pub(super) fn security_groups_of_an_instance_can_be_replaced(world: &World) -> Result<()> {
    let session = world.session();
    let vpc = default_vpc(&session)?.vpc_id().unwrap().to_owned();
    let [old, new] = ["old", "new"].map(|name| create_group(&session, &vpc, name).unwrap());
    let interface = InstanceNetworkInterfaceSpecification::builder()
        .device_index(0)
        .groups([old.as_str()])
        .secondary_private_ip_address_count(2)
        .build()?;
    let plain = create_instance(&session, "").security_group_ids([old.as_str()]).wait()?;
    let several = run(&session, run_one().network_interfaces(vec![interface]))?;
    for instance in [&plain, &several] {
        refused(world, &errors::DEPENDENCY, "", || {
            SecurityGroup::objects(&session).delete(old.clone()).wait()
        });
        let groups = vec![new.clone(), new.clone()];
        ask(&session, modify(instance).attribute(Name::GroupSet).groups(groups))?;
        assert_eq!(value(instance, Name::GroupSet)?, "new");
        let found = reload(&session, instance)?;
        assert_eq!(found.groups().wait()?.len(), 1);
        let own = &found.network_interfaces().unwrap()[0];
        assert_eq!(own.groups().unwrap()[0].group_id(), Some(new.as_str()));
    }
    SecurityGroup::objects(&session).delete(old.clone()).wait()?;
    refused(world, &errors::DEPENDENCY, "", || SecurityGroup::objects(&session).delete(new.clone()).wait());

    let replace = |groups: Vec<Text>| plain.modify_attribute().groups(groups).wait();
    refused(world, &errors::GROUP_NOT_FOUND, "Groups", || replace(vec![old.clone()]));
    refused(world, &errors::GROUP_MALFORMED, "Groups", || replace(vec!["web".into()]));
    let other = create_vpc(&session, "10.0.0.0/16")?;
    let elsewhere = create_group(&session, other.vpc_id().unwrap(), "web")?;
    let error = refused(world, &errors::GROUP_NOT_FOUND, "Groups", || replace(vec![elsewhere.clone()]));
    assert_eq!(error.message(), "You have specified two resources that belong to different networks.");
    let many =
        (0..6).map(|n| create_group(&session, &vpc, &format!("g{n}"))).collect::<Result<Vec<Text>>>()?;
    refused(world, &errors::TOO_MANY_GROUPS, "Groups", || replace(many.clone()));
    refused(world, &errors::COMBINATION, "", || replace(Vec::new()));
    plain.terminate().wait()?;
    several.terminate().wait()?;
    world.advance(0)?;
    SecurityGroup::objects(&session).delete(new).wait()
}

pub(super) fn instance_with_several_interfaces_has_no_network_attributes(world: &World) -> Result<()> {
    let session = world.session();
    let interface =
        |index: i64| InstanceNetworkInterfaceSpecification::builder().device_index(index).build().unwrap();
    let instance = run(&session, run_one().network_interfaces(vec![interface(0), interface(1)]))?;
    let id = instance.instance_id().unwrap();
    let text = format!(
        "There are multiple interfaces attached to instance '{id}'. Please specify an interface ID for the operation instead."
    );
    for name in [Name::SourceDestCheck, Name::GroupSet] {
        let error = refused(world, &errors::INSTANCE_ID, "InstanceId", || describe(&instance, name));
        assert_eq!(error.message(), text);
    }
    let change = || instance.modify_attribute().source_dest_check(false).wait();
    refused(world, &errors::INSTANCE_ID, "InstanceId", change);
    let group = instance.security_groups().unwrap()[0].group_id().unwrap();
    let change = || instance.modify_attribute().groups([group]).wait();
    refused(world, &errors::INSTANCE_ID, "InstanceId", change);
    instance.modify_attribute().disable_api_stop(true).wait()
}

pub(super) fn some_attributes_need_a_stopped_instance(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run(&session, run_one())?;
    let text = format!("The instance '{}' is not in the 'stopped' state.", instance.instance_id().unwrap());
    for change in [
        modify(&instance).instance_type("t3.large"),
        modify(&instance).kernel("aki-12345678"),
        modify(&instance).ramdisk("ari-12345678"),
        modify(&instance).user_data(""),
        modify(&instance).ebs_optimized(true),
        modify(&instance).ena_support(true),
        modify(&instance).sriov_net_support("simple"),
        modify(&instance).enclave_options(EnclaveOptions::builder().enabled(true).build()?),
    ] {
        let error = refused(world, &errors::INSTANCE_STATE, "InstanceId", || ask(&session, change));
        assert_eq!(error.message(), text);
    }
    instance.modify_attribute().source_dest_check(false).wait()?;
    instance.modify_attribute().instance_initiated_shutdown_behavior("terminate").wait()
}

pub(super) fn invalid_changes_of_attributes_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let instance = run(&session, run_one())?;
    instance.stop().wait()?;
    let error = refused(world, &errors::COMBINATION, "", || instance.modify_attribute().wait());
    assert_eq!(error.message(), "No attributes specified.");
    let two = modify(&instance).disable_api_stop(true).disable_api_termination(true);
    let error = refused(world, &errors::COMBINATION, "", || ask(&session, two));
    let text = "Fields for multiple attribute types specified: disableApiStop, disableApiTermination";
    assert_eq!(error.message(), text);
    let mixed = modify(&instance).attribute(Name::Kernel).value("aki-12345678").disable_api_stop(true);
    refused(world, &errors::COMBINATION, "", || ask(&session, mixed));

    for (id, code) in [("x", &errors::INSTANCE_MALFORMED), ("i-12345678", &errors::INSTANCE_NOT_FOUND)] {
        let change = || ask(&session, ModifyInstanceAttribute::new(id).disable_api_stop(true));
        refused(world, code, "InstanceId", change);
        let describe = || ask(&session, DescribeInstanceAttribute::new(id, Name::Kernel));
        refused(world, code, "InstanceId", describe);
    }
    for (field, code, change) in [
        ("InstanceType", &errors::INVALID, modify(&instance).instance_type("t3")),
        ("InstanceType", &errors::INSTANCE_ATTRIBUTE, modify(&instance).instance_type("t4g.micro")),
        ("Kernel", &errors::IMAGE_MALFORMED, modify(&instance).kernel("ari-12345678")),
        ("Ramdisk", &errors::IMAGE_MALFORMED, modify(&instance).ramdisk("")),
        ("SriovNetSupport", &errors::INVALID, modify(&instance).sriov_net_support("none")),
        ("UserData", &errors::INVALID, modify(&instance).user_data("x".repeat(16_385).as_str())),
        (
            "InstanceInitiatedShutdownBehavior",
            &errors::INVALID,
            modify(&instance).instance_initiated_shutdown_behavior("hibernate"),
        ),
    ] {
        refused(world, code, field, || ask(&session, change));
    }
    let device = InstanceBlockDeviceMappingSpecification::builder;
    let volume = |id: &str| EbsInstanceBlockDeviceSpecification::builder().volume_id(id).build().unwrap();
    let own = || device().device_name("/dev/xvda").build().unwrap();
    for (field, code, devices) in [
        ("[0].DeviceName", &errors::MISSING, vec![device().virtual_name("ephemeral0").build()?]),
        ("[0].DeviceName", &errors::INSTANCE_ATTRIBUTE, vec![device().device_name("/dev/sdz").build()?]),
        (
            "[0].Ebs.VolumeId",
            &errors::INSTANCE_ATTRIBUTE,
            vec![device().device_name("/dev/xvda").ebs(volume("vol-12345678")).build()?],
        ),
        ("[1].DeviceName", &errors::BLOCK_DEVICE, vec![own(), own()]),
        (
            "[0].NoDevice",
            &errors::INSTANCE_ATTRIBUTE,
            vec![device().device_name("/dev/xvda").no_device("x").build()?],
        ),
        (
            "[0].VirtualName",
            &errors::INSTANCE_ATTRIBUTE,
            vec![device().device_name("/dev/xvda").virtual_name("ephemeral0").build()?],
        ),
    ] {
        let change = || instance.modify_attribute().block_device_mappings(devices).wait();
        refused(world, code, &format!("BlockDeviceMappings{field}"), change);
    }
    Ok(())
}
