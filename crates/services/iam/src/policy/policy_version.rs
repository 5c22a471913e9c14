//! Versions of managed policies. A policy has at most five; the default version is in effect.

use crate::{
    Policy, PolicyManager,
    entity::Entity,
    errors,
    paging::Page,
    policy::{
        self, ExistingPolicy,
        document::{self, Document},
        managed,
    },
};
use nephos_cloud::{Handler, Key, Scope, Stored, Tx};
use nephos_core::{
    Empty, ManagerOperation, Operation as _, Record, Resource, Result, Slot, Text, Timestamp,
    WorkflowContext, field_value::FieldType, operation,
};

/// Maximum number of versions of a policy.
pub(crate) const MAX_VERSIONS: usize = 5;

/// Maximum number of characters of the document of a managed policy, without whitespace.
pub(crate) const MAX_SIZE: usize = 6144;

/// Counter of the versions of all policies of an account.
pub(crate) const COUNTER: &str = "iam/policy-versions";

/// ID of the first version.
pub(crate) const FIRST_VERSION: &str = "v1";

/// A version of a managed policy.
#[derive(Resource)]
#[resource(name = "VersionId", pk("PolicyArn", "VersionId"), exists_if = "VersionId")]
pub struct PolicyVersion {
    /// ARN of the policy.
    #[field(service_set, not_on_wire, length(20..=2048))]
    policy_arn: Option<Text>,
    /// Policy document in JSON.
    #[field(not_in_list, service_set)]
    document: Option<Text>,
    /// ID of the version: `v1`.
    #[field(service_set, pattern = r"v[1-9][0-9]*(\.[A-Za-z0-9-]*)?")]
    version_id: Option<Text>,
    /// True for the default version, which is in effect.
    #[field(service_set)]
    is_default_version: Option<bool>,
    /// Time of creation.
    #[field(service_set)]
    create_date: Option<Timestamp>,
    slot: Slot,
}

/// Row of a version of a policy.
#[derive(Record)]
#[record(row)]
pub(crate) struct VersionRow {
    /// Unique ID of the policy.
    policy_id: Option<Text>,
    /// Number of the version, from 1.
    number: Option<i64>,
    /// Policy document.
    pub(crate) document: Option<Text>,
    /// Time of creation.
    create_date: Option<Timestamp>,
}

nephos_cloud::stored!(VersionRow in "iam/policy-version" by policy_id, number);

impl VersionRow {
    fn id(&self) -> String {
        format!("v{}", self.number.unwrap_or_default())
    }

    /// Returns the version with its document, percent-encoded.
    pub(crate) fn to_version_with_document(&self, policy: &Policy) -> PolicyVersion {
        let mut version = self.to_version(policy);
        version.document = self.document.as_deref().map(document::encode);
        version
    }

    /// Returns the version without its document.
    fn to_version(&self, policy: &Policy) -> PolicyVersion {
        let id = self.id();
        let mut version = PolicyVersion::blank();
        version.is_default_version = Some(policy.default_version_id.as_deref() == Some(id.as_str()));
        version.version_id = Some(id.into());
        version.create_date = self.create_date;
        version
    }
}

/// Row with the number of the newest version of a policy: numbers are not used again.
#[derive(Record)]
#[record(row)]
pub(crate) struct NewestVersionRow {
    /// Unique ID of the policy.
    policy_id: Option<Text>,
    /// Number of the newest version.
    number: Option<i64>,
}

nephos_cloud::stored!(NewestVersionRow in "iam/newest-policy-version" by policy_id);

/// Key of the row with the number of the newest version of a policy.
pub(crate) fn counter_key(scope: &Scope, policy_id: &str) -> Key {
    NewestVersionRow::table(scope).text(policy_id)
}

/// Refuses a document that is malformed or too long.
pub(crate) fn check_document(document: &str) -> Result<()> {
    document::check_managed_policy(document)?;
    if document::size(document) > MAX_SIZE {
        return Err(errors::quota_exceeded("PolicySize", MAX_SIZE).with_field("PolicyDocument"));
    }
    Ok(())
}

/// Stores the first version of a policy.
pub(crate) fn put_first(cx: &mut Tx<'_>, policy: &Policy, document: Text) -> Result<()> {
    put(cx, policy, 1, document).map(drop)
}

