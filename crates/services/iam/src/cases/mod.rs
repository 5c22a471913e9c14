//! Behaviour cases of identity.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod access_keys;
mod groups;
mod paging;
mod tags;
mod users;

use crate::{Group, User, errors};
use nephos_cloud::testing::{ask, names};
use nephos_core::Result;

nephos_cloud::world!(crate::IAM);

nephos_cloud::cases! {
    "iam", World;
    access_keys {
        access_key_belongs_to_its_user,
        access_key_is_activated_and_deactivated,
        access_key_leads_to_its_user,
        access_keys_of_root_user_have_no_name,
        deleted_access_key_is_gone,
        last_use_of_unused_key_is_not_available,
        secret_is_returned_only_at_creation,
        user_can_have_two_access_keys,
    }
    groups {
        created_group_is_returned_by_get,
        group_name_is_unique_ignoring_case,
        group_with_users_cannot_be_deleted,
        missing_group_is_not_found,
        models_add_and_remove_users,
        renamed_group_keeps_users,
        renamed_user_keeps_groups,
        save_creates_then_renames_group,
        user_can_be_in_ten_groups,
        users_of_group_are_sorted_by_name,
    }
    paging {
        default_page_has_one_hundred_users,
        groups_of_user_are_paginated,
        marker_is_bound_to_account_and_query,
        number_of_groups_is_limited,
        pagination_returns_each_user_once,
        path_prefix_selects_users_and_groups,
        users_of_group_are_paginated,
    }
    tags {
        duplicate_and_reserved_tags_are_refused,
        model_changes_tags,
        tag_keys_ignore_case,
        tags_are_listed_in_order_of_keys,
        user_can_have_fifty_tags,
    }
    users {
        accounts_are_isolated_and_regions_share_users,
        caller_is_root_user,
        created_user_is_returned_by_get,
        every_row_belongs_to_a_listed_table,
        missing_user_is_not_found,
        name_and_path_rules_are_checked,
        rename_changes_case_of_name,
        rename_to_taken_name_is_refused,
        renamed_user_keeps_id,
        save_creates_then_updates_user,
        user_name_is_unique_ignoring_case,
        user_with_groups_or_keys_cannot_be_deleted,
    }
}

impl World {
    /// Creates a user.
    pub(super) fn create_user(&self, name: &str) -> Result<User> {
        User::objects(&self.session()).create(&User::builder().user_name(name).build()?).wait()
    }

    /// Creates a user with a path.
    pub(super) fn create_user_in(&self, path: &str, name: &str) -> Result<User> {
        User::objects(&self.session()).create(&User::builder().user_name(name).path(path).build()?).wait()
    }

    /// Creates a group.
    pub(super) fn create_group(&self, name: &str) -> Result<Group> {
        Group::objects(&self.session()).create(&Group::builder().group_name(name).build()?).wait()
    }

    /// Returns the user with this name, who must exist.
    #[track_caller]
    pub(super) fn existing_user(&self, name: &str) -> Result<User> {
        let found = User::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("user {name} does not exist")))
    }

    /// Returns the names of the users of a group.
    pub(super) fn users_of(&self, group: &str) -> Result<Vec<String>> {
        names(&Group::objects(&self.session()).users(group).wait()?)
    }

    /// Returns the names of the groups of a user.
    pub(super) fn groups_of(&self, user: &str) -> Result<Vec<String>> {
        names(&Group::objects(&self.session()).list_for_user(user).wait()?)
    }
}
