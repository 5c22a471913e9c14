//! Reports about the last use of services.

use super::{World, access_keys, ask, errors};
use nephos_core::{Result, Text};
use nephos_iam::{
    AccessKey, AccountSummary, GenerateServiceLastAccessedDetails, GetServiceLastAccessedDetails,
    GetServiceLastAccessedDetailsWithEntities, GetUser, JobStatus, ServiceLastAccessed, UsageGranularity,
};

const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const READ_ONLY: &str = "arn:aws:iam::aws:policy/IAMReadOnlyAccess";

fn generate(world: &World, arn: &str) -> Result<Text> {
    let answer = ask(&world.session(), GenerateServiceLastAccessedDetails::new(arn))?;
    Ok(answer.job_id().unwrap_or_default().into())
}

fn services(world: &World, job: &str) -> Result<Vec<ServiceLastAccessed>> {
    let answer = ask(&world.session(), GetServiceLastAccessedDetails::new(job))?;
    assert_eq!(answer.job_status(), Some(&JobStatus::Completed));
    Ok(answer.services_last_accessed().unwrap_or_default().to_vec())
}

pub(super) fn report_has_the_last_use_of_allowed_services(world: &World) -> Result<()> {
    let (ann, web) = (world.create_user("ann")?, world.create_group("web")?);
    world.create_user("bea")?;
    let job = generate(world, ANN)?;
    assert_eq!(job.len(), 36);
    assert!(services(world, &job)?.is_empty(), "no policy allows anything");
    web.attach_policy(READ_ONLY).wait()?;
    web.add_user("ann").wait()?;
    web.add_user("bea").wait()?;
    let found = services(world, &job)?;
    assert_eq!((found.len(), found[0].service_namespace()), (1, Some("iam")));
    assert_eq!(found[0].service_name(), Some("AWS Identity and Access Management"));
    assert_eq!((found[0].last_authenticated(), found[0].total_authenticated_entities()), (None, Some(0)));
    let key = AccessKey::objects(&world.session()).create().user_name("ann").wait()?;
    ask(&world.session().with_credentials(access_keys::credentials(&key)), GetUser::new())?;
    for arn in [ANN, "arn:aws:iam::123456789012:group/web", READ_ONLY] {
        let found = services(world, &generate(world, arn)?)?;
        assert_eq!(
            found[0].last_authenticated().map(|time| time.as_millisecond()),
            Some(world.now()),
            "{arn}"
        );
        assert_eq!(found[0].last_authenticated_entity(), Some(ANN), "{arn}");
        assert_eq!(found[0].last_authenticated_region(), Some("us-east-1"), "{arn}");
        assert_eq!(found[0].total_authenticated_entities(), Some(1), "{arn}");
    }
    let job = generate(world, READ_ONLY)?;
    let list = || GetServiceLastAccessedDetailsWithEntities::new(&job, "iam");
    let answer = ask(&world.session(), list())?;
    let mut entities: Vec<_> = answer
        .entity_details_list()
        .unwrap_or_default()
        .iter()
        .map(|one| (one.entity_info().and_then(|info| info.name()), one.last_authenticated().is_some()))
        .collect();
    entities.sort_unstable();
    assert_eq!(entities, [(Some("ann"), true), (Some("bea"), false)]);
    let page = ask(&world.session(), list().max_items(1))?;
    assert_eq!((page.entity_details_list().map(<[_]>::len), page.is_truncated()), (Some(1), Some(true)));
    let answer = ask(&world.session(), GetServiceLastAccessedDetailsWithEntities::new(&job, "logs"))?;
    assert!(
        answer
            .entity_details_list()
            .is_some_and(|all| all.iter().all(|one| one.last_authenticated().is_none()))
    );
    drop(ann);
    Ok(())
}

pub(super) fn reports_expire_and_need_an_entity(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let objects = AccountSummary::objects(&world.session());
    let call = objects.generate_last_accessed_details(ANN).granularity(UsageGranularity::ActionLevel);
    let job = call.wait()?.job_id().unwrap_or_default().to_owned();
    let answer = objects.last_accessed_details(job.as_str()).wait()?;
    assert_eq!(answer.job_type(), Some(&UsageGranularity::ActionLevel));
    assert_eq!(answer.job_creation_date().map(|time| time.as_millisecond()), Some(world.now()));
    world.advance(7 * 24 * 3_600_000)?;
    let get = || ask(&world.session(), GetServiceLastAccessedDetails::new(job.as_str()));
    world.refused(&errors::NOT_FOUND, "JobId", get);
    world.refused(&errors::NOT_FOUND, "Arn", || generate(world, "arn:aws:iam::123456789012:user/bea"));
    world.refused(&errors::NOT_FOUND, "Arn", || generate(world, "arn:aws:iam::222222222222:user/ann"));
    for arn in [
        "arn:aws:iam::123456789012:mfa/ann",
        "arn:aws:logs:us-east-1:123456789012:log-group:/a",
        "not an ARN but long",
    ] {
        world.refused(&errors::INVALID_INPUT, "Arn", || generate(world, &format!("{arn} ")));
    }
    Ok(())
}
