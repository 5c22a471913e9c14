//! Server certificates: certificates with private keys, which listeners of load balancers use.

use crate::{
    User,
    certificate::x509,
    entity::{self, Entity, PathPrefix},
    errors,
    paging::Page,
    tagging,
};
use nephos_cloud::{Handler, Quota, Stored as _, Tx};
use nephos_core::{
    Blob, Empty, Error, ManagerOperation, Record, Resource, Result, Secret, Slot, Tag, Text, Timestamp,
    WorkflowContext, field_value::FieldType, operation, record_of, retag,
};

/// Quota of server certificates in an account.
pub(crate) const CERTIFICATES: Quota =
    Quota { counter: "iam/server-certificates", max: 20, what: "server certificates" };

/// A server certificate: a certificate with its private key.
#[derive(Resource)]
#[resource(
    arn("Arn", "server-certificate{Path: /=/}{ServerCertificateName}"), name = "ServerCertificateName", pk = "ServerCertificateName", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::server_certificate_not_found(name)
)]
pub struct ServerCertificate {
    /// Path of the certificate: `/` or `/cloudfront/web/`.
    #[field(like = User::path)]
    pub(crate) path: Option<Text>,
    /// Name of the certificate, unique within the account, ignoring case.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(crate) server_certificate_name: Option<Text>,
    /// Unique ID of the certificate.
    #[field(service_set)]
    pub(crate) server_certificate_id: Option<Text>,
    /// ARN of the certificate.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Time at which the certificate was uploaded.
    #[field(service_set)]
    upload_date: Option<Timestamp>,
    /// Time at which the certificate expires.
    #[field(service_set)]
    expiration: Option<Timestamp>,
    /// Certificate in PEM, which a new certificate needs.
    #[field(not_in_list, fixed, length(1..=16_384), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    certificate_body: Option<Text>,
    /// Private key in PEM, which a new certificate needs. It is not returned.
    #[field(fixed, not_on_wire, length(1..=16_384), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    private_key: Option<Secret>,
    /// Certificates of the signer and of its signers, in PEM.
    #[field(not_in_list, fixed, length(1..=2_097_152), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    certificate_chain: Option<Text>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(ServerCertificate in "iam/server-certificate" by server_certificate_name ignoring case; arn arn);

impl Entity for ServerCertificate {
    const ID: &'static str = "ServerCertificateId";
    const ID_PREFIX: &'static str = "ASCA";
    const CREATED: &'static str = "UploadDate";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::server_certificate_exists(name);
}

/// Row of the private key of a server certificate.
#[derive(Record)]
#[record(row)]
pub(crate) struct CertificateKeyRow {
    /// Unique ID of the certificate.
    id: Option<Text>,
    /// The key in PEM, sealed.
    #[field(sensitive)]
    key: Option<Blob>,
}

nephos_cloud::stored!(CertificateKeyRow in "iam/server-certificate-key" by id);

/// Name, ARN and dates of a server certificate.
#[record_of(
    of = ServerCertificate, answer,
    takes(path, server_certificate_name, server_certificate_id, arn, upload_date, expiration)
)]
pub struct ServerCertificateMetadata {}

fn to_certificates(listed: Vec<ServerCertificateMetadata>) -> Vec<ServerCertificate> {
    listed.into_iter().map(ServerCertificate::from_given).collect()
}

/// Name of an existing server certificate.
#[derive(Record)]
#[record(shared)]
pub struct ExistingServerCertificate {
    /// Name of the certificate, ignoring case.
    #[field(required, like = ServerCertificate::server_certificate_name)]
    server_certificate_name: Option<Text>,
}

/// A new server certificate.
#[record_of(of = ServerCertificate, answer, takes(tags))]
pub struct UploadServerCertificateResponse {
    /// Name, ARN and dates of the certificate.
    server_certificate_metadata: Option<ServerCertificateMetadata>,
}

/// Uploads a certificate with its private key.
#[operation(
    of = ServerCertificate, call = "create", model, read_back,
    needs(server_certificate_name, certificate_body, private_key), takes(settable), effect = write,
    output = UploadServerCertificateResponse, also_requires("TagServerCertificate" = "Tags?")
)]
pub struct UploadServerCertificate {}

