//! Service-specific credentials: user names, passwords and API keys of users for services that do not verify signatures.

use crate::{
    AccessKeyStatus, User,
    entity::{self, Entity as _, ids},
    errors,
    paging::Page,
    user::{
        ExistingUser,
        access_key::{self, Owner},
    },
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{
    Blob, Empty, Record, Resource, Result, Secret, SignedDuration, Slot, Text, Timestamp, operation,
    record_of,
};

/// Services with user names and passwords.
const WITH_PASSWORDS: &[&str] = &["codecommit.amazonaws.com", "cassandra.amazonaws.com"];

/// Service whose API keys begin with [`BEDROCK_PREFIX`].
const BEDROCK: &str = "bedrock.amazonaws.com";

/// Prefix of the API keys of Bedrock.
const BEDROCK_PREFIX: &str = "ABSK";

/// Services with API keys.
const WITH_API_KEYS: &[&str] =
    &[BEDROCK, "logs.amazonaws.com", "cloudwatch.amazonaws.com", "aws-external-anthropic.amazonaws.com"];

/// Maximum number of credentials of a user for a service.
const MAX_CREDENTIALS: usize = 2;

/// Number of characters of an ID after its prefix.
const ID_LENGTH: usize = 17;

/// Number of random bytes of a password.
const PASSWORD_BYTES: usize = 44;

/// Credentials of a user for a service.
#[derive(Resource)]
#[resource(
    name = "ServiceSpecificCredentialId",
    pk = "ServiceSpecificCredentialId",
    exists_if = "ServiceSpecificCredentialId"
)]
pub struct ServiceSpecificCredential {
    /// Name of the user.
    #[field(required, fixed, like = User::user_name)]
    user_name: Option<Text>,
    /// Name of the service, ignoring case: `codecommit.amazonaws.com` and `cassandra.amazonaws.com` have passwords; API keys have
    /// `bedrock.amazonaws.com`, `logs.amazonaws.com`, `cloudwatch.amazonaws.com` and `aws-external-anthropic.amazonaws.com`.
    #[field(required, fixed, pattern("[a-zA-Z0-9.-]*", errors::service_name_invalid))]
    service_name: Option<Text>,
    /// ID of the credentials.
    #[field(service_set, length(20..=128), pattern = r"[\w]+")]
    service_specific_credential_id: Option<Text>,
    /// Status. New credentials are active.
    status: Option<AccessKeyStatus>,
    /// User name for the service.
    #[field(service_set)]
    service_user_name: Option<Text>,
    /// Password for the service. Only the creation and a reset return it.
    #[field(service_set)]
    service_password: Option<Secret>,
    /// Public part of an API key.
    #[field(service_set)]
    service_credential_alias: Option<Text>,
    /// Secret part of an API key. Only the creation and a reset return it.
    #[field(service_set)]
    service_credential_secret: Option<Secret>,
    /// Time of creation.
    #[field(service_set)]
    create_date: Option<Timestamp>,
    /// Time at which the credentials expire; absent if they do not expire.
    #[field(service_set)]
    expiration_date: Option<Timestamp>,
    slot: Slot,
}

/// Row of service-specific credentials. Their secret is not kept: no service here uses it. The user name of an API key is its
/// public part.
#[record_of(
    of = ServiceSpecificCredential, row,
    takes(service_specific_credential_id as credential_id, service_name, service_user_name, status, create_date, expiration_date)
)]
pub(crate) struct ServiceCredentialRow {
    /// Unique ID of the user.
    user_id: Option<Text>,
}

nephos_cloud::stored!(ServiceCredentialRow in "iam/service-credential" by user_id, credential_id);

impl ServiceCredentialRow {
    fn require(cx: &Tx<'_>, owner: &Owner, id: &str) -> Result<Self> {
        if let Some(found) = cx.get(&Self::table(cx.scope()).text(&owner.id).text(id))? {
            return Ok(found);
        }
        let all: Vec<Self> = cx.all(&Self::table(cx.scope()))?;
        if all.iter().any(|row| row.credential_id.as_deref() == Some(id)) {
            let name = owner.name.as_deref().unwrap_or("root");
            return Err(errors::service_credential_of_other_user(name, id));
        }
        Err(errors::service_credential_not_found(id))
    }

