//! Keys in decisions: their real ARNs, policies, tags, condition keys and grants.

use crate::{
    KeyAlias, alias,
    grant::{
        self, policy as grant_policy,
        retire::{GrantName, retirement_arn},
    },
    key::{
        self, KeyRow,
        find::{self, ALIAS_PREFIX},
        policy,
    },
    material,
};
use nephos_cloud::{AccessRequest, Addressed, Principal, ResourceFacts, Scope, Tx};
use nephos_core::{Arn, Ref, Request, Result, Text, field_value::FieldValue, record::Fields};

/// Prefix of the resources of keys in ARNs.
const KEY_PREFIX: &str = "key/";

/// A resource in a decision.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// ID of a key, or alias with its prefix.
    key: &'a str,
    /// ID of the grant that is to be retired.
    grant: Option<&'a str>,
}

impl<'a> Asked<'a> {
    /// Reads the resource of an ARN; `None` if it is not about a key.
    fn read(arn: &'a Arn) -> Option<Self> {
        let rest = arn.resource().strip_prefix(KEY_PREFIX)?;
        let (key, grant) = match rest.split_once("/grant/") {
            Some((key, grant)) if !key.starts_with(ALIAS_PREFIX) => (key, Some(grant)),
            _ => (rest, None),
        };
        Some(Self { key, grant })
    }

    /// Returns the key in the scope of the transaction, if it exists.
    fn find(&self, cx: &Tx<'_>) -> Result<Option<KeyRow>> {
        if !self.key.starts_with(ALIAS_PREFIX) {
            return find::find_by_id(cx, self.key);
        }
        alias::find_key(cx, self.key)
    }
}

/// Finds the facts about the key with this ARN, which may have the name of an alias after `key/`.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Some(asked) = Asked::read(arn) else { return Ok(None) };
    let is_alias = asked.key.starts_with(ALIAS_PREFIX);
    let Some(key) = asked.find(cx)? else {
        let named = is_alias.then(|| KeyAlias::arn_with(cx.scope(), &[asked.key]).into());
        return Ok(named.map(|arn| ResourceFacts { arn: Some(arn), ..ResourceFacts::default() }));
    };
    let mut context = key_context(cx, &key)?;
    if is_alias {
        context.push(("kms:RequestAlias".into(), asked.key.into()));
    }
    // The policy of a key has no effect on the retirement of its grants.
    let policies = if asked.grant.is_some() { Vec::new() } else { vec![policy::find(cx, key.id())?] };
    Ok(Some(ResourceFacts {
        arn: Some(key.arn(cx.scope()).into()),
        policies,
        needs_policy: true,
        context,
        ..ResourceFacts::tagged(key.tags_map())
    }))
}

/// Returns the condition keys of a key, and their values.
fn key_context(cx: &Tx<'_>, key: &KeyRow) -> Result<Vec<(Text, Text)>> {
    let model = key.describe(cx);
    let role = model.multi_region_configuration.as_ref().map(|keys| &keys.multi_region_key_type);
    let values: [(&str, Option<&dyn FieldValue>); 5] = [
        ("kms:KeySpec", Some(&model.key_spec)),
        ("kms:KeyUsage", Some(&model.key_usage)),
        ("kms:KeyOrigin", Some(&model.origin)),
        ("kms:MultiRegion", Some(&model.multi_region)),
        ("kms:MultiRegionKeyType", role.map(|role| role as &dyn FieldValue)),
    ];
    let mut context: Vec<(Text, Text)> = Vec::new();
    for (name, value) in values {
        let text = match value.map(FieldValue::view) {
            Some(Ref::Choice { wire, .. }) => Some(wire.into()),
            Some(value) => value.text_form().map(|text| text.into_owned().into()),
            None => None,
        };
        context.extend(text.map(|text| (name.into(), text)));
    }
    context
        .extend(alias::names_of(cx, key.id())?.into_iter().map(|name| ("kms:ResourceAliases".into(), name)));
    // Services create no grants here.
    context.push(("kms:GrantIsForAWSResource".into(), "false".into()));
    Ok(context)
}