impl Handler for UploadServerCertificate {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<UploadServerCertificateResponse> {
        self.tags = tagging::read(self.tags.as_deref())?;
        let chain = self.certificate_chain.as_ref();
        let expiration = x509::check_key_pair(cx.now(), &self.certificate_body, &self.private_key, chain)?;
        entity::check_name_free::<ServerCertificate>(cx, &self.server_certificate_name)?;
        CERTIFICATES
            .add_one(cx, || errors::quota_exceeded("ServerCertificatesPerAccount", CERTIFICATES.max))?;
        self.certificate_body = self.certificate_body.trim_end().into();
        self.certificate_chain = self.certificate_chain.map(|chain| chain.trim_end().into());
        let private_key = self.private_key.clone();
        let mut certificate = ServerCertificate::from_given(self);
        // The key is stored sealed, in a row of its own.
        certificate.private_key = None;
        certificate.expiration = Some(expiration);
        let certificate = entity::create(cx, certificate)?;
        let sealed =
            cx.seal(&[CertificateKeyRow::TABLE, certificate.id()], private_key.expose().trim().as_bytes())?;
        cx.put(CertificateKeyRow { id: Some(certificate.id().into()), key: Some(sealed) })?;
        Ok(UploadServerCertificateResponse {
            tags: certificate.tags.clone(),
            server_certificate_metadata: Some(certificate.into()),
        })
    }
}

/// A server certificate with its body, without its private key.
#[record_of(
    of = ServerCertificate, answer, name = "ServerCertificate",
    takes(certificate_body, certificate_chain, tags)
)]
pub struct ServerCertificateDetail {
    /// Name, ARN and dates of the certificate.
    server_certificate_metadata: Option<ServerCertificateMetadata>,
}

async fn to_certificate(_: &WorkflowContext, detail: ServerCertificateDetail) -> Result<ServerCertificate> {
    let metadata = detail.server_certificate_metadata.map(ServerCertificate::from_given);
    let mut certificate = metadata.unwrap_or_else(ServerCertificate::blank);
    certificate.certificate_body = detail.certificate_body;
    certificate.certificate_chain = detail.certificate_chain;
    certificate.tags = detail.tags.filter(|tags| !tags.is_empty());
    Ok(certificate)
}

/// Returns a server certificate, without its private key.
#[operation(
    of = ServerCertificate, include(ExistingServerCertificate),
    wraps(server_certificate: ServerCertificateDetail), effect = read
)]
pub struct GetServerCertificate {}

impl Handler for GetServerCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let certificate: ServerCertificate = entity::require(cx, &self.server_certificate_name)?;
        let mut detail = ServerCertificateDetail::from(certificate.clone());
        detail.server_certificate_metadata = Some(certificate.into());
        detail.tags.get_or_insert_default();
        Ok(detail.into())
    }
}

/// Returns the server certificate with this name, if it exists.
#[operation(
    kind = ServerCertificate, call = "get", runs = GetServerCertificate, include(ExistingServerCertificate),
    returns(server_certificate: ServerCertificate), with = to_certificate, none_if_missing, effect = read
)]
pub struct ServerCertificateGet {}

/// Lists server certificates in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = ServerCertificate, call = "list", pages,
    returns(server_certificate_metadata_list => to_certificates, marker), include(PathPrefix, Page), pushdown(path_prefix = "Path"),
    effect = read, output = ServerCertificates, subject = "server-certificate/*"
)]
pub struct ListServerCertificates {}

nephos_core::page! {
    /// A page of server certificates, without their bodies.
    #[record(name = "ListServerCertificatesResponse")]
    pub struct ServerCertificates {
        server_certificate_metadata_list: ServerCertificateMetadata,
        marker,
        is_truncated,
    }
}

impl Handler for ListServerCertificates {
    fn run(self, cx: &mut Tx<'_>) -> Result<ServerCertificates> {
        let convert = |found: ServerCertificate| Ok(Some(ServerCertificateMetadata::from(found)));
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), convert)?.into())
    }
}