fn put(cx: &mut Tx<'_>, policy: &Policy, number: i64, document: Text) -> Result<VersionRow> {
    let row = VersionRow {
        policy_id: policy.policy_id.clone(),
        number: Some(number),
        document: Some(document),
        create_date: Some(cx.now()),
    };
    cx.put(NewestVersionRow { policy_id: policy.policy_id.clone(), number: Some(number) })?;
    cx.put(row.clone())?;
    cx.add_to_count(COUNTER, 1)?;
    Ok(row)
}

/// Removes a version of a policy.
pub(crate) fn remove(cx: &mut Tx<'_>, version: &VersionRow) -> Result<()> {
    cx.add_to_count(COUNTER, -1)?;
    cx.remove(version)
}

/// Returns the versions of a policy, oldest first.
pub(crate) fn all(cx: &Tx<'_>, policy: &Policy) -> Result<Vec<VersionRow>> {
    match managed::of_policy(policy) {
        Some(managed) => Ok(vec![VersionRow {
            policy_id: policy.policy_id.clone(),
            number: Some(managed.version),
            document: Some(Text::const_new(managed.document())),
            create_date: managed.update_date(),
        }]),
        None => cx.all(&VersionRow::table(cx.scope()).text(policy.id())),
    }
}

/// Returns the document of the default version of a policy.
pub(crate) fn default_document(cx: &Tx<'_>, policy: &Policy) -> Result<Option<Text>> {
    if let Some(managed) = managed::of_policy(policy) {
        return Ok(Some(Text::const_new(managed.document())));
    }
    let default = policy.default_version_id.as_deref().unwrap_or_default();
    let number = default.trim_start_matches('v').parse().unwrap_or_default();
    let row: Option<VersionRow> = cx.get(&VersionRow::table(cx.scope()).text(policy.id()).number(number))?;
    Ok(row.and_then(|row| row.document))
}

fn require(cx: &Tx<'_>, policy: &Policy, version_id: &str) -> Result<VersionRow> {
    let found = all(cx, policy)?.into_iter().find(|row| row.id() == version_id);
    let arn = policy.arn.as_deref().unwrap_or_default();
    found.ok_or_else(|| errors::policy_version_not_found(arn, version_id))
}

/// Policy and ID of an existing version.
#[derive(Record)]
#[record(shared)]
pub struct ExistingVersion {
    /// ARN of the policy.
    #[field(required, like = PolicyVersion::policy_arn)]
    policy_arn: Option<Text>,
    /// ID of the version.
    #[field(required, like = PolicyVersion::version_id)]
    version_id: Option<Text>,
}

impl PolicyVersion {
    /// Decodes the document of an answer.
    pub(crate) fn with_decoded_document(mut self) -> Self {
        self.document = self.document.as_deref().map(document::decode);
        self
    }
}

/// Completes the version of an answer with its policy and the decoded document.
fn complete(answered: Option<PolicyVersion>, policy_arn: &Text) -> Result<PolicyVersion> {
    let missing = || nephos_core::operation::missing_in_answer("PolicyVersion");
    let mut version = answered.ok_or_else(missing)?.with_decoded_document();
    version.policy_arn = Some(policy_arn.clone());
    Ok(version)
}

/// Creates a version of a policy.
#[operation(
    of = PolicyVersion, include(ExistingPolicy, Document), wraps(policy_version), effect = write,
    subject = "{PolicyArn}"
)]
pub struct CreatePolicyVersion {
    /// True to make it the default version.
    pub set_as_default: Option<bool>,
}

impl Handler for CreatePolicyVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut policy = policy::require(cx, &self.policy_arn)?;
        policy::check_own(cx, &policy, Self::OPERATION.name)?;
        check_document(&self.policy_document)?;
        if all(cx, &policy)?.len() >= MAX_VERSIONS {
            return Err(errors::too_many_versions(MAX_VERSIONS));
        }
        let newest: Option<NewestVersionRow> = cx.get(&counter_key(cx.scope(), policy.id()))?;
        let number = newest.and_then(|row| row.number).unwrap_or_default() + 1;
        let row = put(cx, &policy, number, self.policy_document)?;
        if self.set_as_default == Some(true) {
            policy.default_version_id = Some(row.id().into());
            policy.update_date = row.create_date;
            cx.put(policy.clone())?;
        }
        Ok(row.to_version(&policy).into())
    }
}

