//! Instances: machines in a subnet. They have states, addresses and security groups, but nothing runs on them.

use super::{
    SERVICE, Tag,
    calls::{DryRun, Filtered, PagedInLowerCase},
    errors, filters, interface,
    network::{self, Member},
    security_group::SecurityGroup,
    subnet::Subnet,
    vpc::{Tenancy, Vpc},
};
use nephos_cloud::{Filterable, Handler, Scope, Tx};
use nephos_core::{Record, Resource, Result, Slot, Text, Timestamp, choices, operation};

mod calls;
mod run;
mod states;

pub use calls::{
    InstanceCreate, InstanceCreateCall, InstanceDelete, InstanceDeleteCall, InstanceRun, InstanceRunCall,
    InstanceUpdate, InstanceUpdateCall,
};
pub(crate) use run::ClientToken;
pub use run::RunInstances;
pub(crate) use states::{InstanceRemoval, InstanceTransition};
pub use states::{
    InstanceStart, InstanceStartCall, InstanceStateChange, InstanceStop, InstanceStopCall, InstanceTerminate,
    InstanceTerminateCall, StartInstances, StartInstancesResult, StopInstances, StopInstancesResult,
    TerminateInstances, TerminateInstancesResult,
};

choices! {
    /// State of an instance.
    pub enum InstanceStateName {
        /// It is starting.
        Pending = "pending",
        /// It is running.
        Running = "running",
        /// It is being terminated.
        ShuttingDown = "shutting-down",
        /// It was terminated, and is listed for another hour.
        Terminated = "terminated",
        /// It is stopping.
        Stopping = "stopping",
        /// It is stopped and can be started.
        Stopped = "stopped",
    }
}

/// State of an instance, as a number and a name.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceState {
    /// Number of the state.
    code: Option<i64>,
    /// Name of the state.
    name: Option<InstanceStateName>,
}

impl From<InstanceStateName> for InstanceState {
    fn from(name: InstanceStateName) -> Self {
        let code = match name {
            InstanceStateName::Pending => Some(0),
            InstanceStateName::Running => Some(16),
            InstanceStateName::ShuttingDown => Some(32),
            InstanceStateName::Terminated => Some(48),
            InstanceStateName::Stopping => Some(64),
            InstanceStateName::Stopped => Some(80),
            InstanceStateName::Unknown(_) => None,
        };
        Self { code, name: Some(name) }
    }
}

/// Reason for the state of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct StateReason {
    /// Code of the reason.
    code: Option<Text>,
    /// Text of the reason.
    message: Option<Text>,
}

/// Placement of an instance: its zone and hardware.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Placement {
    /// ID of the zone.
    availability_zone_id: Option<Text>,
    /// Hardware that the instance runs on.
    tenancy: Option<Tenancy>,
    /// Name of the zone.
    availability_zone: Option<Text>,
}

/// A security group by ID and name.
#[derive(Record)]
#[record(wire = "camel")]
pub struct GroupIdentifier {
    /// ID.
    group_id: Option<Text>,
    /// Name.
    group_name: Option<Text>,
}

choices! {
    /// Status of a network interface.
    pub enum NetworkInterfaceStatus {
        /// It is not attached.
        Available = "available",
        /// It is associated with something.
        Associated = "associated",
        /// It is being attached.
        Attaching = "attaching",
        /// It is attached.
        InUse = "in-use",
        /// It is being detached.
        Detaching = "detaching",
    }
}

/// Network interface of an instance.
#[derive(Record)]
#[record(wire = "camel")]
pub struct InstanceNetworkInterface {
    /// Security groups.
    #[field(wire = "groupSet")]
    groups: Option<Vec<GroupIdentifier>>,
    /// ID.
    network_interface_id: Option<Text>,
    /// Account of the owner.
    owner_id: Option<Text>,
    /// DNS name of the address.
    private_dns_name: Option<Text>,
    /// Address.
    private_ip_address: Option<Text>,
    /// Status.
    status: Option<NetworkInterfaceStatus>,
    /// ID of the subnet.
    subnet_id: Option<Text>,
    /// ID of the VPC.
    vpc_id: Option<Text>,
}

