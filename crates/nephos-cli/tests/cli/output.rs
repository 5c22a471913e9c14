//! The forms that answers are written in.

use crate::harness::{Program, shows};

fn some() -> Program {
    let program = Program::new();
    program.given(&[
        "log-group create /web/api --retention-in-days 30 --tags team=web",
        "log-group create /web/shop --retention-in-days 90",
        "log-group create /batch",
    ]);
    program
}

#[test]
fn every_form_of_output() {
    shows!(some().transcript(&[
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
fn listings_are_filtered_ordered_and_cut_off() {
    shows!(some().transcript(&[
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
fn the_first_order_counts_most() {
    let program = Program::new();
    program.given(&[
        "log-group create /a --retention-in-days 30",
        "log-group create /b --retention-in-days 90",
        "log-group create /c --retention-in-days 30",
    ]);
    let sorted = program
        .run("log-group list -o text --fields logGroupName --sort retentionInDays --sort -logGroupName");
    assert_eq!(sorted.out, "/c\n/a\n/b\n");
}

#[test]
fn a_query_takes_what_it_wants_of_the_answer() {
    shows!(some().transcript(&[
        "log-group list --query '[].logGroupName' -o text",
        "log-group list --query '[?retentionInDays > `40`].{name: logGroupName, days: retentionInDays}'",
        "log-group get /web/api --query Tags -o yaml",
        "log-group get /web/api --query 'length(Tags)'",
        "log-group get /web/api --query '[[['",
    ]));
}

#[test]
fn a_table_fits_its_terminal() {
    let mut program = some();
    for width in [40, 80, 160] {
        program.terminal.width = Some(width);
        let ended = program.run("log-group list");
        for line in ended.out.lines() {
            assert!(line.chars().count() <= usize::from(width), "{} > {width}: {line}", line.chars().count());
        }
        shows!(format!("width_{width}"), format!("{}{}", ended.out, ended.err));
    }
    program.terminal.width = None;
    let whole = program.run("log-group list");
    assert!(whole.out.contains("logGroupArn"), "without a terminal nothing is left out");
}

#[test]
fn there_is_colour_only_where_it_is_wanted() {
    let mut program = some();
    let lines =
        ["log-group list", "log-group get /web/api", "explain LogGroup", "log-group get /nothing", "--help"];
    for line in lines {
        let ended = program.run(line);
        assert!(!format!("{}{}", ended.out, ended.err).contains('\u{1b}'), "{line}");
    }
    program.terminal.colour = true;
    for line in lines {
        let ended = program.run(line);
        assert!(format!("{}{}", ended.out, ended.err).contains('\u{1b}'), "{line}");
    }
}

#[test]
fn kinds_and_explanations() {
    shows!(Program::new().transcript(&[
        "kinds",
        "kinds -o json --query '[0]'",
        "explain LogGroup",
        "explain log-group.retentionInDays",
        "explain LogGroup.get_fields",
        "explain LogEvent.put -o yaml --query parameters",
    ]));
}

#[test]
fn explanations_of_the_wire() {
    shows!(Program::new().transcript(&[
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
fn help_says_what_there_is() {
    shows!(Program::new().transcript(&[
        "--help",
        "--version",
        "log-group --help",
        "log-group update --help",
        "log-group list --help",
        "log-group tail --help",
    ]));
}
