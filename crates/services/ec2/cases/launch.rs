//! Options of new instances.

use super::{World, ask, create_instance, refused};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_ec2::{
    BlockDeviceMapping, CapacityReservationPreference, CapacityReservationSpecification,
    CapacityReservationTarget, CpuOptions, CreditSpecification, EbsBlockDevice, ElasticGpuSpecification,
    ElasticInferenceAccelerator, EnabledState, EnclaveOptions, HibernationOptions, HostnameType,
    HttpTokensState, IamInstanceProfileSpecification, Instance, InstanceBandwidthWeighting,
    InstanceInterruptionBehavior, InstanceLifecycleType, InstanceMaintenanceOptionsRequest,
    InstanceMaintenanceState, InstanceMarketOptions, InstanceMetadataOptionsRequest,
    InstanceNetworkPerformanceOptions, InstanceSecondaryInterfaceSpecification, InstanceStateName,
    LaunchTemplateSpecification, LicenseConfiguration, MarketType, MonitoringState, OperatorRequest,
    Placement, PrivateDnsNameOptions, Reservation, RunInstances, RunInstancesMonitoringEnabled,
    ShutdownBehavior, SpotInstanceType, SpotMarketOptions, StopInstances, TerminateInstances, VolumeType,
    errors,
};

/// Parameters for one instance.
fn run_one() -> RunInstances {
    RunInstances::new(1, 1).image_id("ami-12345678")
}

/// Returns the only instance of a reservation, as it is described once it is running.
fn describe(session: &Session, reservation: &Reservation) -> Result<Instance> {
    let [created] = reservation.instances().unwrap() else { panic!("expected one instance") };
    Ok(Instance::objects(session).get(created.instance_id().unwrap()).wait()?.unwrap())
}

fn volume(name: &str, ebs: EbsBlockDevice) -> BlockDeviceMapping {
    BlockDeviceMapping::builder().device_name(name).ebs(ebs).build().unwrap()
}

