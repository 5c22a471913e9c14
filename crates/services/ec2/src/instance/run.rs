//! Running instances.

use super::{GroupIdentifier, Instance, InstanceStateName, Placement, Reservation, states};
use crate::{
    SERVICE,
    calls::{DryRun, Tagged},
    check_dry_run, errors, ids, interface,
    network::{self, Member},
    security_group::{self, SecurityGroupRow},
    subnet::{self, Subnet},
    tagging,
    vpc::{self, Tenancy, Vpc},
    zones,
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{
    Record, Ref, Result, Text,
    field_value::FieldType,
    json::{self, Writing},
    operation,
};
use sha2::{Digest, Sha256};

/// Default instance type.
const DEFAULT_TYPE: &str = "m1.small";

/// Maximum number of security groups of an instance.
const MAX_GROUPS: usize = 5;

/// Runs instances.
#[operation(
    service = SERVICE, of = Instance,
    takes(
        image_id(wire = "ImageId"), instance_type(wire = "InstanceType"), key_name(wire = "KeyName"),
        placement(wire = "Placement"), subnet_id(wire = "SubnetId"), private_ip_address
    ),
    also(Tagged, DryRun), effect = write, output = Reservation, subject = "instance/*"
)]
pub struct RunInstances {
    /// Maximum number of instances; fewer are run if there are not enough addresses.
    pub max_count: i64,
    /// Minimum number of instances, or none is run.
    pub min_count: i64,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(wire = "SecurityGroupId")]
    pub security_group_ids: Option<Vec<Text>>,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "SecurityGroup")]
    pub security_groups: Option<Vec<Text>>,
    /// Idempotency token: a repeated call with the same token returns the same instances and runs no others.
    #[field(wire = "clientToken", token, length(1..=64))]
    pub client_token: Option<Text>,
}

/// Row of an idempotency token that instances were run with. It is stored as long as one of them.
#[derive(Record)]
#[record(row)]
pub(crate) struct ClientToken {
    /// Idempotency token.
    client_token: Option<Text>,
    /// Digest of the parameters of the call.
    digest: Option<Text>,
    /// ID of the reservation.
    reservation_id: Option<Text>,
    /// IDs of the instances.
    instance_ids: Option<Vec<Text>>,
}

nephos_cloud::stored!(ClientToken in "ec2/client-token" by client_token);

impl ClientToken {
    fn find(cx: &Tx<'_>, token: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(token))
    }

    /// Removes `instance` from the row of its token; the row is removed with its last instance.
    pub(super) fn remove_instance(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
        let Some(token) = &instance.client_token else { return Ok(()) };
        let Some(mut row) = Self::find(cx, token)? else { return Ok(()) };
        let left = row.instance_ids.get_or_insert_default();
        left.retain(|id| id != instance.id());
        if left.is_empty() { cx.remove(&row) } else { cx.put(row) }
    }
}

