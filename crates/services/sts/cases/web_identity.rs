//! Sessions of roles for tokens of OpenID Connect providers.

use super::{World, caller_arn, role_arn, trust};
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use nephos_core::{Resource, Result, Secret, json};
use nephos_iam::{CreateOpenIDConnectProvider, SetOpenIdKeys};
use nephos_sts::{AssumeRole, errors};
use nephos_testing::{MINUTE, ask};

const ISSUER: &str = "https://token.example.com";

const PROVIDER: &str = "arn:aws:iam::123456789012:oidc-provider/token.example.com";

/// Private key of the issuer in tests, in PKCS #8.
const PRIVATE_KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRz/T8mTByCsGqgmQQnGWj0LUkGt11o0JfUviBvn76hWhRANCAAQwAsxPVNVpdLiXdBzP+xZtVTVD+Q246C388E3LdPN0l7Foyf3gMJBnbMaYngK7uphFMwpP8/VEEgzqwNBLhypf";

/// Its public key, in a key set.
const KEYS: &str = r#"{"keys": [{"kty": "EC", "crv": "P-256", "kid": "one", "use": "sig", "alg": "ES256",
    "x": "MALMT1TVaXS4l3Qcz_sWbVU1Q_kNuOgt_PBNy3TzdJc", "y": "sWjJ_eAwkGdsxpieAru6mEUzCk_z9UQSDOrA0EuHKl8"}]}"#;

/// Signs a token with these header and claims.
fn sign(header: &str, claims: &str) -> Secret {
    let key = STANDARD.decode(PRIVATE_KEY).unwrap();
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &key).unwrap();
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let signature = key.sign(&random, signed.as_bytes()).unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)).into()
}

/// Returns a token with the signature of another one.
fn with_signature(token: &Secret, other: &Secret) -> Secret {
    let [(signed, _), (_, signature)] = [token, other].map(|token| token.expose().rsplit_once('.').unwrap());
    format!("{signed}.{signature}").into()
}

const HEADER: &str = r#"{"alg": "ES256", "kid": "one", "typ": "JWT"}"#;

/// Claims of a token that is valid now, with others in JSON.
fn claims(world: &World, others: &str) -> String {
    let now = world.now() / 1000;
    let (issued, expiration) = (now - 10, now + 300);
    format!(
        r#"{{"iss": "{ISSUER}", "sub": "repo:web:main", "iat": {issued}, "exp": {expiration}, {others}}}"#
    )
}

/// Creates the provider, its key set, and a role that trusts it.
fn prepare(world: &World, conditions: &str) -> Result<()> {
    let provider = CreateOpenIDConnectProvider::new(ISSUER).client_id_list(["sts.amazonaws.com", "web"]);
    ask(&world.session(), provider)?;
    world.control(SetOpenIdKeys::new(ISSUER, json::parse(KEYS.as_bytes())?))?;
    world.create_role("web", &trust_provider(conditions))?;
    Ok(())
}

