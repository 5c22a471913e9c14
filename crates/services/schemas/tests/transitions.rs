//! Realistic transitions: the status of a code binding over time.

use nephos_cloud::Transitions;
use nephos_core::{Result, SignedDuration};
use nephos_schemas::{CodeGenerationStatus, Registry, Schema};
use nephos_schemas_cases::Services;
use nephos_testing::{clock, options};

#[test]
fn source_exists_when_code_binding_is_complete() -> Result<()> {
    let cloud = options::<Services>().clock(clock()).transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    Registry::objects(&session).create(&Registry::builder().registry_name("r").build()?).wait()?;
    let order = Schema::builder().registry_name("r").schema_name("s").content(r#"{"title": "Order"}"#);
    Schema::objects(&session).create(&order.r#type("JSONSchemaDraft4").build()?).wait()?;
    let schemas = Schema::objects(&session);
    let put = || schemas.put_code_binding("r", "s", "Go1").wait();
    let status = || -> Result<_> {
        Ok(schemas.get_code_binding("r", "s", "Go1").wait()?.and_then(|found| found.status().cloned()))
    };
    let has_source =
        || -> Result<_> { Ok(schemas.get_code_binding_source("r", "s", "Go1").wait()?.is_some()) };
    put()?;
    cloud.clock().advance(SignedDuration::from_secs(4))?;
    assert_eq!((status()?, has_source()?), (Some(CodeGenerationStatus::CreateInProgress), false));
    assert_eq!(
        put()?.status(),
        Some(&CodeGenerationStatus::CreateInProgress),
        "a second request does not start again"
    );
    cloud.clock().advance(SignedDuration::from_secs(1))?;
    assert_eq!((status()?, has_source()?), (Some(CodeGenerationStatus::CreateComplete), true));
    Ok(())
}
