//! Inline policies: policies that belong to one user, group or role.

use crate::{
    Group, GroupManager, Role, RoleManager, User, UserManager,
    entity::{self, Entity},
    errors,
    group::ExistingGroup,
    paging::Page,
    policy::document::{self, Document},
    role::ExistingRole,
    user::ExistingUser,
};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Empty, Record, Result, Text, WorkflowContext, operation};

/// Maximum number of characters of all inline policies of a user, without whitespace.
pub(crate) const MAX_USER_SIZE: usize = 2048;

/// Maximum number of characters of all inline policies of a role, without whitespace.
pub(crate) const MAX_ROLE_SIZE: usize = 10_240;

/// Maximum number of characters of all inline policies of a group, without whitespace.
pub(crate) const MAX_GROUP_SIZE: usize = 5120;

/// Row of an inline policy.
#[derive(Record)]
#[record(row)]
pub(crate) struct InlinePolicyRow {
    /// Unique ID of the entity.
    entity_id: Option<Text>,
    /// Name of the policy.
    pub(crate) policy_name: Option<Text>,
    /// Policy document.
    pub(crate) document: Option<Text>,
}

nephos_cloud::stored!(InlinePolicyRow in "iam/inline-policy" by entity_id, policy_name);

/// Name of an inline policy.
#[derive(Record)]
#[record(shared)]
pub struct InlinePolicyName {
    /// Name of the policy, unique within the entity.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    policy_name: Option<Text>,
}

/// Returns the inline policies of an entity in order of their names.
pub(crate) fn all(cx: &Tx<'_>, entity: &impl Entity) -> Result<Vec<InlinePolicyRow>> {
    cx.all(&InlinePolicyRow::table(cx.scope()).text(entity.id()))
}

/// Returns the names and documents of the inline policies of an entity.
pub(crate) fn documents(cx: &Tx<'_>, entity: &impl Entity) -> Result<Vec<(Text, Text)>> {
    let pair = |row: InlinePolicyRow| (row.policy_name.unwrap_or_default(), row.document.unwrap_or_default());
    Ok(all(cx, entity)?.into_iter().map(pair).collect())
}

/// True if the entity has inline policies.
pub(crate) fn has_policies(cx: &Tx<'_>, entity: &impl Entity) -> Result<bool> {
    let rows = InlinePolicyRow::table(cx.scope()).text(entity.id()).prefix_range();
    Ok(cx.first::<InlinePolicyRow>(&rows, Direction::Ascending)?.is_some())
}

/// Adds or replaces an inline policy. All policies of the entity together have at most `max_size` characters.
fn put<E: Entity>(cx: &mut Tx<'_>, name: &str, policy: Text, text: Text, max_size: usize) -> Result<Empty> {
    let entity: E = entity::require(cx, name)?;
    entity.check_modifiable()?;
    document::check_identity_policy(&text)?;
    let row = InlinePolicyRow {
        entity_id: Some(entity.id().into()),
        policy_name: Some(policy),
        document: Some(text),
    };
    let others = all(cx, &entity)?.into_iter().filter(|other| other.policy_name != row.policy_name);
    let documents = others.chain([row.clone()]).filter_map(|row| row.document);
    if documents.map(|document| document::size(&document)).sum::<usize>() > max_size {
        let refused = errors::inline_policies_too_long(max_size, E::RESOURCE_TYPE, entity.identity()[1]);
        return Err(refused.with_field("PolicyDocument"));
    }
    cx.put(row)?;
    Ok(Empty {})
}

fn require<E: Entity>(cx: &Tx<'_>, name: &str, policy: &str) -> Result<(E, InlinePolicyRow)> {
    let entity: E = entity::require(cx, name)?;
    let row = cx.get(&InlinePolicyRow::table(cx.scope()).text(entity.id()).text(policy))?;
    let row = row.ok_or_else(|| errors::inline_policy_not_found(E::RESOURCE_TYPE, policy))?;
    Ok((entity, row))
}

