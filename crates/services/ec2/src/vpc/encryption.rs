//! Encryption control of VPCs: it is kept and returned, and encrypts nothing.

use crate::{Tag, network::ids};
use nephos_cloud::Tx;
use nephos_core::{Record, Text, choices, field_value::FieldType};

choices! {
    /// Mode of the encryption control of a VPC.
    pub enum VpcEncryptionControlMode {
        /// Traffic that is not encrypted is reported.
        Monitor = "monitor",
        /// All traffic must be encrypted.
        Enforce = "enforce",
    }
}

choices! {
    /// State of the encryption control of a VPC.
    pub enum VpcEncryptionControlState {
        /// The mode changes to `enforce`.
        EnforceInProgress = "enforce-in-progress",
        /// The mode changes to `monitor`.
        MonitorInProgress = "monitor-in-progress",
        /// The change to `enforce` failed.
        EnforceFailed = "enforce-failed",
        /// The change to `monitor` failed.
        MonitorFailed = "monitor-failed",
        /// It is being deleted.
        Deleting = "deleting",
        /// It was deleted.
        Deleted = "deleted",
        /// It is in effect.
        Available = "available",
        /// It is being created.
        Creating = "creating",
        /// It could not be deleted.
        DeleteFailed = "delete-failed",
    }
}

choices! {
    /// Exclusion of resources from the encryption control, as it is requested.
    pub enum VpcEncryptionControlExclusionStateInput {
        /// They are excluded.
        Enable = "enable",
        /// They are not excluded.
        Disable = "disable",
    }
}

choices! {
    /// State of an exclusion of resources from the encryption control.
    pub enum VpcEncryptionControlExclusionState {
        /// They are being excluded.
        Enabling = "enabling",
        /// They are excluded.
        Enabled = "enabled",
        /// The exclusion is being removed.
        Disabling = "disabling",
        /// They are not excluded.
        Disabled = "disabled",
    }
}

/// An exclusion of resources from the encryption control.
#[derive(Record)]
#[record(wire = "camel")]
pub struct VpcEncryptionControlExclusion {
    /// State.
    state: Option<VpcEncryptionControlExclusionState>,
    /// Message about the state.
    state_message: Option<Text>,
}

/// Encryption control of a VPC.
#[derive(Record)]
#[record(wire = "camel")]
pub struct VpcEncryptionControl {
    /// ID of the VPC.
    vpc_id: Option<Text>,
    /// ID.
    vpc_encryption_control_id: Option<Text>,
    /// Mode.
    mode: Option<VpcEncryptionControlMode>,
    /// State.
    state: Option<VpcEncryptionControlState>,
    /// Message about the state.
    state_message: Option<Text>,
    /// Exclusions.
    resource_exclusions: Option<VpcEncryptionControlExclusions>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
}

/// Declares the records of the exclusions, as they are requested and as they are returned.
macro_rules! exclusions {
    ($($(#[$docs:meta])+ $name:ident from $input:ident,)+) => {
        /// Encryption control of a new VPC.
        #[derive(Record)]
        pub struct VpcEncryptionControlConfiguration {
            /// Mode.
            #[field(required, no_effect)]
            mode: Option<VpcEncryptionControlMode>,
            $($(#[$docs])+ #[field(no_effect)] $input: Option<VpcEncryptionControlExclusionStateInput>,)+
        }

        /// Resources that are excluded from the encryption control.
        #[derive(Record)]
        #[record(wire = "camel")]
        pub struct VpcEncryptionControlExclusions {
            $($(#[$docs])+ $name: Option<VpcEncryptionControlExclusion>,)+
        }

        impl VpcEncryptionControlConfiguration {
            /// Converts the exclusions to their form in answers.
            fn exclusions(&self) -> VpcEncryptionControlExclusions {
                let convert = |input: &Option<VpcEncryptionControlExclusionStateInput>| {
                    let state = match input {
                        Some(VpcEncryptionControlExclusionStateInput::Enable) => {
                            VpcEncryptionControlExclusionState::Enabled
                        }
                        _ => VpcEncryptionControlExclusionState::Disabled,
                    };
                    Some(VpcEncryptionControlExclusion { state: Some(state), state_message: None })
                };
                VpcEncryptionControlExclusions { $($name: convert(&self.$input),)+ }
            }
        }
    };
}

exclusions! {
    /// Internet gateways.
    internet_gateway from internet_gateway_exclusion,
    /// Egress-only internet gateways.
    egress_only_internet_gateway from egress_only_internet_gateway_exclusion,
    /// NAT gateways.
    nat_gateway from nat_gateway_exclusion,
    /// Virtual private gateways.
    virtual_private_gateway from virtual_private_gateway_exclusion,
    /// Peering connections.
    vpc_peering from vpc_peering_exclusion,
    /// Functions.
    lambda from lambda_exclusion,
    /// VPC Lattice.
    vpc_lattice from vpc_lattice_exclusion,
    /// File systems.
    elastic_file_system from elastic_file_system_exclusion,
}

impl VpcEncryptionControlConfiguration {
    /// Creates the encryption control of a new VPC.
    pub(super) fn to_control(&self, cx: &Tx<'_>, vpc: Option<Text>) -> VpcEncryptionControl {
        let mut control = VpcEncryptionControl::blank();
        (control.vpc_id, control.mode) = (vpc, self.mode.clone());
        control.vpc_encryption_control_id = Some(ids::new(cx, "vpcec"));
        control.state = Some(VpcEncryptionControlState::Available);
        control.resource_exclusions = Some(self.exclusions());
        control
    }
}
