//! Knowledge of services that decisions need: identities with their policies, and facts about resources.

use super::{Caller, PolicyForm, TemporarySession};
use crate::{AccessRequest, Tx};
use nephos_core::{
    Arn, Map, Request, Result, Secret, Tag, Text,
    shape::{OperationShape, ServiceShape},
};
use std::fmt;

/// An access key of a user or of the root of an account.
#[derive(Clone, Debug)]
pub struct LongTermKey {
    /// Account of the key.
    pub account: Text,
    /// ARN of the user or of the root.
    pub arn: Text,
    /// Unique ID of the user; the account for the root.
    pub user_id: Text,
    /// Unique ID of the user; `None` for the root.
    pub identity: Option<Text>,
    /// Secret access key.
    pub secret: Secret,
    /// True if the key is valid for requests.
    pub is_active: bool,
}

/// A user or role with its policies.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Unique ID.
    pub id: Text,
    /// ARN of the user or role.
    pub arn: Text,
    /// Name.
    pub name: Text,
    /// Policies of the user and its groups, or of the role: name or ARN, and document.
    pub policies: Vec<(Text, Text)>,
    /// Permissions boundary: ARN and document.
    pub boundary: Option<(Text, Text)>,
    /// Tags.
    pub tags: Vec<Tag>,
}

/// The service that knows the users and roles of the accounts.
pub trait Identities: fmt::Debug + Sync {
    /// Finds an access key of any account.
    fn find_key(&self, cx: &mut Tx<'_>, access_key_id: &str) -> Result<Option<LongTermKey>>;

    /// Finds the user or role with this unique ID in an account.
    fn find(&self, cx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Identity>>;

    /// Finds the user or role with this ARN.
    fn find_by_arn(&self, cx: &mut Tx<'_>, arn: &str) -> Result<Option<Identity>>;

    /// Finds the document of a managed policy, for a caller in an account.
    fn find_policy(&self, cx: &mut Tx<'_>, account: &str, arn: &str) -> Result<Option<Text>>;

    /// Finds the ARN of the role in an instance profile.
    fn find_profile_role(&self, cx: &mut Tx<'_>, profile: &Arn) -> Result<Option<Text>>;

    /// Refuses operations that no policy can allow to a session, because of the way in which its credentials were issued.
    fn check_session(
        &self,
        session: &TemporarySession,
        service: &ServiceShape,
        operation: &OperationShape,
    ) -> Result<()>;

    /// Records that a caller with credentials called a service in a Region.
    fn note_use(
        &self,
        cx: &mut Tx<'_>,
        caller: &Caller,
        service: &'static ServiceShape,
        region: &str,
    ) -> Result<()>;
}

/// Facts about a resource that decisions need.
#[derive(Clone, Debug, Default)]
pub struct ResourceFacts {
    /// ARN of the resource, if it is not the one that was asked for, such as that of a secret with its suffix.
    pub arn: Option<Text>,
    /// Name of the resource, which refusals show unless the caller gave an ARN.
    pub shown: Option<Text>,
    /// Documents of the policies of the resource.
    pub policies: Vec<Text>,
    /// Form of these policies.
    pub policy_form: PolicyForm,
    /// True if the policies of callers count only where those of the resource allow a request to their account.
    pub needs_policy: bool,
    /// Tags of the resource.
    pub tags: Map<Text>,
    /// Further condition keys of the resource, and their values. They replace those of parameters.
    pub context: Vec<(Text, Text)>,
    /// Condition keys of the resource that have these values unless a parameter has the same key.
    pub defaults: Vec<(Text, Text)>,
}

impl ResourceFacts {
    /// Facts about a resource of which only the tags matter.
    pub fn tagged(tags: Map<Text>) -> Self {
        Self { tags, ..Self::default() }
    }
}

/// Finds the facts about a resource of a service, in the scope of the resource.
pub type FindResource = fn(&mut Tx<'_>, &Arn) -> Result<Option<ResourceFacts>>;

/// Finds the grants of a resource that may allow a request which its policies do not allow: their names, and documents of policies
/// with principals. The ARN is the one that was asked for; the request has that of the resource.
pub type FindGrants = fn(&mut Tx<'_>, &Arn, &AccessRequest) -> Result<Vec<(Text, Text)>>;

/// Returns the resources that a request is about, if they are not those of the template of its operation: a key instead of its
/// alias. The action is one of those that the operation needs.
pub type FindSubjects = fn(&mut Tx<'_>, &Request, action: &str, &Arn) -> Result<Option<Vec<Text>>>;

/// Knowledge of a service that decisions need.
#[derive(Clone, Copy, Debug)]
pub struct ServiceAccess {
    /// The service as the source of identities.
    pub identities: Option<&'static dyn Identities>,
    /// Finds the facts about resources that its operations act on.
    pub find_resource: Option<FindResource>,
    /// Finds the grants of resources that its operations act on.
    pub find_grants: Option<FindGrants>,
    /// Finds the resources that requests are about.
    pub find_subjects: Option<FindSubjects>,
    /// Actions in policies that no operation has: `ecr:ReplicateImage`.
    pub actions: &'static [&'static str],
}

impl ServiceAccess {
    /// A service whose resources have neither policies nor tags.
    pub const NONE: Self =
        Self { identities: None, find_resource: None, find_grants: None, find_subjects: None, actions: &[] };
}
