//! OpenID Connect providers.

use super::{World, ask, errors};
use nephos_core::{Resource, Result, Tag, Tagged, Text, json};
use nephos_iam::{
    CreateOpenIDConnectProvider, GetOpenIDConnectProvider, ListOpenIDConnectProviders, OpenIDConnectProvider,
    SetOpenIdKeys,
};

const URL: &str = "https://token.example.com/org";
const ARN: &str = "arn:aws:iam::123456789012:oidc-provider/token.example.com/org";

fn thumbprint(digit: &str) -> Text {
    digit.repeat(40).into()
}

pub(super) fn created_open_id_provider_is_returned_by_get(world: &World) -> Result<()> {
    let session = world.session();
    let objects = OpenIDConnectProvider::objects(&session);
    let model = OpenIDConnectProvider::builder().url(URL).client_id_list(vec!["sts".into()]);
    let model = model.thumbprint_list(vec![thumbprint("a")]).tags(vec![Tag::new("team", "web")]).build()?;
    let provider = objects.create(&model).wait()?;
    assert_eq!((provider.require_arn()?, provider.url()), (ARN, Some(URL)));
    assert_eq!(provider.client_id_list(), Some(&["sts".into()][..]));
    assert_eq!(provider.thumbprint_list(), Some(&[thumbprint("a")][..]));
    assert_eq!(provider.create_date().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(objects.get(ARN).wait()?, Some(provider));
    let answer = ask(&session, GetOpenIDConnectProvider::new(ARN))?;
    assert_eq!(answer.url(), Some("token.example.com/org"));
    let bare = ask(&session, CreateOpenIDConnectProvider::new("https://a.example"))?;
    let bare = ask(
        &session,
        GetOpenIDConnectProvider::new(bare.open_id_connect_provider_arn().unwrap_or_default()),
    )?;
    assert_eq!(
        (bare.client_id_list(), bare.thumbprint_list(), bare.tags()),
        (Some(&[][..]), Some(&[][..]), Some(&[][..]))
    );
    Ok(())
}

pub(super) fn open_id_provider_is_unique_by_url(world: &World) -> Result<()> {
    world.create_open_id_provider(URL)?;
    let error = world.refused(&errors::EXISTS, None, || world.create_open_id_provider(URL));
    assert_eq!(error.message(), format!("Provider with url {URL} already exists."));
    ask(&world.other_account(), CreateOpenIDConnectProvider::new(URL))?;
    for url in [
        "http://a.example",
        "a.example",
        "https://",
        "https:///a",
        "https://a b",
        "https://a?b",
        "https://a#b",
    ] {
        let error = world.refused(&errors::INVALID, "Url", || world.create_open_id_provider(url));
        assert_eq!(error.message(), "Invalid Open ID Connect Provider URL");
    }
    let long = CreateOpenIDConnectProvider::new(format!("https://{}", "a".repeat(248)));
    world.refused(&errors::INVALID, "Url", || ask(&world.session(), long));
    Ok(())
}

pub(super) fn open_id_providers_are_listed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let objects = OpenIDConnectProvider::objects(&session);
    for url in ["https://b.example", "https://a.example/x", "https://a.example"] {
        world.create_open_id_provider(url)?;
    }
    let listed = objects.list().results().all().wait()?;
    let urls: Vec<_> = listed.iter().filter_map(|provider| provider.url()).collect();
    assert_eq!(urls, ["https://a.example", "https://a.example/x", "https://b.example"]);
    assert_eq!(listed[0].tags_map().wait()?.len(), 0);
    let entries = ask(&session, ListOpenIDConnectProviders::new())?;
    assert_eq!(entries.open_id_connect_provider_list().map(|list| list[0].url()), Some(None));
    listed[1].delete().wait()?;
    let before = world.state()?;
    listed[1].delete().wait()?;
    world.assert_unchanged(&before)?;
    assert!(objects.get(listed[1].require_arn()?).wait()?.is_none());
    let get = |arn: &str| ask(&session, GetOpenIDConnectProvider::new(arn));
    let error = world.refused(&errors::NOT_FOUND, None, || get(ARN));
    assert_eq!(error.message(), format!("OpenIDConnect Provider not found for arn {ARN}"));
    world.refused(&errors::NOT_FOUND, None, || get("arn:aws:iam::210987654321:oidc-provider/b.example"));
    world.refused(&errors::INVALID_INPUT, "OpenIDConnectProviderArn", || {
        get("arn:aws:iam::123456789012:user/b.example")
    });
    world.refused(&errors::INVALID, "OpenIDConnectProviderArn", || get("a text that is no ARN"));
    Ok(())
}