fn trust_provider(conditions: &str) -> String {
    let actions = r#"["sts:AssumeRoleWithWebIdentity", "sts:TagSession", "sts:SetSourceIdentity"]"#;
    trust(actions, &format!(r#"{{"Federated": "{PROVIDER}"}}"#), conditions)
}

fn assume(world: &World, token: Secret) -> Result<AssumeRole> {
    AssumeRole::objects(&world.other_account()).assume_with_web_identity(role_arn("web"), "ci", token).wait()
}

pub(super) fn token_is_exchanged_for_a_session(world: &World) -> Result<()> {
    prepare(world, "{}")?;
    let before = world.state()?;
    let answer = assume(world, sign(HEADER, &claims(world, r#""aud": "sts.amazonaws.com""#)))?;
    world.assert_unchanged(&before)?;
    assert_eq!(answer.require_arn()?, "arn:aws:sts::123456789012:assumed-role/web/ci");
    assert_eq!((answer.provider(), answer.audience()), (Some(PROVIDER), Some("sts.amazonaws.com")));
    assert_eq!(answer.subject_from_web_identity_token(), Some("repo:web:main"));
    let session = world.session_with(answer.to_credentials().unwrap());
    assert_eq!(caller_arn(&session)?, answer.require_arn()?);
    for audience in [r#""aud": ["other", "web"]"#, r#""aud": "other", "azp": "web""#] {
        let answer = assume(world, sign(HEADER, &claims(world, audience)))?;
        assert_eq!(answer.audience(), Some("web"), "{audience}");
    }
    let without_id = sign(r#"{"alg": "ES256"}"#, &claims(world, r#""aud": "web""#));
    assume(world, without_id)?;
    Ok(())
}

pub(super) fn unverified_tokens_are_refused(world: &World) -> Result<()> {
    prepare(world, "{}")?;
    let (field, web) = ("WebIdentityToken", r#""aud": "web""#);
    let valid = claims(world, web);
    let token = sign(HEADER, &valid);
    let changed = token.expose().replacen('.', ".e30", 1);
    let unsigned =
        format!("{}.{}.", URL_SAFE_NO_PAD.encode(r#"{"alg": "none"}"#), URL_SAFE_NO_PAD.encode(&valid));
    for text in ["an access token", "a.b.c", "e30.e30", &changed] {
        let error = world.refused(&errors::INVALID_IDENTITY_TOKEN, field, || assume(world, text.into()));
        let text =
            "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)";
        assert_eq!(error.message(), text);
    }
    let now = world.now() / 1000;
    let refusals = [
        (
            sign(HEADER, &valid.replace("token.example", "other.example")),
            "No OpenIDConnect provider found in your account for https://token.other.example.com",
        ),
        (
            sign(&HEADER.replace("one", "two"), &valid),
            "Couldn't retrieve verification key from your identity provider,  please reference AssumeRoleWithWebIdentity documentation for requirements",
        ),
        (unsigned.into(), "Couldn't retrieve verification key"),
        (sign(&HEADER.replace("ES256", "RS256"), &valid), "Couldn't retrieve verification key"),
        (
            with_signature(&token, &sign(HEADER, "{}")),
            "The signature of the web identity token is not valid.",
        ),
        (sign(HEADER, &claims(world, r#""aud": "api""#)), "Incorrect token audience"),
        (sign(HEADER, &claims(world, r#""a": 1"#)), "Missing a required claim: aud"),
        (sign(HEADER, &valid.replace("\"sub\"", "\"s\"")), "Missing a required claim: sub"),
        (sign(HEADER, &valid.replace("\"exp\"", "\"e\"")), "Missing a required claim: exp"),
        (sign(HEADER, &valid.replace("\"iss\"", "\"i\"")), "Missing a required claim: iss"),
    ];
    for (token, text) in refusals {
        let error = world.refused(&errors::INVALID_IDENTITY_TOKEN, field, || assume(world, token));
        let text = text.replace("token.other.example", "other.example");
        assert!(error.message().starts_with(&text), "{error}");
    }
    let later = sign(HEADER, &claims(world, &format!(r#"{web}, "nbf": {}"#, now + 301)));
    world.refused(&errors::CLAIM_REJECTED, field, || assume(world, later));
    world.advance(5 * MINUTE)?;
    let error = world.refused(&errors::EXPIRED_TOKEN, field, || assume(world, token));
    let text = format!(
        "Token expired: current date/time {} must be before the expiration date/time {}",
        now + 300,
        now + 300
    );
    assert_eq!(error.message(), text);
    Ok(())
}

pub(super) fn trust_policy_compares_claims(world: &World) -> Result<()> {
    let conditions = r#"{"StringEquals": {"token.example.com:aud": "web"},
        "StringLike": {"token.example.com:sub": "repo:web:*"},
        "ForAnyValue:StringEquals": {"token.example.com:amr": "authenticated"}}"#;
    prepare(world, conditions)?;
    let token = |others: &str| sign(HEADER, &claims(world, others));
    assume(world, token(r#""aud": "web", "amr": ["authenticated", "otp"]"#))?;
    for others in [r#""aud": "web""#, r#""aud": "sts.amazonaws.com", "amr": "authenticated""#] {
        let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(world, token(others)));
        assert_eq!(error.message(), "Not authorized to perform sts:AssumeRoleWithWebIdentity");
    }
    let objects = AssumeRole::objects(&world.session());
    let valid = || token(r#""aud": "web", "amr": "authenticated""#);
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        objects.assume_with_web_identity(role_arn("missing"), "ci", valid()).wait()
    });
    world.create_open_role("account")?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        objects.assume_with_web_identity(role_arn("account"), "ci", valid()).wait()
    });
    let error = world.refused(&errors::INVALID, "RoleArn", || {
        objects.assume_with_web_identity("arn:aws:iam::123456789012:user/ann", "ci", valid()).wait()
    });
    assert_eq!(error.message(), "Request ARN is invalid");
    world.refused(&errors::INVALID, "DurationSeconds", || {
        objects.assume_with_web_identity(role_arn("web"), "ci", valid()).duration_seconds(3601).wait()
    });
    Ok(())
}

pub(super) fn token_with_tags_and_source_identity(world: &World) -> Result<()> {
    prepare(world, r#"{"StringEquals": {"aws:RequestTag/team": "web"}}"#)?;
    let others = r#""aud": "web", "https://aws.amazon.com/source_identity": "ann",
        "https://aws.amazon.com/tags": {"principal_tags": {"team": ["web"]}, "transitive_tag_keys": ["team"]}"#;
    let answer = assume(world, sign(HEADER, &claims(world, others)))?;
    assert_eq!((answer.source_identity(), answer.packed_policy_size()), (Some("ann"), Some(1)));
    let session = world.session_with(answer.to_credentials().unwrap());
    let conditions = r#"{"StringEquals": {"aws:PrincipalTag/team": "web", "aws:SourceIdentity": "ann",
        "aws:FederatedProvider": "arn:aws:iam::123456789012:oidc-provider/token.example.com",
        "token.example.com:sub": "repo:web:main"}}"#;
    world.create_role("next", &trust(super::ALL_ACTIONS, super::ACCOUNT, conditions))?;
    assert_eq!(super::assume(&session, "next")?.source_identity(), Some("ann"));
    Ok(())
}
