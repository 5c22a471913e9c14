//! Login profiles.

use super::{World, ask, errors};
use nephos_core::{Error, Resource, Result};
use nephos_iam::{
    AccessKey, ChangePassword, CreateLoginProfile, GetLoginProfile, LoginProfile,
    UpdateAccountPasswordPolicy, UpdateLoginProfile, User,
};

const PASSWORD: &str = "correct-Horse-7";

fn create(world: &World, user: &str, password: &str) -> Result<LoginProfile> {
    let model = LoginProfile::builder().user_name(user).password(password).build()?;
    LoginProfile::objects(&world.session()).create(&model).wait()
}

fn update(world: &World, password: &str) -> Result<()> {
    ask(&world.session(), UpdateLoginProfile::new("ann").password(password)).map(drop)
}

fn violation(world: &World, call: impl FnOnce() -> Result<()>) -> Error {
    world.refused(&errors::PASSWORD_VIOLATION, "Password", call)
}

pub(super) fn login_profile_is_created_changed_and_deleted(world: &World) -> Result<()> {
    world.create_user("Ann")?;
    let objects = LoginProfile::objects(&world.session());
    assert!(objects.get("ann").wait()?.is_none());
    let mut profile = create(world, "ann", PASSWORD)?;
    assert_eq!((profile.user_name(), profile.password_reset_required()), (Some("Ann"), Some(false)));
    assert_eq!(profile.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(profile.password(), None);
    assert_eq!(objects.get("ANN").wait()?, Some(profile.clone()));
    profile.set_password_reset_required(true)?;
    profile.set_password("another-Horse-8")?;
    profile.save().wait()?;
    let found = objects.get("ann").wait()?.expect("it exists");
    assert_eq!((found.password(), found.password_reset_required()), (None, Some(true)));
    let error = world.refused(&errors::EXISTS, None, || create(world, "ann", PASSWORD));
    assert_eq!(error.message(), "Login Profile for user Ann already exists.");
    profile.delete().wait()?;
    let error = world.refused(&errors::NOT_FOUND, None, || profile.delete().wait());
    assert_eq!(error.message(), "Login Profile for User Ann cannot be found.");
    world.refused(&errors::NOT_FOUND, None, || update(world, PASSWORD));
    world.refused(&errors::NOT_FOUND, None, || create(world, "bea", PASSWORD));
    let get = || ask(&world.session(), GetLoginProfile::new().user_name("bea"));
    let error = world.refused(&errors::NOT_FOUND, None, get);
    assert_eq!(error.message(), "The user with name bea cannot be found.");
    Ok(())
}

pub(super) fn passwords_are_stored_sealed(world: &World) -> Result<()> {
    world.create_user("ann")?;
    create(world, "ann", PASSWORD)?;
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains(PASSWORD));
    }
    let model = LoginProfile::builder().user_name("ann").password(PASSWORD).build()?;
    assert!(!format!("{model:?}").contains(PASSWORD));
    Ok(())
}

pub(super) fn passwords_have_three_kinds_of_characters_by_default(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let try_create = |password: &str| create(world, "ann", password).map(drop);
    let error = violation(world, || try_create("aB3$567"));
    assert_eq!(error.message(), "Password does not conform to the account password policy.");
    let error = violation(world, || try_create("abcdefg1"));
    assert_eq!(
        error.message(),
        "Password should meet 1 more of the following requirements: Password should have at least one uppercase \
         letter, Password should have at least one symbol"
    );
    let error = violation(world, || try_create("abcdefgh"));
    assert!(
        error.message().starts_with("Password should meet 2 more of the following requirements"),
        "{error}"
    );
    let long = CreateLoginProfile::new().user_name("ann").password("aA1".repeat(43));
    world.refused(&errors::INVALID, "Password", || ask(&world.session(), long));
    let without = || ask(&world.session(), CreateLoginProfile::new().user_name("ann"));
    world.refused(&errors::INVALID, "Password", without);
    try_create("aB345678")
}

pub(super) fn password_policy_is_enforced(world: &World) -> Result<()> {
    world.create_user("ann")?;
    create(world, "ann", PASSWORD)?;
    let set = |policy: UpdateAccountPasswordPolicy| ask(&world.session(), policy).map(drop);
    let policy = UpdateAccountPasswordPolicy::new;
    set(policy())?;
    violation(world, || update(world, "abcde"));
    update(world, "abcdef")?;
    set(policy().minimum_password_length(12))?;
    violation(world, || update(world, "abcdefghijk"));
    update(world, "abcdefghijkl")?;
    let cases = [
        (policy().require_uppercase_characters(true), "abc123$", "Abcdef"),
        (policy().require_lowercase_characters(true), "ABC123$", "aBCDEF"),
        (policy().require_numbers(true), "Abcdef$", "1bcdef"),
        (policy().require_symbols(true), "Abc123", "$bcdef"),
    ];
    for (policy, wrong, right) in cases {
        set(policy)?;
        let error = violation(world, || update(world, wrong));
        assert_eq!(error.message(), "Password does not conform to the account password policy.");
        update(world, right)?;
    }
    Ok(())
}

pub(super) fn previous_passwords_cannot_be_used_again(world: &World) -> Result<()> {
    world.create_user("ann")?;
    create(world, "ann", "password-0")?;
    update(world, "password-0")?;
    ask(&world.session(), UpdateAccountPasswordPolicy::new().password_reuse_prevention(2))?;
    update(world, "password-1")?;
    violation(world, || update(world, "password-0"));
    violation(world, || update(world, "password-1"));
    update(world, "password-2")?;
    update(world, "password-0")
}

pub(super) fn user_with_password_cannot_be_deleted(world: &World) -> Result<()> {
    let user = world.create_user("ann")?;
    let profile = create(world, "ann", PASSWORD)?;
    User::objects(&world.session()).update(&user).new_user_name("bea").wait()?;
    let bea = world.existing_user("bea")?;
    let error = world.refused(&errors::DELETE_CONFLICT, None, || bea.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must delete login profile first.");
    world.refused(&errors::NOT_FOUND, None, || profile.delete().wait());
    LoginProfile::objects(&world.session()).delete("bea").wait()?;
    bea.delete().wait()
}

pub(super) fn user_changes_its_own_password(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let key = AccessKey::objects(&world.session()).create().user_name("ann").wait()?;
    let session = world.session_with(super::access_keys::credentials(&key));
    let change = |old: &str, new: &str| LoginProfile::objects(&session).change_password(old, new).wait();
    world.refused(&errors::NOT_FOUND, None, || change(PASSWORD, "another-Horse-8"));
    create(world, "ann", PASSWORD)?;
    ask(&world.session(), UpdateLoginProfile::new("ann").password_reset_required(true))?;
    world.refused(&errors::ACCESS_DENIED, "OldPassword", || change("wrong", "another-Horse-8"));
    world.refused(&errors::PASSWORD_VIOLATION, "NewPassword", || change(PASSWORD, "short"));
    change(PASSWORD, "another-Horse-8")?;
    world.refused(&errors::ACCESS_DENIED, "OldPassword", || change(PASSWORD, "another-Horse-9"));
    let found = LoginProfile::objects(&session).get("ann").wait()?;
    assert_eq!(found.and_then(|profile| profile.password_reset_required()), Some(false));
    change("another-Horse-8", PASSWORD)
}

pub(super) fn root_user_cannot_change_its_password(world: &World) -> Result<()> {
    let change = ChangePassword::new(PASSWORD, "another-Horse-8");
    world.refused(&errors::INVALID_USER_TYPE, None, || ask(&world.session(), change));
    Ok(())
}
