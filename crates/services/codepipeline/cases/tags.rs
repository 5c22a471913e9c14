//! Cases: tags of pipelines.

use super::{World, create, plan};
use nephos_cloud::Tx;
use nephos_codepipeline::{Pipeline, errors};
use nephos_core::{Arn, Result, Tag, Text, prelude::*};

pub(super) fn tags_are_added_listed_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    pipelines.tag(arn.as_str(), vec![Tag::new("a", "1"), Tag::new("b", "2")]).wait()?;
    pipelines.tag(arn.as_str(), vec![Tag::new("a", "3")]).wait()?;
    pipelines.untag(arn.as_str(), vec!["b".into()]).wait()?;
    assert_eq!(pipelines.list_tags(arn.as_str()).wait()?, [Tag::new("a", "3")]);
    Ok(())
}

pub(super) fn invalid_tags_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    let tag = |arn: &str, tags: Vec<Tag>| pipelines.tag(arn, tags).wait();
    let refused =
        world.refused(&errors::INVALID_TAGS, "tags[aws:a]", || tag(&arn, vec![Tag::new("aws:a", "1")]));
    let text = "Not allowed to modify system tags. System tags start with 'aws:'. msg=[Caller is an end user and not allowed \
                to mutate system tags]";
    assert_eq!(refused.wire_message(), text);
    let many = (0..51).map(|n| Tag::new(format!("k{n}"), "")).collect();
    let refused = world.refused(&errors::TOO_MANY_TAGS, "tags", || tag(&arn, many));
    assert_eq!(refused.wire_message(), format!("Tag limit exceeded for resource [{arn}]."));
    let missing = arn.replace("web", "api");
    let refused =
        world.refused(&errors::RESOURCE_NOT_FOUND, "resourceArn", || tag(&missing, vec![Tag::new("a", "1")]));
    let text = "The account with id '123456789012' does not include a pipeline with the name 'api'";
    assert_eq!(refused.wire_message(), text);
    let other = arn.replace("us-east-1", "eu-west-1");
    world.refused(&errors::INVALID_ARN, "resourceArn", || tag(&other, vec![Tag::new("a", "1")]));
    Ok(())
}

pub(super) fn listed_pipeline_fetches_and_saves_its_tags(world: &World) -> Result<()> {
    let session = world.session();
    let pipelines = Pipeline::objects(&session);
    pipelines.create(&plan("web", &[])?).tags(vec![Tag::new("team", "web")]).wait()?;
    let listed = || -> Result<Pipeline> { Ok(pipelines.list().results().first().wait()?.unwrap()) };
    assert_eq!(listed()?.tags_map().wait()?.get("team").map(Text::as_str), Some("web"));
    let mut model = listed()?;
    assert!(model.is_saved());
    model.save().wait()?;
    assert_eq!((model.version(), model.role_arn().is_some()), (Some(1), true), "nothing changed");
    let mut model = listed()?;
    model.tags_mut().wait()?.insert("zone", "1")?;
    model.save().wait()?;
    let tags = pipelines.list_tags(model.require_arn()?).wait()?;
    assert_eq!(tags, [Tag::new("team", "web"), Tag::new("zone", "1")]);
    let mut model = listed()?;
    model.set_tags(vec![Tag::new("zone", "2")])?;
    model.save().wait()?;
    assert_eq!(pipelines.list_tags(model.require_arn()?).wait()?, [Tag::new("zone", "2")]);
    assert_eq!(model.version(), Some(1));
    Ok(())
}

pub(super) fn stages_have_the_tags_of_their_pipeline(world: &World) -> Result<()> {
    let session = world.session();
    let arn = create(&session, "web")?.require_arn()?.to_owned();
    Pipeline::objects(&session).tag(arn.as_str(), vec![Tag::new("team", "web")]).wait()?;
    for part in ["", "/Build", "/Build/Compile"] {
        let arn = Arn::read(&format!("{arn}{part}")).unwrap();
        let find = move |cx: &mut Tx<'_>| nephos_codepipeline::access::find_resource(cx, &arn);
        let facts = world.cloud().run_in_transaction(find)?.unwrap();
        assert_eq!(facts.tags.get("team").map(Text::as_str), Some("web"), "{part}");
    }
    Ok(())
}
