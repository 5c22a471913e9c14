//! Cache users: access strings, authentication, states and the user that every account has.

use super::World;
use nephos_core::{Code, Pk, Result, Session, Text, prelude::*};
use nephos_elasticache::{
    AddTagsToResource, AuthenticationMode, AuthenticationType, CacheUser, CacheUserManager, CreateUser,
    DeleteUser, DescribeUsers, Filter, ListTagsForResource, ModifyUser, errors,
};
use nephos_testing::{ask, names};

/// A password that must not be found anywhere.
const PASSWORD: &str = "correct-horse-battery";

/// Another password.
const OTHER_PASSWORD: &str = "staple-correct-horse-1";

fn users(session: &Session) -> CacheUserManager {
    CacheUser::objects(session)
}

/// A request for a user with this ID, without authentication.
fn request(id: &str) -> CreateUser {
    CreateUser::new(id, id, "redis", "on ~* +@all")
}

/// Authentication of this type with these passwords.
fn mode(kind: Option<&str>, passwords: &[&str]) -> AuthenticationMode {
    let mut mode = AuthenticationMode::builder();
    if let Some(kind) = kind {
        mode = mode.r#type(kind);
    }
    if !passwords.is_empty() {
        mode = mode.passwords(passwords.iter().map(|text| (*text).into()).collect::<Vec<_>>());
    }
    mode.build().unwrap()
}

/// True if a row contains this text.
fn is_stored(world: &World, text: &str) -> Result<bool> {
    let contains = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    Ok(world.state()?.iter().any(|(key, row)| contains(key) || contains(row)))
}

pub(super) fn user_is_found_with_its_engine(world: &World) -> Result<()> {
    let session = world.session();
    let get = |engine: &str| users(&session).get("default").engine(engine).wait();
    assert_eq!(get("Redis")?.unwrap().engine(), Some("redis"));
    assert_eq!(get("valkey")?, None);
    world.refused(&errors::INVALID, "Engine", || get("memcached"));
    assert_eq!(users(&session).get("none").engine("redis").wait()?, None);
    Ok(())
}

pub(super) fn user_model_saves_and_deletes(world: &World) -> Result<()> {
    let session = world.session();
    let user = CacheUser::builder().user_id("App-1").user_name("app").engine("Redis");
    let user = user.access_string("+@read ~app::* on").tags([("team", "web")]).build()?;
    let created = users(&session).create(&user).passwords([PASSWORD]).wait()?;
    assert_eq!(created.require_name()?, "app-1", "IDs are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:user:app-1");
    assert_eq!(created.pk()?, Pk::Single(created.require_arn()?.into()));
    assert_eq!((created.status(), created.engine()), (Some("active"), Some("redis")));
    assert_eq!(created.minimum_engine_version(), Some("6.0"));
    assert_eq!(created.access_string(), Some("on ~app::* -@all +@read"), "the order of the engine");
    assert_eq!(created.user_group_ids().map(<[Text]>::len), Some(0));
    let mut found = users(&session).get("APP-1").wait()?.unwrap();
    assert_eq!(found.user_name(), Some("app"));
    let authentication = found.authentication().unwrap();
    assert_eq!(authentication.r#type(), Some(&AuthenticationType::Password));
    assert_eq!(authentication.password_count(), Some(1));
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("web"));
    found.set_access_string("off")?;
    found.tags_mut().wait()?.insert("team", "api")?;
    found.save().wait()?;
    let found = users(&session).get("app-1").wait()?.unwrap();
    assert_eq!((found.access_string(), found.status()), (Some("off -@all"), Some("active")));
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("api"));
    let updated = users(&session).update(&found).append_access_string("on +get").wait()?;
    assert_eq!(updated.access_string(), Some("on -@all +get"));
    assert_eq!(names(&users(&session).list().results().all().wait()?)?, ["app-1", "default"]);
    assert_eq!(found.delete().wait()?.status(), Some("deleting"));
    assert_eq!(users(&session).get("app-1").wait()?, None);
    assert_eq!(CacheUser::builder().user_id("a").build()?.status(), Some("active"), "the default");
    Ok(())
}

