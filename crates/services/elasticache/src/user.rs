//! Cache users: who can use the caches of a user group, and with which commands and keys.

pub(crate) mod access_string;
mod authentication;
mod operations;

pub use access_string::AccessString;
pub(crate) use authentication::UserPasswordsRow;
pub use authentication::{Authentication, AuthenticationMode, AuthenticationType};
pub use operations::*;

use crate::{CacheUserGroup, SourceType, errors, event, user_group};
use nephos_cloud::{Scope, Stored, Tx, own_arn};
use nephos_core::{Resource, Result, Slot, Tag, Text, nearest};

/// ID and name of the user that every account has, and name of the user that a group of the engine redis
/// needs.
pub(crate) const DEFAULT: &str = "default";

/// Engines that have users.
pub(crate) const ENGINES: [&str; 2] = ["redis", VALKEY];

/// The engine whose users must authenticate.
pub(crate) const VALKEY: &str = "valkey";

/// Oldest version of the engines that has users.
pub(crate) const MINIMUM_ENGINE_VERSION: &str = "6.0";

/// Status of a user or a group that can be changed.
pub(crate) const ACTIVE: &str = "active";

/// Status of a user or a group that is being changed.
pub(crate) const MODIFYING: &str = "modifying";

/// Status of a user or a group that is being deleted.
pub(crate) const DELETING: &str = "deleting";

/// A cache user.
///
/// Every account has a user `default` in each Region. It has all permissions and no password, and cannot be
/// changed.
#[derive(Resource)]
#[resource(
    arn("ARN", "user:{UserId}"),
    not_found = |id| errors::user_not_found(id),
    name = "UserId", pk = "ARN", exists_if = "ARN", tags = "Tags",
    relation(groups, many = CacheUserGroup, with = find_groups)
)]
pub struct CacheUser {
    /// ID, unique within account and Region and kept in lower case: a letter, then letters, digits and
    /// hyphens.
    #[field(fixed, length(1..=255))]
    pub(crate) user_id: Option<Text>,
    /// Name to connect with, unique within a user group. Users that authenticate with iam have the same ID
    /// and name.
    #[field(fixed, length(1..))]
    pub(crate) user_name: Option<Text>,
    /// Status: `active`, `modifying` or `deleting`.
    #[field(service_set, default = "active")]
    pub(crate) status: Option<Text>,
    /// Engine: `redis` or `valkey`.
    pub(crate) engine: Option<Text>,
    /// Oldest version of the engine that has users.
    #[field(service_set)]
    minimum_engine_version: Option<Text>,
    /// Permissions: rules such as `on ~app::* -@all +@read`, answered in the order of the engine.
    access_string: Option<Text>,
    /// IDs of the groups that the user is a member of.
    #[field(service_set)]
    user_group_ids: Option<Vec<Text>>,
    /// Authentication.
    #[field(service_set)]
    pub(crate) authentication: Option<Authentication>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheUser in "elasticache/user" by user_id;
    arn arn;
    states(
        "Status": "modifying" => "active" 30 then CacheUser::finish_change,
        "deleting" => removed 30 then CacheUser::clean_up
    )
}

impl CacheUser {
    /// Creates an active user.
    fn named(scope: &Scope, id: Text, name: Text) -> Self {
        use nephos_core::field_value::FieldType as _;
        let mut user = Self::blank();
        user.user_id = Some(id);
        user.user_name = Some(name);
        user.status = Some(ACTIVE.into());
        user.minimum_engine_version = Some(MINIMUM_ENGINE_VERSION.into());
        user.arn = own_arn(&user, scope);
        user
    }

    /// The user that every account has. It has no row, unless it has tags.
    fn built_in(scope: &Scope) -> Self {
        let mut user = Self::named(scope, DEFAULT.into(), DEFAULT.into());
        user.engine = Some("redis".into());
        user.access_string = Some("on ~* +@all".into());
        user.authentication =
            Some(Authentication { r#type: Some(AuthenticationType::NoPassword), password_count: None });
        user
    }

    pub(crate) fn id(&self) -> &str {
        self.user_id.as_deref().unwrap_or_default()
    }

    pub(crate) fn user_name_text(&self) -> &str {
        self.user_name.as_deref().unwrap_or_default()
    }

    pub(crate) fn engine_name(&self) -> &str {
        self.engine.as_deref().unwrap_or_default()
    }

    fn authentication_type(&self) -> Option<&AuthenticationType> {
        self.authentication.as_ref().and_then(|own| own.r#type.as_ref())
    }

    /// True if the user connects without a password.
    pub(crate) fn is_without_password(&self) -> bool {
        self.authentication_type() == Some(&AuthenticationType::NoPassword)
    }

    /// Returns the user as it is answered, with its groups.
    fn shown(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.set_groups(&user_group::all(cx)?);
        Ok(self)
    }

    /// Sets the groups of the user, of these groups. Rows do not have them.
    fn set_groups(&mut self, groups: &[CacheUserGroup]) {
        let own = groups.iter().filter(|group| group.has_member(self.id()));
        self.user_group_ids = Some(own.filter_map(|group| group.user_group_id.clone()).collect());
    }

    /// Refuses the built-in user, and a user that is not active.
    fn check_can_change(&self) -> Result<()> {
        let status = self.status.as_deref().unwrap_or_default();
        let refuse = |error: nephos_core::Error| Err(error.with_field("UserId"));
        match status {
            _ if self.id() == DEFAULT => refuse(errors::default_user_fixed()),
            ACTIVE => Ok(()),
            _ => refuse(errors::user_not_active(self.id(), status)),
        }
    }

    /// Writes an event: the user was created, modified or deleted.
    fn write_event(&self, cx: &mut Tx<'_>, change: &str) -> Result<()> {
        event::write(cx, (SourceType::User, self.id()), format!("User {} {change}", self.id()))
    }

    /// Ends a change.
    fn finish_change(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "modified")
    }

    /// Removes what belongs to a user that is removed.
    fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "deleted")?;
        cx.remove_row(&UserPasswordsRow::table(cx.scope()).text(self.id()))?;
        operations::USERS.remove_one(cx)
    }
}

/// Finds a user by its ID, in any case.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<CacheUser>> {
    let id = id.to_ascii_lowercase();
    match cx.get(&CacheUser::table(cx.scope()).text(&id))? {
        None if id == DEFAULT => Ok(Some(CacheUser::built_in(cx.scope()))),
        found => Ok(found),
    }
}

/// Returns all users in order of their IDs.
fn all(cx: &Tx<'_>) -> Result<Vec<CacheUser>> {
    let mut all: Vec<CacheUser> = cx.all(&CacheUser::table(cx.scope()))?;
    if !all.iter().any(|user| user.id() == DEFAULT) {
        all.push(CacheUser::built_in(cx.scope()));
        all.sort_by(|one, other| one.user_id.cmp(&other.user_id));
    }
    Ok(all)
}

/// Reads the name of an engine, in any case.
pub(crate) fn read_engine(given: &str) -> Result<Text> {
    let engine = given.to_ascii_lowercase();
    if ENGINES.contains(&engine.as_str()) {
        return Ok(engine.into());
    }
    let error = errors::engine_unknown(given, ENGINES.join(", ")).with_field("Engine");
    Err(error.with_hint(nearest::hint(given, ENGINES)))
}

async fn find_groups(user: &CacheUser) -> Result<Vec<CacheUserGroup>> {
    let groups = CacheUserGroup::objects(user.require_session()?);
    let mut found = Vec::new();
    for id in user.user_group_ids.iter().flatten() {
        found.extend(groups.get(id.clone()).await?);
    }
    Ok(found)
}
