//! Listings of grants: of a key, and of a retiring principal.

use crate::{
    KeyGrant, KeyGrantManager, errors,
    grant::{self, GrantOfGranteeRow, RetirableGrantRow, retire::check_id},
    key::{KeyIdOrArn, find},
    paging::Page,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Lists the grants of a key, in order of their IDs.
#[operation(
    of = KeyGrant, call = "list", page(grants, next_marker, truncated), include(KeyIdOrArn, Page), effect = read,
    subject = "key/{KeyId}"
)]
pub struct ListGrants {
    /// ID of a grant, to list only this one.
    #[field(length(1..=128))]
    pub grant_id: Option<Text>,
    /// ARN of a principal, to list only the grants to it.
    #[field(like = KeyGrant::grantee_principal)]
    pub grantee_principal: Option<Text>,
    /// Name of a service, to list only the grants to it.
    #[field(like = KeyGrant::grantee_service_principal)]
    pub grantee_service_principal: Option<Text>,
}

impl ListGrants {
    /// Returns a page of the grants of a key, in the scope of the key.
    fn page(&self, cx: &Tx<'_>, key_id: &str) -> Result<ListGrantsResponse> {
        let is_wanted = |grant: &KeyGrant| {
            let id = self.grant_id.as_deref().is_none_or(|id| grant.id() == id);
            let grantees = [&self.grantee_principal, &self.grantee_service_principal];
            id && grantees.into_iter().flatten().all(|grantee| grant.grantee() == grantee)
        };
        let listed = |grant: KeyGrant| is_wanted(&grant).then(|| grant.into_listed(cx.scope()));
        let grantee = self.grantee_principal.as_ref().or(self.grantee_service_principal.as_ref());
        let page = match (&self.grant_id, grantee) {
            (Some(id), _) => cx.page_list(self, grant::find_grant(cx, key_id, id)?.and_then(listed))?,
            (None, Some(grantee)) => {
                let prefix = grant::prefix_of_grantee(cx, key_id, grantee);
                cx.page_rows(self, &prefix, |row: GrantOfGranteeRow| {
                    let id = row.grant_id.as_deref().unwrap_or_default();
                    Ok(grant::find_grant(cx, key_id, id)?.and_then(listed))
                })?
            }
            (None, None) => {
                let prefix = grant::prefix(cx, key_id);
                cx.page_rows(self, &prefix, |grant: KeyGrant| Ok(listed(grant)))?
            }
        };
        Ok(page.into())
    }
}

impl Handler for ListGrants {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        find::check_no_alias(&self.key_id)?;
        self.grant_id.as_deref().map_or(Ok(()), check_id)?;
        let key_id = self.key_id.clone();
        find::with_key(cx, &key_id, "ListGrants", |cx, key| self.page(cx, key.id()))
    }
}

/// Lists the grants that a principal can retire, of keys of all accounts in the Region.
#[operation(
    of = KeyGrant, call = "list_retirable", returns(grants: Vec<KeyGrant>, next_marker), include(Page), effect = read,
    output = ListGrantsResponse, subject = "*"
)]
pub struct ListRetirableGrants {
    /// ARN of the principal, which must belong to the account of the caller.
    #[field(length(1..=256), pattern = r"^[\w+=,.@:/-]+$")]
    pub retiring_principal: Option<Text>,
    /// Name of the service.
    #[field(length(1..=128), pattern = r"^([A-Za-z0-9\-]+)\.([A-Za-z0-9\-]+)(\.[A-Za-z0-9\-]+)+$")]
    pub retiring_service_principal: Option<Text>,
}

impl Handler for ListRetirableGrants {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let retiring = match (&self.retiring_principal, &self.retiring_service_principal) {
            (Some(arn), None) => {
                if !cx.has_principal(arn)? {
                    return Err(errors::not_a_principal(arn).with_field("RetiringPrincipal"));
                }
                arn
            }
            (None, Some(service)) => service,
            _ => return Err(errors::retiring_principal_missing().with_field("RetiringPrincipal")),
        };
        let cx = &*cx;
        let prefix = RetirableGrantRow::table(cx.scope()).text(retiring);
        let page = cx.page_rows(&self, &prefix, |row: RetirableGrantRow| {
            let owner = cx.scope().with_account(row.account.as_deref().unwrap_or_default());
            let (key_id, grant_id) = (row.key_id.unwrap_or_default(), row.grant_id.unwrap_or_default());
            let key = KeyGrant::table(&owner).text(&key_id).text(&grant_id);
            let grant: Option<KeyGrant> = cx.get_in(&owner, &key)?;
            Ok(grant.map(|grant| grant.into_listed(&owner)))
        })?;
        Ok(page.into())
    }
}

/// Returns the grant with this ID of a key, if it exists.
#[operation(
    kind = KeyGrant, of = KeyGrant, call = "get", include(KeyIdOrArn), needs(grant_id), effect = read,
    output = Option<KeyGrant>
)]
pub struct KeyGrantGet {}

impl ManagerOperation for KeyGrantGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<KeyGrant>> {
        let found = context.find(ListGrants::from_given(self.clone())).await?;
        Ok(found.and_then(|found| found.grants?.pop()))
    }
}
