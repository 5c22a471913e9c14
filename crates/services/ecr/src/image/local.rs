//! Images at the container daemon of the caller's machine: pulled, described and removed there.
//!
//! The daemon belongs to the session; without one, or if it is not running, these lookups fail with the kind `DaemonDown`.

use super::{Image, ImageManager, OfImage};
use crate::{GetAuthorizationToken, access::RegistryId};
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE, Engine as _};
use nephos_core::{
    ContainerDaemon, DaemonReply, DaemonRequest, Error, ErrorKind, Extra, ManagerOperation, Map, Record,
    Result, Secret, Text, Timestamp, Value, WorkflowContext,
    fill::Reader,
    json::{self, Writing},
    operation,
};

/// An image at the daemon, as the daemon describes it.
#[derive(Record)]
#[record(answer, extras)]
pub struct LocalImage {
    /// ID.
    id: Option<Text>,
    /// Names with a tag.
    repo_tags: Option<Vec<Text>>,
    /// Names with a digest.
    repo_digests: Option<Vec<Text>>,
    /// Time of the build.
    created: Option<Text>,
    /// Version of the daemon that built it.
    docker_version: Option<Text>,
    /// Architecture of the processor.
    architecture: Option<Text>,
    /// Operating system.
    os: Option<Text>,
    /// Size in bytes.
    size: Option<i64>,
    /// Configuration of its containers.
    config: Option<Value>,
    extra: Extra,
}

/// A layer of an image at the daemon, and the step of the build that made it.
#[derive(Record)]
#[record(answer, extras)]
pub struct LocalLayer {
    /// ID; `<missing>` if the layer was built elsewhere.
    id: Option<Text>,
    /// Time of the step, in seconds since 1970.
    created: Option<i64>,
    /// Step of the build.
    created_by: Option<Text>,
    /// Names of the image that ends with this layer.
    tags: Option<Vec<Text>>,
    /// Size in bytes.
    size: Option<i64>,
    /// Comment.
    comment: Option<Text>,
    extra: Extra,
}

/// Facts about an image at the daemon.
#[derive(Record)]
#[record(answer, case = "snake")]
pub struct ImageInfo {
    /// Full name.
    name: Option<Text>,
    /// Operating system.
    platform: Option<Text>,
    /// Architecture of the processor.
    architecture: Option<Text>,
    /// Size in bytes.
    size: Option<i64>,
    /// Ports that its containers listen on, such as `80/tcp`.
    ports: Option<Map<Value>>,
    /// Version of the daemon that built it.
    docker_version: Option<Text>,
    /// User of its containers.
    user: Option<Text>,
    /// Time of the build.
    created: Option<Timestamp>,
}

/// Credentials with which the daemon is logged in to a registry.
#[derive(Record)]
#[record(answer, case = "snake")]
pub struct DockerLogin {
    /// User name.
    username: Option<Text>,
    /// Password, valid for 12 hours.
    #[field(sensitive)]
    password: Option<Text>,
    /// Host of the registry.
    registry: Option<Text>,
}

/// Returns the daemon of the session, or refuses.
fn daemon(context: &WorkflowContext) -> Result<&dyn ContainerDaemon> {
    let none = || Error::new(ErrorKind::DaemonDown, "the session has no container daemon");
    context.session().container_daemon().ok_or_else(none)
}

/// Sends a request; returns the answer, or none if the daemon does not know the image.
fn ask(daemon: &dyn ContainerDaemon, request: &DaemonRequest) -> Result<Option<DaemonReply>> {
    let reply = daemon.send(request)?;
    match reply.status {
        200..=299 => Ok(Some(reply)),
        404 => Ok(None),
        status => {
            let said = json::parse(&reply.body).unwrap_or_default();
            let said = said["message"].as_text().unwrap_or_default();
            let kind = if status == 409 { ErrorKind::Conflict } else { ErrorKind::Internal };
            Err(Error::new(kind, format!("the container daemon refused with status {status}: {said}")))
        }
    }
}

/// Reads a record of the daemon.
fn read<R: Record>(body: &[u8]) -> Result<R> {
    let mut record = R::blank();
    json::read(&mut record, body, &Reader::ANSWER)?;
    Ok(record)
}

/// An image of a registry at the daemon.
struct AtDaemon<'c> {
    daemon: &'c dyn ContainerDaemon,
    context: &'c WorkflowContext,
    registry: Option<Text>,
    /// Full name of the image.
    name: Text,
}