pub(super) fn default_user_exists_and_cannot_be_changed(world: &World) -> Result<()> {
    for session in [world.session(), world.other_account(), world.other_region()] {
        let default = users(&session).get("default").wait()?.unwrap();
        assert_eq!((default.user_name(), default.engine()), (Some("default"), Some("redis")));
        assert_eq!(default.access_string(), Some("on ~* +@all"));
        let authentication = default.authentication().unwrap();
        assert_eq!(authentication.r#type(), Some(&AuthenticationType::NoPassword));
        assert_eq!(authentication.password_count(), None);
    }
    let session = world.session();
    let error = world.refused(&errors::USER_EXISTS, "UserId", || {
        ask(&session, request("Default").no_password_required(true))
    });
    assert_eq!(error.message(), "User default already exists.");
    let error = world.refused(&errors::INVALID, "UserId", || {
        ask(&session, ModifyUser::new("default").access_string("off"))
    });
    assert_eq!(error.message(), "The default user cannot be modified or deleted.");
    world.refused(&errors::INVALID, "UserId", || ask(&session, DeleteUser::new("default")));
    let arn = users(&session).get("default").wait()?.unwrap().require_arn()?.to_owned();
    ask(&session, AddTagsToResource::new(arn.as_str(), [("team", "web")]))?;
    let default = users(&session).get("default").wait()?.unwrap();
    assert_eq!(default.tags_map().wait()?.len(), 1);
    assert_eq!(names(&users(&session).list().results().all().wait()?)?, ["default"]);
    world.refused(&errors::INVALID, "UserId", || ask(&session, DeleteUser::new("default")));
    Ok(())
}

pub(super) fn users_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("app").no_password_required(true))?;
    let error = world
        .refused(&errors::USER_EXISTS, "UserId", || ask(&session, request("APP").no_password_required(true)));
    assert_eq!(error.message(), "User app already exists.");
    for id in ["1a", "a--b", "a-", "a_b"] {
        let error = world
            .refused(&errors::INVALID, "UserId", || ask(&session, request(id).no_password_required(true)));
        assert!(error.message().starts_with("The parameter UserId is not a valid identifier."));
    }
    let error = world.refused(&errors::INVALID, "Engine", || {
        let create = CreateUser::new("api", "api", "memcached", "on ~* +@all");
        ask(&session, create.no_password_required(true))
    });
    let text = "Unknown parameter for Engine: \"memcached\", must be one of: redis, valkey";
    assert_eq!(error.message(), text);
    for (access, text) in [
        ("on xyz", "Invalid access string: unknown rule 'xyz'"),
        ("on nopass", "Invalid access string: rule 'nopass' is not allowed"),
        ("on >correct-horse-battery", "Invalid access string: rule '>...' is not allowed"),
    ] {
        let error = world.refused(&errors::INVALID, "AccessString", || {
            ask(&session, CreateUser::new("api", "api", "redis", access).no_password_required(true))
        });
        assert_eq!(error.message(), text);
    }
    let both = ModifyUser::new("app").access_string("on").append_access_string("+get");
    world.refused(&errors::INVALID_COMBINATION, "AppendAccessString", || ask(&session, both));
    world.refused(&errors::INVALID, "AppendAccessString", || {
        ask(&session, ModifyUser::new("app").append_access_string("~a"))
    });
    let error = world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, ModifyUser::new("app")));
    assert_eq!(error.message(), "No modifications were requested");
    let missing: [&dyn Fn() -> Result<()>; 3] = [
        &|| ask(&session, ModifyUser::new("none").access_string("on")).map(drop),
        &|| ask(&session, DeleteUser::new("none")).map(drop),
        &|| ask(&session, DescribeUsers::new().user_id("none")).map(drop),
    ];
    for call in missing {
        let error = world.refused(&errors::USER_NOT_FOUND, "UserId", call);
        assert_eq!(error.message(), "User none not found.");
    }
    assert_eq!(users(&session).get("a_b").wait()?, None);
    world.refused(&errors::INVALID, "Tags[aws:a]", || {
        ask(&session, request("api").no_password_required(true).tags([("aws:a", "b")]))
    });
    Ok(())
}