pub(super) fn options_of_a_launch_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let metadata = InstanceMetadataOptionsRequest::builder()
        .http_tokens(HttpTokensState::Required)
        .http_put_response_hop_limit(2)
        .http_endpoint(EnabledState::Enabled)
        .http_protocol_ipv6(EnabledState::Enabled)
        .instance_metadata_tags(EnabledState::Enabled);
    let names = PrivateDnsNameOptions::builder()
        .hostname_type(HostnameType::ResourceName)
        .enable_resource_name_dns_a_record(true)
        .enable_resource_name_dns_aaaa_record(true);
    let cpu = CpuOptions::builder()
        .core_count(4)
        .threads_per_core(1)
        .amd_sev_snp(EnabledState::Enabled)
        .nested_virtualization(EnabledState::Disabled);
    let spot = SpotMarketOptions::builder()
        .max_price("0.05")
        .spot_instance_type(SpotInstanceType::Persistent)
        .block_duration_minutes(60)
        .valid_until(session_time(world))
        .instance_interruption_behavior(InstanceInterruptionBehavior::Stop);
    let market = InstanceMarketOptions::builder().market_type(MarketType::Spot).spot_options(spot.build()?);
    let data =
        EbsBlockDevice::builder().volume_size(100).volume_type(VolumeType::Gp3).iops(4000).throughput(500);
    let data = data.encrypted(true).kms_key_id("alias/mine").delete_on_termination(false).ebs_card_index(1);
    let root =
        EbsBlockDevice::builder().volume_type(VolumeType::Gp3).availability_zone("us-east-1a").build()?;
    let host = BlockDeviceMapping::builder().device_name("/dev/sdc").virtual_name("ephemeral0").build()?;
    let none = BlockDeviceMapping::builder().device_name("/dev/sdd").no_device("").build()?;
    let call = run_one()
        .instance_type("m7g.2xlarge")
        .key_name("mine")
        .kernel_id("aki-12345678")
        .ramdisk_id("ari-12345678")
        .ebs_optimized(true)
        .placement(Placement::builder().spread_domain("d").build()?)
        .cpu_options(cpu.build()?)
        .capacity_reservation_specification(
            CapacityReservationSpecification::builder()
                .capacity_reservation_preference(CapacityReservationPreference::None)
                .build()?,
        )
        .hibernation_options(HibernationOptions::builder().configured(true).build()?)
        .enclave_options(EnclaveOptions::builder().enabled(true).build()?)
        .private_dns_name_options(names.build()?)
        .network_performance_options(
            InstanceNetworkPerformanceOptions::builder()
                .bandwidth_weighting(InstanceBandwidthWeighting::Vpc1)
                .build()?,
        )
        .metadata_options(metadata.build()?)
        .maintenance_options(
            InstanceMaintenanceOptionsRequest::builder()
                .auto_recovery(InstanceMaintenanceState::Disabled)
                .build()?,
        )
        .iam_instance_profile(IamInstanceProfileSpecification::builder().name("web").build()?)
        .monitoring(RunInstancesMonitoringEnabled::builder().enabled(true).build()?)
        .operator(OperatorRequest::builder().principal("eks.amazonaws.com").build()?)
        .instance_market_options(market.build()?)
        .block_device_mappings(vec![volume("/dev/sda1", root), volume("/dev/sdb", data.build()?), host, none])
        .user_data("IyEvYmluL3No")
        .additional_info("info")
        .instance_initiated_shutdown_behavior(ShutdownBehavior::Terminate)
        .credit_specification(CreditSpecification::builder().cpu_credits("unlimited").build()?);
    let reservation = ask(&session, call)?;
    assert_eq!(reservation.groups().unwrap_or_default(), []);
    let pending = &reservation.instances().unwrap()[0];
    assert_eq!(pending.monitoring().unwrap().state(), Some(&MonitoringState::Pending));
    assert_eq!(pending.state_reason().unwrap().code(), Some("pending"));

    // User data often contain passwords.
    let is_in_clear = |row: &[u8]| row.windows(12).any(|part| part == b"IyEvYmluL3No");
    assert!(!world.state()?.iter().any(|(_, row)| is_in_clear(row)));

    let found = describe(&session, &reservation)?;
    assert_eq!(found.state_name(), Some(&InstanceStateName::Running));
    assert_eq!(found.state_reason(), None);
    assert_eq!((found.kernel_id(), found.ramdisk_id()), (Some("aki-12345678"), Some("ari-12345678")));
    assert_eq!((found.key_name(), found.ebs_optimized()), (Some("mine"), Some(true)));
    assert_eq!(found.placement().unwrap().spread_domain(), Some("d"));
    let cpu = found.cpu_options().unwrap();
    assert_eq!((cpu.core_count(), cpu.threads_per_core()), (Some(4), Some(1)));
    assert_eq!(cpu.amd_sev_snp(), Some(&EnabledState::Enabled));
    assert_eq!(cpu.nested_virtualization(), Some(&EnabledState::Disabled));
    let reserved = found.capacity_reservation_specification().unwrap();
    assert_eq!(reserved.capacity_reservation_preference(), Some(&CapacityReservationPreference::None));
    assert_eq!(found.hibernation_options().unwrap().configured(), Some(true));
    assert_eq!(found.enclave_options().unwrap().enabled(), Some(true));
    let names = found.private_dns_name_options().unwrap();
    assert_eq!(names.hostname_type(), Some(&HostnameType::ResourceName));
    assert_eq!(names.enable_resource_name_dns_aaaa_record(), Some(true));
    let name = format!("{}.ec2.internal", found.instance_id().unwrap());
    assert_eq!(found.private_dns_name(), Some(name.as_str()));
    let weighting = found.network_performance_options().unwrap().bandwidth_weighting();
    assert_eq!(weighting, Some(&InstanceBandwidthWeighting::Vpc1));
    let metadata = found.metadata_options().unwrap();
    assert_eq!(metadata.http_tokens(), Some(&HttpTokensState::Required));
    assert_eq!(metadata.http_put_response_hop_limit(), Some(2));
    assert_eq!(metadata.http_protocol_ipv6(), Some(&EnabledState::Enabled));
    assert_eq!(metadata.instance_metadata_tags(), Some(&EnabledState::Enabled));
    let recovery = found.maintenance_options().unwrap().auto_recovery();
    assert_eq!(recovery, Some(&InstanceMaintenanceState::Disabled));
    let profile = found.iam_instance_profile().unwrap();
    assert_eq!(profile.arn(), Some("arn:aws:iam::123456789012:instance-profile/web"));
    assert!(profile.id().is_some_and(|id| id.starts_with("AIPA") && id.len() == 21));
    assert_eq!(found.monitoring().unwrap().state(), Some(&MonitoringState::Enabled));
    let operator = found.operator().unwrap();
    assert_eq!((operator.managed(), operator.principal()), (Some(true), Some("eks.amazonaws.com")));
    assert_eq!(found.instance_lifecycle(), Some(&InstanceLifecycleType::Spot));
    assert!(found.spot_instance_request_id().is_some_and(|id| id.starts_with("sir-")));
    assert_eq!(found.root_device_name(), Some("/dev/sda1"));
    let devices: Vec<_> = found
        .block_device_mappings()
        .unwrap()
        .iter()
        .map(|device| (device.device_name().unwrap(), device.ebs().unwrap().delete_on_termination()))
        .collect();
    assert_eq!(devices, [("/dev/sda1", Some(true)), ("/dev/sdb", Some(false))]);
    let data = found.block_device_mappings().unwrap()[1].ebs().unwrap();
    assert_eq!(data.ebs_card_index(), Some(1));
    assert!(data.volume_id().is_some_and(|id| id.starts_with("vol-")));
    let again = found.terminate().wait()?;
    assert_eq!(again.instance_id(), found.instance_id());
    let gone = Instance::objects(&session).get(found.instance_id().unwrap()).wait()?.unwrap();
    assert_eq!(gone.block_device_mappings().unwrap_or_default(), []);
    assert_eq!(gone.network_interfaces().unwrap_or_default(), []);
    Ok(())
}

