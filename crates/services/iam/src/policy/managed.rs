//! Managed policies of the provider: constants, the same in every account, that cannot be changed.
//!
//! Names, paths, versions, dates and documents are those of the provider, as compressed tables that
//! `tests/clients/run --managed-policies` writes. They are read when a policy is first asked for. Only the default version exists.

use crate::{
    Policy,
    entity::{self, Entity, ids},
    policy::attachment::Use,
};
use nephos_cloud::{Stored, Tx, own_arn};
use nephos_core::{Arn, Result, Text, Timestamp, field_value::FieldType, record_of};
use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

/// Account in the ARNs of policies of the provider.
const OWNER: &str = "aws";

/// Path of policies that only service-linked roles can have.
pub const SERVICE_LINKED_PATH: &str = "/aws-service-role/";

/// Number of documents in a block of the table.
const DOCUMENTS_IN_BLOCK: usize = 32;

/// A managed policy of the provider.
#[derive(Debug)]
pub struct ManagedPolicy {
    /// Name.
    pub name: &'static str,
    /// Path.
    pub path: &'static str,
    description: Option<&'static str>,
    /// Number of the default version.
    pub(crate) version: i64,
    /// Time of creation.
    pub created: &'static str,
    /// Time of the last update.
    pub updated: &'static str,
    /// ID.
    pub id: Text,
    /// Position in the tables.
    index: usize,
}

/// Row with the numbers of uses of a policy of the provider in the account.
#[record_of(of = Policy, row, takes(policy_id, attachment_count, permissions_boundary_usage_count))]
pub(crate) struct ManagedUseRow {}

nephos_cloud::stored!(ManagedUseRow in "iam/managed-policy-use" by policy_id);

/// All policies, in order of their names.
pub fn table() -> &'static [ManagedPolicy] {
    static INDEX: LazyLock<String> = LazyLock::new(|| inflate(include_bytes!("managed/index.deflate")));
    static TABLE: LazyLock<Vec<ManagedPolicy>> =
        LazyLock::new(|| INDEX.lines().enumerate().filter_map(read_line).collect());
    &TABLE
}

fn read_line((index, line): (usize, &'static str)) -> Option<ManagedPolicy> {
    let mut parts = line.split('\t');
    let mut next = || parts.next();
    let name = next()?;
    let path = next()?;
    let version = next()?.parse().ok()?;
    let created = next()?;
    let updated = next()?;
    let description = next().filter(|text| !text.is_empty());
    let id = ids::id_of_name(Policy::ID_PREFIX, name);
    Some(ManagedPolicy { name, path, description, version, created, updated, id, index })
}

/// Decompresses a table. The tables are part of the program, and a test reads them all.
fn inflate(table: &[u8]) -> String {
    let bytes = miniz_oxide::inflate::decompress_to_vec(table).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the documents of a block. It is decompressed when it is first needed.
fn block(number: usize) -> &'static str {
    static BLOCKS: LazyLock<Vec<(&[u8], OnceLock<String>)>> = LazyLock::new(|| {
        let mut rest: &[u8] = include_bytes!("managed/documents.deflate");
        let mut blocks = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let (block, after) = after.split_at(after.len().min(u32::from_le_bytes(*length) as usize));
            blocks.push((block, OnceLock::new()));
            rest = after;
        }
        blocks
    });
    BLOCKS.get(number).map_or("", |(block, text)| text.get_or_init(|| inflate(block)))
}