pub(super) fn client_ids_and_thumbprints_are_changed(world: &World) -> Result<()> {
    let objects = OpenIDConnectProvider::objects(&world.session());
    let provider = world.create_open_id_provider(URL)?;
    for id in ["b", "a", "b"] {
        provider.add_client_id(id).wait()?;
    }
    provider.remove_client_id("none").wait()?;
    let mut provider = objects.get(ARN).wait()?.expect("it exists");
    assert_eq!(provider.client_id_list(), Some(&["b".into(), "a".into()][..]));
    provider.set_client_id_list(vec!["a".into(), "c".into()])?;
    provider.set_thumbprint_list(vec![thumbprint("1"), thumbprint("2")])?;
    provider.save().wait()?;
    let found = objects.get(ARN).wait()?.expect("it exists");
    assert_eq!(found.client_id_list(), Some(&["a".into(), "c".into()][..]));
    assert_eq!(found.thumbprint_list().map(<[_]>::len), Some(2));
    let six: Vec<_> = ["1", "2", "3", "4", "5", "6"].map(thumbprint).into();
    let error = world.refused(&errors::INVALID_INPUT, "ThumbprintList", || {
        objects.update_thumbprint(ARN, six.clone()).wait()
    });
    assert_eq!(error.message(), "Thumbprint list must contain fewer than 5 entries.");
    objects.update_thumbprint(ARN, six[..5].to_vec()).wait()?;
    world.refused(&errors::INVALID, "ThumbprintList[0]", || {
        objects.update_thumbprint(ARN, vec!["a".into()]).wait()
    });
    let ids: Vec<Text> = (0..101).map(|n| format!("id-{n}").into()).collect();
    let create = |ids: &[Text]| {
        ask(
            &world.session(),
            CreateOpenIDConnectProvider::new("https://b.example").client_id_list(ids.to_vec()),
        )
    };
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || create(&ids));
    assert_eq!(error.message(), "Cannot exceed quota for ClientIdsPerOpenIdConnectProvider: 100");
    let full = create(&ids[..100])?;
    let full = full.open_id_connect_provider_arn().unwrap_or_default();
    objects.add_client_id(full, "id-7").wait()?;
    world.refused(&errors::LIMIT_EXCEEDED, None, || objects.add_client_id(full, "more").wait());
    Ok(())
}

pub(super) fn number_of_open_id_providers_is_limited(world: &World) -> Result<()> {
    for n in 0..100 {
        ask(&world.session(), CreateOpenIDConnectProvider::new(format!("https://{n}.example")))?;
    }
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_open_id_provider(URL));
    assert_eq!(error.message(), "Cannot exceed quota for OpenIdConnectProvidersPerAccount: 100");
    Ok(())
}

pub(super) fn open_id_provider_has_tags(world: &World) -> Result<()> {
    let mut provider = world.create_open_id_provider(URL)?;
    let objects = OpenIDConnectProvider::objects(&world.session());
    objects.tag(ARN, vec![Tag::new("a", "1"), Tag::new("b", "2")]).wait()?;
    objects.untag(ARN, vec!["A".into()]).wait()?;
    assert_eq!(objects.list_tags(ARN).wait()?, [Tag::new("b", "2")]);
    provider.set_tags(vec![Tag::new("c", "3")])?;
    provider.save().wait()?;
    assert_eq!(objects.list_tags(ARN).wait()?, [Tag::new("b", "2"), Tag::new("c", "3")]);
    world.refused(&errors::NOT_FOUND, None, || objects.list_tags(format!("{ARN}/x")).wait());
    Ok(())
}

pub(super) fn key_sets_of_issuers_are_registered(world: &World) -> Result<()> {
    let keys = |text: &str| json::parse(text.as_bytes());
    let before = world.state()?;
    world.control(SetOpenIdKeys::new(
        URL,
        keys(r#"{"keys": [{"kty": "RSA", "kid": "1", "n": "AQ", "e": "AQAB"}]}"#)?,
    ))?;
    assert_eq!(world.state()?.len(), before.len() + 1);
    for wrong in ["{}", "[]", r#"{"keys": {}}"#, r#"{"keys": [1]}"#, r#"{"keys": [{"kid": "1"}]}"#] {
        assert!(world.control(SetOpenIdKeys::new(URL, keys(wrong)?)).is_err(), "{wrong}");
    }
    assert!(world.control(SetOpenIdKeys::new("token.example.com", keys(r#"{"keys": []}"#)?)).is_err());
    world.control(SetOpenIdKeys::new(URL, keys(r#"{"keys": []}"#)?))?;
    world.assert_unchanged(&before)
}
