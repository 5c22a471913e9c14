//! Behaviour cases of identity.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod access_keys;
mod account;
mod attachments;
mod credential_reports;
mod groups;
mod inline_policies;
mod instance_profiles;
mod last_accessed;
mod laws;
mod login_profiles;
mod managed_policies;
mod mfa_devices;
mod open_id_providers;
mod paging;
mod policies;
mod roles;
mod saml_providers;
mod server_certificates;
mod service_credentials;
mod service_linked_roles;
mod signing_certificates;
mod simulation;
mod ssh_public_keys;
mod tags;
mod users;

use nephos_core::{Blob, Result};
use nephos_iam::Group;
use nephos_iam::OpenIDConnectProvider;
use nephos_iam::Policy;
use nephos_iam::Role;
use nephos_iam::User;
use nephos_iam::VirtualMFADevice;
use nephos_iam::entity::ids;
use nephos_iam::errors;
use nephos_iam::parts::totp;
use nephos_testing::{ask, names};

pub use laws::LAWS;

nephos_testing::world!(nephos_iam::IAM);

nephos_testing::cases! {
    "iam", World;
    access_keys {
        access_key_belongs_to_its_user,
        access_key_is_activated_and_deactivated,
        access_key_leads_to_its_user,
        access_keys_of_root_user_have_no_name,
        deleted_access_key_is_gone,
        last_use_of_unused_key_is_not_available,
        secret_is_returned_only_at_creation,
        session_with_a_key_is_its_user_while_the_key_is_active,
        use_of_a_key_is_recorded,
        user_can_have_two_access_keys,
    }
    account {
        alias_is_unique_over_accounts,
        authorization_details_are_filtered_and_paginated,
        authorization_details_have_all_policies,
        password_policy_has_defaults,
        password_policy_is_replaced_as_a_whole,
        root_user_can_have_a_password,
        summary_has_numbers_and_quotas,
    }
    attachments {
        entities_of_policy_are_filtered_and_paginated,
        entities_with_policies_cannot_be_deleted,
        permissions_boundary_is_set_and_removed,
        policy_is_attached_and_detached,
        renamed_entities_keep_policies,
        policies_in_use_are_listed,
        ten_policies_can_be_attached,
        unknown_policy_cannot_be_attached,
    }
    credential_reports {
        credential_report_has_all_users,
        credential_report_is_valid_for_four_hours,
    }
    groups {
        created_group_is_returned_by_get,
        group_name_is_unique_ignoring_case,
        group_with_users_cannot_be_deleted,
        missing_group_is_not_found,
        manager_has_calls_for_policies,
        models_add_and_remove_users,
        renamed_group_keeps_users,
        renamed_user_keeps_groups,
        save_creates_then_renames_group,
        user_can_be_in_ten_groups,
        users_of_group_are_sorted_by_name,
    }
    inline_policies {
        entity_with_inline_policies_cannot_be_deleted,
        inline_policy_is_put_read_and_deleted,
        invalid_inline_policies_are_refused,
        names_of_inline_policies_are_paginated,
        size_of_inline_policies_is_limited,
    }
    instance_profiles {
        created_instance_profile_is_returned_by_get,
        instance_profile_has_one_role,
        instance_profile_has_tags,
        instance_profiles_are_listed_and_paginated,
        missing_instance_profile_is_not_found,
    }
    last_accessed {
        report_has_the_last_use_of_allowed_services,
        reports_expire_and_need_an_entity,
    }
    login_profiles {
        login_profile_is_created_changed_and_deleted,
        password_policy_is_enforced,
        passwords_are_stored_sealed,
        passwords_have_three_kinds_of_characters_by_default,
        previous_passwords_cannot_be_used_again,
        root_user_cannot_change_its_password,
        user_changes_its_own_password,
        user_with_password_cannot_be_deleted,
    }
    mfa_devices {
        deactivated_device_can_be_enabled_or_deleted,
        device_has_tags,
        device_is_enabled_by_two_consecutive_codes,
        resynchronization_corrects_the_time_of_a_device,
        seed_is_returned_only_at_creation,
        user_can_have_eight_devices,
        virtual_devices_are_listed_by_assignment,
    }
    open_id_providers {
        client_ids_and_thumbprints_are_changed,
        created_open_id_provider_is_returned_by_get,
        key_sets_of_issuers_are_registered,
        number_of_open_id_providers_is_limited,
        open_id_provider_has_tags,
        open_id_provider_is_unique_by_url,
        open_id_providers_are_listed_and_deleted,
    }
    managed_policies {
        policies_are_listed_by_owner,
        policies_of_service_linked_roles_cannot_be_attached,
        policies_of_the_provider_are_read,
        policies_of_the_provider_cannot_be_changed,
        policy_of_the_provider_is_attached,
    }
    paging {
        default_page_has_one_hundred_users,
        groups_of_user_are_paginated,
        marker_is_bound_to_account_and_query,
        number_of_groups_is_limited,
        number_of_instance_profiles_is_limited,
        number_of_policies_is_limited,
        number_of_roles_is_limited,
        pagination_returns_each_user_once,
        path_prefix_selects_users_and_groups,
        users_of_group_are_paginated,
    }
    policies {
        created_policy_is_returned_by_get,
        default_version_cannot_be_deleted,
        default_version_is_changed,
        document_is_percent_encoded,
        document_size_is_limited,
        listed_policies_are_filtered,
        documents_are_checked_in_the_order_of_the_provider,
        malformed_document_is_refused,
        missing_or_invalid_arn_is_refused,
        policy_can_have_five_versions,
        policy_has_tags,
        policy_name_is_unique_ignoring_case,
    }
    roles {
        created_role_is_returned_by_get,
        deleted_role_leaves_no_rows,
        missing_role_is_not_found,
        role_has_policies_and_boundary,
        role_has_tags,
        role_name_is_unique_ignoring_case,
        role_with_policies_cannot_be_deleted,
        roles_are_listed_and_paginated,
        save_changes_role,
        session_duration_is_checked,
        trust_policy_is_checked,
        trust_policy_is_percent_encoded,
        trust_policy_size_is_limited,
    }
    saml_providers {
        created_saml_provider_is_returned_by_get,
        deleted_saml_provider_leaves_no_rows,
        metadata_is_checked,
        private_keys_are_sealed_and_limited,
        saml_provider_is_listed_changed_and_deleted,
    }
    server_certificates {
        account_can_have_twenty_certificates,
        certificate_belongs_to_its_key_and_chain,
        certificate_is_renamed_and_tagged,
        uploaded_certificate_is_returned_by_get,
    }
    service_credentials {
        api_keys_expire,
        credential_is_created_reset_and_deleted,
        user_can_have_two_credentials_for_a_service,
    }
    service_linked_roles {
        service_and_suffix_are_checked,
        service_linked_role_cannot_be_changed,
        service_linked_role_has_a_policy_of_the_provider,
        service_linked_role_is_deleted_by_a_task,
    }
    signing_certificates {
        malformed_and_expired_signing_certificates_are_refused,
        root_user_can_have_signing_certificates,
        signing_certificate_is_uploaded_changed_and_deleted,
        user_can_have_two_signing_certificates,
    }
    simulation {
        actions_and_resources_are_combined_and_paginated,
        context_keys_are_given_and_missing,
        custom_policies_decide,
        invalid_simulations_are_refused,
        long_policies_make_short_pages,
        organization_limits_custom_policies,
        principal_has_policies_of_its_groups_and_a_boundary,
        resource_policy_decides_with_caller,
    }
    ssh_public_keys {
        invalid_public_keys_are_refused,
        public_key_is_listed_changed_and_deleted,
        public_key_is_returned_in_both_encodings,
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

/// A policy of an identity.
const DOCUMENT: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}"#;

/// A trust policy.
const TRUST: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}]}"#;

