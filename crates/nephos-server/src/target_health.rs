//! How the checks of a target come out, set through the control endpoint.

use nephos::{
    Cloud, Error, Health, Result, Value,
    services::elbv2::{TargetDescription, TargetHealthReason},
};

/// Sets it: `{"targetGroupArn": …, "target": "10.0.0.1", "port": 80, "health": "failing", "reason": "Target.Timeout"}`.
/// Without a port, all ports of the target are meant; without a reason, it is Target.FailedHealthChecks. With `"health":
/// "unavailable"`, nobody can tell how the target is.
pub(crate) fn set(cloud: &Cloud, body: &Value) -> Result<()> {
    let Value::Map(fields) = body else { return Err(Error::invalid("body", "is not an object")) };
    const KNOWN: [&str; 5] = ["targetGroupArn", "target", "port", "health", "reason"];
    if let Some((unknown, _)) = fields.iter().find(|(field, _)| !KNOWN.contains(&field.as_str())) {
        return Err(Error::invalid(unknown.as_str(), format!("there are {}", KNOWN.join(", "))));
    }
    let text = |field: &str| fields.get(field).and_then(Value::as_text);
    let needed = |field: &str| text(field).ok_or_else(|| Error::invalid(field, "is required"));
    let health = match needed("health")? {
        "passing" => Health::Passing,
        "failing" => Health::Failing(reason(text("reason"))?),
        "unavailable" => Health::Unavailable,
        _ => return Err(Error::invalid("health", "is passing, failing or unavailable")),
    };
    let port = fields.get("port").and_then(Value::as_int);
    let target = TargetDescription::builder().id(needed("target")?).port(port).build()?;
    cloud.target_health(needed("targetGroupArn")?, target, health)
}

fn reason(name: Option<&str>) -> Result<TargetHealthReason> {
    match name {
        None | Some("Target.FailedHealthChecks") => Ok(TargetHealthReason::FailedHealthChecks),
        Some("Target.Timeout") => Ok(TargetHealthReason::Timeout),
        Some("Target.ResponseCodeMismatch") => Ok(TargetHealthReason::ResponseCodeMismatch),
        Some(_) => {
            let why = "is Target.FailedHealthChecks, Target.Timeout or Target.ResponseCodeMismatch";
            Err(Error::invalid("reason", why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::{TargetGroup, Vpc, prelude::*};

    #[test]
    fn the_health_of_a_target_is_set() {
        let cloud = Cloud::in_memory();
        let session = cloud.session();
        let vpc = Vpc::objects(&session).list().results().first().wait().unwrap().unwrap();
        let group = TargetGroup::builder().target_group_name("web").port(80).vpc_id(vpc.vpc_id().unwrap());
        let groups = TargetGroup::objects(&session);
        let group = groups.create(&group.build().unwrap(), "web").wait().unwrap().remove(0);
        let arn = group.require_arn().unwrap();
        groups.register(arn, [TargetDescription::from("172.31.0.10")]).wait().unwrap();
        let before = cloud.rows().unwrap();
        let said = |body: String| {
            let body = nephos_core::json::parse(body.as_bytes()).unwrap();
            set(&cloud, &body).map_err(|error| error.field().unwrap_or(error.code()).to_owned())
        };
        let on = |rest: &str| format!(r#"{{"targetGroupArn": "{arn}", "target": "172.31.0.10", {rest}}}"#);
        for (body, wrong) in [
            ("[]".to_owned(), "body"),
            (on(r#""health": "fine""#), "health"),
            (on(r#""healthy": true"#), "healthy"),
            (on(r#""health": "failing", "reason": "Target.NotInUse""#), "reason"),
            (on(r#""health": "failing", "port": 81"#), "InvalidTarget"),
            (on(r#""health": "failing""#).replace("/web/", "/gone/"), "TargetGroupNotFound"),
            (r#"{"health": "passing", "target": "172.31.0.10"}"#.to_owned(), "targetGroupArn"),
        ] {
            assert_eq!(said(body), Err(wrong.to_owned()));
        }
        assert_eq!(cloud.rows().unwrap(), before);
        said(on(r#""health": "failing", "reason": "Target.Timeout", "port": 80"#)).unwrap();
        assert!(format!("{:?}", cloud.rows().unwrap()) != format!("{before:?}"));
        said(on(r#""health": "passing""#)).unwrap();
        said(on(r#""health": "unavailable""#)).unwrap();
        assert_eq!(groups.targets(arn).wait().unwrap_err().code(), "HealthUnavailable");
    }
}