impl Handler for RunInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Reservation> {
        let used_token =
            self.client_token.as_deref().map(|token| ClientToken::find(cx, token)).transpose()?.flatten();
        if let Some(used_token) = used_token {
            return self.repeat_answer(cx, used_token);
        }
        let template = self.to_template()?;
        let (min, max) = self.read_counts()?;
        let subnet = self.find_subnet(cx)?;
        let groups = self.find_groups(cx, &subnet)?;
        let vpc = network::find::<Vpc>(cx, subnet.vpc_id.as_deref().unwrap_or_default())?;
        let tenancy = vpc.and_then(|vpc| vpc.instance_tenancy).unwrap_or(Tenancy::Default);
        let offsets = match self.private_ip_address.as_deref() {
            Some(_) if max > 1 => {
                let message = "PrivateIpAddress can only be set for a single instance";
                return Err(errors::COMBINATION.with_message(message).with_field("PrivateIpAddress"));
            }
            Some(address) => vec![interface::require_free(cx, &subnet, address)?],
            None => interface::find_free(cx, &subnet, max)?,
        };
        if offsets.len() < min {
            let message = format!(
                "There are not enough free addresses in subnet '{}': {min} are required, {} are free",
                subnet.id(),
                offsets.len()
            );
            return Err(errors::NO_ADDRESSES.with_message(message));
        }
        check_dry_run(self.dry_run)?;
        let reservation = ids::new(cx, "r");
        let mut instances = Vec::with_capacity(offsets.len());
        for (index, offset) in offsets.into_iter().enumerate() {
            let mut instance = template.clone();
            instance.instance_id = Some(ids::new(cx, Instance::ID_PREFIX));
            let group_ids = groups.iter().filter_map(|group| group.group_id.clone()).collect();
            let address = interface::create(cx, &subnet, offset, instance.id(), group_ids)?;
            instance.private_ip_address = Some(address.to_string().into());
            instance.security_groups = Some(groups.clone());
            (instance.subnet_id, instance.vpc_id) = (subnet.subnet_id.clone(), subnet.vpc_id.clone());
            let placement = instance.placement.get_or_insert_with(Placement::blank);
            placement.availability_zone.clone_from(&subnet.availability_zone);
            placement.availability_zone_id.clone_from(&subnet.availability_zone_id);
            placement.tenancy.get_or_insert_with(|| tenancy.clone());
            instance.ami_launch_index = i64::try_from(index).ok();
            instance.reservation_id = Some(reservation.clone());
            states::start_transition(cx, &mut instance, InstanceStateName::Pending)?;
            instances.push(instance);
        }
        if let Some(token) = &self.client_token {
            cx.put(ClientToken {
                client_token: Some(token.clone()),
                digest: Some(self.digest()),
                reservation_id: Some(reservation.clone()),
                instance_ids: Some(instances.iter().map(|instance| instance.id().into()).collect()),
            })?;
        }
        let instances =
            instances.into_iter().map(|instance| instance.described(cx)).collect::<Result<_>>()?;
        Ok(Reservation::new(cx.scope(), Some(reservation), instances))
    }
}

impl RunInstances {
    /// Returns the instances that were run with the same idempotency token.
    fn repeat_answer(&self, cx: &Tx<'_>, used_token: ClientToken) -> Result<Reservation> {
        if used_token.digest != Some(self.digest()) {
            let message = "The client token was used with other parameters";
            return Err(errors::TOKEN_MISMATCH.with_message(message).with_field("ClientToken"));
        }
        check_dry_run(self.dry_run)?;
        let mut instances = Vec::new();
        for id in used_token.instance_ids.iter().flatten() {
            if let Some(instance) = network::find::<Instance>(cx, id)? {
                instances.push(instance.described(cx)?);
            }
        }
        Ok(Reservation::new(cx.scope(), used_token.reservation_id, instances))
    }

    /// Digest of the parameters, without the token.
    fn digest(&self) -> Text {
        let mut parameters = self.clone();
        (parameters.client_token, parameters.dry_run) = (None, None);
        let text = json::write(Ref::Record(&parameters), Writing::EXPOSED);
        ids::hex(&Sha256::digest(text.as_bytes())[..16]).into()
    }

    /// Builds the instance that all new instances are copies of.
    fn to_template(&self) -> Result<Instance> {
        let image = network::require_parameter(self.image_id.as_ref(), "ImageId")?;
        ids::check(&image, "ami", &errors::IMAGE_MALFORMED).map_err(|error| error.with_field("ImageId"))?;
        let kind = self.instance_type.as_deref().unwrap_or(DEFAULT_TYPE);
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if !kind.split_once('.').is_some_and(|(family, size)| is_part(family) && is_part(size)) {
            let message = format!("Invalid value '{kind}' for InstanceType: expected a type like t3.micro");
            return Err(errors::INVALID.with_message(message).with_field("InstanceType"));
        }
        if self.placement.as_ref().is_some_and(|placement| placement.tenancy == Some(Tenancy::Host)) {
            let message = "dedicated hosts are not supported; expected default or dedicated, got host";
            return Err(errors::INVALID.with_message(message).with_field("Placement.Tenancy"));
        }
        let mut given = self.clone();
        // The parameter contains names, the field of the instance contains groups.
        given.security_groups = None;
        let mut instance = Instance::from_given(given);
        instance.instance_type.get_or_insert_with(|| kind.into());
        instance.tags = tagging::read_specifications::<Instance>(self.tag_specifications.as_deref())?;
        Ok(instance)
    }

