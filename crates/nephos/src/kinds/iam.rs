//! Kinds of identities.

/// Person or program with long-term credentials. Its permissions come from policies and from its groups.
///
/// ```
/// # use nephos::{AccessKey, Cloud, User, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let ann = User::objects(&session).create(&User::builder().user_name("ann").path("/web/").build()?).wait()?;
/// assert_eq!(ann.arn()?, Some("arn:aws:iam::123456789012:user/web/ann"));
/// let key = AccessKey::objects(&session).create().user_name("ann").wait()?;
/// assert!(key.secret_access_key().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::User;

/// Users who have the permissions of the policies of the group.
///
/// ```
/// # use nephos::{Cloud, Group, User, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let web = Group::objects(&session).create(&Group::builder().group_name("web").build()?).wait()?;
/// web.add_user("ann").wait()?;
/// assert_eq!(web.users().wait()?.len(), 1);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::Group;

/// Identity that principals assume, as its trust policy allows.
///
/// ```
/// # use nephos::{Cloud, Role, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let trust = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
///     "Principal": {"Service": "ec2.amazonaws.com"}}]}"#;
/// let role = Role::builder().role_name("web").assume_role_policy_document(trust).build()?;
/// let role = Role::objects(&session).create(&role).wait()?;
/// assert_eq!(role.require_arn()?, "arn:aws:iam::123456789012:role/web");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::Role;

/// Container that gives a role to instances.
///
/// ```
/// # use nephos::{Cloud, InstanceProfile, Role};
/// # let session = Cloud::in_memory().session();
/// # let trust = r#"{"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}}"#;
/// # Role::objects(&session).create(&Role::builder().role_name("web").assume_role_policy_document(trust).build()?).wait()?;
/// let profile = InstanceProfile::builder().instance_profile_name("web").build()?;
/// let profile = InstanceProfile::objects(&session).create(&profile).wait()?;
/// profile.add_role("web").wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::InstanceProfile;

/// Long-term credentials of a user. Only the creation returns the secret.
///
/// ```
/// # use nephos::{AccessKey, Cloud, User, prelude::*, services::iam::AccessKeyStatus};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let mut key = AccessKey::objects(&session).create().user_name("ann").wait()?;
/// key.set_status(AccessKeyStatus::Inactive)?;
/// key.save().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::AccessKey;

/// Permissions that are attached to users, groups and roles, in versions.
///
/// ```
/// # use nephos::{Cloud, Group, Policy, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = Group::objects(&session).create(&Group::builder().group_name("web").build()?).wait()?;
/// let document = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}]}"#;
/// let policy = Policy::builder().policy_name("logs").build()?;
/// let policy = Policy::objects(&session).create(&policy, document).wait()?;
/// web.attach_policy(policy.require_arn()?).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::Policy;

/// Version of a policy with its document. The default version is in effect.
///
/// ```
/// # use nephos::{Cloud, Policy, PolicyVersion, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let document = r#"{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "logs:*", "Resource": "*"}}"#;
/// # let policy = Policy::objects(&session).create(&Policy::builder().policy_name("logs").build()?, document).wait()?;
/// let versions = PolicyVersion::objects(&session);
/// let second = versions.create(policy.require_arn()?, document).set_as_default(true).wait()?;
/// assert_eq!((second.version_id(), second.is_default_version()), (Some("v2"), Some(true)));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::PolicyVersion;

/// Password of a user, which follows the password policy of the account. It is not returned.
///
/// ```
/// # use nephos::{Cloud, LoginProfile, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let profile = LoginProfile::builder().user_name("ann").password("correct-Horse-7").build()?;
/// let profile = LoginProfile::objects(&session).create(&profile).wait()?;
/// assert_eq!((profile.password(), profile.password_reset_required()), (None, Some(false)));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::LoginProfile;

