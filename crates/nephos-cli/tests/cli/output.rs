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
fn text_of_a_query_has_a_line_for_each_row_and_tabs_between_values() {
    let program = with_groups();
    for (query, text) in [
        ("[].{n: logGroupName}", "/batch\n/web/api\n/web/shop\n"),
        ("[].{name: logGroupName, days: retentionInDays}", "/batch\tNone\n/web/api\t30\n/web/shop\t90\n"),
        ("[].[logGroupName, retentionInDays]", "/batch\tNone\n/web/api\t30\n/web/shop\t90\n"),
        ("[1].{name: logGroupName, days: retentionInDays}", "/web/api\t30\n"),
        ("[1].[logGroupName, retentionInDays]", "/web/api\t30\n"),
        ("[-1] | [logGroupName, retentionInDays]", "/web/shop\t90\n"),
        ("[].retentionInDays", "30\n90\n"),
        ("[0].retentionInDays", "None\n"),
        ("length(@)", "3\n"),
        ("[1].{b: {y: logGroupName, x: retentionInDays}, a: storedBytes}", "y=/web/api, x=30\t0\n"),
        ("[{k: `1`}, {v: `2`, k: `null`}]", "1\t\nNone\t2\n"),
        ("[?missing]", ""),
    ] {
        let output = program.run(&format!("log-group list -o text --query '{query}'"));
        assert_eq!((output.code, output.out.as_str()), (0, text), "{query}: {}", output.err);
    }
    let listed = program.run("log-group list -o text --where logGroupName=/web/api").out;
    let queried = program.run("log-group list -o text --query '[?retentionInDays < `60`]'").out;
    assert_eq!(queried, listed, "a whole resource has the columns of its kind");
}

#[test]
fn fields_of_a_query_are_in_the_order_of_the_query() {
    let program = with_groups();
    for (query, heads) in [
        ("[].{name: logGroupName, days: retentionInDays}", "name       days"),
        ("[].{storedBytes: storedBytes, logGroupName: logGroupName}", "storedBytes  logGroupName"),
        ("sort_by([].{z: logGroupName, a: storedBytes}, &a)[:2]", "z         a"),
        ("[].{b: logGroupName, a: storedBytes} | [].{a: a, b: b}", "a  b"),
    ] {
        let table = program.run(&format!("log-group list --query '{query}'")).out;
        assert_eq!(table.lines().next(), Some(heads), "{query}: {table}");
    }
    let one = program.run("log-group get /web/api --query '{name: logGroupName, days: retentionInDays}'");
    assert_eq!(one.out, "name  /web/api\ndays  30\n");
    let nested = "[0].{z: {y: storedBytes, x: [{c: storedBytes, a: storedBytes}]}, a: storedBytes}";
    let json = program.run(&format!("log-group list -o jsonl --query '{nested}'"));
    assert_eq!(json.out, "{\"z\":{\"y\":0,\"x\":[{\"c\":0,\"a\":0}]},\"a\":0}\n");
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

/// A path is written as in filters or as in queries, everywhere.
#[test]
fn paths_have_two_spellings() {
    let program = Program::new();
    program.run_all(&["vpc create --cidr-block 10.9.0.0/16 --tags team=web"]);
    for path in ["CidrBlockAssociationSet.CidrBlock", "CidrBlockAssociationSet__CidrBlock"] {
        let found =
            program.run(&format!("vpc list --where {path}__startswith=10.9 -o text --fields CidrBlock"));
        assert_eq!(found.out, "10.9.0.0/16\n", "{path}: {}", found.err);
    }
    program.run_all(&["log-group create /a --tags a.b=1"]);
    for path in ["Tags.Key", "Tags__Key"] {
        let found = program.run(&format!("log-group list --where {path}=a.b -o text --fields logGroupName"));
        assert_eq!(found.out, "/a\n", "{path}: {}", found.err);
    }
    for (path, title) in [("State.Code", "State.Code"), ("State__Code", "State.Code")] {
        let found = program.run(&format!("load-balancer list --fields LoadBalancerName,{path}"));
        assert_eq!((found.code, found.err.as_str()), (0, "no results\n"), "{path} {title}");
        for order in [path.to_owned(), format!("-{path}")] {
            let sorted = program.run(&format!("load-balancer list --sort {order}"));
            assert_eq!((sorted.code, sorted.err.as_str()), (0, "no results\n"), "{order}");
        }
    }
}

/// A query of a dry run sees the changes, whatever the format: one for each row.
#[test]
fn query_of_a_dry_run_sees_the_same_changes_in_every_format() {
    let program = Program::new();
    let line = "log-group create /a --retention-in-days 30 --dry-run";
    let json = program.run(&format!("{line} -o json --query '[].row'")).out;
    let rows = json.matches('"').count() / 2;
    let table = program.run(&format!("{line} --query '[].row'"));
    assert_eq!(
        table.out.lines().filter(|shown| !shown.starts_with("dry run")).count(),
        rows,
        "{}",
        table.out
    );
    assert!(table.out.ends_with("dry run: nothing was changed\n"), "{}", table.out);
    let after = program.run(&format!("{line} --query '[].after.retentionInDays'")).out;
    assert!(after.starts_with("30\n"), "{after}");
}
