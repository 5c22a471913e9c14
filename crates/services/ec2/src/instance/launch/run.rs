//! Running instances.

use super::{LaunchOptions, LaunchRow, attach};
use crate::{
    calls::{DryRun, Tagged},
    check_dry_run, errors,
    instance::{
        CapacityReservationPreference, IamInstanceProfile, IamInstanceProfileSpecification, Instance,
        InstanceLifecycleType, InstanceMaintenanceOptions, InstanceMetadataOptionsResponse,
        InstanceStateName, Monitoring, MonitoringState, OperatorResponse, Placement, Reservation, devices,
        hardware, launch, states,
    },
    network::{self, Member, ids},
    subnet::{self, Subnet},
    tagging,
    vpc::{self, Tenancy, Vpc},
    zones,
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Arn, Record, Result, Text, field_value::FieldType, hex, operation};
use sha2::{Digest, Sha256};
use std::iter;

/// Default instance type.
pub(crate) const DEFAULT_TYPE: &str = "m1.small";

/// Runs instances.
#[operation(
    of = Instance, takes(settable), except(tags), include(LaunchOptions, Tagged, DryRun), effect = write, output = Reservation,
    subject = "instance/* + ::image/{ImageId} + network-interface/* + volume/* \
        + subnet/{SubnetId|NetworkInterfaces.SubnetId} + security-group/{SecurityGroupIds|NetworkInterfaces.Groups} \
        + KeyName? key-pair/{KeyName}",
    also_requires(
        "CreateTags" = "TagSpecifications? {TagSpecifications.ResourceType}/*",
        "iam:PassRole" = "IamInstanceProfile? instance-profile/{IamInstanceProfile.Arn|IamInstanceProfile.Name}"
    )
)]
pub struct RunInstances {
    /// Maximum number of instances; fewer are run if there are not enough addresses.
    pub max_count: i64,
    /// Minimum number of instances, or none is run.
    pub min_count: i64,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "SecurityGroup")]
    pub security_groups: Option<Vec<Text>>,
    /// Idempotency token: a repeated call with the same token returns the same instances and runs no others.
    #[field(wire = "clientToken", idempotency_token, length(1..=64))]
    pub client_token: Option<Text>,
}

/// Forgets the token of an instance that is removed, if no other instance was run with it.
pub(crate) fn forget_token(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
    let Some(token) = instance.client_token.clone() else { return Ok(()) };
    let launch = cx.kept_answer::<RunInstances>(&[&token])?.unwrap_or_default();
    for id in launch.split(' ').skip(1).filter(|id| *id != instance.id()) {
        if network::find::<Instance>(cx, id)?.is_some() {
            return Ok(());
        }
    }
    cx.forget_tokens::<RunInstances>(&[&token])
}

