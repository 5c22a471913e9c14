//! Multi-Region keys: related keys in several Regions, with the same ID and the same material.
//!
//! Each of them has the Regions of all in its row, so that none has to be searched for.

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, errors,
    key::{
        self, KeyIdOrArn, KeyRow, KeyState, MultiRegionConfiguration, MultiRegionKey, MultiRegionKeyType,
        create, find, material_row, policy, tagging,
    },
};
use nephos_cloud::{Handler, Scope, Tx, Work, tags::to_list};
use nephos_core::{Record, Result, SignedDuration, Tag, Text, global_region, operation, record_of};

/// Duration of the states Creating and Updating at the provider.
pub(crate) const TRANSITION: SignedDuration = SignedDuration::from_secs(10);

/// Creates a replica of a multi-Region key in another Region. It has the same ID and the same material; description, tags and
/// policy are its own.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), takes(description, tags), call = "replicate", effect = write,
    output = ReplicateKeyResponse, also_requires("TagResource" = "Tags?")
)]
pub struct ReplicateKey {
    /// Region of the replica.
    #[field(length(1..=32), pattern = r"([a-z]+-){2,3}\d+", condition = "kms:ReplicaRegion")]
    pub replica_region: Text,
    /// Key policy of the replica; by default, the account that owns the key may do everything, as far as its own policies allow it.
    #[field(length(1..=131_072))]
    pub policy: Option<Text>,
    /// True to accept a key policy that does not let the caller change it afterwards.
    #[field(condition = "kms:BypassPolicyLockoutSafetyCheck")]
    pub bypass_policy_lockout_safety_check: Option<bool>,
}

/// A new replica.
#[derive(Record)]
#[record(answer)]
pub struct ReplicateKeyResponse {
    /// The replica.
    replica_key_metadata: Option<CryptoKey>,
    /// Key policy of the replica.
    replica_policy: Option<Text>,
    /// Tags of the replica.
    replica_tags: Option<Vec<Tag>>,
}

impl Handler for ReplicateKey {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<ReplicateKeyResponse> {
        let tags = tagging::read(self.tags.as_deref().unwrap_or_default())?;
        if let Some(policy) = &self.policy {
            policy::check(cx, policy, self.bypass_policy_lockout_safety_check == Some(true))?;
        }
        let mut primary = find::require_own(cx, &self.key_id)?;
        primary.check_multi_region_primary(cx)?;
        primary.check_changeable(cx)?;
        let there = self.replica_scope(cx, &primary)?;

        let mut regions = primary.replica_regions.take().unwrap_or_default();
        regions.push(self.replica_region.clone());
        primary.set_regions(cx.scope().region().into(), regions);
        write_regions_to_related(cx, &primary)?;
        let mut replica = new_replica(&primary);
        replica.description = self.description.take();
        replica.tags = to_list(tags);
        let materials = material_row::open_all(cx, &primary)?;
        cx.put(primary)?;
        cx.in_scope(&there, |cx| {
            create::KEYS.add_one(cx, errors::too_many_keys)?;
            replica.creation_date = Some(cx.now());
            material_row::copy_all(cx, materials)?;
            if let Some(policy) = self.policy.take() {
                policy::put(cx, replica.id(), policy)?;
            }
            cx.schedule_transition(TRANSITION, &NextState { key_id: replica.key_id.clone() })?;
            let mut described = replica.describe(cx);
            described.current_key_material_id = None;
            let answer = ReplicateKeyResponse {
                replica_key_metadata: Some(described),
                replica_policy: Some(policy::find(cx, replica.id())?),
                replica_tags: replica.tags.clone(),
            };
            cx.put(replica)?;
            Ok(answer)
        })
    }
}

impl ReplicateKey {
    /// Returns the scope of the replica, which must be in the partition of the primary and not have the key.
    fn replica_scope(&self, cx: &Tx<'_>, primary: &KeyRow) -> Result<Scope> {
        let region = &self.replica_region;
        if global_region(region) != global_region(cx.scope().region()) {
            return Err(errors::other_partition(region).with_field("ReplicaRegion"));
        }
        let there = Scope::new(cx.scope().account(), region);
        if primary.is_in_region(region) {
            return Err(errors::key_exists(primary.arn(&there)).with_field("ReplicaRegion"));
        }
        Ok(there)
    }
}

