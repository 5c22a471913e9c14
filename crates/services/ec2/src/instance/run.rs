//! Running instances.

use super::{GroupIdentifier, Instance, InstanceStateName, Placement, Reservation, states};
use crate::{
    SERVICE,
    calls::{DryRun, Tagged},
    errors, ids, interface,
    network::{self, Member},
    only_to_try,
    security_group::{self, Definition},
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

/// Type of the machine by default.
const USUAL_TYPE: &str = "m1.small";

/// Maximum number of security groups of an instance.
const MOST_GROUPS: usize = 5;

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
    /// Maximum number: as many as there are addresses for.
    pub max_count: i64,
    /// Minimum number, or none is run.
    pub min_count: i64,
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(wire = "SecurityGroupId")]
    pub security_group_ids: Option<Vec<Text>>,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "SecurityGroup")]
    pub security_groups: Option<Vec<Text>>,
    /// Idempotency token: calls with the same one are carried out once.
    #[field(wire = "clientToken", token, length(1..=64))]
    pub client_token: Option<Text>,
}

/// An idempotency token that instances were run with: stored as long as one of them is.
#[derive(Record)]
#[record(row)]
pub struct ClientToken {
    /// The token.
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

    /// Forgets that `instance` was run with its token.
    pub(super) fn forget(cx: &mut Tx<'_>, instance: &Instance) -> Result<()> {
        let Some(token) = &instance.client_token else { return Ok(()) };
        let Some(mut kept) = Self::find(cx, token)? else { return Ok(()) };
        let left = kept.instance_ids.get_or_insert_default();
        left.retain(|id| id != instance.id());
        if left.is_empty() { cx.remove(&kept) } else { cx.put(kept) }
    }
}

impl Handler for RunInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Reservation> {
        let kept =
            self.client_token.as_deref().map(|token| ClientToken::find(cx, token)).transpose()?.flatten();
        if let Some(kept) = kept {
            return self.again(cx, kept);
        }
        let pattern = self.pattern()?;
        let (min, max) = self.counts()?;
        let subnet = self.subnet(cx)?;
        let groups = self.groups(cx, &subnet)?;
        let vpc = network::find::<Vpc>(cx, subnet.vpc_id.as_deref().unwrap_or_default())?;
        let tenancy = vpc.and_then(|vpc| vpc.instance_tenancy).unwrap_or(Tenancy::Default);
        let places = match self.private_ip_address.as_deref() {
            Some(_) if max > 1 => {
                let why = "several instances cannot have one address";
                return Err(errors::COMBINATION.with_message(why).with_field("PrivateIpAddress"));
            }
            Some(address) => vec![interface::place(cx, &subnet, address)?],
            None => interface::places(cx, &subnet, max)?,
        };
        if places.len() < min {
            let why =
                format!("There are not enough free addresses in subnet '{}': {}", subnet.id(), places.len());
            return Err(errors::NO_ADDRESSES.with_message(why));
        }
        only_to_try(self.dry_run)?;
        let reservation = ids::new(cx, "r");
        let mut made = Vec::with_capacity(places.len());
        for (index, place) in places.into_iter().enumerate() {
            let mut instance = pattern.clone();
            instance.instance_id = Some(ids::new(cx, Instance::WORD));
            let own = groups.iter().filter_map(|group| group.group_id.clone()).collect();
            let address = interface::put(cx, &subnet, place, instance.id(), own)?;
            instance.private_ip_address = Some(address.to_string().into());
            instance.security_groups = Some(groups.clone());
            (instance.subnet_id, instance.vpc_id) = (subnet.subnet_id.clone(), subnet.vpc_id.clone());
            let placement = instance.placement.get_or_insert_with(Placement::blank);
            placement.availability_zone.clone_from(&subnet.availability_zone);
            placement.availability_zone_id.clone_from(&subnet.availability_zone_id);
            placement.tenancy.get_or_insert_with(|| tenancy.clone());
            instance.ami_launch_index = i64::try_from(index).ok();
            instance.reservation_id = Some(reservation.clone());
            states::begin(cx, &mut instance, InstanceStateName::Pending)?;
            made.push(instance);
        }
        if let Some(token) = &self.client_token {
            cx.put(ClientToken {
                client_token: Some(token.clone()),
                digest: Some(self.digest()),
                reservation_id: Some(reservation.clone()),
                instance_ids: Some(made.iter().map(|instance| instance.id().into()).collect()),
            })?;
        }
        let made = made.into_iter().map(|instance| instance.described(cx)).collect::<Result<_>>()?;
        Ok(Reservation::of(cx.scope(), Some(reservation), made))
    }
}

impl RunInstances {
    /// The answer to the same call before.
    fn again(&self, cx: &Tx<'_>, kept: ClientToken) -> Result<Reservation> {
        if kept.digest != Some(self.digest()) {
            let why = "this token was used with other parameters";
            return Err(errors::TOKEN_MISMATCH.with_message(why).with_field("ClientToken"));
        }
        only_to_try(self.dry_run)?;
        let mut instances = Vec::new();
        for id in kept.instance_ids.iter().flatten() {
            if let Some(instance) = network::find::<Instance>(cx, id)? {
                instances.push(instance.described(cx)?);
            }
        }
        Ok(Reservation::of(cx.scope(), kept.reservation_id, instances))
    }

