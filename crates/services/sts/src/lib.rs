//! Security tokens: temporary credentials of roles, users and federated users, and the identity of the caller.
//!
//! Temporary credentials are not stored: their token contains the session, sealed with the key of the cloud. They expire on
//! the clock of the cloud.

mod assumed_role;
mod caller_identity;
pub mod errors;
mod federated;
mod federation;
#[doc(hidden)]
pub mod jwt;
mod mfa;
mod role_session;
mod saml;
mod session;
mod session_policy;
mod session_tags;
mod trust;
mod web_identity;

pub use assumed_role::*;
pub use caller_identity::*;
pub use federation::*;
pub use role_session::{ProvidedContext, RoleDuration};
pub use saml::{AssumeRoleWithSAML, AssumeRoleWithSAMLCall};
pub use session::{Assume, AssumeSession};
pub use session_policy::{PolicyDescriptorType, SessionPolicies};
pub use web_identity::*;

/// The operation whose name is also that of a kind.
pub mod operations {
    pub use crate::role_session::{AssumeRole, AssumeRoleCall};
}

use nephos_core::shape::Protocol;

nephos_cloud::parts! {
    canonical: saml::canonical,
    certificate: saml::certificate,
}

nephos_cloud::service! {
    STS = "sts", "Security tokens: temporary credentials, and the identity of the caller.";
    shape {
        api_version: "2011-06-15",
        protocol: Protocol::AwsQuery { namespace: "https://sts.amazonaws.com/doc/2011-06-15/" },
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_token,
        resource_keys: &[("{RoleArn}", &["aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"])],
    }
    kinds {
        AssumeRole, CallerIdentity,
    }
    operations {
        operations::AssumeRole, AssumeRoleWithSAML, AssumeRoleWithWebIdentity, GetSessionToken, GetFederationToken,
        GetCallerIdentity, GetAccessKeyInfo, DecodeAuthorizationMessage,
    }
    tables {

    }
    access {
        find_resource: Some(trust::find_resource),
    }
}