/// Changes the path and the name of a server certificate, where given.
#[operation(
    of = ServerCertificate, include(ExistingServerCertificate, NewCertificateIdentity), effect = write,
    subject = "server-certificate/{ServerCertificateName} + NewServerCertificateName? server-certificate{NewPath: /=/}{NewServerCertificateName}"
)]
pub struct UpdateServerCertificate {}

/// New path and name of a server certificate.
#[derive(Record)]
#[record(shared)]
pub struct NewCertificateIdentity {
    /// New path.
    #[field(like = User::path)]
    new_path: Option<Text>,
    /// New name.
    #[field(like = ServerCertificate::server_certificate_name)]
    new_server_certificate_name: Option<Text>,
}

impl Handler for UpdateServerCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (path, name) = (self.new_path, self.new_server_certificate_name);
        entity::rename::<ServerCertificate>(cx, &self.server_certificate_name, path, name)?;
        Ok(Empty {})
    }
}

/// Changes the path, the name and the tags of a server certificate, where the model was changed.
#[operation(
    kind = ServerCertificate, call = "update", include(NewCertificateIdentity), effect = write, output = ServerCertificate
)]
pub struct ServerCertificateUpdate {
    /// The certificate.
    #[field(model, name = "model")]
    pub model: ServerCertificate,
}

impl ManagerOperation for ServerCertificateUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<ServerCertificate> {
        let rename = |server_certificate_name, new_path, new_server_certificate_name| {
            UpdateServerCertificate { server_certificate_name, new_path, new_server_certificate_name }
        };
        let name = entity::send_renaming(
            context,
            &self.model,
            &self.new_path,
            &self.new_server_certificate_name,
            rename,
        )
        .await?;
        let get = ServerCertificateGet::new(name.clone());
        let not_found = || errors::server_certificate_not_found(&name);
        let found = context.run(get.clone()).await?.ok_or_else(not_found)?;
        retag(context, &self.model, &found).await?;
        context.run(get).await?.ok_or_else(not_found)
    }
}

/// Row of a resource of another service that uses a server certificate.
#[derive(Record)]
#[record(row)]
pub(crate) struct CertificateUseRow {
    /// Unique ID of the certificate.
    id: Option<Text>,
    /// ARN of the resource.
    user_arn: Option<Text>,
}

nephos_cloud::stored!(CertificateUseRow in "iam/certificate-use" by id, user_arn);

/// Notes that a resource of another service uses a server certificate, or no longer does. A certificate in use cannot be deleted.
/// For other services.
#[operation(effect = write, subject = "*")]
pub struct NoteCertificateUse {
    /// Name of the server certificate.
    pub server_certificate_name: Text,
    /// ARN of the resource.
    pub user_arn: Text,
    /// True if the resource uses the certificate.
    pub is_used: bool,
}

impl Handler for NoteCertificateUse {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let certificate: ServerCertificate = entity::require(cx, &self.server_certificate_name)?;
        let row = CertificateUseRow { id: Some(certificate.id().into()), user_arn: Some(self.user_arn) };
        if self.is_used {
            cx.put(row)?
        } else {
            cx.remove(&row)?
        }
        Ok(Empty {})
    }
}

/// Deletes a server certificate that is not in use.
#[operation(
    of = ServerCertificate, call = "delete", on_model, include(ExistingServerCertificate), effect = write
)]
pub struct DeleteServerCertificate {}

impl Handler for DeleteServerCertificate {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let certificate: ServerCertificate = entity::require(cx, &self.server_certificate_name)?;
        let uses: Vec<CertificateUseRow> =
            cx.all(&CertificateUseRow::table(cx.scope()).text(certificate.id()))?;
        if let Some(user) = uses.into_iter().find_map(|used| used.user_arn) {
            return Err(
                errors::certificate_in_use(certificate.id(), user).with_field("ServerCertificateName")
            );
        }
        cx.remove(&CertificateKeyRow { id: Some(certificate.id().into()), key: None })?;
        CERTIFICATES.remove_one(cx)?;
        entity::remove(cx, &certificate)?;
        Ok(Empty {})
    }
}
