//! Certificates of listeners: the default one, and others for clients that ask for another name.

use super::{
    Empty, Listener, ListenerManager, SERVICE, errors, limits, listener, names,
    paging::{self, Page},
    protocol::Protocol,
};
use nephos_cloud::{Handler, Scope, Stored, Tx};
use nephos_core::{Arn, Extra, Record, Result, Steppable, Steps, Text, datum::DatumType, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// A certificate of a listener.
#[derive(Record)]
#[record(extras)]
pub struct Certificate {
    /// Its resource name.
    pub(super) certificate_arn: Option<Text>,
    /// True for the default certificate; only the service says so.
    #[field(unsent)]
    is_default: Option<bool>,
    extra: Extra,
}

impl Certificate {
    fn told(arn: Text, is_default: bool) -> Self {
        Self { certificate_arn: Some(arn), is_default: Some(is_default), extra: Extra::default() }
    }
}

/// Refuses a certificate that is none of this account and Region. They are kept elsewhere, and taken at their word.
pub(super) fn check(scope: &Scope, certificate: &Certificate, field: &str) -> Result<()> {
    if certificate.is_default.is_some() {
        let why = "only the service says which certificate is the default one";
        return Err(names::invalid(&format!("{field}.IsDefault"), why));
    }
    let Some(arn) = certificate.certificate_arn.as_deref() else {
        return Err(names::invalid(&format!("{field}.CertificateArn"), "is required"));
    };
    let here = match Arn::parts(arn) {
        Some([_, "acm", region, account, resource]) => {
            (account, region) == (scope.account(), scope.region())
                && resource.strip_prefix("certificate/").is_some_and(|id| !id.is_empty())
        }
        Some([_, "iam", "", account, resource]) => {
            account == scope.account()
                && resource.strip_prefix("server-certificate/").is_some_and(|name| !name.is_empty())
        }
        _ => false,
    };
    if here {
        return Ok(());
    }
    let why = format!("there is no certificate {arn}");
    Err(errors::CERTIFICATE_NOT_FOUND.because(why).with_field(format!("{field}.CertificateArn")))
}

/// A certificate that was added to a listener.
#[derive(Record)]
pub struct Added {
    /// The listener.
    listener_arn: Option<Text>,
    /// The certificate.
    certificate_arn: Option<Text>,
}

nephos_cloud::stored!(Added in "elbv2/certificate" by listener_arn, certificate_arn);

fn added(cx: &Tx<'_>, listener: &str) -> Result<Vec<Text>> {
    let mut arns = Vec::new();
    let range = Added::table(cx.scope()).text(listener).within();
    cx.scan(cx.scope(), &range, Direction::Ascending, |added: Added| {
        arns.extend(added.certificate_arn);
        ControlFlow::Continue(())
    })?;
    Ok(arns)
}

/// Removes what was added to a listener.
pub(super) fn forget(cx: &mut Tx<'_>, listener: &str) -> Result<()> {
    cx.remove_all(&Added::table(cx.scope()).text(listener).within()).map(drop)
}

/// The listener, which must be one that shows certificates.
fn secure(cx: &Tx<'_>, arn: &str) -> Result<Listener> {
    let listener = listener::require(cx, arn, "ListenerArn")?;
    if !listener.protocol.as_ref().is_some_and(Protocol::is_secure) {
        return Err(names::invalid("ListenerArn", "only HTTPS and TLS listeners have certificates"));
    }
    Ok(listener)
}

fn default_of(listener: &Listener) -> Option<Text> {
    listener.certificates.as_ref()?.first()?.certificate_arn.clone()
}

/// Adds certificates to those of a listener. One that it has is no error.
#[operation(
    service = SERVICE, of = Listener, needs(listener_arn),
    effect = write, output = AddedCertificates, subject = "{ListenerArn}"
)]
pub struct AddListenerCertificates {
    /// The certificates.
    #[field(length(1..))]
    pub certificates: Vec<Certificate>,
}

/// Certificates that were added to a listener.
#[derive(Record)]
#[record(name = "AddListenerCertificatesOutput")]
pub struct AddedCertificates {
    /// The certificates.
    certificates: Option<Vec<Certificate>>,
}

nephos_core::page! {
    /// Certificates of a listener.
    #[record(name = "DescribeListenerCertificatesOutput")]
    pub struct Certificates { certificates: Certificate, next_marker }
}