fn session_time(world: &World) -> nephos_core::Timestamp {
    nephos_core::Timestamp::from_millisecond(world.now()).unwrap()
}

pub(super) fn instance_without_options_has_the_defaults(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_instance(&session, "").wait()?;
    let found = Instance::objects(&session).get(created.instance_id().unwrap()).wait()?.unwrap();
    let json = found.to_json();
    for expected in [
        r#""Architecture":"x86_64""#,
        r#""Hypervisor":"xen""#,
        r#""VirtualizationType":"hvm""#,
        r#""RootDeviceName":"/dev/xvda""#,
        r#""RootDeviceType":"ebs""#,
        r#""EbsOptimized":false"#,
        r#""EnaSupport":true"#,
        r#""SourceDestCheck":true"#,
        r#""PlatformDetails":"Linux/UNIX""#,
        r#""UsageOperation":"RunInstances""#,
        r#""CurrentInstanceBootMode":"legacy-bios""#,
        r#""Monitoring":{"State":"disabled"}"#,
        r#""CpuOptions":{"CoreCount":1,"ThreadsPerCore":2}"#,
        r#""CapacityReservationSpecification":{"CapacityReservationPreference":"open"}"#,
        r#""HibernationOptions":{"Configured":false}"#,
        r#""EnclaveOptions":{"Enabled":false}"#,
        r#""MaintenanceOptions":{"AutoRecovery":"default","RebootMigration":"default"}"#,
        r#""NetworkPerformanceOptions":{"BandwidthWeighting":"default"}"#,
        r#""MetadataOptions":{"State":"applied","HttpTokens":"optional","HttpPutResponseHopLimit":1,"HttpEndpoint":"enabled","HttpProtocolIpv6":"disabled","InstanceMetadataTags":"disabled"}"#,
        r#""PrivateDnsNameOptions":{"HostnameType":"ip-name","EnableResourceNameDnsARecord":false,"EnableResourceNameDnsAAAARecord":false}"#,
    ] {
        assert!(json.contains(expected), "{expected} is not in {json}");
    }
    for absent in [
        "BootMode\":\"uefi",
        "InstanceLifecycle",
        "KernelId",
        "IamInstanceProfile",
        "OutpostArn",
        "Ipv6Address\":\"",
    ] {
        assert!(!json.contains(absent), "{absent} is in {json}");
    }
    // A launch like an existing instance takes what a caller can set only.
    let mut model = found.clone();
    model.set_private_ip_address(None::<Text>)?;
    let second = Instance::objects(&session).create(&model).wait()?;
    assert_ne!(second.instance_id(), found.instance_id());
    assert_eq!(second.metadata_options().unwrap().http_tokens(), Some(&HttpTokensState::Optional));
    Ok(())
}

