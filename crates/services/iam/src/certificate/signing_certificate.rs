//! Signing certificates: certificates of users and of the root user, which sign requests of old protocols.

use crate::{
    AccessKeyStatus, ServerCertificate,
    certificate::x509::Certificate,
    entity::ids,
    errors,
    paging::Page,
    user::{
        ExistingUser,
        access_key::{self, Owner},
    },
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{Empty, Record, Resource, Result, Slot, Text, Timestamp, operation, record_of};

/// Maximum number of signing certificates of a user.
pub(crate) const MAX_CERTIFICATES: usize = 2;

/// Number of characters of an ID.
const ID_LENGTH: usize = 32;

/// A signing certificate of a user.
#[derive(Resource)]
#[resource(name = "CertificateId", pk = "CertificateId", exists_if = "CertificateId")]
pub struct SigningCertificate {
    /// Name of the user; absent on certificates of the root user.
    #[field(fixed, like = ExistingUser::user_name)]
    user_name: Option<Text>,
    /// ID of the certificate.
    #[field(service_set, length(24..=128), pattern = r"[\w]+")]
    certificate_id: Option<Text>,
    /// Certificate in PEM.
    #[field(required, fixed, like = ServerCertificate::certificate_body)]
    certificate_body: Option<Text>,
    /// Status. A new certificate is active.
    status: Option<AccessKeyStatus>,
    /// Time at which the certificate was uploaded.
    #[field(service_set)]
    upload_date: Option<Timestamp>,
    slot: Slot,
}

/// Row of a signing certificate.
#[record_of(
    of = SigningCertificate, row, takes(certificate_id, certificate_body as body, status, upload_date)
)]
pub(crate) struct SigningCertificateRow {
    /// Unique ID of the user; the account for the root user.
    user_id: Option<Text>,
}

nephos_cloud::stored!(SigningCertificateRow in "iam/signing-certificate" by user_id, certificate_id);

impl SigningCertificateRow {
    /// True if the certificate is valid for requests.
    pub(crate) fn is_active(&self) -> bool {
        self.status == Some(AccessKeyStatus::Active)
    }

    fn require(cx: &Tx<'_>, owner: &Owner, id: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(&owner.id).text(id))?;
        found.ok_or_else(|| errors::signing_certificate_not_found(id))
    }

    fn into_certificate(self, owner: &Owner) -> SigningCertificate {
        let mut certificate = SigningCertificate::from_given(self);
        certificate.user_name = owner.name.clone();
        certificate
    }
}

/// Returns the signing certificates of a user.
pub(crate) fn certificates_of(cx: &Tx<'_>, user_id: &str) -> Result<Vec<SigningCertificateRow>> {
    cx.all(&SigningCertificateRow::table(cx.scope()).text(user_id))
}

/// Uploads a signing certificate of a user; without a name, of the caller.
#[operation(
    of = SigningCertificate, call = "create", needs(certificate_body), takes(user_name),
    wraps(certificate), effect = write, subject = "user/{UserName}"
)]
pub struct UploadSigningCertificate {}

impl Handler for UploadSigningCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let Some(parsed) = Certificate::from_pem(&self.certificate_body) else {
            return Err(errors::certificate_malformed(&self.certificate_body).with_field("CertificateBody"));
        };
        if !parsed.is_valid_at(cx.now()) {
            let refused = errors::certificate_invalid().with_field("CertificateBody");
            return Err(refused.with_hint(parsed.describe_validity()));
        }
        let known = certificates_of(cx, &owner.id)?;
        let is_same = |body: &Text| body.trim_end() == self.certificate_body.trim_end();
        if known.iter().any(|row| row.body.as_ref().is_some_and(is_same)) {
            return Err(errors::certificate_duplicate().with_field("CertificateBody"));
        }
        if known.len() >= MAX_CERTIFICATES {
            return Err(errors::quota_exceeded("CertificatesPerUser", MAX_CERTIFICATES));
        }
        let row = SigningCertificateRow {
            user_id: Some(owner.id.clone()),
            certificate_id: Some(ids::new_id(cx, "", ID_LENGTH)),
            body: Some(self.certificate_body),
            status: Some(AccessKeyStatus::Active),
            upload_date: Some(cx.now()),
        };
        cx.put(row.clone())?;
        Ok(row.into_certificate(&owner).into())
    }
}

/// Lists the signing certificates of a user in order of their IDs; without a name, of the caller.
#[operation(
    of = SigningCertificate, call = "list", takes(user_name), include(Page),
    page(certificates, marker, is_truncated), effect = read, subject = "user/{UserName}"
)]
pub struct ListSigningCertificates {}

impl Handler for ListSigningCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let rows = SigningCertificateRow::table(cx.scope()).text(&owner.id);
        let convert = |row: SigningCertificateRow| Ok(Some(row.into_certificate(&owner)));
        Ok(cx.page_rows(&self, &rows, convert)?.into())
    }
}

/// Activates or deactivates a signing certificate.
#[operation(
    of = SigningCertificate, call = "update", model, needs(certificate_id, status),
    takes(user_name), effect = write, subject = "user/{UserName}"
)]
pub struct UpdateSigningCertificate {}

impl Handler for UpdateSigningCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        let mut row = SigningCertificateRow::require(cx, &owner, &self.certificate_id)?;
        row.status = Some(access_key::check_status(self.status)?);
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Deletes a signing certificate of a user; without a name, of the caller.
#[operation(
    of = SigningCertificate, call = "delete", on_model, needs(certificate_id),
    takes(user_name(from_field = "UserName")), effect = write, subject = "user/{UserName}"
)]
pub struct DeleteSigningCertificate {}

impl Handler for DeleteSigningCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let owner = Owner::require(cx, self.user_name.as_ref())?;
        cx.remove(&SigningCertificateRow::require(cx, &owner, &self.certificate_id)?)?;
        Ok(Empty {})
    }
}
