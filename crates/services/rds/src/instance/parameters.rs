//! Parameters that several operations on instances take.

use crate::{MasterUserAuthenticationType, TagSpecification};
use nephos_core::{Error, Record, Result, Secret, Text};

/// Groups of an instance.
#[derive(Record)]
#[record(shared)]
pub struct InstanceGroups {
    /// IDs of the security groups; the default one of the VPC by default.
    #[field(item = "VpcSecurityGroupId")]
    vpc_security_group_ids: Option<Vec<Text>>,
    /// Name of the subnet group; `default` by default.
    #[field(name = "DBSubnetGroupName")]
    db_subnet_group_name: Option<Text>,
    /// Name of the parameter group; the default one of the version by default.
    #[field(name = "DBParameterGroupName")]
    db_parameter_group_name: Option<Text>,
    /// Name of the option group; the default one of the version by default.
    option_group_name: Option<Text>,
}

/// A directory of users: one of the provider, of which there are none, so that it is refused, or, for SQL Server, one of the customer.
#[derive(Record)]
#[record(shared)]
pub struct InstanceDomain {
    /// ID of the directory.
    pub(super) domain: Option<Text>,
    /// Domain name of a directory of the customer, up to 64 characters.
    pub(super) domain_fqdn: Option<Text>,
    /// Organizational unit in a directory of the customer: `OU=databases,DC=corp,DC=example,DC=com`.
    pub(super) domain_ou: Option<Text>,
    /// ARN of the secret with a user that may join a directory of the customer.
    pub(super) domain_auth_secret_arn: Option<Text>,
    /// IPv4 addresses of two domain controllers of a directory of the customer.
    pub(super) domain_dns_ips: Option<Vec<Text>>,
    /// Name of the role with which the directory is called.
    #[field(name = "DomainIAMRoleName")]
    pub(super) domain_iam_role_name: Option<Text>,
}

/// A password of the master user that the service manages.
#[derive(Record)]
#[record(shared)]
pub struct ManagedPassword {
    /// True if the service keeps the password of the master user in a secret, and rotates it.
    #[field(condition = "rds:ManageMasterUserPassword")]
    manage_master_user_password: Option<bool>,
    /// Crypto key of the secret.
    #[field(wire = "MasterUserSecretKmsKeyId")]
    master_user_secret_crypto_key_id: Option<Text>,
}

/// How the master user signs in.
#[derive(Record)]
#[record(shared)]
pub struct MasterSignIn {
    /// Password of the master user.
    #[field(sensitive)]
    master_user_password: Option<Secret>,
    /// How the master user signs in.
    master_user_authentication_type: Option<MasterUserAuthenticationType>,
    /// Password of the key store of transparent encryption. There are none, so that it is refused.
    #[field(sensitive)]
    tde_credential_password: Option<Secret>,
    /// Tags of the automated backups, as those of the resource type `auto-backup`.
    #[field(item = "item")]
    tag_specifications: Option<Vec<TagSpecification>>,
}

/// Refuses the first of these parameters that was given, with the error that `refusal` makes.
pub(crate) fn refuse_given(parameters: &[(&str, bool)], refusal: fn() -> Error) -> Result<()> {
    match parameters.iter().find(|(_, is_given)| *is_given) {
        Some((parameter, _)) => Err(refusal().with_field(*parameter)),
        None => Ok(()),
    }
}
