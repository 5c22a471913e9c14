//! Credential reports.

use super::{World, access_keys::credentials, ask, errors};
use nephos_core::Result;
use nephos_iam::{
    AccessKey, AccountSummary, CreateLoginProfile, GetCredentialReport, GetUser, ReportState,
    UpdateAccountPasswordPolicy,
};
use nephos_testing::HOUR;

fn generate(world: &World) -> Result<Option<ReportState>> {
    Ok(AccountSummary::objects(&world.session()).generate_credential_report().wait()?.state().cloned())
}

/// Returns the columns of each line of the report.
fn read(world: &World) -> Result<Vec<Vec<String>>> {
    let report = AccountSummary::objects(&world.session()).credential_report().wait()?;
    let content = report.content().cloned().unwrap_or_default().into_bytes();
    let text = String::from_utf8(content).expect("the report is a text");
    Ok(text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

pub(super) fn credential_report_has_all_users(world: &World) -> Result<()> {
    world.create_user("ann")?;
    world.create_user_in("/web/", "bea")?;
    ask(&world.session(), UpdateAccountPasswordPolicy::new().max_password_age(2))?;
    ask(&world.session(), CreateLoginProfile::new().user_name("ann").password("correct-Horse-7"))?;
    let key = AccessKey::objects(&world.session()).create().user_name("ann").wait()?;
    ask(&world.session_with(credentials(&key)), GetUser::new())?;
    assert_eq!(generate(world)?, Some(ReportState::Started));
    let report = read(world)?;
    assert!(report.iter().all(|line| line.len() == 22), "{report:?}");
    let users: Vec<_> = report.iter().map(|line| line[0].as_str()).collect();
    assert_eq!(users, ["user", "<root_account>", "ann", "bea"]);
    assert_eq!(report[1][1], "arn:aws:iam::123456789012:root");
    let now = "2026-01-31T12:00:00+00:00";
    assert_eq!(
        report[2][1..8],
        [
            "arn:aws:iam::123456789012:user/ann",
            now,
            "true",
            "no_information",
            now,
            "2026-02-02T12:00:00+00:00",
            "false"
        ]
    );
    assert_eq!(report[2][8..14], ["true", now, now, "us-east-1", "iam", "false"]);
    assert_eq!(
        report[3][1..8],
        ["arn:aws:iam::123456789012:user/web/bea", now, "false", "N/A", "N/A", "N/A", "false"]
    );
    Ok(())
}

pub(super) fn credential_report_is_valid_for_four_hours(world: &World) -> Result<()> {
    let get = || ask(&world.session(), GetCredentialReport::new());
    world.refused(&errors::REPORT_NOT_PRESENT, None, get);
    generate(world)?;
    let generated = get()?.generated_time();
    assert_eq!(generated.map(|time| time.as_millisecond()), Some(world.now()));
    world.create_user("ann")?;
    world.advance(4 * HOUR - 1)?;
    assert_eq!(generate(world)?, Some(ReportState::Complete));
    assert_eq!(get()?.generated_time(), generated);
    assert_eq!(read(world)?.len(), 2, "the report is from before the user");
    world.advance(1)?;
    world.refused(&errors::REPORT_EXPIRED, None, get);
    assert_eq!(generate(world)?, Some(ReportState::Started));
    assert_eq!(read(world)?.len(), 3);
    Ok(())
}