impl Handler for RunInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Reservation> {
        let once = cx.once(&self, &[])?;
        if let Some(launch) = once.earlier(errors::token_mismatch)? {
            return self.repeat_answer(cx, launch);
        }
        let template = self.to_template(cx)?;
        let (min, max) = self.read_counts()?;
        let mut plans = self.plan_interfaces(cx, (min, max))?;
        let subnet = plans.subnet();
        let zone = (subnet.availability_zone.as_deref(), subnet.availability_zone_id.as_deref());
        let mappings = self.block_device_mappings.as_deref().unwrap_or_default();
        devices::check(mappings, zone)?;
        let vpc = network::find::<Vpc>(cx, subnet.vpc_id.as_deref().unwrap_or_default())?;
        let tenancy = vpc.and_then(|vpc| vpc.instance_tenancy).unwrap_or(Tenancy::Default);
        let mut placement = self.placement.clone().unwrap_or_else(Placement::blank);
        placement.availability_zone.clone_from(&subnet.availability_zone);
        placement.availability_zone_id.clone_from(&subnet.availability_zone_id);
        placement.tenancy.get_or_insert(tenancy);
        placement.group_name.get_or_insert_default();
        let names = subnet.private_dns_name_options_on_launch.clone();
        check_dry_run(self.dry_run)?;
        let mut row = LaunchRow::from_given(self.clone());
        row.associate_public_ip_address = plans.associate_public_ip_address();
        let reservation = ids::new(cx, "r");
        let mut instances = Vec::with_capacity(plans.count);
        for index in 0..plans.count {
            let mut instance = template.clone();
            instance.instance_id = Some(ids::new(cx, Instance::ID_PREFIX));
            attach::attach(cx, &mut instance, &mut plans)?;
            devices::attach(cx, &mut instance, mappings);
            instance.placement = Some(placement.clone());
            instance.private_dns_name_options = instance.private_dns_name_options.or_else(|| names.clone());
            if instance.instance_lifecycle == Some(InstanceLifecycleType::Spot) {
                instance.spot_instance_request_id = Some(["sir-", &cx.ids().hex(8)].concat().into());
            }
            instance.ami_launch_index = i64::try_from(index).ok();
            instance.reservation_id = Some(reservation.clone());
            row.clone().put(cx, &instance, self.user_data.as_ref())?;
            states::start_transition(cx, &mut instance, InstanceStateName::Pending)?;
            instances.push(instance);
        }
        let launch = iter::once(&*reservation).chain(instances.iter().map(Instance::id));
        once.keep(cx, &launch.collect::<Vec<_>>().join(" "))?;
        let instances =
            instances.into_iter().map(|instance| instance.described(cx)).collect::<Result<_>>()?;
        Ok(Reservation::new(cx.scope(), Some(reservation), instances))
    }
}

impl RunInstances {
    /// Returns the instances that were run with the same idempotency token: those with these IDs, after that of the reservation.
    fn repeat_answer(&self, cx: &Tx<'_>, launch: &str) -> Result<Reservation> {
        check_dry_run(self.dry_run)?;
        let mut ids = launch.split(' ');
        let reservation = ids.next().map(Text::from);
        let mut instances = Vec::new();
        for id in ids {
            if let Some(instance) = network::find::<Instance>(cx, id)? {
                instances.push(instance.described(cx)?);
            }
        }
        Ok(Reservation::new(cx.scope(), reservation, instances))
    }

    /// Builds the instance that all new instances are copies of.
    fn to_template(&self, cx: &Tx<'_>) -> Result<Instance> {
        self.check_absent()?;
        let image = network::require_parameter(self.image_id.as_ref(), "ImageId")?;
        ids::check(&image, "ami", errors::image_malformed).map_err(|error| error.with_field("ImageId"))?;
        if let Some(id) = &self.kernel_id {
            check_kernel(id).map_err(|error| error.with_field("KernelId"))?;
        }
        if let Some(id) = &self.ramdisk_id {
            check_ramdisk(id).map_err(|error| error.with_field("RamdiskId"))?;
        }
        let kind = self.instance_type.as_deref().unwrap_or(DEFAULT_TYPE);
        if !hardware::is_type(kind) {
            let error = errors::instance_type_malformed(kind).with_hint("expected a type like t3.micro");
            return Err(error.with_field("InstanceType"));
        }
        self.placement
            .as_ref()
            .map_or(Ok(()), Placement::check)
            .map_err(|error| error.in_field("Placement"))?;
        self.user_data
            .as_ref()
            .map_or(Ok(()), launch::check_user_data)
            .map_err(|error| error.with_field("UserData"))?;
        self.credit_specification.as_ref().map_or(Ok(()), launch::check_credits)?;
        let lifecycle = self.instance_market_options.as_ref().map(launch::read_market).transpose()?.flatten();
        let mut instance = Instance::from_given(self.clone());
        instance.instance_type = Some(kind.into());
        instance.metadata_options =
            self.metadata_options.clone().map(InstanceMetadataOptionsResponse::from_given);
        instance.maintenance_options =
            self.maintenance_options.clone().map(InstanceMaintenanceOptions::from_given);
        let profile = self.iam_instance_profile.as_ref();
        instance.iam_instance_profile = profile.map(|profile| profile.to_profile(cx.scope())).transpose()?;
        instance.instance_lifecycle = lifecycle;
        let is_monitored = self.monitoring.as_ref().and_then(|monitoring| monitoring.enabled) == Some(true);
        instance.monitoring = is_monitored.then(|| Monitoring { state: Some(MonitoringState::Enabled) });
        instance.operator = self.operator.as_ref().map(|operator| OperatorResponse {
            managed: Some(true),
            principal: operator.principal.clone(),
            hidden_by_default: Some(false),
        });
        instance.tags = tagging::read_specifications::<Instance>(self.tag_specifications.as_deref())?;
        Ok(instance)
    }