/// Seed of one-time codes. Two consecutive codes assign the device to a user.
///
/// ```
/// # use nephos::{Cloud, VirtualMFADevice};
/// # let session = Cloud::in_memory().session();
/// let device = VirtualMFADevice::builder().virtual_mfa_device_name("phone").build()?;
/// let device = VirtualMFADevice::objects(&session).create(&device).wait()?;
/// assert!(device.base32_string_seed().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::VirtualMFADevice;

/// Issuer whose tokens principals exchange for temporary credentials.
///
/// ```
/// # use nephos::{Cloud, OpenIDConnectProvider, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let provider = OpenIDConnectProvider::builder().url("https://token.example.com").build()?;
/// let provider = OpenIDConnectProvider::objects(&session).create(&provider).wait()?;
/// provider.add_client_id("sts.amazonaws.com").wait()?;
/// assert_eq!(provider.require_arn()?, "arn:aws:iam::123456789012:oidc-provider/token.example.com");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::OpenIDConnectProvider;

/// Identity provider whose assertions principals exchange for temporary credentials, with its metadata document.
///
/// ```
/// # use nephos::{Cloud, SAMLProvider};
/// # let session = Cloud::in_memory().session();
/// assert!(SAMLProvider::builder().name("corp").saml_metadata_document("<too short/>").build().is_err());
/// assert!(SAMLProvider::objects(&session).list().results().all().wait()?.is_empty());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::SAMLProvider;

/// Certificate with its private key, for listeners of load balancers. The key is sealed, and not returned.
///
/// ```
/// # use nephos::{Cloud, ServerCertificate};
/// # let session = Cloud::in_memory().session();
/// let model = ServerCertificate::builder().server_certificate_name("web").certificate_body("no PEM");
/// let refused = ServerCertificate::objects(&session).create(&model.private_key("no PEM").build()?).wait();
/// assert_eq!(refused.unwrap_err().code(), "MalformedCertificate");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::ServerCertificate;

/// Certificate of a user, or of the root user, which signs requests of old protocols.
///
/// ```
/// # use nephos::{Cloud, SigningCertificate};
/// # let session = Cloud::in_memory().session();
/// assert!(SigningCertificate::objects(&session).list().results().all().wait()?.is_empty());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::SigningCertificate;

/// RSA public key of a user for SSH.
///
/// ```
/// # use nephos::{Cloud, SSHPublicKey, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let refused = SSHPublicKey::objects(&session).create("ann", "ssh-ed25519 AAAA").wait();
/// assert_eq!(refused.unwrap_err().code(), "InvalidPublicKey");
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::SSHPublicKey;

/// User name and password, or API key, of a user for a service that does not verify signatures.
///
/// ```
/// # use nephos::{Cloud, ServiceSpecificCredential, User};
/// # let session = Cloud::in_memory().session();
/// # User::objects(&session).create(&User::builder().user_name("ann").build()?).wait()?;
/// let credentials = ServiceSpecificCredential::objects(&session);
/// let credential = credentials.create("ann", "codecommit.amazonaws.com").wait()?;
/// assert_eq!(credential.service_user_name(), Some("ann-at-123456789012"));
/// assert!(credential.service_password().is_some()); // only now
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::ServiceSpecificCredential;

/// Rules for the passwords of an account.
///
/// ```
/// # use nephos::{Cloud, PasswordPolicy};
/// # let session = Cloud::in_memory().session();
/// let policy = PasswordPolicy::builder().minimum_password_length(14).require_symbols(true).build()?;
/// PasswordPolicy::objects(&session).update(&policy).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::PasswordPolicy;

/// Numbers of the entities of an account, and its quotas; also its alias and authorization details.
///
/// ```
/// # use nephos::{AccountSummary, Cloud};
/// # let session = Cloud::in_memory().session();
/// let account = AccountSummary::objects(&session);
/// account.create_alias("my-company").wait()?;
/// assert_eq!(account.get().wait()?.summary_map().and_then(|numbers| numbers.get("UsersQuota")), Some(&5000));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::iam::AccountSummary;