/// Finds the grants of a key to the caller of a request, as policies. For the retirement of a grant, it is that one.
pub(crate) fn find_grants(cx: &mut Tx<'_>, arn: &Arn, asked: &AccessRequest) -> Result<Vec<(Text, Text)>> {
    let Some(resource) = Asked::read(arn) else { return Ok(Vec::new()) };
    let Some(key) = resource.find(cx)? else { return Ok(Vec::new()) };
    if let Some(id) = resource.grant {
        let owner = Principal::root(cx.scope().account()).arn;
        let found = grant::find_grant(cx, key.id(), id)?;
        return Ok(found
            .map(|grant| (id.into(), grant_policy::retirement(&grant, &owner)))
            .into_iter()
            .collect());
    }
    let mut found = Vec::new();
    for name in names_of_caller(asked) {
        for grant in grant::find_by_grantee(cx, key.id(), &name)? {
            found.push((grant.id().into(), grant_policy::permissions(&grant)));
        }
    }
    Ok(found)
}

/// Returns the names by which a grant can be for the caller of a request: its own, that of its role, and that of its account.
fn names_of_caller(asked: &AccessRequest) -> Vec<Text> {
    let mut names = vec![asked.principal.arn.clone()];
    let role = asked.context.iter().filter(|(key, _)| *key == "aws:principalarn");
    names.extend(role.flat_map(|(_, values)| values.iter().cloned()));
    names.push(Principal::root(&asked.principal.account).arn);
    names.sort();
    names.dedup();
    names
}

/// Finds the keys that a request is about: that of an alias, of a ciphertext, or of a grant that is retired.
pub(crate) fn find_subjects(
    cx: &mut Tx<'_>,
    request: &Request,
    action: &str,
    arn: &Arn,
) -> Result<Option<Vec<Text>>> {
    let text = |name: &str| parameter(&*request.params, name).and_then(|value| value.as_text());
    match (action, arn.resource()) {
        ("kms:DeleteAlias", "key/*") => {
            let found = KeyAlias::find_by(cx, &[text("AliasName").unwrap_or_default()])?;
            Ok(Some(key_of_alias(cx.scope(), found).into_iter().collect()))
        }
        ("kms:UpdateAlias", name) if name.starts_with(ALIAS_PREFIX) => {
            let found = KeyAlias::find_by(cx, &[name])?;
            let own = Some(arn.as_str().into());
            Ok(Some(own.into_iter().chain(key_of_alias(cx.scope(), found)).collect()))
        }
        ("kms:CreateAlias" | "kms:DeleteAlias", _) => Ok(None),
        ("kms:RetireGrant", _) => {
            let (token, key, id) = (text("GrantToken"), text("KeyId"), text("GrantId"));
            // The operation refuses a request that names no grant.
            let found = GrantName { token, key, id }.resolve(cx).ok();
            Ok(found.map(|(key, id)| vec![retirement_arn(&key, &id).into()]))
        }
        // A ciphertext of a symmetric encryption key names its key.
        ("kms:Decrypt", "key/*") => {
            let ciphertext = parameter(&*request.params, "CiphertextBlob");
            let Some(Ref::Blob(ciphertext)) = ciphertext else { return Ok(None) };
            let Ok(name) = material::read_header(ciphertext) else { return Ok(None) };
            let scope = cx.scope().with_account(&name.account);
            Ok(Some(vec![key::arn(&scope, &name.key_id).into()]))
        }
        (_, name) if name.starts_with(ALIAS_PREFIX) => {
            let scope = cx.scope().with_account(arn.account());
            Ok(Some(vec![scope.arn("kms", &[KEY_PREFIX, name]).into()]))
        }
        _ => Ok(None),
    }
}

fn key_of_alias(scope: &Scope, alias: Option<KeyAlias>) -> Option<Text> {
    alias.and_then(|alias| alias.target_key_id).map(|id| key::arn(scope, &id).into())
}

fn parameter<'p>(params: &'p dyn Fields, name: &str) -> Option<Ref<'p>> {
    let (index, _) = params.shape().field(name)?;
    Some(params.field(index).view())
}