    /// Refuses resources that do not exist here.
    fn check_absent(&self) -> Result<()> {
        self.launch_template.as_ref().map_or(Ok(()), launch::check_template)?;
        if let Some(license) = self.license_specifications.iter().flatten().next() {
            let arn = license.license_configuration_arn.as_deref().unwrap_or_default();
            return Err(errors::license_configuration_not_found(arn).with_field("LicenseSpecifications"));
        }
        if self.elastic_gpu_specification.iter().flatten().next().is_some() {
            return Err(errors::elastic_gpu_withdrawn().with_field("ElasticGpuSpecification"));
        }
        if self.elastic_inference_accelerators.iter().flatten().next().is_some() {
            return Err(errors::elastic_inference_withdrawn().with_field("ElasticInferenceAccelerators"));
        }
        if let Some(interface) = self.secondary_interfaces.iter().flatten().next() {
            let subnet = interface.secondary_subnet_id.as_deref().unwrap_or_default();
            return Err(errors::secondary_subnet_not_found(subnet).with_field("SecondaryInterfaces"));
        }
        let Some(reservation) = &self.capacity_reservation_specification else { return Ok(()) };
        let field = "CapacityReservationSpecification";
        if let Some(target) = &reservation.capacity_reservation_target {
            let group = target.capacity_reservation_resource_group_arn.as_ref();
            let id = target.capacity_reservation_id.as_ref().or(group);
            let id = network::require_parameter(id, "CapacityReservationId")?;
            return Err(errors::capacity_reservation_not_found(id).with_field(field));
        }
        match reservation.capacity_reservation_preference {
            Some(CapacityReservationPreference::CapacityReservationsOnly) => {
                Err(errors::no_reserved_capacity().with_field(field))
            }
            _ => Ok(()),
        }
    }

    /// Validates the minimum and maximum number of instances.
    fn read_counts(&self) -> Result<(usize, usize)> {
        let count = |count: i64, name: &str, field: &str| match usize::try_from(count) {
            Ok(count @ 1..) => Ok(count),
            _ => Err(errors::count_too_small(count, name).with_field(field)),
        };
        let min = count(self.min_count, "minCount", "MinCount")?;
        let max = count(self.max_count, "maxCount", "MaxCount")?;
        if min > max {
            return Err(errors::min_count_too_large(min, max).with_field("MinCount"));
        }
        Ok((min, max))
    }