/// Returns the code of an MFA device at a time in milliseconds since 1970, by the seed that the creation of the device
/// returned.
pub fn mfa_code(base32_seed: &Blob, millis: i64) -> String {
    let (mut bits, mut number, mut seed) = (0_u64, 0, Vec::new());
    for digit in &base32_seed.0 {
        let value = ids::ALPHABET.iter().position(|known| known == digit).expect("the seed is base32");
        (bits, number) = (bits << 5 | value as u64, number + 5);
        if number >= 8 {
            number -= 8;
            seed.push((bits >> number) as u8);
        }
    }
    totp::code_at(&seed, millis.div_euclid(30_000))
}

impl World {
    /// Creates a virtual MFA device.
    pub(crate) fn create_device(&self, name: &str) -> Result<VirtualMFADevice> {
        let model = VirtualMFADevice::builder().virtual_mfa_device_name(name).build()?;
        VirtualMFADevice::objects(&self.session()).create(&model).wait()
    }

    /// Creates an OpenID Connect provider.
    pub(crate) fn create_open_id_provider(&self, url: &str) -> Result<OpenIDConnectProvider> {
        let model = OpenIDConnectProvider::builder().url(url).build()?;
        OpenIDConnectProvider::objects(&self.session()).create(&model).wait()
    }

    /// Creates a policy with [`DOCUMENT`].
    pub(crate) fn create_policy(&self, name: &str) -> Result<Policy> {
        let model = Policy::builder().policy_name(name).build()?;
        Policy::objects(&self.session()).create(&model, DOCUMENT).wait()
    }

    /// Creates a role with the trust policy [`TRUST`].
    pub(crate) fn create_role(&self, name: &str) -> Result<Role> {
        let model = Role::builder().role_name(name).assume_role_policy_document(TRUST).build()?;
        Role::objects(&self.session()).create(&model).wait()
    }

    /// Creates a user.
    pub(crate) fn create_user(&self, name: &str) -> Result<User> {
        User::objects(&self.session()).create(&User::builder().user_name(name).build()?).wait()
    }

    /// Creates a user with a path.
    pub(crate) fn create_user_in(&self, path: &str, name: &str) -> Result<User> {
        User::objects(&self.session()).create(&User::builder().user_name(name).path(path).build()?).wait()
    }

    /// Creates a group.
    pub(crate) fn create_group(&self, name: &str) -> Result<Group> {
        Group::objects(&self.session()).create(&Group::builder().group_name(name).build()?).wait()
    }

    /// Returns the user with this name, who must exist.
    #[track_caller]
    pub(crate) fn existing_user(&self, name: &str) -> Result<User> {
        let found = User::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("user {name} does not exist")))
    }

    /// Returns the names of the users of a group.
    pub(crate) fn users_of(&self, group: &str) -> Result<Vec<String>> {
        names(&Group::objects(&self.session()).users(group).wait()?)
    }

    /// Returns the names of the groups of a user.
    pub(crate) fn groups_of(&self, user: &str) -> Result<Vec<String>> {
        names(&Group::objects(&self.session()).list_for_user(user).wait()?)
    }
}