    /// Validates the minimum and maximum number of instances.
    fn read_counts(&self) -> Result<(usize, usize)> {
        let count = |count: i64, field: &str| match usize::try_from(count) {
            Ok(count @ 1..) => Ok(count),
            _ => Err(errors::INVALID
                .with_message(format!("must be at least 1, got {count}"))
                .with_field(field)),
        };
        let (min, max) = (count(self.min_count, "MinCount")?, count(self.max_count, "MaxCount")?);
        if min > max {
            let message = format!("must be at most MaxCount, {max}, got {min}");
            return Err(errors::INVALID.with_message(message).with_field("MinCount"));
        }
        Ok((min, max))
    }

    /// Finds the subnet of the instances: by ID, or a default subnet.
    fn find_subnet(&self, cx: &Tx<'_>) -> Result<Subnet> {
        let placement = self.placement.as_ref();
        let name = placement.and_then(|placement| placement.availability_zone.as_deref());
        let id = placement.and_then(|placement| placement.availability_zone_id.as_deref());
        let zone = zones::find(cx.scope(), name, id).map_err(|error| error.in_field("Placement"))?;
        let in_zone = |subnet: &Subnet| zone.is_none() || subnet.availability_zone == zone;
        if let Some(id) = &self.subnet_id {
            let subnet: Subnet = network::require(cx, id, "SubnetId")?;
            if !in_zone(&subnet) {
                let message = format!(
                    "the subnet {id} is in another zone: {}",
                    subnet.availability_zone.as_deref().unwrap_or_default()
                );
                return Err(errors::INVALID.with_message(message).with_field("Placement.AvailabilityZone"));
            }
            return Ok(subnet);
        }
        if vpc::find_default(cx)?.is_none() {
            return Err(
                errors::VPC_NOT_SPECIFIED.with_message("No default VPC for this user; specify SubnetId")
            );
        }
        let mut defaults = subnet::find_defaults(cx)?.into_iter();
        let no_subnet =
            || errors::NO_SUBNET.with_message("No subnets found for the default VPC; specify SubnetId");
        defaults.find(in_zone).ok_or_else(no_subnet)
    }

    /// Finds the security groups of the instances: by ID, by name, or the default one of the VPC.
    fn find_groups(&self, cx: &Tx<'_>, subnet: &Subnet) -> Result<Vec<GroupIdentifier>> {
        let vpc = subnet.vpc_id.as_deref().unwrap_or_default();
        let mut groups: Vec<SecurityGroupRow> = Vec::new();
        for id in self.security_group_ids.iter().flatten() {
            let group: SecurityGroupRow = network::require(cx, id, "SecurityGroupIds")?;
            if group.vpc() != vpc {
                let message =
                    format!("Security group {id} and subnet {} belong to different networks.", subnet.id());
                return Err(errors::OTHER_NETWORK.with_message(message).with_field("SecurityGroupIds"));
            }
            groups.push(group);
        }
        if self.security_groups.is_some() && self.subnet_id.is_some() {
            let message = "The parameter groupName cannot be used with the parameter subnet";
            return Err(errors::COMBINATION.with_message(message).with_field("SecurityGroups"));
        }
        for name in self.security_groups.iter().flatten() {
            groups.push(
                security_group::require_by_id_or_name(cx, None, Some(name))
                    .map_err(|error| error.with_field("SecurityGroups"))?,
            );
        }
        if groups.is_empty() {
            groups.extend(security_group::find_default(cx, vpc)?);
        }
        let mut identifiers: Vec<GroupIdentifier> = Vec::new();
        for group in groups {
            let identifier =
                GroupIdentifier { group_id: Some(group.id().into()), group_name: Some(group.name().into()) };
            if !identifiers.contains(&identifier) {
                identifiers.push(identifier);
            }
        }
        if identifiers.len() > MAX_GROUPS {
            let message = format!(
                "an instance can have at most {MAX_GROUPS} security groups, got {}",
                identifiers.len()
            );
            return Err(errors::TOO_MANY_GROUPS.with_message(message).with_field("SecurityGroupIds"));
        }
        Ok(identifiers)
    }
}