    /// Finds the subnet of a network interface: by ID, or a default subnet.
    pub(crate) fn find_subnet(&self, cx: &Tx<'_>, id: Option<&Text>) -> Result<Subnet> {
        let placement = self.placement.as_ref();
        let name = placement.and_then(|placement| placement.availability_zone.as_deref());
        let zone_id = placement.and_then(|placement| placement.availability_zone_id.as_deref());
        let zone = zones::find(cx.scope(), name, zone_id).map_err(|error| error.in_field("Placement"))?;
        let in_zone = |subnet: &Subnet| zone.is_none() || subnet.availability_zone == zone;
        if let Some(id) = id {
            let subnet: Subnet = network::require(cx, id, "SubnetId")?;
            if in_zone(&subnet) {
                return Ok(subnet);
            }
            return Err(errors::zone_of_subnet_differs(zone.unwrap_or_default(), id)
                .with_hint(subnet.availability_zone.unwrap_or_default())
                .with_field("Placement.AvailabilityZone"));
        }
        let Some(vpc) = vpc::find_default(cx)? else {
            return Err(errors::vpc_not_specified().with_hint("set SubnetId"));
        };
        let mut defaults = subnet::find_defaults(cx)?.into_iter();
        defaults.find(in_zone).ok_or_else(|| errors::no_default_subnet(vpc.id()))
    }
}

/// Refuses a malformed ID of a kernel.
pub(crate) fn check_kernel(id: &str) -> Result<()> {
    ids::check(id, "aki", errors::kernel_malformed)
}

/// Refuses a malformed ID of a RAM disk.
pub(crate) fn check_ramdisk(id: &str) -> Result<()> {
    ids::check(id, "ari", errors::ramdisk_malformed)
}

impl Placement {
    /// Refuses hosts and placement groups that do not exist here.
    fn check(&self) -> Result<()> {
        let is_given = |text: &Option<Text>| text.as_deref().is_some_and(|text| !text.is_empty());
        let text = |text: &Option<Text>| text.clone().unwrap_or_default();
        if is_given(&self.group_name) {
            return Err(errors::placement_group_unknown(text(&self.group_name)).with_field("GroupName"));
        }
        if is_given(&self.group_id) {
            return Err(errors::placement_group_unknown(text(&self.group_id)).with_field("GroupId"));
        }
        if self.partition_number.is_some() {
            return Err(errors::partition_without_group().with_field("PartitionNumber"));
        }
        if is_given(&self.host_id) {
            return Err(errors::host_not_found(text(&self.host_id)).with_field("HostId"));
        }
        if is_given(&self.host_resource_group_arn) {
            let error = errors::host_group_not_found(text(&self.host_resource_group_arn));
            return Err(error.with_field("HostResourceGroupArn"));
        }
        if is_given(&self.affinity) && self.tenancy != Some(Tenancy::Host) {
            return Err(errors::affinity_without_host().with_field("Affinity"));
        }
        match self.tenancy {
            Some(Tenancy::Host) => Err(errors::no_dedicated_host().with_field("Tenancy")),
            _ => Ok(()),
        }
    }
}

impl IamInstanceProfileSpecification {
    /// Converts the profile to its form in answers. Any profile is assumed to exist.
    fn to_profile(&self, scope: &Scope) -> Result<IamInstanceProfile> {
        let arn = match (&self.arn, &self.name) {
            (Some(_), Some(_)) => return Err(errors::profile_name_and_arn().with_field("IamInstanceProfile")),
            (Some(arn), None) => arn.clone(),
            (None, name) => {
                let name = network::require_parameter(name.as_ref(), "iamInstanceProfile.name")?;
                let is_allowed = |c: char| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c);
                if name.is_empty() || name.len() > 128 || !name.chars().all(is_allowed) {
                    return Err(errors::profile_name_invalid(&name).with_field("IamInstanceProfile.Name"));
                }
                ["arn:aws:iam::", scope.account(), ":instance-profile/", &name].concat().into()
            }
        };
        if !matches!(Arn::parts(&arn), Some([_, "iam", "", _, resource]) if resource.starts_with("instance-profile/"))
        {
            return Err(errors::profile_arn_invalid(&arn).with_field("IamInstanceProfile.Arn"));
        }
        let digest = hex::encode(&Sha256::digest(arn.as_bytes())[..9]).to_uppercase();
        let id = ["AIPA", &digest[..17]].concat();
        Ok(IamInstanceProfile { arn: Some(arn), id: Some(id.into()) })
    }
}
