//! Creating secrets.

use super::{
    Kept, ReplicaRegion, ReplicationStatus, SERVICE, Secret, SecretManager, describe, errors, kept, labels,
    list, replication, tagging,
    value::{self, Plain},
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Blob, Record, Result, Steppable, Steps, Tag, Text, datum::DatumType, operation};

/// The most secrets of an account in a Region.
const MOST: i64 = 500_000;

/// What secrets are counted as.
pub(super) const COUNTED: &str = "secret";

/// Creates a secret, with its first version if a value is given.
#[operation(service = SERVICE, effect = write, output = CreateSecretResponse, subject = "secret:{Name}")]
pub struct CreateSecret {
    /// Its name.
    #[field(length(1..=512))]
    pub name: Text,
    /// The id of the first version. The same secret under the same id again is no second one.
    #[field(token, length(32..=64))]
    pub client_request_token: Option<Text>,
    /// What it is for.
    #[field(length(..=2048))]
    pub description: Option<Text>,
    /// The key that its values are encrypted with.
    #[field(wire = "KmsKeyId", length(..=2048))]
    pub crypto_key_id: Option<Text>,
    /// The value, if it is bytes.
    #[field(sensitive, length(1..=65_536))]
    pub secret_binary: Option<Blob>,
    /// The value, if it is text.
    #[field(length(1..=65_536))]
    pub secret_string: Option<nephos_core::Secret>,
    /// Its tags.
    pub tags: Option<Vec<Tag>>,
    /// Where it is replicated to.
    #[field(length(1..))]
    pub add_replica_regions: Option<Vec<ReplicaRegion>>,
    /// Whether a replica takes the place of a secret of the same name.
    pub force_overwrite_replica_secret: Option<bool>,
    /// The partner who holds it, if it is held elsewhere.
    #[field(length(..=256))]
    pub r#type: Option<Text>,
}

/// What was created.
#[derive(Record)]
pub struct CreateSecretResponse {
    /// The secret's resource name.
    #[field(name = "ARN")]
    pub(super) arn: Option<Text>,
    /// The secret's name.
    pub(super) name: Option<Text>,
    /// The first version, if there is one.
    version_id: Option<Text>,
    /// How far its replicas are.
    replication_status: Option<Vec<ReplicationStatus>>,
}

fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+=.@!-".contains(&byte);
    if name.bytes().all(allowed) {
        return Ok(());
    }
    let why = "a name has letters, digits and / _ + = . @ ! - only";
    Err(errors::INVALID_NAME.because(why).with_field("Name"))
}

/// A text that says something.
pub(super) fn some(text: Option<Text>) -> Option<Text> {
    text.filter(|text| !text.is_empty())
}

impl Handler for CreateSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreateSecretResponse> {
        check_name(&self.name)?;
        let plain = Plain::given(self.secret_string, self.secret_binary)?;
        let tags = tagging::given(self.tags.unwrap_or_default())?;
        let regions = self.add_replica_regions.unwrap_or_default();
        replication::check(cx.scope(), &[], &regions)?;
        let token = self.client_request_token;
        if let Some(there) = cx.get::<Kept>(&Kept::table(cx.scope()).text(&self.name))? {
            return repeated(cx, there, token, plain);
        }
        if cx.count(COUNTED)? >= MOST {
            let why = format!("an account has at most {MOST} secrets in a Region");
            return Err(errors::LIMIT_EXCEEDED.because(why));
        }
        cx.add_to_count(COUNTED, 1)?;
        let mut kept = Kept::blank();
        kept.name = Some(self.name);
        kept.suffix = Some(cx.ids().alphanumeric(kept::SUFFIX));
        kept.r#type = some(self.r#type);
        kept.description = some(self.description);
        kept.crypto_key_id = some(self.crypto_key_id);
        kept.created_date = Some(cx.now());
        kept.tags = tags;
        let arn = kept.arn(cx.scope()).into();
        let version_id = match &plain {
            Some(plain) => {
                let id = token.unwrap_or_else(|| cx.ids().uuid());
                value::add(cx, &mut kept, &id, plain, &[labels::CURRENT.into()])?;
                Some(id)
            }
            None => None,
        };
        replication::add(cx, &mut kept, &regions, self.force_overwrite_replica_secret == Some(true))?;
        let replication_status = match &kept.replicas {
            Some(replicas) => Some(replication::status(cx, &kept, replicas)?),
            None => None,
        };
        let name = kept.name.clone();
        list::index(cx, &kept)?;
        kept.put_changed(cx)?;
        Ok(CreateSecretResponse { arn: Some(arn), name, version_id, replication_status })
    }
}

/// What is told of a secret that is there already: itself, if it was this call that created it.
fn repeated(
    cx: &Tx<'_>,
    there: Kept,
    token: Option<Text>,
    plain: Option<Plain>,
) -> Result<CreateSecretResponse> {
    if there.deleted_date.is_some() {
        let why = format!(
            "a secret {} is scheduled for deletion; restore it, or wait until it is gone",
            there.called()
        );
        return Err(errors::INVALID_REQUEST.because(why));
    }
    if let (Some(token), Some(plain)) = (&token, &plain)
        && !there.is_replica(cx.scope())
        && value::is_repeated(cx, &there, token, plain)?
    {
        let replication_status = match &there.replicas {
            Some(replicas) => Some(replication::status(cx, &there, replicas)?),
            None => None,
        };
        return Ok(CreateSecretResponse {
            arn: Some(there.arn(cx.scope()).into()),
            name: there.name,
            version_id: Some(token.clone()),
            replication_status,
        });
    }
    Err(errors::EXISTS.because(format!("there is a secret {} already", there.called())))
}

/// Creates a secret, with its tags, and its first version if a value is given.
#[operation(kind = Secret, call = "create", effect = write, output = Secret)]
pub struct Create {
    /// The secret.
    #[field(model)]
    pub model: Secret,
    /// The id of the first version. The same secret under the same id again is no second one.
    #[field(length(32..=64))]
    pub client_request_token: Option<Text>,
    /// The value, if it is bytes.
    #[field(sensitive, length(1..=65_536))]
    pub secret_binary: Option<Blob>,
    /// The value, if it is text.
    #[field(length(1..=65_536))]
    pub secret_string: Option<nephos_core::Secret>,
    /// Where it is replicated to.
    #[field(length(1..))]
    pub add_replica_regions: Option<Vec<ReplicaRegion>>,
    /// Whether a replica takes the place of a secret of the same name.
    pub force_overwrite_replica_secret: Option<bool>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Secret> {
        let secret = &self.model;
        let create = CreateSecret::new(super::given(&secret.name, "Name")?)
            .client_request_token(self.client_request_token.clone())
            .description(secret.description.clone())
            .crypto_key_id(secret.crypto_key_id.clone())
            .secret_binary(self.secret_binary.clone())
            .secret_string(self.secret_string.clone())
            .tags(secret.tags.clone().filter(|tags| !tags.is_empty()))
            .add_replica_regions(self.add_replica_regions.clone())
            .force_overwrite_replica_secret(self.force_overwrite_replica_secret)
            .r#type(secret.r#type.clone());
        let created = steps.call(create).await?;
        describe::secret(steps, created.arn.or(created.name).unwrap_or_default()).await
    }
}