/// Creates a version of a policy, and returns it without its document.
#[operation(
    kind = PolicyVersion, call = "create", include(ExistingPolicy, Document), effect = write, output = PolicyVersion
)]
pub struct PolicyVersionCreate {
    /// True to make it the default version.
    pub set_as_default: Option<bool>,
}

impl ManagerOperation for PolicyVersionCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<PolicyVersion> {
        let mut create = CreatePolicyVersion::new(self.policy_arn.clone(), self.policy_document.clone());
        create.set_as_default = self.set_as_default;
        complete(context.call(create).await?.policy_version, &self.policy_arn)
    }
}

/// Returns a version of a policy with its document, percent-encoded.
#[operation(
    of = PolicyVersion, include(ExistingVersion), wraps(policy_version), effect = read, subject = "{PolicyArn}"
)]
pub struct GetPolicyVersion {}

impl Handler for GetPolicyVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let policy = policy::require(cx, &self.policy_arn)?;
        let row = require(cx, &policy, &self.version_id)?;
        Ok(row.to_version_with_document(&policy).into())
    }
}

/// Returns a version of a policy with its document, if it exists.
#[operation(
    kind = PolicyVersion, call = "get", include(ExistingVersion), effect = read, output = Option<PolicyVersion>
)]
pub struct PolicyVersionGet {}

impl ManagerOperation for PolicyVersionGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<PolicyVersion>> {
        let get = GetPolicyVersion::new(self.policy_arn.clone(), self.version_id.clone());
        let found = context.find(get).await?;
        found.map(|found| complete(found.policy_version, &self.policy_arn)).transpose()
    }
}

/// Lists the versions of a policy, newest first.
#[operation(
    of = PolicyVersion, call = "list", page(versions, marker, is_truncated), copies_to_answer(policy_arn),
    needs(policy_arn), include(Page), effect = read, subject = "{PolicyArn}"
)]
pub struct ListPolicyVersions {}

impl Handler for ListPolicyVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let policy = policy::require(cx, &self.policy_arn)?;
        let versions = all(cx, &policy)?;
        let versions = versions.iter().rev().map(|row| row.to_version(&policy));
        Ok(cx.page_list(&self, versions)?.into())
    }
}

/// Deletes a version of a policy, which must not be the default version.
#[operation(
    of = PolicyVersion, call = "delete", on_model, include(ExistingVersion),
    effect = write, subject = "{PolicyArn}"
)]
pub struct DeletePolicyVersion {}

impl Handler for DeletePolicyVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let policy = policy::require(cx, &self.policy_arn)?;
        policy::check_own(cx, &policy, Self::OPERATION.name)?;
        let row = require(cx, &policy, &self.version_id)?;
        if policy.default_version_id.as_ref() == Some(&self.version_id) {
            return Err(errors::default_version());
        }
        remove(cx, &row)?;
        Ok(Empty {})
    }
}

/// Makes a version the default version of its policy.
#[operation(
    of = PolicyVersion, call = "set_default", on_model, include(ExistingVersion),
    effect = write, subject = "{PolicyArn}"
)]
pub struct SetDefaultPolicyVersion {}

impl Handler for SetDefaultPolicyVersion {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut policy = policy::require(cx, &self.policy_arn)?;
        policy::check_own(cx, &policy, Self::OPERATION.name)?;
        let row = require(cx, &policy, &self.version_id)?;
        policy.update_date = row.create_date;
        policy.default_version_id = Some(self.version_id);
        cx.put(policy)?;
        Ok(Empty {})
    }
}

/// Lists the versions of the policy, newest first.
#[operation(
    kind = Policy, call = "list_versions", on_model, include(ExistingPolicy), effect = read,
    output = Vec<PolicyVersion>
)]
pub struct PolicyListVersions {}

impl ManagerOperation for PolicyListVersions {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<PolicyVersion>> {
        // A policy has at most five versions, which fit on a page.
        let found = context.call(ListPolicyVersions::new(self.policy_arn.clone())).await?;
        let mut versions = found.versions.unwrap_or_default();
        versions.iter_mut().for_each(|version| version.policy_arn = Some(self.policy_arn.clone()));
        Ok(versions)
    }
}

/// Makes a version the default version of the policy.
#[operation(
    kind = Policy, call = "set_default_version", on_model(version_id), runs = SetDefaultPolicyVersion, include(ExistingPolicy), effect = write
)]
pub struct PolicySetDefaultVersion {
    /// ID of the version.
    #[field(like = PolicyVersion::version_id)]
    pub version_id: Text,
}