impl<'c> AtDaemon<'c> {
    async fn new(context: &'c WorkflowContext, image: OfImage) -> Result<Self> {
        let daemon = daemon(context)?;
        let names = image.references(context).await?;
        let none = || Error::invalid("imageId", "has neither a tag nor a digest");
        let name = names.into_iter().next().ok_or_else(none)?;
        Ok(Self { daemon, context, registry: image.registry_id, name })
    }

    /// Returns the image; none if it is not pulled.
    fn find(&self) -> Result<Option<LocalImage>> {
        let reply = ask(self.daemon, &DaemonRequest::new("GET", format!("/images/{}/json", self.name)))?;
        reply.map(|reply| read(&reply.body)).transpose()
    }

    /// Returns the image, which is pulled if it is not there.
    async fn find_or_pull(&self) -> Result<LocalImage> {
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        let login = find_login(self.context, self.registry.as_ref()).await?;
        let (repository, version) = split_name(&self.name);
        let path = format!("/images/create?fromImage={repository}&tag={version}");
        let mut pull = DaemonRequest::new("POST", path);
        pull.registry_auth = Some(Secret::from(BASE64_URL_SAFE.encode(login.to_auth().expose())));
        let reply = ask(self.daemon, &pull)?.ok_or_else(|| self.not_pulled("it does not exist"))?;
        // The daemon reports its progress in lines of JSON; a failure is one of them.
        for line in reply.body.split(|byte| *byte == b'\n') {
            if let Ok(progress) = json::parse(line)
                && let Some(error) = progress["error"].as_text()
            {
                return Err(self.not_pulled(error));
            }
        }
        self.find()?.ok_or_else(|| self.not_pulled("the daemon does not have it"))
    }

    fn not_pulled(&self, why: &str) -> Error {
        Error::new(ErrorKind::NotFound, format!("the image {} was not pulled: {why}", self.name))
    }

    /// Removes the image from the daemon, if it is there.
    fn remove(&self, name: &str) -> Result<()> {
        ask(self.daemon, &DaemonRequest::new("DELETE", format!("/images/{name}"))).map(drop)
    }
}

/// Splits the name of an image into the name of its repository, and its tag or digest.
fn split_name(name: &str) -> (&str, &str) {
    name.split_once('@').or_else(|| name.rsplit_once(':')).unwrap_or((name, "latest"))
}

impl DockerLogin {
    /// Credentials in the form of the daemon.
    fn to_auth(&self) -> Secret {
        let text = |field: &Option<Text>| Value::Text(field.clone().unwrap_or_default());
        let members = [
            ("username", text(&self.username)),
            ("password", text(&self.password)),
            ("serveraddress", text(&self.registry)),
        ];
        let members = Value::Map(members.into_iter().map(|(name, value)| (name.into(), value)).collect());
        json::write(members.view(), Writing::EXPOSED).into()
    }
}

/// Returns credentials of a registry.
async fn find_login(context: &WorkflowContext, registry: Option<&Text>) -> Result<DockerLogin> {
    let mut get = GetAuthorizationToken::new();
    get.registry_ids = registry.map(|registry| vec![registry.clone()]);
    let data = context.call(get).await?.authorization_data.unwrap_or_default().into_iter().next();
    let data = data.ok_or_else(|| Error::new(ErrorKind::Internal, "the registry gave no token"))?;
    let token =
        BASE64_STANDARD.decode(data.authorization_token.unwrap_or_default().as_str()).unwrap_or_default();
    let token = String::from_utf8(token).unwrap_or_default();
    let wrong = || Error::new(ErrorKind::Internal, "the token of the registry has no user name");
    // A password may have colons.
    let (user, password) = token.split_once(':').ok_or_else(wrong)?;
    let endpoint = data.proxy_endpoint.unwrap_or_default();
    Ok(DockerLogin {
        username: Some(user.into()),
        password: Some(password.into()),
        registry: Some(endpoint.trim_start_matches("https://").trim_start_matches("http://").into()),
    })
}

/// Returns true if the container daemon of the caller's machine is running.
#[operation(kind = Image, call = "dockerd_is_running", on_model, case = "camel", effect = read, output = bool)]
pub struct ImageDockerdIsRunning {}