pub(super) fn authentication_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    let long = "x".repeat(129);
    let api = || request("api");
    let too_short = "Passwords length must be between 16-128 characters.";
    let missing =
        "Input Authentication type: null is not in the allowed list: [password,no-password-required,iam]";
    let mode_field = "AuthenticationMode.Passwords";
    let password = || mode(Some("password"), &[PASSWORD]);
    let unreadable = CreateUser::new("api", "api", "redis", "?");
    let refused: [(CreateUser, &Code, &str, &str); 15] = [
        (unreadable, &errors::INVALID, "Passwords", missing),
        (api(), &errors::INVALID, "Passwords", missing),
        (api().no_password_required(false), &errors::INVALID, "Passwords", missing),
        (api().passwords(["fifteen-letters"]), &errors::INVALID, "Passwords", too_short),
        (api().passwords([long.as_str()]), &errors::INVALID, "Passwords", too_short),
        (
            api().authentication_mode(mode(Some("password"), &["too-short"])),
            &errors::INVALID,
            mode_field,
            too_short,
        ),
        (
            api().passwords([PASSWORD, OTHER_PASSWORD, "a-third-password-1"]),
            &errors::INVALID,
            "Passwords",
            "A user can have at most 2 passwords.",
        ),
        (
            api().authentication_mode(mode(Some("token"), &[])),
            &errors::INVALID,
            "AuthenticationMode.Type",
            "Input Authentication type: token is not in the allowed list: [password,no-password-required,iam]",
        ),
        (
            api().authentication_mode(mode(None, &[PASSWORD])),
            &errors::INVALID,
            "AuthenticationMode.Type",
            missing,
        ),
        (
            api().authentication_mode(mode(Some("iam"), &[PASSWORD])),
            &errors::INVALID_COMBINATION,
            mode_field,
            "Password field is not allowed with authentication type: iam",
        ),
        (
            api().passwords([PASSWORD]).authentication_mode(mode(Some("no-password-required"), &[])),
            &errors::INVALID_COMBINATION,
            "Passwords",
            "Password field is not allowed with authentication type: no-password-required",
        ),
        (
            api().authentication_mode(mode(Some("password"), &[])),
            &errors::INVALID_COMBINATION,
            mode_field,
            "A user with Authentication Mode: password, must have at least one password",
        ),
        (
            api().no_password_required(true).authentication_mode(password()),
            &errors::INVALID_COMBINATION,
            "NoPasswordRequired",
            "No password required flag is true but provided authentication type is password",
        ),
        (
            api().passwords([PASSWORD]).no_password_required(true),
            &errors::INVALID_COMBINATION,
            "NoPasswordRequired",
            "No password required flag is true but provided authentication type is password",
        ),
        (
            api().passwords([OTHER_PASSWORD]).authentication_mode(password()),
            &errors::INVALID_COMBINATION,
            "Passwords",
            "Passwords provided via multiple arguments. Use only one argument",
        ),
    ];
    for (create, code, field, text) in refused {
        let error = world.refused(code, field, || ask(&session, create));
        assert_eq!(error.message(), text);
        assert!(!format!("{error:?}").contains(PASSWORD));
    }
    let other_name = CreateUser::new("api", "other", "redis", "on ~* +@all");
    let error = world.refused(&errors::INVALID_COMBINATION, "AuthenticationMode", || {
        ask(&session, other_name.authentication_mode(mode(Some("iam"), &[])))
    });
    assert_eq!(error.message(), "User Id and User name must be same for authentication type: iam");
    let valkey = CreateUser::new("api", "api", "valkey", "on ~* +@all").no_password_required(true);
    world.refused(&errors::INVALID_COMBINATION, "NoPasswordRequired", || ask(&session, valkey));
    Ok(())
}

