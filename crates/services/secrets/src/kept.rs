//! A secret as it is kept: its row, how it is found, and what every change of it has in common.

use super::{
    DescribeSecretResponse, ReplicationStatus, RotationRules, Secret, access, errors, labels, replication,
    rotation,
};
use nephos_cloud::{DataKey, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Arn, Blob, Error, Map, Record, Result, Slot, Tag, Text, Timestamp};

/// How many random characters follow the name of a secret in its resource name.
pub(super) const SUFFIX: usize = 6;

/// A secret without the values of its versions: its row.
#[derive(Record)]
#[record(hot, name = "Secret")]
pub struct Kept {
    /// Its name, unique within account and Region.
    pub(super) name: Option<Text>,
    /// What follows the name in its resource name.
    pub(super) suffix: Option<Text>,
    /// The partner who holds it, if it is held elsewhere.
    pub(super) r#type: Option<Text>,
    /// What it is for.
    pub(super) description: Option<Text>,
    /// The key that its values are encrypted with; the provider's own if absent.
    pub(super) crypto_key_id: Option<Text>,
    /// The key that its values are sealed with here.
    #[field(sensitive)]
    pub(super) data_key: Option<Blob>,
    /// When it was created.
    pub(super) created_date: Option<Timestamp>,
    /// When anything of it changed last.
    pub(super) last_changed_date: Option<Timestamp>,
    /// When it was deleted.
    pub(super) deleted_date: Option<Timestamp>,
    /// When it goes for good.
    pub(super) deletion_date: Option<Timestamp>,
    /// Its tags.
    pub(super) tags: Option<Vec<Tag>>,
    /// Which version each label is on.
    pub(super) stages: Option<Map<Text>>,
    /// The service that manages it.
    pub(super) owning_service: Option<Text>,
    /// Whether it is rotated on a schedule.
    pub(super) rotation_enabled: Option<bool>,
    /// The function that rotates it.
    #[field(name = "RotationFunctionARN")]
    pub(super) rotation_function_arn: Option<Text>,
    /// When it is rotated.
    pub(super) rotation_rules: Option<RotationRules>,
    /// What the partner who holds it needs to know to rotate it.
    pub(super) external_secret_rotation_metadata: Option<Vec<rotation::MetadataItem>>,
    /// The role that is assumed to rotate it.
    pub(super) external_secret_rotation_role_arn: Option<Text>,
    /// When it was rotated last.
    pub(super) last_rotated_date: Option<Timestamp>,
    /// When the window of its next rotation closes.
    pub(super) next_rotation_date: Option<Timestamp>,
    /// When the window of its next rotation opens.
    pub(super) rotation_opens: Option<Timestamp>,
    /// The rotation that is going on.
    pub(super) rotation: Option<rotation::Ongoing>,
    /// The Region of its primary, if it is one of several.
    pub(super) primary_region: Option<Text>,
    /// Where its replicas are.
    pub(super) replicas: Option<Vec<replication::Replica>>,
}

impl Stored for Kept {
    const TABLE: &'static str = "secretsmanager/secret";

    fn identify(&self, key: Key) -> Key {
        key.text(self.called())
    }

    fn shed(&mut self) {
        self.name = None;
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        self.name = identity.text();
    }
}