    fn has_api_key(&self) -> bool {
        self.service_name.as_deref().is_some_and(|name| WITH_API_KEYS.contains(&name))
    }

    /// Returns the credentials without their secret.
    fn into_credential(self, now: Timestamp, user_name: Option<Text>) -> ServiceSpecificCredential {
        let has_api_key = self.has_api_key();
        let mut credential = ServiceSpecificCredential::from_given(self);
        credential.user_name = user_name;
        if has_api_key {
            credential.service_credential_alias = credential.service_user_name.take();
        }
        if credential.expiration_date.is_some_and(|time| time <= now) {
            credential.status = Some(AccessKeyStatus::Expired);
        }
        credential
    }

    /// Returns the credentials with a new secret.
    fn into_new(self, cx: &Tx<'_>, user_name: Option<Text>) -> ServiceSpecificCredential {
        let mut random = Blob(vec![0; PASSWORD_BYTES]);
        cx.ids().fill(&mut random.0);
        let secret = random.to_base64();
        let has_api_key = self.has_api_key();
        let mut credential = self.into_credential(cx.now(), user_name);
        if has_api_key {
            let alias = credential.service_credential_alias.as_deref().unwrap_or_default();
            let key = Blob(format!("{alias}:{secret}").into_bytes()).to_base64();
            let is_bedrock = credential.service_name.as_deref() == Some(BEDROCK);
            let prefix = if is_bedrock { BEDROCK_PREFIX } else { "" };
            credential.service_credential_secret = Some(Secret::from(format!("{prefix}{key}")));
        } else {
            credential.service_password = Some(Secret::from(secret));
        }
        credential
    }
}

fn rows_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<ServiceCredentialRow>> {
    cx.all(&ServiceCredentialRow::table(cx.scope()).text(user_id))
}

/// True if the user has service-specific credentials.
pub(crate) fn has_credentials(cx: &Tx<'_>, user_id: &str) -> Result<bool> {
    Ok(!rows_of(cx, user_id)?.is_empty())
}

/// Returns the name of a service that has such credentials, in lower case.
fn require_service(name: &str) -> Result<Text> {
    let lower = name.to_ascii_lowercase();
    let known = WITH_PASSWORDS.iter().chain(WITH_API_KEYS).copied();
    if known.clone().any(|known| known == lower) {
        return Ok(lower.into());
    }
    let hint = nephos_core::nearest::suggest(&lower, known);
    Err(errors::service_not_supported(name).with_field("ServiceName").with_hint(hint))
}

/// Creates credentials of a user for a service, and returns their secret.
#[operation(
    of = ServiceSpecificCredential, call = "create",
    needs(user_name, service_name(condition = "iam:ServiceSpecificCredentialServiceName")),
    wraps(service_specific_credential), effect = write, subject = "user/{UserName}"
)]
pub struct CreateServiceSpecificCredential {
    /// Number of days after which the credentials expire.
    #[field(range(1..=36_600), condition = "iam:ServiceSpecificCredentialAgeDays")]
    pub credential_age_days: Option<i64>,
}

