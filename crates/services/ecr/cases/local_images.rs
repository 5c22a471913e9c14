//! Cases: images at the container daemon of the caller's machine. A stand-in answers for the daemon.

use super::{
    World, create,
    images::{by_digest, by_tag, push},
};
use base64::prelude::{BASE64_URL_SAFE, Engine as _};
use nephos_core::{
    ContainerDaemon, DaemonReply, DaemonRequest, Error, ErrorKind, Record as _, Result, Secret, json,
};
use nephos_ecr::Image;
use std::sync::{Arc, Mutex};

const URI: &str = "123456789012.dkr.ecr.us-east-1.amazonaws.com/web";

/// A daemon with the images of a list of names.
#[derive(Default)]
struct StandIn {
    images: Mutex<Vec<String>>,
    /// Credentials of the last pull or login.
    credentials: Mutex<Option<Secret>>,
    is_down: bool,
}

impl StandIn {
    fn answer(&self, request: &DaemonRequest) -> (u16, String) {
        let mut images = self.images.lock().unwrap();
        let credentials = request.registry_auth.clone().or_else(|| request.body.clone());
        if credentials.is_some() {
            *self.credentials.lock().unwrap() = credentials;
        }
        if request.path == "/images/json" {
            let all = images.iter().map(|name| format!(r#"{{"Id": "id-{name}", "RepoTags": ["{name}"]}}"#));
            return (200, format!("[{}]", all.collect::<Vec<_>>().join(",")));
        }
        if let Some(pull) = request.path.strip_prefix("/images/create?fromImage=") {
            let (repository, version) = pull.split_once("&tag=").unwrap();
            if version == "broken" {
                return (200, "{\"status\": \"Pulling\"}\n{\"error\": \"no space left\"}\n".to_owned());
            }
            let separator = if version.starts_with("sha256:") { '@' } else { ':' };
            images.push(format!("{repository}{separator}{version}"));
            return (200, "{\"status\": \"Pulling\"}\n{\"status\": \"Done\"}\n".to_owned());
        }
        let Some(path) = request.path.strip_prefix("/images/") else { return (200, "OK".to_owned()) };
        let name = path.trim_end_matches("/json").trim_end_matches("/history");
        let Some(at) = images.iter().position(|image| image == name) else {
            return (404, r#"{"message": "No such image"}"#.to_owned());
        };
        if name.ends_with(":in-use") && request.method == "DELETE" {
            return (409, r#"{"message": "image is being used"}"#.to_owned());
        }
        if request.method == "DELETE" {
            images.remove(at);
            return (200, "[]".to_owned());
        }
        if path.ends_with("/history") {
            let step = r#"{"Id": "sha256:1", "Created": 1700000000, "CreatedBy": "COPY . .", "Tags": null, "Size": 10, "Comment": ""}"#;
            return (200, format!("[{step}]"));
        }
        let image = format!(
            r#"{{"Id": "id-{name}", "RepoTags": ["{name}"], "Created": "2026-01-02T03:04:05.123456789Z", "Os": "linux",
                "Architecture": "arm64", "Size": 1234, "Config": {{"User": "app", "ExposedPorts": {{"80/tcp": {{}}}}}},
                "RootFS": {{"Type": "layers"}}}}"#
        );
        (200, image)
    }
}

impl ContainerDaemon for StandIn {
    fn send(&self, request: &DaemonRequest) -> Result<DaemonReply> {
        if self.is_down {
            return Err(Error::new(ErrorKind::DaemonDown, "the container daemon does not answer"));
        }
        let (status, body) = self.answer(request);
        Ok(DaemonReply { status, body: body.into_bytes() })
    }
}

pub(super) fn daemon_pulls_describes_and_removes_images(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    let digest = push(&world.session(), "one", Some("v1"))?;
    let daemon = Arc::new(StandIn::default());
    let session = world.session().with_container_daemon(daemon.clone());
    let images = Image::objects(&session);
    assert!(images.dockerd_is_running().wait()?);
    let image = images.get("web", by_tag("v1")).wait()?.unwrap();
    assert!(!image.is_pulled().wait()?);
    let info = image.info().wait()?;
    assert_eq!(info.name(), Some(format!("{URI}:v1").as_str()));
    assert_eq!(
        (info.platform(), info.architecture(), info.size()),
        (Some("linux"), Some("arm64"), Some(1234))
    );
    assert!(info.ports().unwrap().contains_key("80/tcp"));
    assert_eq!((info.user(), info.docker_version()), (Some("app"), None));
    assert_eq!(info.created().unwrap().as_millisecond(), 1_767_323_045_123);
    assert!(image.is_pulled().wait()?);
    // The daemon pulls with the token of the registry.
    let given = daemon.credentials.lock().unwrap().take().unwrap();
    let given = json::parse(&BASE64_URL_SAFE.decode(given.expose()).unwrap())?;
    let host = URI.strip_suffix("/web");
    assert_eq!((given["username"].as_text(), given["serveraddress"].as_text()), (Some("AWS"), host));
    assert!(image.dockerd_is_running().wait()?);
    assert_eq!(image.docker_client().wait()?.registry(), host);
    let login = images.docker_client().wait()?;
    assert_eq!((login.username(), login.registry()), (Some("AWS"), host));
    assert!(!format!("{login:?}").contains(login.password().unwrap()), "secrets are not printed");
    assert!(daemon.credentials.lock().unwrap().is_some());
    let local = image.docker_image().wait()?;
    assert_eq!(local.repo_tags().unwrap(), [format!("{URI}:v1").as_str()]);
    assert!(local.to_json().contains("RootFS"), "other facts of the daemon are kept");
    let [layer] = &image.history().wait()?[..] else { panic!("one layer") };
    assert_eq!((layer.created_by(), layer.size(), layer.tags()), (Some("COPY . ."), Some(10), None));
    let by_digest = images.info("web", by_digest(&digest)).wait()?;
    assert_eq!(by_digest.name(), Some(format!("{URI}@{digest}").as_str()), "an image without a tag");
    daemon.images.lock().unwrap().extend([
        format!("{URI}:v0"),
        format!("{URI}-other:v0"),
        "nginx:latest".into(),
    ]);
    image.clean_other_versions().wait()?;
    let left = [format!("{URI}:v1"), format!("{URI}-other:v0"), "nginx:latest".into()];
    assert_eq!(*daemon.images.lock().unwrap(), left);
    image.clean().wait()?;
    // An image that is not there is no error.
    image.clean().wait()?;
    assert_eq!(*daemon.images.lock().unwrap(), [format!("{URI}-other:v0"), "nginx:latest".into()]);
    Ok(())
}

pub(super) fn daemon_that_refuses_is_reported(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    let daemon = Arc::new(StandIn::default());
    daemon.images.lock().unwrap().push(format!("{URI}:in-use"));
    let images = Image::objects(&world.session().with_container_daemon(daemon));
    let error = images.docker_image("web", by_tag("broken")).wait().unwrap_err();
    assert!(error.to_string().contains("no space left"), "{error}");
    let error = images.clean("web", by_tag("in-use")).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("image is being used"), "{error}");
    Ok(())
}

pub(super) fn lookups_without_a_daemon_are_refused(world: &World) -> Result<()> {
    create(&world.session(), "web")?;
    let down = StandIn { is_down: true, ..StandIn::default() };
    for session in [world.session(), world.session().with_container_daemon(Arc::new(down))] {
        let images = Image::objects(&session);
        assert!(!images.dockerd_is_running().wait()?);
        let web = || by_tag("v1");
        for error in [
            images.is_pulled("web", web()).wait().unwrap_err(),
            images.docker_image("web", web()).wait().unwrap_err(),
            images.info("web", web()).wait().unwrap_err(),
            images.history("web", web()).wait().unwrap_err(),
            images.docker_client().wait().unwrap_err(),
            images.clean("web", web()).wait().unwrap_err(),
            images.clean_other_versions("web", web()).wait().unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::DaemonDown, "{error}");
        }
    }
    Ok(())
}
