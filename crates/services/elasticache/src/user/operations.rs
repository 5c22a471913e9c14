//! Operations on cache users.

use super::{
    AccessString, AuthenticationType, CacheUser, CacheUserManager, DELETING, MODIFYING, VALKEY, all,
    authentication, authentication::NewAuthentication, find, read_engine,
};
use crate::{
    AuthenticationMode, errors,
    identifier::{self, Page},
    tagging, user_group,
};
use nephos_cloud::{Addressed, Handler, Quota, Tx, tags::to_list};
use nephos_core::{
    Error, ManagerOperation, Record, Result, Secret, Text, WorkflowContext, nearest, operation, with_tags,
};

/// Quota of users.
pub(super) const USERS: Quota = Quota { counter: "elasticache/users", max: 1000, what: "users" };

fn read_id(given: &str) -> Result<Text> {
    identifier::read(given, "UserId", 255)
}

fn require(cx: &Tx<'_>, id: &str) -> Result<CacheUser> {
    find(cx, id)?.ok_or_else(|| CacheUser::not_found(id).with_field("UserId"))
}

fn parse_access(text: &str, field: &str) -> Result<AccessString> {
    AccessString::parse(text).map_err(|error| error.with_field(field))
}

/// Refuses an authentication that this user cannot have.
fn check_authentication(user: &CacheUser, kind: &AuthenticationType) -> Result<()> {
    if *kind == AuthenticationType::Iam && !user.user_name_text().eq_ignore_ascii_case(user.id()) {
        return Err(errors::iam_name_differs().with_field("AuthenticationMode"));
    }
    if *kind == AuthenticationType::NoPassword && user.engine_name() == VALKEY {
        return Err(errors::valkey_user_without_password(user.id()).with_field("NoPasswordRequired"));
    }
    Ok(())
}

/// Creates a cache user. It needs passwords, the flag that it has none, or a type of authentication.
#[operation(
    of = CacheUser, call = "create", model, overrides(tags), needs(user_id, user_name, engine, access_string),
    takes(tags), effect = write, output = CacheUser, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateUser {
    /// Passwords: one or two, of 16 to 128 characters.
    #[field(sensitive)]
    pub passwords: Option<Vec<Secret>>,
    /// True for a user without a password.
    pub no_password_required: Option<bool>,
    /// Type of the authentication, with its passwords.
    pub authentication_mode: Option<AuthenticationMode>,
}

impl Handler for CreateUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUser> {
        let id = read_id(&self.user_id)?;
        let engine = read_engine(&self.engine)?;
        let given =
            NewAuthentication::read(self.passwords, self.no_password_required, self.authentication_mode)?;
        let given = given.ok_or_else(authentication::type_missing)?;
        let access = parse_access(&self.access_string, "AccessString")?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if find(cx, &id)?.is_some() {
            return Err(errors::user_exists(&id).with_field("UserId"));
        }
        let mut user = CacheUser::named(cx.scope(), id, self.user_name);
        user.engine = Some(engine);
        user.access_string = Some((&access).into());
        user.tags = to_list(tags);
        check_authentication(&user, given.kind())?;
        USERS.add_one(cx, errors::too_many_users)?;
        given.put(cx, &mut user)?;
        user.write_event(cx, "created")?;
        cx.put(user.clone())?;
        user.shown(cx)
    }
}

/// A condition on users: a property, and the values that match.
#[derive(Record)]
pub struct Filter {
    /// Property: `user-id`, `user-name`, `engine` or `status`.
    #[field(required)]
    name: Option<Text>,
    /// Values of which one must match.
    #[field(required, length(1..))]
    values: Option<Vec<Text>>,
}

/// Properties that users can be filtered by, as words and as members of the answer.
const FILTERS: [(&str, &str); 4] =
    [("user-id", "UserId"), ("user-name", "UserName"), ("engine", "Engine"), ("status", "Status")];

impl Filter {
    /// Returns the property, as in [`FILTERS`]; refuses an unknown one.
    fn property(&self) -> Result<&'static str> {
        let name = self.name.as_deref().unwrap_or_default();
        let known = FILTERS.into_iter().find(|(word, member)| name == *word || name == *member);
        known.map(|(word, _)| word).ok_or_else(|| {
            let hint = nearest::hint(name, FILTERS.iter().map(|(word, _)| *word));
            errors::filter_unknown(name).with_field("Name").with_hint(hint)
        })
    }

    fn accepts(&self, user: &CacheUser) -> Result<bool> {
        let values = self.values.iter().flatten();
        let is_any_of = |own: Option<&Text>| {
            values.clone().any(|value| own.is_some_and(|own| own.eq_ignore_ascii_case(value)))
        };
        Ok(match self.property()? {
            "user-id" => is_any_of(user.user_id.as_ref()),
            "user-name" => values.clone().any(|value| user.user_name.as_ref() == Some(value)),
            "engine" => is_any_of(user.engine.as_ref()),
            _ => is_any_of(user.status.as_ref()),
        })
    }
}