impl ManagerOperation for ImageDockerdIsRunning {
    async fn run(&self, context: &WorkflowContext) -> Result<bool> {
        let reply = daemon(context).and_then(|daemon| daemon.send(&DaemonRequest::new("GET", "/_ping")));
        match reply {
            Ok(reply) => Ok(reply.status == 200),
            Err(error) if error.kind() == ErrorKind::DaemonDown => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Logs the container daemon in to the registry, with a password that is valid for 12 hours.
#[operation(
    kind = Image, call = "docker_client", on_model, case = "camel", include(RegistryId), effect = read, output = DockerLogin
)]
pub struct ImageDockerClient {}

impl ManagerOperation for ImageDockerClient {
    async fn run(&self, context: &WorkflowContext) -> Result<DockerLogin> {
        let daemon = daemon(context)?;
        let login = find_login(context, self.registry_id.as_ref()).await?;
        let mut log_in = DaemonRequest::new("POST", "/auth");
        log_in.body = Some(login.to_auth());
        ask(daemon, &log_in)?;
        Ok(login)
    }
}

/// Returns true if the container daemon has the image.
#[operation(
    kind = Image, call = "is_pulled", on_model, case = "camel", include(OfImage), effect = read, output = bool
)]
pub struct ImageIsPulled {}

impl ManagerOperation for ImageIsPulled {
    async fn run(&self, context: &WorkflowContext) -> Result<bool> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        Ok(image.find()?.is_some())
    }
}

/// Returns the image at the container daemon. It is pulled if it is not there.
#[operation(
    kind = Image, call = "docker_image", on_model, case = "camel", include(OfImage), effect = read,
    output = LocalImage
)]
pub struct ImageDockerImage {}

impl ManagerOperation for ImageDockerImage {
    async fn run(&self, context: &WorkflowContext) -> Result<LocalImage> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        image.find_or_pull().await
    }
}

/// Returns facts about the image at the container daemon. It is pulled if it is not there.
#[operation(
    kind = Image, call = "info", on_model, case = "camel", include(OfImage), effect = read, output = ImageInfo
)]
pub struct ImageInfoLookup {}

impl ManagerOperation for ImageInfoLookup {
    async fn run(&self, context: &WorkflowContext) -> Result<ImageInfo> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        let found = image.find_or_pull().await?;
        let config = found.config.unwrap_or_default();
        Ok(ImageInfo {
            name: Some(image.name),
            platform: found.os,
            architecture: found.architecture,
            size: found.size,
            ports: Some(config["ExposedPorts"].as_map().cloned().unwrap_or_default()),
            docker_version: found.docker_version,
            user: config["User"].as_text().map(Text::from),
            created: found.created.and_then(|created| created.parse().ok()),
        })
    }
}

/// Layers of an image at the daemon.
#[derive(Record)]
#[record(answer)]
struct LocalLayers {
    /// Layers, the last one first.
    layers: Option<Vec<LocalLayer>>,
}

/// Returns the layers of the image at the container daemon, the last one first. The image is pulled if it is not there.
#[operation(
    kind = Image, call = "history", on_model, case = "camel", include(OfImage), effect = read,
    output = Vec<LocalLayer>
)]
pub struct ImageHistory {}

impl ManagerOperation for ImageHistory {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<LocalLayer>> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        image.find_or_pull().await?;
        let reply = ask(image.daemon, &DaemonRequest::new("GET", format!("/images/{}/history", image.name)))?;
        let body = reply.ok_or_else(|| image.not_pulled("the daemon does not have it"))?.body;
        let layers: LocalLayers = read(&[b"{\"Layers\":", body.as_slice(), b"}"].concat())?;
        Ok(layers.layers.unwrap_or_default())
    }
}

/// Removes the image from the container daemon. One that is not there is no error.
#[operation(kind = Image, call = "clean", on_model, case = "camel", include(OfImage), effect = write, output = ())]
pub struct ImageClean {}

impl ManagerOperation for ImageClean {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        image.remove(&image.name)
    }
}

/// Removes the other images of the repository from the container daemon.
#[operation(
    kind = Image, call = "clean_other_versions", on_model, case = "camel", include(OfImage), effect = write, output = ()
)]
pub struct ImageCleanOtherVersions {}

impl ManagerOperation for ImageCleanOtherVersions {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let image = AtDaemon::new(context, OfImage::from_given(self.clone())).await?;
        let own = image.find()?.and_then(|found| found.id);
        let (repository, _) = split_name(&image.name);
        let reply = ask(image.daemon, &DaemonRequest::new("GET", "/images/json"))?;
        let all = json::parse(&reply.map(|reply| reply.body).unwrap_or_default())?;
        for other in all.as_list().unwrap_or_default() {
            if own.as_deref() == other["Id"].as_text() {
                continue;
            }
            let names =
                [&other["RepoTags"], &other["RepoDigests"]].into_iter().filter_map(Value::as_list).flatten();
            let names = names.filter_map(Value::as_text);
            for name in names.filter(|name| split_name(name).0 == repository) {
                image.remove(name)?;
            }
        }
        Ok(())
    }
}