/// Declares the operations on the inline policies of a kind of entity.
macro_rules! inline_policies {
    (
        $kind:ident, $existing:ident, $name:ident, size $max_size:path;
        $(#[$of_put:meta])+ $put:ident = $put_call:tt;
        $(#[$of_get:meta])+ $get:ident -> $record:ident;
        $(#[$of_list:meta])+ $list:ident = $list_call:tt;
        $(#[$of_delete:meta])+ $delete:ident = $delete_call:tt;
    ) => {
        $(#[$of_put])+
        #[operation(
            of = $kind, call = $put_call, on_model(policy_name, policy_document), include($existing, InlinePolicyName, Document), effect = write
        )]
        pub struct $put {}

        impl Handler for $put {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                put::<$kind>(cx, &self.$name, self.policy_name, self.policy_document, $max_size)
            }
        }

        /// An inline policy.
        #[derive(Record)]
        #[record(answer)]
        pub struct $record {
            /// Name of the entity.
            $name: Option<Text>,
            /// Name of the policy.
            policy_name: Option<Text>,
            /// Policy document; percent-encoded in the answer of the service.
            policy_document: Option<Text>,
        }

        impl $record {
            /// Decodes the document of an answer.
            async fn decode(_: &WorkflowContext, mut found: Self) -> Result<Self> {
                found.policy_document = found.policy_document.as_deref().map(document::decode);
                Ok(found)
            }
        }

        $(#[$of_get])+
        #[operation(
            of = $kind, call = "get_policy", on_model(policy_name), include($existing, InlinePolicyName), with = $record::decode,
            effect = read, output = $record
        )]
        pub struct $get {}

        impl Handler for $get {
            fn run(self, cx: &mut Tx<'_>) -> Result<$record> {
                let (entity, row) = require::<$kind>(cx, &self.$name, &self.policy_name)?;
                Ok($record {
                    $name: entity.$name,
                    policy_name: row.policy_name,
                    policy_document: row.document.as_deref().map(document::encode),
                })
            }
        }

        $(#[$of_list])+
        #[operation(
            of = $kind, call = $list_call, on_model, include($existing, Page),
            page(policy_names: Text, marker, is_truncated), effect = read
        )]
        pub struct $list {}

        impl Handler for $list {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                let entity: $kind = entity::require(cx, &self.$name)?;
                let rows = InlinePolicyRow::table(cx.scope()).text(entity.id());
                let name = |row: InlinePolicyRow| Ok(row.policy_name);
                Ok(cx.page_rows(&self, &rows, name)?.into())
            }
        }

        $(#[$of_delete])+
        #[operation(
            of = $kind, call = $delete_call, on_model(policy_name), include($existing, InlinePolicyName), effect = write
        )]
        pub struct $delete {}

        impl Handler for $delete {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                let (entity, row) = require::<$kind>(cx, &self.$name, &self.policy_name)?;
                entity.check_modifiable()?;
                cx.remove(&row)?;
                Ok(Empty {})
            }
        }
    };
}

inline_policies! {
    User, ExistingUser, user_name, size MAX_USER_SIZE;
    /// Adds an inline policy to a user, or replaces it.
    PutUserPolicy = "put_policy";
    /// Returns an inline policy of a user.
    GetUserPolicy -> GetUserPolicyResponse;
    /// Lists the names of the inline policies of a user.
    ListUserPolicies = "list_policies";
    /// Deletes an inline policy of a user.
    DeleteUserPolicy = "delete_policy";
}

inline_policies! {
    Role, ExistingRole, role_name, size MAX_ROLE_SIZE;
    /// Adds an inline policy to a role, or replaces it.
    PutRolePolicy = "put_policy";
    /// Returns an inline policy of a role.
    GetRolePolicy -> GetRolePolicyResponse;
    /// Lists the names of the inline policies of a role.
    ListRolePolicies = "list_policies";
    /// Deletes an inline policy of a role.
    DeleteRolePolicy = "delete_policy";
}

inline_policies! {
    Group, ExistingGroup, group_name, size MAX_GROUP_SIZE;
    /// Adds an inline policy to a group, or replaces it.
    PutGroupPolicy = "put_inline_policy";
    /// Returns an inline policy of a group.
    GetGroupPolicy -> GetGroupPolicyResponse;
    /// Lists the names of the inline policies of a group.
    ListGroupPolicies = "inline_policies";
    /// Deletes an inline policy of a group.
    DeleteGroupPolicy = "remove_inline_policy";
}