/// Describes cache users, in order of their IDs.
#[operation(
    of = CacheUser, call = "list", page(users, marker), include(Page), effect = read, access = list
)]
pub struct DescribeUsers {
    /// Engine of the users: `redis` or `valkey`.
    pub engine: Option<Text>,
    /// ID of one user.
    pub user_id: Option<Text>,
    /// Conditions that all must hold.
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeUsers {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let engine = self.engine.as_deref().map(read_engine).transpose()?;
        let filters = self.filters.as_deref().unwrap_or_default();
        for (n, filter) in filters.iter().enumerate() {
            filter.property().map_err(|error: Error| error.in_field(&format!("Filters[{n}]")))?;
        }
        let mut users = match &self.user_id {
            Some(id) => vec![require(cx, id)?],
            None => all(cx)?,
        };
        users.retain(|user| engine.is_none() || user.engine == engine);
        for filter in filters {
            let mut accepted = Vec::new();
            for user in users {
                if filter.accepts(&user)? {
                    accepted.push(user);
                }
            }
            users = accepted;
        }
        let (mut users, next) =
            cx.page_items(&self, users, |user: &CacheUser| user.user_id.clone().unwrap_or_default())?;
        let groups = user_group::all(cx)?;
        users.iter_mut().for_each(|user| user.set_groups(&groups));
        Ok((users, next).into())
    }
}

/// Gets a cache user; none if it does not exist, or has another engine.
#[operation(kind = CacheUser, call = "get", effect = read, output = Option<CacheUser>)]
pub struct CacheUserGet {
    /// ID of the user.
    #[field(from_field = "UserId")]
    pub user_id: Text,
    /// Engine of the user: `redis` or `valkey`; any if it is not given.
    pub engine: Option<Text>,
}

impl ManagerOperation for CacheUserGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<CacheUser>> {
        let mut describe = DescribeUsers::new().user_id(&self.user_id);
        describe.engine.clone_from(&self.engine);
        let found = context.find(describe).await?.and_then(|found| found.users?.into_iter().next());
        match found {
            Some(user) => with_tags(context, user).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Changes a cache user. What is not given stays; new passwords replace all others.
#[operation(
    of = CacheUser, needs(user_id), takes(access_string, engine), effect = write,
    output = CacheUser
)]
pub struct ModifyUser {
    /// Rules that follow those of the user.
    pub append_access_string: Option<Text>,
    /// Passwords: one or two, of 16 to 128 characters.
    #[field(sensitive)]
    pub passwords: Option<Vec<Secret>>,
    /// True for a user without a password.
    pub no_password_required: Option<bool>,
    /// Type of the authentication, with its passwords.
    pub authentication_mode: Option<AuthenticationMode>,
}

/// Changes a cache user: what changed in the model, and the authentication.
#[operation(kind = CacheUser, call = "update", changes(ModifyUser), effect = write)]
pub struct CacheUserUpdate {
    /// Rules that follow those of the user.
    pub append_access_string: Option<Text>,
    /// New passwords: one or two, of 16 to 128 characters.
    #[field(sensitive)]
    pub passwords: Option<Vec<Secret>>,
    /// True for a user without a password.
    pub no_password_required: Option<bool>,
    /// New type of the authentication, with its passwords.
    pub authentication_mode: Option<AuthenticationMode>,
}

impl Handler for ModifyUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUser> {
        let mut user = require(cx, &read_id(&self.user_id)?)?;
        let engine = self.engine.as_deref().map(read_engine).transpose()?;
        let has_access = self.access_string.is_some() || self.append_access_string.is_some();
        let access = match (&self.access_string, &self.append_access_string) {
            (Some(_), Some(_)) => {
                return Err(errors::access_strings_combined().with_field("AppendAccessString"));
            }
            (Some(text), None) => parse_access(text, "AccessString")?,
            (None, Some(text)) => {
                parse_access(user.access_string.as_deref().unwrap_or_default(), "AccessString")?
                    .append(text)
                    .map_err(|error| error.with_field("AppendAccessString"))?
            }
            (None, None) => AccessString::default(),
        };
        let given =
            NewAuthentication::read(self.passwords, self.no_password_required, self.authentication_mode)?;
        user.check_can_change()?;
        if engine.is_none() && !has_access && given.is_none() {
            return Err(errors::nothing_to_modify());
        }
        if has_access {
            user.access_string = Some((&access).into());
        }
        user.engine = engine.or(user.engine);
        let kind = given.as_ref().map(NewAuthentication::kind).or_else(|| user.authentication_type());
        if let Some(kind) = kind {
            check_authentication(&user, kind)?;
        }
        let is_without_password = kind == Some(&AuthenticationType::NoPassword);
        user_group::check_groups_accept(cx, &user, is_without_password)?;
        if let Some(given) = given {
            given.put(cx, &mut user)?;
        }
        user.status = Some(MODIFYING.into());
        cx.put_and_schedule_transition(user.clone())?;
        user.shown(cx)
    }
}

/// Deletes a cache user, which leaves all its groups. The default user of a group of the engine redis cannot
/// be deleted.
#[operation(
    of = CacheUser, call = "delete", on_model, needs(user_id), effect = write, output = CacheUser
)]
pub struct DeleteUser {}

impl Handler for DeleteUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUser> {
        let mut user = require(cx, &read_id(&self.user_id)?)?;
        user_group::check_can_leave_all(cx, &user)?;
        user.check_can_change()?;
        user_group::remove_from_all(cx, user.id())?;
        user.status = Some(DELETING.into());
        cx.put_and_schedule_transition(user.clone())?;
        user.shown(cx)
    }
}