impl Handler for AddListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<AddedCertificates> {
        let listener = secure(cx, &self.listener_arn)?;
        for (n, certificate) in self.certificates.iter().enumerate() {
            check(cx.scope(), certificate, &format!("Certificates[{n}]"))?;
        }
        let given = self.certificates.iter().filter_map(|certificate| certificate.certificate_arn.clone());
        let given = paging::once(&given.collect::<Vec<_>>());
        let (own, before) = (default_of(&listener), added(cx, &self.listener_arn)?);
        let is_new = |arn: &&Text| own.as_ref() != Some(*arn) && !before.contains(arn);
        let new: Vec<_> = given.iter().filter(is_new).cloned().collect();
        if before.len() + new.len() > limits::CERTIFICATES {
            let why = format!(
                "a listener has at most {} certificates beside its default one",
                limits::CERTIFICATES
            );
            return Err(errors::TOO_MANY_CERTIFICATES.because(why).with_field("Certificates"));
        }
        for arn in new {
            let mut row = Added::blank();
            (row.listener_arn, row.certificate_arn) = (Some(self.listener_arn.clone()), Some(arn));
            cx.put(row)?;
        }
        let told = given.into_iter().map(|arn| {
            let is_default = own.as_ref() == Some(&arn);
            Certificate::told(arn, is_default)
        });
        Ok(AddedCertificates { certificates: Some(told.collect()) })
    }
}

/// Takes certificates off a listener, which must not be its default one. One that it has not is no error.
#[operation(
    service = SERVICE, of = Listener, needs(listener_arn),
    effect = write, output = Empty, subject = "{ListenerArn}"
)]
pub struct RemoveListenerCertificates {
    /// The certificates.
    #[field(length(1..))]
    pub certificates: Vec<Certificate>,
}

impl Handler for RemoveListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let listener = secure(cx, &self.listener_arn)?;
        let own = default_of(&listener);
        for (n, certificate) in self.certificates.iter().enumerate() {
            check(cx.scope(), certificate, &format!("Certificates[{n}]"))?;
            if certificate.certificate_arn == own {
                let why = "the default certificate cannot be removed; put another in its place";
                return Err(errors::NOT_PERMITTED.because(why));
            }
        }
        for certificate in self.certificates {
            let mut row = Added::blank();
            row.listener_arn = Some(self.listener_arn.clone());
            row.certificate_arn = certificate.certificate_arn;
            cx.remove(&row)?;
        }
        Ok(Empty {})
    }
}

/// Describes the certificates of a listener, the default one first.
#[operation(
    service = SERVICE, of = Listener, call = "list_certificates", instance, needs(listener_arn),
    gives(certificates: Vec<Certificate>, next_marker),
    also(Page), effect = read, output = Certificates, subject = "{ListenerArn}"
)]
pub struct DescribeListenerCertificates {}

impl Handler for DescribeListenerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Certificates> {
        let listener = secure(cx, &self.listener_arn)?;
        let own = default_of(&listener).into_iter().map(|arn| Certificate::told(arn, true));
        let others = added(cx, &self.listener_arn)?.into_iter().map(|arn| Certificate::told(arn, false));
        let place = |certificate: &Certificate| {
            let arn = certificate.certificate_arn.clone().unwrap_or_default();
            if certificate.is_default == Some(true) { Text::default() } else { arn }
        };
        let (certificates, next_marker) = cx.page_items(&self, own.chain(others), place)?;
        Ok(Certificates { certificates: Some(certificates), next_marker })
    }
}

/// Adds certificates to those of a listener.
#[operation(kind = Listener, call = "add_certificates", effect = write, output = Vec<Certificate>)]
pub struct AddCertificates {
    /// The listener.
    pub listener_arn: Text,
    /// The resource names of the certificates.
    pub certificate_arns: Vec<Text>,
}

fn plain(arns: &[Text]) -> Vec<Certificate> {
    let plain = |arn: &Text| {
        let mut certificate = Certificate::blank();
        certificate.certificate_arn = Some(arn.clone());
        certificate
    };
    arns.iter().map(plain).collect()
}

impl Steppable for AddCertificates {
    async fn run(&self, steps: &Steps) -> Result<Vec<Certificate>> {
        let add = AddListenerCertificates::new(self.listener_arn.clone(), plain(&self.certificate_arns));
        Ok(steps.call(add).await?.certificates.unwrap_or_default())
    }
}

/// Takes certificates off a listener, which must not be its default one.
#[operation(kind = Listener, call = "remove_certificates", effect = write, output = ())]
pub struct RemoveCertificates {
    /// The listener.
    pub listener_arn: Text,
    /// The resource names of the certificates.
    pub certificate_arns: Vec<Text>,
}

impl Steppable for RemoveCertificates {
    async fn run(&self, steps: &Steps) -> Result<()> {
        let remove =
            RemoveListenerCertificates::new(self.listener_arn.clone(), plain(&self.certificate_arns));
        steps.call(remove).await?;
        Ok(())
    }
}
