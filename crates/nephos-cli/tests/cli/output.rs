//! Output formats, listings, help and explanations.

use crate::harness::{Program, assert_snapshot};

fn with_groups() -> Program {
    let program = Program::new();
    program.run_all(&[
        "log-group create /web/api --retention-in-days 30 --tags team=web",
        "log-group create /web/shop --retention-in-days 90",
        "log-group create /batch",
    ]);
    program
}

#[test]
fn output_formats() {
    assert_snapshot!(with_groups().transcript(&[
        "log-group get /web/api -o json",
        "log-group get /web/api -o jsonl",
        "log-group get /web/api -o yaml",
        "log-group get /web/api -o text",
        "log-group list -o json --fields logGroupName,retentionInDays",
        "log-group list -o jsonl --fields logGroupName,retentionInDays",
        "log-group list -o yaml --fields logGroupName,retentionInDays",
        "log-group list -o text --fields logGroupName,retentionInDays",
        "log-group list -o xml",
    ]));
}

#[test]
fn listings_are_filtered_sorted_and_limited() {
    assert_snapshot!(with_groups().transcript(&[
        "log-group list -o text --fields logGroupName --where retentionInDays__gte=30",
        "log-group list -o text --fields logGroupName --where retentionInDays__gte=30 --where name__contains=shop",
        "log-group list -o text --fields logGroupName --sort -retentionInDays",
        "log-group list -o text --fields logGroupName --sort storedBytes --sort -logGroupName",
        "log-group list -o text --fields logGroupName --limit 1",
        "log-group list -o json --limit 0",
        "log-group list --where logGroupName=/nothing",
    ]));
}

#[test]
fn listings_have_tags_if_they_are_asked_for() {
    assert_snapshot!(with_groups().transcript(&[
        "log-group list -o text --fields logGroupName --where Tags__Key=team --where Tags__Value=web",
        "log-group list -o text --fields logGroupName --where Tags__Key=stage",
        "log-group list -o text --fields logGroupName,Tags --where logGroupName__startswith=/web",
        "log-group list -o text --fields logGroupName --sort -Tags",
        "explain log-group.Tags",
    ]));
}

#[test]
fn first_sort_field_has_precedence() {
    let program = Program::new();
    program.run_all(&[
        "log-group create /a --retention-in-days 30",
        "log-group create /b --retention-in-days 90",
        "log-group create /c --retention-in-days 30",
    ]);
    let sorted = program
        .run("log-group list -o text --fields logGroupName --sort retentionInDays --sort -logGroupName");
    assert_eq!(sorted.out, "/c\n/a\n/b\n");
}

#[test]
fn jmespath_query() {
    assert_snapshot!(with_groups().transcript(&[
        "log-group list --query '[].logGroupName' -o text",
        "log-group list --query '[?retentionInDays > `40`].{name: logGroupName, days: retentionInDays}'",
        "log-group get /web/api --query Tags -o yaml",
        "log-group get /web/api --query 'length(Tags)'",
        "log-group get /web/api --query '[[['",
    ]));
}

#[test]
fn table_fits_the_terminal() {
    let mut program = with_groups();
    for width in [40, 80, 160] {
        program.terminal.width = Some(width);
        let output = program.run("log-group list");
        for line in output.out.lines() {
            assert!(line.chars().count() <= usize::from(width), "{} > {width}: {line}", line.chars().count());
        }
        assert_snapshot!(format!("width_{width}"), format!("{}{}", output.out, output.err));
    }
    program.terminal.width = None;
    let all = program.run("log-group list");
    assert!(all.out.contains("logGroupArn"), "without a terminal no column is omitted");
}

#[test]
fn colour_only_if_enabled() {
    let mut program = with_groups();
    let lines =
        ["log-group list", "log-group get /web/api", "explain LogGroup", "log-group get /nothing", "--help"];
    for line in lines {
        let output = program.run(line);
        assert!(!format!("{}{}", output.out, output.err).contains('\u{1b}'), "{line}");
    }
    program.terminal.colour = true;
    for line in lines {
        let output = program.run(line);
        assert!(format!("{}{}", output.out, output.err).contains('\u{1b}'), "{line}");
    }
}

#[test]
fn kinds_and_explain() {
    assert_snapshot!(Program::new().transcript(&[
        "kinds",
        "kinds -o json --query '[0]'",
        "explain LogGroup",
        "explain log-group.retentionInDays",
        "explain LogGroup.get_fields",
        "explain LogEvent.put -o yaml --query parameters",
    ]));
}

#[test]
fn explain_wire() {
    assert_snapshot!(Program::new().transcript(&[
        "explain --wire schemas",
        "explain --wire schemas.UpdateSchema",
        "explain --wire logs.describe-log-streams -o yaml",
        "explain --wire logs -o json --query '{protocol: protocol, target: targetPrefix, error: errors[0]}'",
        "explain --wire -o json --query '[0].[service, signingName, apiVersion, protocol]'",
        "explain --wire log",
        "explain --wire logs.CreateLogGrop",
    ]));
}

#[test]
fn explain_permissions() {
    assert_snapshot!(Program::new().transcript(&[
        "explain --permissions logs.PutSubscriptionFilter",
        "explain --permissions ec2.RunInstances -o yaml",
        "explain --permissions sts",
        "explain --permissions elbv2 -o json --query 'operations[0]'",
        "explain --permissions log",
        "explain --permissions logs.CreateLogGrop",
    ]));
}

#[test]
fn help_texts() {
    assert_snapshot!(Program::new().transcript(&[
        "--help",
        "--version",
        "log-group --help",
        "log-group update --help",
        "log-group list --help",
        "log-group tail --help",
        "target-group register --help",
    ]));
}
