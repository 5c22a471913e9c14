//! Creation of secrets.

use crate::{
    ReplicaRegion, ReplicationStatus, Secret, SecretManager, SecretRow, errors,
    secret::{NewVersion, list, replication, secret_row, tagging},
    version::{
        self, VersionRow, labels,
        value::{self, Plaintext},
    },
};
use nephos_cloud::{Handler, Quota, Stored, Tx, tags::to_list};
use nephos_core::{Blob, Record, Result, Text, operation, record_of};

/// Quota of secrets in an account and Region.
pub(crate) const SECRETS_QUOTA: Quota = Quota { counter: "secret", max: 500_000, what: "secrets" };

/// Creates a secret with its tags, and its first version if a value is given. A repeated call with the same token and
/// value returns the same secret.
#[operation(
    hot, of = Secret, needs(name(condition = "secretsmanager:Name")), takes(settable),
    call = "create", model, read_back,
    effect = write, output = CreateSecretResponse, subject = "secret:{Name}",
    also_requires("TagResource" = "Tags?", "ReplicateSecretToRegions" = "AddReplicaRegions?")
)]
pub struct CreateSecret {
    /// Regions to replicate the secret to.
    #[field(length(1..))]
    pub add_replica_regions: Option<Vec<ReplicaRegion>>,
    /// True if a replica overwrites a secret of the same name in its Region.
    #[field(condition = "secretsmanager:ForceOverwriteReplicaSecret")]
    pub force_overwrite_replica_secret: Option<bool>,
    /// Idempotency token, which becomes the ID of the first version.
    #[field(idempotency_token, like = NewVersion::client_request_token)]
    pub client_request_token: Option<Text>,
    /// Value, if it is binary.
    #[field(sensitive, like = NewVersion::secret_binary)]
    pub secret_binary: Option<Blob>,
    /// Value, if it is text.
    #[field(like = NewVersion::secret_string)]
    pub secret_string: Option<nephos_core::Secret>,
}

/// ARN, name and first version of the secret that was created.
#[record_of(of = Secret, takes(arn, name), answer)]
pub struct CreateSecretResponse {
    /// ID of the first version, if there is one.
    version_id: Option<Text>,
    /// Status of each replica.
    replication_status: Option<Vec<ReplicationStatus>>,
}

impl CreateSecretResponse {
    fn new(cx: &Tx<'_>, secret: &SecretRow, version_id: Option<Text>) -> Result<Self> {
        Ok(Self {
            arn: Some(secret.arn(cx.scope()).into()),
            name: secret.name.clone(),
            version_id,
            replication_status: secret.replication_status(cx)?,
        })
    }
}

impl Handler for CreateSecret {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<CreateSecretResponse> {
        secret_row::check_name(&self.name, "Name")?;
        let plain = Plaintext::from_parameters(self.secret_string.take(), self.secret_binary.take())?;
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let regions = self.add_replica_regions.take().unwrap_or_default();
        replication::check_regions(cx.scope(), &[], &regions)?;
        let version_id = match &plain {
            Some(_) => {
                Some(version::new_id(cx, self.client_request_token.take(), errors::client_token_missing)?)
            }
            None => None,
        };
        if let Some(existing) = cx.get::<SecretRow>(&SecretRow::table(cx.scope()).text(&self.name))? {
            return answer_existing(cx, &existing, version_id, plain);
        }
        let overwrites = self.force_overwrite_replica_secret == Some(true);
        let mut secret = SecretRow::from_given(self);
        secret.suffix = Some(cx.ids().alphanumeric(secret_row::SUFFIX_LENGTH));
        let key = plain.as_ref().map(|_| secret.open_or_create_data_key(cx)).transpose()?;
        SECRETS_QUOTA.add_one(cx, errors::too_many_secrets)?;
        secret.created_date = Some(cx.now());
        secret.tags = to_list(tags);
        if let Some(((plain, id), key)) = plain.as_ref().zip(version_id.as_ref()).zip(key) {
            secret.move_label(labels::CURRENT, id)?;
            let first = VersionRow::new(cx, &secret, id);
            value::put(cx, &secret, &key, first, plain)?;
        }
        replication::add_replicas(cx, &mut secret, &regions, overwrites)?;
        let created = CreateSecretResponse::new(cx, &secret, version_id)?;
        list::index(cx, &secret)?;
        secret.put_changed(cx)?;
        Ok(created)
    }
}

/// Answers a request for a name that exists: with the secret if the request is repeated, else with an error.
fn answer_existing(
    cx: &mut Tx<'_>,
    existing: &SecretRow,
    token: Option<Text>,
    plain: Option<Plaintext>,
) -> Result<CreateSecretResponse> {
    if existing.deleted_date.is_some() {
        return Err(errors::name_scheduled_for_deletion().with_hint(existing.own_name()));
    }
    if let (Some(token), Some(plain)) = (token, &plain)
        && !existing.is_replica(cx.scope())
        && value::is_repeated_request(cx, existing, &token, plain)?
    {
        return CreateSecretResponse::new(cx, existing, Some(token));
    }
    Err(errors::secret_exists(existing.own_name()))
}