pub(super) fn protected_instances_are_not_stopped_or_terminated(world: &World) -> Result<()> {
    let session = world.session();
    let run = |call: RunInstances| {
        let reservation = ask(&session, call)?;
        Ok::<_, nephos_core::Error>(Text::new(reservation.instances().unwrap()[0].instance_id().unwrap()))
    };
    let kept = run(run_one().disable_api_termination(true))?;
    let started = run(run_one().disable_api_stop(true))?;
    let plain = run(run_one().disable_api_stop(false).disable_api_termination(false))?;
    let terminate = |ids: &[&Text]| {
        ask(&session, TerminateInstances::new(ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>()))
    };
    let error = refused(world, &errors::NOT_PERMITTED, "InstanceIds", || terminate(&[&plain, &kept]));
    let text = format!(
        "The instance '{kept}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again."
    );
    assert_eq!(error.message(), text);
    let error = refused(world, &errors::NOT_PERMITTED, "InstanceIds", || {
        ask(&session, StopInstances::new([started.as_str()]).force(true))
    });
    let text = format!(
        "The instance '{started}' may not be stopped. Modify its 'disableApiStop' instance attribute and try again."
    );
    assert_eq!(error.message(), text);
    ask(&session, StopInstances::new([kept.as_str()]).skip_os_shutdown(true))?;
    terminate(&[&started, &plain])?;
    Ok(())
}

pub(super) fn hibernation_must_be_configured(world: &World) -> Result<()> {
    let session = world.session();
    let sleeping = run_one().hibernation_options(HibernationOptions::builder().configured(true).build()?);
    let sleeping = describe(&session, &ask(&session, sleeping)?)?;
    let other = describe(&session, &ask(&session, run_one())?)?;
    let stop = |instance: &Instance| {
        ask(&session, StopInstances::new([instance.instance_id().unwrap()]).hibernate(true))
    };
    refused(world, &errors::NO_HIBERNATION, "InstanceIds", || stop(&other));
    stop(&sleeping)?;
    let found = Instance::objects(&session).get(sleeping.instance_id().unwrap()).wait()?.unwrap();
    let reason = found.state_reason().unwrap();
    assert_eq!(reason.code(), Some("Client.UserInitiatedHibernate"));
    assert_eq!(reason.message(), Some("Client.UserInitiatedHibernate: User initiated hibernate"));
    Ok(())
}