impl Kept {
    pub(super) fn called(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Its resource name in `scope`.
    pub(super) fn arn(&self, scope: &Scope) -> Arn {
        let suffix = self.suffix.as_deref().unwrap_or_default();
        scope.arn("secretsmanager", &["secret:", self.called(), "-", suffix])
    }

    /// Whether it is a copy of a secret of another Region.
    pub(super) fn is_replica(&self, scope: &Scope) -> bool {
        self.primary_region.as_deref().is_some_and(|primary| primary != scope.region())
    }

    /// Refuses what a secret that is scheduled for deletion does not do.
    pub(super) fn must_be_active(&self) -> Result<()> {
        if self.deleted_date.is_none() {
            return Ok(());
        }
        let why = format!("secret {} is scheduled for deletion; restore it first", self.called());
        Err(errors::INVALID_REQUEST.because(why))
    }

    /// Refuses what is only done to a primary.
    pub(super) fn must_be_primary(&self, scope: &Scope) -> Result<()> {
        match &self.primary_region {
            Some(primary) if self.is_replica(scope) => {
                let why =
                    format!("secret {} is a replica; call in its primary Region, {primary}", self.called());
                Err(errors::INVALID_REQUEST.because(why))
            }
            _ => Ok(()),
        }
    }

    /// The key that its values are sealed with.
    pub(super) fn open_data_key(&self, cx: &Tx<'_>) -> Result<DataKey> {
        let sealed = self.data_key.as_ref().ok_or_else(|| undecryptable("a secret has no data key"))?;
        let key = cx.data_key(&[self.arn(cx.scope()).as_str()], sealed);
        key.map_err(|error| undecryptable(error.message()))
    }

    /// Gives it a new key to seal its values with.
    pub(super) fn make_data_key(&mut self, cx: &mut Tx<'_>) -> Result<DataKey> {
        let (key, sealed) = cx.new_data_key(&[self.arn(cx.scope()).as_str()])?;
        self.data_key = Some(sealed);
        Ok(key)
    }

    /// Puts it in its row as changed now; its replicas follow.
    pub(super) fn put_changed(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_changed_date = Some(cx.now());
        replication::follow(cx, &mut self)?;
        cx.put(self)
    }

    /// All that is told of it, the replicas included.
    pub(super) fn described(self, cx: &Tx<'_>) -> Result<DescribeSecretResponse> {
        let replication_status = match &self.replicas {
            Some(replicas) => Some(replication::status(cx, &self, replicas)?),
            None => None,
        };
        self.told(cx, replication_status)
    }

    fn told(
        self,
        cx: &Tx<'_>,
        replication_status: Option<Vec<ReplicationStatus>>,
    ) -> Result<DescribeSecretResponse> {
        Ok(DescribeSecretResponse {
            arn: Some(self.arn(cx.scope()).into()),
            last_accessed_date: access::last(cx, self.called())?,
            version_ids_to_stages: labels::by_version(&self),
            name: self.name,
            r#type: self.r#type,
            description: self.description,
            crypto_key_id: self.crypto_key_id,
            rotation_enabled: self.rotation_enabled,
            rotation_function_arn: self.rotation_function_arn,
            rotation_rules: self.rotation_rules,
            external_secret_rotation_metadata: self.external_secret_rotation_metadata,
            external_secret_rotation_role_arn: self.external_secret_rotation_role_arn,
            last_rotated_date: self.last_rotated_date,
            last_changed_date: self.last_changed_date,
            deleted_date: self.deleted_date,
            next_rotation_date: self.next_rotation_date,
            tags: self.tags,
            owning_service: self.owning_service,
            created_date: self.created_date,
            primary_region: self.primary_region,
            replication_status,
        })
    }

    /// The secret as a listing tells it.
    pub(super) fn listed(self, cx: &Tx<'_>) -> Result<Secret> {
        self.told(cx, None).map(Secret::from)
    }
}

impl From<DescribeSecretResponse> for Secret {
    fn from(told: DescribeSecretResponse) -> Self {
        Self {
            name: told.name,
            arn: told.arn,
            r#type: told.r#type,
            description: told.description,
            crypto_key_id: told.crypto_key_id,
            rotation_enabled: told.rotation_enabled,
            rotation_function_arn: told.rotation_function_arn,
            rotation_rules: told.rotation_rules,
            external_secret_rotation_metadata: told.external_secret_rotation_metadata,
            external_secret_rotation_role_arn: told.external_secret_rotation_role_arn,
            last_rotated_date: told.last_rotated_date,
            last_changed_date: told.last_changed_date,
            last_accessed_date: told.last_accessed_date,
            deleted_date: told.deleted_date,
            next_rotation_date: told.next_rotation_date,
            tags: told.tags,
            secret_versions_to_stages: told.version_ids_to_stages,
            owning_service: told.owning_service,
            created_date: told.created_date,
            primary_region: told.primary_region,
            slot: Slot::default(),
        }
    }
}

/// What is sealed does not open.
pub(super) fn undecryptable(why: &str) -> Error {
    errors::DECRYPTION.because(why)
}

pub(super) fn not_found(id: &str) -> Error {
    errors::NOT_FOUND.because(format!("there is no secret {id}"))
}

/// What an identifier names: a secret by its name, and perhaps what follows that in its resource name.
fn named<'i>(scope: &Scope, id: &'i str) -> Result<Vec<(&'i str, Option<&'i str>)>> {
    let Some([_, service, region, account, resource]) = Arn::parts(id) else { return Ok(vec![(id, None)]) };
    let Some(rest) = resource.strip_prefix("secret:").filter(|_| service == "secretsmanager") else {
        let why = format!("{id:?} is not the resource name of a secret");
        return Err(errors::INVALID.because(why).with_field("SecretId"));
    };
    if (account, region) != (scope.account(), scope.region()) {
        return Ok(Vec::new());
    }
    let whole = rest.len().checked_sub(SUFFIX + 1).and_then(|at| rest.split_at_checked(at));
    let whole = whole.and_then(|(name, rest)| Some((name, Some(rest.strip_prefix('-')?))));
    // A resource name may be given without what follows the name.
    Ok(whole.into_iter().chain([(rest, None)]).collect())
}

/// The secret that `id` names by name or resource name, if there is one.
pub(super) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<Kept>> {
    for (name, suffix) in named(cx.scope(), id)? {
        let found = cx.get::<Kept>(&Kept::table(cx.scope()).text(name))?;
        if let Some(found) = found.filter(|found| suffix.is_none() || found.suffix.as_deref() == suffix) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The secret that `id` names, which must exist.
pub(super) fn require(cx: &Tx<'_>, id: &str) -> Result<Kept> {
    find(cx, id)?.ok_or_else(|| not_found(id))
}

/// The same, and it can be changed: it is not scheduled for deletion and no replica.
pub(super) fn require_own(cx: &Tx<'_>, id: &str) -> Result<Kept> {
    let kept = require(cx, id)?;
    kept.must_be_primary(cx.scope())?;
    kept.must_be_active()?;
    Ok(kept)
}

/// What an operation on the secret that `id` names acts on.
pub(super) fn subject(at: &Scope, id: &str) -> Arn {
    Arn::read(id).unwrap_or_else(|| at.arn("secretsmanager", &["secret:", id]))
}