pub(super) fn authentication_is_counted_and_changed(world: &World) -> Result<()> {
    let session = world.session();
    let shown = |user: &CacheUser| {
        let authentication = user.authentication().unwrap();
        (authentication.r#type().cloned().unwrap(), authentication.password_count())
    };
    let created = ask(&session, request("App").passwords([PASSWORD, OTHER_PASSWORD]))?;
    assert_eq!(shown(&created), (AuthenticationType::Password, Some(2)));
    assert!(!format!("{:?}", request("App").passwords([PASSWORD])).contains(PASSWORD));
    assert!(!is_stored(world, PASSWORD)? && !is_stored(world, OTHER_PASSWORD)?);
    assert!(is_stored(world, "user-passwords")?, "they are sealed");
    let changed = |modify: ModifyUser| -> Result<_> {
        let changed = ask(&session, modify)?;
        assert_eq!(changed.status(), Some("modifying"));
        Ok(shown(&changed))
    };
    let modify = || ModifyUser::new("app");
    assert_eq!(changed(modify().access_string("on"))?, (AuthenticationType::Password, Some(2)));
    assert_eq!(changed(modify().passwords([OTHER_PASSWORD]))?, (AuthenticationType::Password, Some(1)));
    assert_eq!(changed(modify().no_password_required(true))?, (AuthenticationType::NoPassword, None));
    let iam = modify().authentication_mode(mode(Some("iam"), &[]));
    assert_eq!(changed(iam)?, (AuthenticationType::Iam, None), "ID and name differ in their case only");
    let password = modify().authentication_mode(mode(Some("password"), &[PASSWORD]));
    assert_eq!(changed(password)?, (AuthenticationType::Password, Some(1)));
    assert!(!is_stored(world, PASSWORD)?);
    world.refused(&errors::INVALID, "Passwords", || ask(&session, modify().passwords(["short"])));
    let error =
        world.refused(&errors::INVALID, "Passwords", || ask(&session, modify().no_password_required(false)));
    assert!(error.message().starts_with("Input Authentication type: null"));
    assert_eq!(changed(modify().engine("VALKEY"))?, (AuthenticationType::Password, Some(1)));
    let without = modify().no_password_required(true);
    world.refused(&errors::INVALID_COMBINATION, "NoPasswordRequired", || ask(&session, without));
    ask(&session, DeleteUser::new("app"))?;
    assert!(!is_stored(world, "user-passwords")?, "the sealed passwords are removed with the user");
    Ok(())
}

pub(super) fn users_are_filtered(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("app").no_password_required(true))?;
    ask(&session, CreateUser::new("api", "shared", "valkey", "off").passwords([PASSWORD]))?;
    ask(&session, CreateUser::new("web", "shared", "redis", "off").passwords([PASSWORD]))?;
    let found = |describe: DescribeUsers| names(ask(&session, describe)?.users().unwrap());
    let filter = |name: &str, values: &[&str]| {
        let values: Vec<Text> = values.iter().map(|value| (*value).into()).collect();
        Filter::builder().name(name).values(values).build().unwrap()
    };
    let by = |filters: Vec<Filter>| found(DescribeUsers::new().filters(filters));
    assert_eq!(found(DescribeUsers::new())?, ["api", "app", "default", "web"]);
    assert_eq!(found(DescribeUsers::new().engine("Valkey"))?, ["api"]);
    assert_eq!(found(DescribeUsers::new().user_id("api").engine("redis"))?, [""; 0]);
    assert_eq!(by(vec![filter("user-id", &["api", "WEB", "none"])])?, ["api", "web"]);
    assert_eq!(by(vec![filter("UserId", &["api"])])?, ["api"]);
    assert_eq!(by(vec![filter("user-name", &["shared"]), filter("engine", &["redis"])])?, ["web"]);
    assert_eq!(by(vec![filter("status", &["modifying"])])?, [""; 0]);
    let error = world.refused(&errors::INVALID, "Filters[1].Name", || {
        by(vec![filter("user-id", &["api"]), filter("usr-name", &["api"])])
    });
    assert_eq!(error.message(), "The filter usr-name is not valid.");
    world.refused(&errors::INVALID, "Engine", || found(DescribeUsers::new().engine("memcached")));
    Ok(())
}

pub(super) fn users_have_tags(world: &World) -> Result<()> {
    let session = world.session();
    let user = ask(&session, request("app").no_password_required(true).tags([("team", "web")]))?;
    let arn = user.require_arn()?;
    let added = ask(&session, AddTagsToResource::new(arn, [("stage", "test")]))?;
    assert_eq!(added.tag_list().unwrap().len(), 2);
    let missing = arn.replace(":app", ":none");
    let error = world.refused(&errors::USER_NOT_FOUND, "ResourceName", || {
        ask(&session, ListTagsForResource::new(missing.as_str()))
    });
    assert_eq!(error.message(), "none is not present");
    Ok(())
}

pub(super) fn number_of_users_is_limited(world: &World) -> Result<()> {
    let session = world.session();
    world.cloud().run_in_transaction(|cx| cx.add_to_count("elasticache/users", 999))?;
    ask(&session, request("app").no_password_required(true))?;
    world.refused(&errors::USER_QUOTA, None, || ask(&session, request("api").no_password_required(true)));
    ask(&session, DeleteUser::new("app"))?;
    ask(&session, request("api").no_password_required(true))?;
    Ok(())
}