/// An instance.
#[derive(Resource)]
#[resource(
    service = SERVICE, wire = "camel", absent = super::errors::INSTANCE_NOT_FOUND,
    pk = "InstanceId", saved_when = "InstanceId", tags = "Tags",
    calls(
        InstanceCreate, InstanceGet, DescribeInstances, InstanceUpdate, InstanceDelete, InstanceRun, InstanceStart,
        InstanceStop, InstanceTerminate
    ),
    create = InstanceCreate, update = InstanceUpdate, delete = InstanceDelete, get = InstanceGet,
    relation(subnet, one = Subnet, with = calls::subnet_of),
    relation(vpc, one = Vpc, with = calls::vpc_of),
    relation(groups, many = SecurityGroup, with = calls::groups_of),
)]
pub struct Instance {
    /// ID.
    #[field(service_set)]
    instance_id: Option<Text>,
    /// ID of the image; any ID of the right form is accepted.
    #[field(required, fixed)]
    image_id: Option<Text>,
    /// Type of the machine; `m1.small` by default.
    #[field(fixed)]
    instance_type: Option<Text>,
    /// Name of the key pair.
    #[field(fixed, length(1..=255))]
    key_name: Option<Text>,
    /// ID of the subnet; a default subnet by default.
    #[field(fixed)]
    subnet_id: Option<Text>,
    /// Address in the subnet; a free one by default.
    #[field(fixed)]
    private_ip_address: Option<Text>,
    /// Zone and hardware.
    #[field(fixed)]
    placement: Option<Placement>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// State.
    #[field(service_set, wire = "instanceState")]
    state: Option<InstanceState>,
    /// Reason for the state.
    #[field(service_set)]
    state_reason: Option<StateReason>,
    /// Cause and time of the last change of state.
    #[field(service_set, wire = "reason")]
    state_transition_reason: Option<Text>,
    /// Security groups.
    #[field(service_set, wire = "groupSet")]
    security_groups: Option<Vec<GroupIdentifier>>,
    /// ID of the VPC.
    #[field(service_set)]
    vpc_id: Option<Text>,
    /// DNS name of the address.
    #[field(service_set)]
    private_dns_name: Option<Text>,
    /// Public address; only while the instance is running.
    #[field(service_set, wire = "ipAddress")]
    public_ip_address: Option<Text>,
    /// DNS name of the public address.
    #[field(service_set, wire = "dnsName")]
    public_dns_name: Option<Text>,
    /// Time of the last start.
    #[field(service_set)]
    launch_time: Option<Timestamp>,
    /// Index among the instances of the reservation.
    #[field(service_set)]
    ami_launch_index: Option<i64>,
    /// Idempotency token of the call that ran the instance.
    #[field(service_set)]
    client_token: Option<Text>,
    /// Network interfaces.
    #[field(service_set, wire = "networkInterfaceSet")]
    network_interfaces: Option<Vec<InstanceNetworkInterface>>,
    /// ID of the reservation.
    #[field(service_set, not_on_wire)]
    reservation_id: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    Instance in "ec2/instance" by instance_id;
    derived(private_dns_name, public_dns_name, network_interfaces) => set_derived
}

impl Instance {
    /// Name of the state.
    pub fn state_name(&self) -> Option<&InstanceStateName> {
        self.state.as_ref().and_then(|state| state.name.as_ref())
    }

    /// Sets the fields that are derived from other fields and the scope.
    fn set_derived(&mut self, scope: &Scope) {
        let dns_name = |address: &Text, prefix: &str, suffix: &str| {
            Text::from([prefix, "-", &address.replace('.', "-"), suffix].concat())
        };
        let (private, public) = match scope.region() {
            "us-east-1" => (".ec2.internal".to_owned(), ".compute-1.amazonaws.com".to_owned()),
            region => (format!(".{region}.compute.internal"), format!(".{region}.compute.amazonaws.com")),
        };
        self.private_dns_name =
            self.private_ip_address.as_ref().map(|address| dns_name(address, "ip", &private));
        self.public_dns_name =
            self.public_ip_address.as_ref().map(|address| dns_name(address, "ec2", &public));
    }
}

impl Member for Instance {
    type Described = Self;

    network::member!(instance_id "i", "instance", INSTANCE_NOT_FOUND, INSTANCE_MALFORMED);

    fn described(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.network_interfaces = Some(Vec::new());
        let (Some(subnet), Some(address)) = (&self.subnet_id, &self.private_ip_address) else {
            return Ok(self);
        };
        let Some(subnet) = network::find::<Subnet>(cx, subnet)? else { return Ok(self) };
        let interface = interface::find(cx, &subnet, address)?.map(|interface| InstanceNetworkInterface {
            groups: self.security_groups.clone(),
            network_interface_id: interface.network_interface_id,
            owner_id: Some(cx.scope().account().into()),
            private_dns_name: self.private_dns_name.clone(),
            private_ip_address: self.private_ip_address.clone(),
            status: Some(NetworkInterfaceStatus::InUse),
            subnet_id: self.subnet_id.clone(),
            vpc_id: self.vpc_id.clone(),
        });
        self.network_interfaces = Some(interface.into_iter().collect());
        Ok(self)
    }
}