pub(super) fn resources_that_do_not_exist_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let template = LaunchTemplateSpecification::builder;
    let placement = |placement: nephos_ec2::Placement| run_one().placement(placement);
    let target = CapacityReservationTarget::builder().capacity_reservation_id("cr-12345678").build()?;
    let reservation = CapacityReservationSpecification::builder;
    let only = CapacityReservationPreference::CapacityReservationsOnly;
    let license =
        LicenseConfiguration::builder().license_configuration_arn("arn:aws:license-manager:x").build()?;
    let secondary =
        InstanceSecondaryInterfaceSpecification::builder().secondary_subnet_id("ssn-1").build()?;
    let snapshot = EbsBlockDevice::builder().snapshot_id("snap-12345678").build()?;
    let outpost = EbsBlockDevice::builder().volume_size(1).outpost_arn("arn:aws:outposts:x").build()?;
    for (code, field, call) in [
        (
            &errors::LAUNCH_TEMPLATE_NOT_FOUND,
            "LaunchTemplate",
            run_one().launch_template(template().launch_template_id("lt-12345678").version("1").build()?),
        ),
        (
            &errors::LAUNCH_TEMPLATE_NAME_NOT_FOUND,
            "LaunchTemplate",
            run_one().launch_template(template().launch_template_name("web").build()?),
        ),
        (&errors::MISSING, "LaunchTemplate", run_one().launch_template(template().version("1").build()?)),
        (
            &errors::PLACEMENT_GROUP_UNKNOWN,
            "Placement.GroupName",
            placement(Placement::builder().group_name("web").build()?),
        ),
        (
            &errors::PLACEMENT_GROUP_UNKNOWN,
            "Placement.GroupId",
            placement(Placement::builder().group_id("pg-12345678").build()?),
        ),
        (
            &errors::COMBINATION,
            "Placement.PartitionNumber",
            placement(Placement::builder().partition_number(1).build()?),
        ),
        (
            &errors::HOST_NOT_FOUND,
            "Placement.HostId",
            placement(Placement::builder().host_id("h-1").build()?),
        ),
        (
            &errors::HOST_NOT_FOUND,
            "Placement.HostResourceGroupArn",
            placement(Placement::builder().host_resource_group_arn("arn:aws:resource-groups:x").build()?),
        ),
        (
            &errors::COMBINATION,
            "Placement.Affinity",
            placement(Placement::builder().affinity("host").build()?),
        ),
        (
            &errors::RESERVATION_NOT_FOUND,
            "CapacityReservationSpecification",
            run_one().capacity_reservation_specification(
                reservation().capacity_reservation_target(target).build()?,
            ),
        ),
        (
            &errors::RESERVATION_EXCEEDED,
            "CapacityReservationSpecification",
            run_one().capacity_reservation_specification(
                reservation().capacity_reservation_preference(only).build()?,
            ),
        ),
        (
            &errors::RESERVATION_EXCEEDED,
            "InstanceMarketOptions.MarketType",
            run_one().instance_market_options(
                InstanceMarketOptions::builder().market_type(MarketType::CapacityBlock).build()?,
            ),
        ),
        (&errors::INVALID, "LicenseSpecifications", run_one().license_specifications(vec![license])),
        (
            &errors::SECONDARY_SUBNET_NOT_FOUND,
            "SecondaryInterfaces",
            run_one().secondary_interfaces(vec![secondary]),
        ),
        (
            &errors::UNSUPPORTED,
            "ElasticGpuSpecification",
            run_one().elastic_gpu_specification(vec![
                ElasticGpuSpecification::builder().r#type("eg1.medium").build()?,
            ]),
        ),
        (
            &errors::UNSUPPORTED,
            "ElasticInferenceAccelerators",
            run_one().elastic_inference_accelerators(vec![
                ElasticInferenceAccelerator::builder().r#type("eia2.medium").build()?,
            ]),
        ),
        (
            &errors::SNAPSHOT_NOT_FOUND,
            "BlockDeviceMappings[0].Ebs.SnapshotId",
            run_one().block_device_mappings(vec![volume("/dev/sdb", snapshot)]),
        ),
        (
            &errors::INVALID,
            "BlockDeviceMappings[0].Ebs.OutpostArn",
            run_one().block_device_mappings(vec![volume("/dev/sdb", outpost)]),
        ),
    ] {
        refused(world, code, field, || ask(&session, call));
    }
    Ok(())
}