impl ManagedPolicy {
    /// Document of the default version.
    pub fn document(&self) -> &'static str {
        let mut documents = block(self.index / DOCUMENTS_IN_BLOCK).split('\n');
        documents.nth(self.index % DOCUMENTS_IN_BLOCK).unwrap_or_default()
    }

    /// Time of the creation of the default version.
    pub(crate) fn update_date(&self) -> Option<Timestamp> {
        self.updated.parse().ok()
    }

    /// Returns the policy with its uses in the account.
    pub(crate) fn to_policy(&self, cx: &Tx<'_>) -> Result<Policy> {
        let uses: Option<ManagedUseRow> = cx.get(&ManagedUseRow::table(cx.scope()).text(&self.id))?;
        let mut policy = Policy::blank();
        policy.path = Some(self.path.into());
        policy.policy_name = Some(self.name.into());
        policy.arn = own_arn(&policy, &cx.scope().with_account(OWNER));
        policy.default_version_id = Some(format!("v{}", self.version).into());
        policy.attachment_count = Some(uses.as_ref().and_then(|uses| uses.attachment_count).unwrap_or(0));
        policy.permissions_boundary_usage_count =
            Some(uses.and_then(|uses| uses.permissions_boundary_usage_count).unwrap_or(0));
        policy.is_attachable = Some(true);
        policy.description = self.description.map(Text::const_new);
        policy.policy_id = Some(self.id.clone());
        policy.create_date = self.created.parse().ok();
        policy.update_date = self.update_date();
        Ok(policy)
    }

    /// Position in listings in order of names, and the path.
    pub(crate) fn position(&self) -> (Text, &'static str) {
        (entity::name_key(self.name), self.path)
    }
}

/// Returns all policies of the provider, or those that the account uses.
pub(crate) fn all(cx: &Tx<'_>, only_used: bool) -> Result<Vec<&'static ManagedPolicy>> {
    if !only_used {
        return Ok(table().iter().collect());
    }
    let rows: Vec<ManagedUseRow> = cx.all(&ManagedUseRow::table(cx.scope()))?;
    Ok(rows.iter().filter_map(|row| by_id().get(row.policy_id.as_deref()?).copied()).collect())
}

/// True if the ARN is that of a policy of the provider.
pub(crate) fn is_managed_arn(arn: &str) -> bool {
    Arn::parts(arn).is_some_and(|[_, _, _, account, _]| account == OWNER)
}

/// Returns the constant of a policy; `None` if the policy belongs to the account.
pub(crate) fn of_policy(policy: &Policy) -> Option<&'static ManagedPolicy> {
    let is_managed = policy.arn.as_deref().is_some_and(is_managed_arn);
    is_managed.then(|| named(policy.policy_name.as_deref()?)).flatten()
}

/// Finds a managed policy by name.
pub fn named(name: &str) -> Option<&'static ManagedPolicy> {
    table().binary_search_by(|policy| policy.name.cmp(name)).ok().map(|found| &table()[found])
}

/// Finds the policy of the provider with this name.
pub(crate) fn find_by_name(cx: &Tx<'_>, name: &str) -> Result<Option<Policy>> {
    named(name).map(|policy| policy.to_policy(cx)).transpose()
}

/// Finds the policy of the provider with this ARN.
pub(crate) fn find(cx: &Tx<'_>, arn: &str) -> Result<Option<Policy>> {
    let found = find_by_name(cx, entity::name_in_arn(arn))?;
    Ok(found.filter(|policy| policy.arn.as_deref() == Some(arn)))
}

/// Finds the policy of the provider with this unique ID.
pub(crate) fn find_by_id(cx: &Tx<'_>, id: &str) -> Result<Option<Policy>> {
    by_id().get(id).map(|policy| policy.to_policy(cx)).transpose()
}

fn by_id() -> &'static HashMap<&'static str, &'static ManagedPolicy> {
    static BY_ID: LazyLock<HashMap<&str, &ManagedPolicy>> =
        LazyLock::new(|| table().iter().map(|policy| (policy.id.as_str(), policy)).collect());
    &BY_ID
}

/// True if only service-linked roles can have the policy.
pub fn is_for_service_linked_roles(policy: &Policy) -> bool {
    of_policy(policy).is_some_and(|policy| policy.path == SERVICE_LINKED_PATH)
}

/// Adds `change` to the number of uses of a policy of the provider in the account.
pub(crate) fn count(cx: &mut Tx<'_>, policy: Policy, usage: Use, change: i64) -> Result<()> {
    let mut row = ManagedUseRow::from(policy);
    let number = match usage {
        Use::Attached => &mut row.attachment_count,
        Use::Boundary => &mut row.permissions_boundary_usage_count,
    };
    *number = Some(number.unwrap_or_default() + change);
    let is_used = row.attachment_count != Some(0) || row.permissions_boundary_usage_count != Some(0);
    if is_used { cx.put(row) } else { cx.remove(&row) }
}
