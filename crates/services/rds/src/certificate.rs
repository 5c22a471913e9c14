//! Certificate authorities of database servers, and the one of new instances of an account.

use crate::{
    DBInstance, DBInstanceManager, errors,
    filters::{self, Filter},
    identifier::Page,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp, operation};

/// Certificate authority of new instances, unless the account has another one.
const DEFAULT: &str = "rds-ca-rsa2048-g1";

/// Certificate authorities: identifier, first and last time of the certificate.
const AUTHORITIES: &[(&str, &str, &str)] = &[
    ("rds-ca-ecc384-g1", "2021-05-25T22:41:55Z", "2121-05-25T23:41:55Z"),
    (DEFAULT, "2021-05-25T22:34:57Z", "2061-05-25T23:34:57Z"),
    ("rds-ca-rsa4096-g1", "2021-05-25T22:38:35Z", "2121-05-25T23:38:35Z"),
];

/// Row with the certificate authority that an account has chosen for new instances.
#[derive(Record)]
#[record(row)]
pub(crate) struct DefaultAuthorityRow {
    /// Key of the only row.
    key: Option<Text>,
    /// Identifier of the authority.
    identifier: Option<Text>,
}

nephos_cloud::stored!(DefaultAuthorityRow in "rds/default-authority" by key);

/// Key of the only row.
const KEY: &str = "default";

/// Returns the identifiers of the authorities.
pub(crate) fn identifiers() -> Vec<Text> {
    AUTHORITIES.iter().map(|(identifier, ..)| Text::new(identifier)).collect()
}

/// Refuses an unknown authority; `field` is the parameter with its identifier. Returns the identifier as it is stored.
pub(crate) fn require(given: &str, field: &str) -> Result<&'static str> {
    let found = AUTHORITIES.iter().find(|(identifier, ..)| identifier.eq_ignore_ascii_case(given));
    let error = || errors::certificate_not_found(given).with_field(field);
    found.map(|(identifier, ..)| *identifier).ok_or_else(error)
}

fn find_row(cx: &Tx<'_>) -> Result<Option<DefaultAuthorityRow>> {
    cx.get(&DefaultAuthorityRow::table(cx.scope()).text(KEY))
}

/// Returns the authority of new instances.
pub(crate) fn default_authority(cx: &Tx<'_>) -> Result<Text> {
    let chosen = find_row(cx)?.and_then(|row| row.identifier);
    Ok(chosen.unwrap_or_else(|| DEFAULT.into()))
}

/// The certificate of an authority.
#[derive(Record)]
#[record(answer)]
pub struct Certificate {
    /// Identifier.
    certificate_identifier: Option<Text>,
    /// Type: CA.
    certificate_type: Option<Text>,
    /// Thumbprint. It is not known.
    thumbprint: Option<Text>,
    /// Time from which it is valid.
    valid_from: Option<Timestamp>,
    /// Time until which it is valid.
    valid_till: Option<Timestamp>,
    /// ARN.
    certificate_arn: Option<Text>,
    /// True if the account has chosen it for new instances.
    customer_override: Option<bool>,
    /// Time until which it is the chosen one.
    customer_override_valid_till: Option<Timestamp>,
}

/// Returns the certificates; `chosen` is the authority that the account has chosen.
fn certificates(cx: &Tx<'_>, chosen: Option<&str>) -> impl Iterator<Item = Certificate> {
    let region = cx.scope().region();
    AUTHORITIES.iter().map(move |(identifier, from, till)| {
        let is_chosen = chosen == Some(*identifier);
        let valid_till = till.parse().ok();
        Certificate {
            certificate_identifier: Some(Text::new(identifier)),
            certificate_type: Some("CA".into()),
            thumbprint: None,
            valid_from: from.parse().ok(),
            valid_till,
            certificate_arn: Some(format!("arn:aws:rds:{region}::cert:{identifier}").into()),
            customer_override: Some(is_chosen),
            customer_override_valid_till: valid_till.filter(|_| is_chosen),
        }
    })
}

/// Certificates, and the one of new instances.
#[derive(Record)]
#[record(answer)]
pub struct DescribeCertificatesResponse {
    /// Authority of new instances.
    default_certificate_for_new_launches: Option<Text>,
    /// Certificates.
    #[field(item = "Certificate")]
    certificates: Option<Vec<Certificate>>,
    /// Pagination token of the next page.
    marker: Option<Text>,
}

/// Describes the certificates of authorities, in order of their identifiers.
#[operation(
    of = DBInstance, call = "certificates", include(Page), output = DescribeCertificatesResponse,
    returns(certificates: Vec<Certificate>, marker), effect = read, access = list, subject = "*"
)]
pub struct DescribeCertificates {
    /// Identifier of one authority, in any case.
    pub certificate_identifier: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let given = self.certificate_identifier.as_deref();
        let given = given.map(|given| require(given, "CertificateIdentifier")).transpose()?;
        let chosen = find_row(cx)?.and_then(|row| row.identifier);
        let is_given = |one: &Certificate| given.is_none() || one.certificate_identifier.as_deref() == given;
        let found = certificates(cx, chosen.as_deref()).filter(is_given);
        let (certificates, marker) = cx.page_list(&self, found)?;
        Ok(DescribeCertificatesResponse {
            default_certificate_for_new_launches: Some(default_authority(cx)?),
            certificates: Some(certificates),
            marker,
        })
    }
}

/// Chooses the certificate authority of new instances of the account, or returns to that of the service.
#[operation(
    of = DBInstance, call = "choose_certificate", wraps(certificate: Certificate), effect = write, subject = "*"
)]
pub struct ModifyCertificates {
    /// Identifier of the authority.
    pub certificate_identifier: Option<Text>,
    /// True to return to the authority of the service.
    pub remove_customer_override: Option<bool>,
}

impl Handler for ModifyCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let row = |identifier: Option<&str>| DefaultAuthorityRow {
            key: Some(KEY.into()),
            identifier: identifier.map(Text::new),
        };
        let removes = self.remove_customer_override == Some(true);
        match self.certificate_identifier.as_deref() {
            Some(_) if removes => {
                return Err(errors::certificate_and_removal().with_field("RemoveCustomerOverride"));
            }
            Some(given) => cx.put(row(Some(require(given, "CertificateIdentifier")?)))?,
            None if removes => cx.remove(&row(None))?,
            None => {
                let error = errors::parameter_blank("CertificateIdentifier");
                return Err(error.with_field("CertificateIdentifier"));
            }
        }
        let current = default_authority(cx)?;
        let chosen = find_row(cx)?.and_then(|row| row.identifier);
        let is_current = |one: &Certificate| one.certificate_identifier.as_ref() == Some(&current);
        let found = certificates(cx, chosen.as_deref()).find(is_current);
        found.map(Into::into).ok_or_else(|| errors::certificate_not_found(&current))
    }
}