pub(super) fn invalid_options_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let long = "QUFB".repeat(16_384 / 3 + 1);
    for (field, data) in [("UserData", "not base64!"), ("UserData", long.as_str())] {
        refused(world, &errors::INVALID, field, || ask(&session, run_one().user_data(data)));
    }
    let credits = CreditSpecification::builder().cpu_credits("many").build()?;
    refused(world, &errors::INVALID, "CreditSpecification.CpuCredits", || {
        ask(&session, run_one().credit_specification(credits))
    });
    let spot = InstanceMarketOptions::builder()
        .spot_options(SpotMarketOptions::builder().max_price("1").build()?)
        .build()?;
    refused(world, &errors::COMBINATION, "InstanceMarketOptions.SpotOptions", || {
        ask(&session, run_one().instance_market_options(spot))
    });
    let profile = IamInstanceProfileSpecification::builder;
    for (code, field, profile) in [
        (&errors::COMBINATION, "IamInstanceProfile", profile().name("web").arn("arn:aws:iam::1:x")),
        (&errors::INVALID, "IamInstanceProfile.Arn", profile().arn("arn:aws:iam::123456789012:role/web")),
        (&errors::INVALID, "IamInstanceProfile.Name", profile().name("a b")),
    ] {
        let profile = profile.build()?;
        refused(world, code, field, || ask(&session, run_one().iam_instance_profile(profile)));
    }
    for (field, id) in [("KernelId", "x"), ("RamdiskId", "x")] {
        let call = if field == "KernelId" { run_one().kernel_id(id) } else { run_one().ramdisk_id(id) };
        refused(world, &errors::IMAGE_MALFORMED, field, || ask(&session, call));
    }
    let ebs = || EbsBlockDevice::builder().volume_size(10);
    for (code, field, volume) in [
        (&errors::MISSING, "VolumeSize", EbsBlockDevice::builder().encrypted(true)),
        (&errors::INVALID, "VolumeSize", EbsBlockDevice::builder().volume_size(0)),
        (&errors::INVALID, "VolumeSize", ebs().volume_type(VolumeType::St1)),
        (&errors::INVALID, "VolumeSize", EbsBlockDevice::builder().volume_size(20_000)),
        (&errors::COMBINATION, "Iops", ebs().iops(100)),
        (&errors::MISSING, "Iops", ebs().volume_type(VolumeType::Io2)),
        (&errors::COMBINATION, "Throughput", ebs().throughput(200)),
        (&errors::PARAMETER_DEPENDENCY, "KmsKeyId", ebs().kms_key_id("alias/mine")),
        (&errors::PARAMETER_DEPENDENCY, "VolumeInitializationRate", ebs().volume_initialization_rate(100)),
        (&errors::INVALID, "AvailabilityZone", ebs().availability_zone("us-east-1b")),
        (&errors::INVALID, "AvailabilityZoneId", ebs().availability_zone_id("use1-az2")),
    ] {
        let mapping = self::volume("/dev/sdb", volume.build()?);
        let field = format!("BlockDeviceMappings[0].Ebs.{field}");
        refused(world, code, &field, || ask(&session, run_one().block_device_mappings(vec![mapping])));
    }
    let twice = vec![volume("/dev/sdb", ebs().build()?), volume("/dev/sdb", ebs().build()?)];
    refused(world, &errors::BLOCK_DEVICE, "BlockDeviceMappings[1].DeviceName", || {
        ask(&session, run_one().block_device_mappings(twice))
    });
    let both =
        BlockDeviceMapping::builder().device_name("/dev/sdb").ebs(ebs().build()?).virtual_name("ephemeral0");
    let both = both.build()?;
    refused(world, &errors::BLOCK_DEVICE, "BlockDeviceMappings[0].VirtualName", || {
        ask(&session, run_one().block_device_mappings(vec![both]))
    });
    let nameless = BlockDeviceMapping::builder().ebs(ebs().build()?).build()?;
    refused(world, &errors::MISSING, "BlockDeviceMappings[0].DeviceName", || {
        ask(&session, run_one().block_device_mappings(vec![nameless]))
    });
    Ok(())
}