    /// Digest of the parameters.
    fn digest(&self) -> Text {
        let mut asked = self.clone();
        (asked.client_token, asked.dry_run) = (None, None);
        let text = json::write(Ref::Record(&asked), Writing::EXPOSED);
        ids::hex(&Sha256::digest(text.as_bytes())[..16]).into()
    }

    /// The instance that all of them are like.
    fn pattern(&self) -> Result<Instance> {
        let image = network::given(self.image_id.as_ref(), "ImageId")?;
        ids::check(&image, "ami", &errors::IMAGE_MALFORMED).map_err(|error| error.with_field("ImageId"))?;
        let kind = self.instance_type.as_deref().unwrap_or(USUAL_TYPE);
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if !kind.split_once('.').is_some_and(|(family, size)| is_part(family) && is_part(size)) {
            let why = format!("Invalid value '{kind}' for InstanceType: it is written like t3.micro");
            return Err(errors::INVALID.with_message(why).with_field("InstanceType"));
        }
        if self.placement.as_ref().is_some_and(|placement| placement.tenancy == Some(Tenancy::Host)) {
            let why = "there are no hosts of the account's own; say default or dedicated";
            return Err(errors::INVALID.with_message(why).with_field("Placement.Tenancy"));
        }
        let mut given = self.clone();
        // Names of groups are no groups yet.
        given.security_groups = None;
        let mut instance = Instance::from_given(given);
        instance.instance_type.get_or_insert_with(|| kind.into());
        instance.tags = tagging::specified::<Instance>(self.tag_specifications.as_deref())?;
        Ok(instance)
    }

    /// The minimum and maximum number.
    fn counts(&self) -> Result<(usize, usize)> {
        let count = |count: i64, field: &str| match usize::try_from(count) {
            Ok(count @ 1..) => Ok(count),
            _ => Err(errors::INVALID.with_message(format!("{count} is less than 1")).with_field(field)),
        };
        let (min, max) = (count(self.min_count, "MinCount")?, count(self.max_count, "MaxCount")?);
        if min > max {
            let why = format!("is more than MaxCount, {max}");
            return Err(errors::INVALID.with_message(why).with_field("MinCount"));
        }
        Ok((min, max))
    }

    /// The subnet that is meant.
    fn subnet(&self, cx: &Tx<'_>) -> Result<Subnet> {
        let placement = self.placement.as_ref();
        let name = placement.and_then(|placement| placement.availability_zone.as_deref());
        let id = placement.and_then(|placement| placement.availability_zone_id.as_deref());
        let zone = zones::named(cx.scope(), name, id).map_err(|error| error.in_field("Placement"))?;
        let is_there = |subnet: &Subnet| zone.is_none() || subnet.availability_zone == zone;
        if let Some(id) = &self.subnet_id {
            let subnet: Subnet = network::require(cx, id, "SubnetId")?;
            if !is_there(&subnet) {
                let why = format!("subnet {id} is in another zone");
                return Err(errors::INVALID.with_message(why).with_field("Placement.AvailabilityZone"));
            }
            return Ok(subnet);
        }
        if vpc::default(cx)?.is_none() {
            return Err(errors::VPC_NOT_SPECIFIED.with_message("No default VPC for this user; say SubnetId"));
        }
        let mut defaults = subnet::defaults(cx)?.into_iter();
        let missing = || errors::NO_SUBNET.with_message("No subnets found for the default VPC; say SubnetId");
        defaults.find(is_there).ok_or_else(missing)
    }

    /// The security groups that are meant.
    fn groups(&self, cx: &Tx<'_>, subnet: &Subnet) -> Result<Vec<GroupIdentifier>> {
        let vpc = subnet.vpc_id.as_deref().unwrap_or_default();
        let mut groups: Vec<Definition> = Vec::new();
        for id in self.security_group_ids.iter().flatten() {
            let group: Definition = network::require(cx, id, "SecurityGroupIds")?;
            if group.vpc() != vpc {
                let why =
                    format!("Security group {id} and subnet {} belong to different networks.", subnet.id());
                return Err(errors::OTHER_NETWORK.with_message(why).with_field("SecurityGroupIds"));
            }
            groups.push(group);
        }
        if self.security_groups.is_some() && self.subnet_id.is_some() {
            let why = "The parameter groupName cannot be used with the parameter subnet";
            return Err(errors::COMBINATION.with_message(why).with_field("SecurityGroups"));
        }
        for name in self.security_groups.iter().flatten() {
            groups.push(
                security_group::named(cx, None, Some(name))
                    .map_err(|error| error.with_field("SecurityGroups"))?,
            );
        }
        if groups.is_empty() {
            groups.extend(security_group::default_of(cx, vpc)?);
        }
        let mut told: Vec<GroupIdentifier> = Vec::new();
        for group in groups {
            let own =
                GroupIdentifier { group_id: Some(group.id().into()), group_name: Some(group.name().into()) };
            if !told.contains(&own) {
                told.push(own);
            }
        }
        if told.len() > MOST_GROUPS {
            let why = format!("an instance has at most {MOST_GROUPS} security groups, not {}", told.len());
            return Err(errors::TOO_MANY_GROUPS.with_message(why).with_field("SecurityGroupIds"));
        }
        Ok(told)
    }
}