impl Filterable for Instance {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("availability-zone", "Placement.AvailabilityZone"),
        ("availability-zone-id", "Placement.AvailabilityZoneId"),
        ("client-token", "ClientToken"),
        ("dns-name", "PublicDnsName"),
        ("image-id", "ImageId"),
        ("instance-id", "InstanceId"),
        ("instance-state-code", "State.Code"),
        ("instance-state-name", "State.Name"),
        ("instance-type", "InstanceType"),
        ("instance.group-id", "SecurityGroups.GroupId"),
        ("instance.group-name", "SecurityGroups.GroupName"),
        ("ip-address", "PublicIpAddress"),
        ("key-name", "KeyName"),
        ("launch-index", "AmiLaunchIndex"),
        ("launch-time", "LaunchTime"),
        ("network-interface.group-id", "NetworkInterfaces.Groups.GroupId"),
        ("network-interface.group-name", "NetworkInterfaces.Groups.GroupName"),
        ("network-interface.network-interface-id", "NetworkInterfaces.NetworkInterfaceId"),
        ("network-interface.owner-id", "NetworkInterfaces.OwnerId"),
        ("network-interface.private-dns-name", "NetworkInterfaces.PrivateDnsName"),
        ("network-interface.private-ip-address", "NetworkInterfaces.PrivateIpAddress"),
        ("network-interface.status", "NetworkInterfaces.Status"),
        ("network-interface.subnet-id", "NetworkInterfaces.SubnetId"),
        ("network-interface.vpc-id", "NetworkInterfaces.VpcId"),
        ("private-dns-name", "PrivateDnsName"),
        ("private-ip-address", "PrivateIpAddress"),
        ("reason", "StateTransitionReason"),
        ("reservation-id", "ReservationId"),
        ("state-reason-code", "StateReason.Code"),
        ("state-reason-message", "StateReason.Message"),
        ("subnet-id", "SubnetId"),
        ("tenancy", "Placement.Tenancy"),
        ("vpc-id", "VpcId"),
    ];
}

/// A reservation: instances that were run together.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Reservation {
    /// ID.
    reservation_id: Option<Text>,
    /// Account of the owner.
    owner_id: Option<Text>,
    /// Instances of the reservation.
    #[field(wire = "instancesSet")]
    instances: Option<Vec<Instance>>,
}

impl Reservation {
    fn new(scope: &Scope, id: Option<Text>, instances: Vec<Instance>) -> Self {
        Self { reservation_id: id, owner_id: Some(scope.account().into()), instances: Some(instances) }
    }

    /// Returns the instances, each with the ID of the reservation.
    fn into_instances(self) -> impl Iterator<Item = Instance> {
        let id = self.reservation_id;
        self.instances.into_iter().flatten().map(move |mut instance| {
            instance.reservation_id.clone_from(&id);
            instance
        })
    }
}

/// Describes instances, in order of their IDs, grouped by reservation on each page. A page size cannot be combined with IDs.
#[operation(
    service = SERVICE, of = Instance, call = "list", pages, gives(reservations => calls::instances_of, next_token),
    narrow(filters = filters::with_pushed::<Instance>), find(instance_id in instance_ids),
    with = calls::first_of, also(Filtered, PagedInLowerCase, DryRun),
    effect = read, output = Reservations, subject = "instance/*"
)]
pub struct DescribeInstances {
    /// IDs of the instances.
    #[field(wire = "InstanceId")]
    pub instance_ids: Option<Vec<Text>>,
}

nephos_core::page! {
    /// A page of instances, by reservation.
    #[record(name = "DescribeInstancesResult")]
    pub struct Reservations {
        #[field(wire = "reservationSet")] reservations: Reservation,
        #[field(wire = "nextToken")] next_token,
    }
}

impl Handler for DescribeInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Reservations> {
        if self.instance_ids.is_some() && self.max_results.is_some() {
            let message = "The parameter instancesSet cannot be used with the parameter maxResults";
            return Err(errors::COMBINATION.with_message(message).with_field("MaxResults"));
        }
        let (ids, filters) = (("InstanceIds", self.instance_ids.as_deref()), self.filters.as_deref());
        let (found, next_token) = network::page::<Instance>(cx, &self, ids, filters, self.dry_run)?;
        let mut reservations: Vec<Reservation> = Vec::new();
        for instance in found {
            let reservation =
                reservations.iter_mut().find(|known| known.reservation_id == instance.reservation_id);
            match reservation {
                Some(reservation) => reservation.instances.get_or_insert_default().push(instance),
                None => {
                    let id = instance.reservation_id.clone();
                    reservations.push(Reservation::new(cx.scope(), id, vec![instance]));
                }
            }
        }
        Ok(Reservations { next_token, reservations: Some(reservations) })
    }
}