impl Handler for CreateServiceSpecificCredential {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let user: User = entity::require(cx, &self.user_name)?;
        let service_name = require_service(&self.service_name)?;
        let mut known = rows_of(cx, user.id())?;
        known.retain(|row| row.service_name.as_ref() == Some(&service_name));
        if known.len() >= MAX_CREDENTIALS {
            return Err(errors::quota_exceeded(
                "ContextSpecificCredentialsPerUserPerContext",
                MAX_CREDENTIALS,
            ));
        }
        let name = user.user_name.as_deref().unwrap_or_default();
        let user_name = |suffix: &str| Text::from(format!("{name}{suffix}-at-{}", cx.scope().account()));
        let is_taken = known.iter().any(|row| row.service_user_name.as_ref() == Some(&user_name("")));
        let lifetime = self.credential_age_days.map(|days| SignedDuration::from_hours(24 * days));
        let row = ServiceCredentialRow {
            user_id: user.user_id.clone(),
            credential_id: Some(ids::new_id(cx, "ACCA", ID_LENGTH)),
            service_name: Some(service_name),
            service_user_name: Some(user_name(if is_taken { "+1" } else { "" })),
            status: Some(AccessKeyStatus::Active),
            create_date: Some(cx.now()),
            expiration_date: lifetime.and_then(|lifetime| cx.now().checked_add(lifetime).ok()),
        };
        cx.put(row.clone())?;
        Ok(row.into_new(cx, user.user_name).into())
    }
}

/// Lists service-specific credentials of a user, without their secrets; without a name, of the caller.
#[operation(
    of = ServiceSpecificCredential, call = "list", takes(service_name), include(Page),
    page(service_specific_credentials, marker, is_truncated), effect = read, subject = "user/{UserName}"
)]
pub struct ListServiceSpecificCredentials {
    /// Name of the user, ignoring case.
    #[field(like = ExistingUser::user_name)]
    pub user_name: Option<Text>,
    /// True for the credentials of all users.
    pub all_users: Option<bool>,
}

impl Handler for ListServiceSpecificCredentials {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let service = self.service_name.as_deref().filter(|name| !name.is_empty());
        let service = service.map(require_service).transpose()?;
        if self.all_users == Some(true) && self.user_name.is_some() {
            return Err(errors::all_users_and_name_given().with_field("UserName"));
        }
        let table = ServiceCredentialRow::table(cx.scope());
        let rows = match self.all_users {
            Some(true) => table,
            _ => table.text(&Owner::require(cx, self.user_name.as_ref())?.id),
        };
        let convert = |row: ServiceCredentialRow| {
            if service.is_some() && row.service_name != service {
                return Ok(None);
            }
            let user: Option<User> = entity::find_by_id(cx, row.user_id.as_deref().unwrap_or_default())?;
            Ok(Some(row.into_credential(cx.now(), user.and_then(|user| user.user_name))))
        };
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}

/// Activates or deactivates service-specific credentials of a user; without a name, of the caller.
#[operation(
    of = ServiceSpecificCredential, call = "update", model, needs(service_specific_credential_id, status),
    takes(user_name), effect = write, subject = "user/{UserName}"
)]
pub struct UpdateServiceSpecificCredential {}

impl Handler for UpdateServiceSpecificCredential {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let mut row = ServiceCredentialRow::require(cx, &owner, &self.service_specific_credential_id)?;
        row.status = Some(access_key::check_status(self.status)?);
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Replaces the secret of service-specific credentials of a user, and returns it; without a name, of the caller.
#[operation(
    of = ServiceSpecificCredential, call = "reset", on_model,
    needs(service_specific_credential_id), takes(user_name(from_field = "UserName")),
    wraps(service_specific_credential), effect = write, subject = "user/{UserName}"
)]
pub struct ResetServiceSpecificCredential {}

impl Handler for ResetServiceSpecificCredential {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let row = ServiceCredentialRow::require(cx, &owner, &self.service_specific_credential_id)?;
        Ok(row.into_new(cx, owner.name).into())
    }
}

/// Deletes service-specific credentials of a user; without a name, of the caller.
#[operation(
    of = ServiceSpecificCredential, call = "delete", on_model, needs(service_specific_credential_id),
    takes(user_name(from_field = "UserName")), effect = write, subject = "user/{UserName}"
)]
pub struct DeleteServiceSpecificCredential {}

impl Handler for DeleteServiceSpecificCredential {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        cx.remove(&ServiceCredentialRow::require(cx, &owner, &self.service_specific_credential_id)?)?;
        Ok(Empty {})
    }
}
