//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod kill;
mod parts;
mod rotation;
mod sealing;

use nephos_cloud::CloudOptions;
use nephos_core::Session;
use nephos_secrets::Secret;
use nephos_secrets_cases::{Cloud, Services};

nephos_testing::test_cases!(nephos_secrets_cases);

fn options() -> CloudOptions<Services> {
    Cloud::options().clock(nephos_testing::clock())
}

fn create(session: &Session, name: &str, value: &str) -> Secret {
    let secret = Secret::builder().name(name).build().unwrap();
    Secret::objects(session).create(&secret).secret_string(value).wait().unwrap()
}

fn value(session: &Session, name: &str) -> String {
    try_value(session, name).unwrap()
}

fn try_value(session: &Session, name: &str) -> nephos_core::Result<String> {
    let value = Secret::objects(session).get_value(name).wait()?;
    Ok(value.secret_string().map(|text| text.expose().to_owned()).unwrap_or_default())
}

fn get_secret(session: &Session, name: &str) -> Secret {
    Secret::objects(session).get(name).wait().unwrap().expect("the secret exists")
}