/// Returns the row of a new replica, without what is its own.
fn new_replica(primary: &KeyRow) -> KeyRow {
    let mut replica = primary.clone();
    replica.rotation = None;
    (replica.valid_to, replica.expiration_model) = (None, None);
    replica.next_state = Some(match primary.origin() {
        KeyOrigin::External => KeyState::PendingImport,
        _ => KeyState::Enabled,
    });
    replica.key_state = Some(KeyState::Creating);
    replica
}

/// Work that ends the state Creating or Updating of a key.
#[record_of(of = CryptoKey, takes(key_id), row)]
pub(crate) struct NextState {}

impl Work for NextState {
    const NAME: &'static str = "kms/next-state";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut key) = find::find_by_id(cx, self.key_id.as_deref().unwrap_or_default())? else {
            return Ok(());
        };
        let Some(next) = key.next_state.take() else { return Ok(()) };
        if matches!(key.state(), KeyState::Creating | KeyState::Updating) {
            key.key_state = Some(next);
        }
        cx.put(key)
    }
}

impl KeyRow {
    /// Region of the primary, for a key of this Region.
    fn primary_region(&self) -> Option<&str> {
        self.primary_region.as_deref()
    }

    /// Regions of the replicas.
    pub(crate) fn replica_regions(&self) -> &[Text] {
        self.replica_regions.as_deref().unwrap_or_default()
    }

    /// True if a multi-Region key has its primary or a replica in this Region.
    pub(crate) fn is_in_region(&self, region: &str) -> bool {
        self.primary_region() == Some(region) || self.replica_regions().iter().any(|known| known == region)
    }

    /// True if this is a replica of a primary in another Region.
    pub(crate) fn is_replica(&self, cx: &Tx<'_>) -> bool {
        self.primary_region().is_some_and(|region| region != cx.scope().region())
    }

    /// Refuses a replica.
    pub(crate) fn check_not_replica(&self, cx: &Tx<'_>) -> Result<()> {
        if self.is_replica(cx) { Err(errors::not_a_primary(self.arn(cx.scope()))) } else { Ok(()) }
    }

    /// Refuses a key that is not the primary of a multi-Region key.
    pub(crate) fn check_multi_region_primary(&self, cx: &Tx<'_>) -> Result<()> {
        match self.primary_region() {
            Some(region) if region == cx.scope().region() => Ok(()),
            _ => Err(errors::not_a_primary(self.arn(cx.scope()))),
        }
    }

    /// Sets the Regions of a multi-Region key.
    pub(crate) fn set_regions(&mut self, primary: Text, mut replicas: Vec<Text>) {
        replicas.sort();
        self.primary_region = Some(primary);
        self.replica_regions = Some(replicas).filter(|replicas| !replicas.is_empty());
    }

    /// Returns the primary and the replicas of a multi-Region key.
    pub(crate) fn multi_region_configuration(&self, scope: &Scope) -> Option<MultiRegionConfiguration> {
        let primary = self.primary_region.as_ref()?;
        let to_key = |region: &Text| {
            let arn = key::arn(&Scope::new(scope.account(), region), self.id());
            MultiRegionKey { arn: Some(arn.into()), region: Some(region.clone()) }
        };
        let key_type =
            if primary == scope.region() { MultiRegionKeyType::Primary } else { MultiRegionKeyType::Replica };
        Some(MultiRegionConfiguration {
            multi_region_key_type: Some(key_type),
            primary_key: Some(to_key(primary)),
            replica_keys: Some(self.replica_regions().iter().map(to_key).collect()),
        })
    }
}

/// Changes the rows of the keys that are related to `key` in the other Regions.
pub(crate) fn change_related(
    cx: &mut Tx<'_>,
    key: &KeyRow,
    mut change: impl FnMut(&mut Tx<'_>, &mut KeyRow) -> Result<()>,
) -> Result<()> {
    let regions = key.primary_region.iter().chain(key.replica_regions());
    let others = regions.filter(|region| *region != cx.scope().region());
    let scopes: Vec<_> = others.map(|region| Scope::new(cx.scope().account(), region)).collect();
    for scope in scopes {
        cx.in_scope(&scope, |cx| {
            let Some(mut related) = find::find_by_id(cx, key.id())? else { return Ok(()) };
            change(cx, &mut related)?;
            cx.put(related)
        })?;
    }
    Ok(())
}

/// Writes the Regions of a multi-Region key into the rows of the other Regions.
pub(crate) fn write_regions_to_related(cx: &mut Tx<'_>, key: &KeyRow) -> Result<()> {
    change_related(cx, key, |_, related| {
        related.primary_region = key.primary_region.clone();
        related.replica_regions = key.replica_regions.clone();
        Ok(())
    })
}
