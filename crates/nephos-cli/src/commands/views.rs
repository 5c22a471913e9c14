//! Views of kinds, each a subcommand of its kind.

use super::{dot, service_views, tail, tree};
use crate::{
    context::Context,
    env::{Environment, POLL_INTERVAL},
    exit::CmdResult,
    names,
    opening::Access,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use nephos::AllServices;
use nephos_cloud::ServiceSet;
use nephos_core::{
    shape::KindShape,
    view::{View, ViewForm},
    wait,
};

fn views_of(kind: &KindShape) -> impl Iterator<Item = &'static View> {
    let views = AllServices::SERVICES.iter().flat_map(|service| service.views);
    views.filter(move |view| std::ptr::eq(view.kind, kind))
}

/// Returns the commands for the views of a kind.
pub(crate) fn view_commands(kind: &KindShape) -> impl Iterator<Item = Command> {
    let views = views_of(kind).map(|view| {
        let name = Arg::new("NAME").required(true).value_name("NAME").help(view.subject);
        let command = Command::new(view.name).about(view.docs).arg(name);
        match &view.form {
            ViewForm::Graph(_) => graph_options(command, view),
            ViewForm::Lines(lines) => tail::options(command, lines),
        }
    });
    views.chain(service_views::kind_commands(kind))
}

fn graph_options(command: Command, view: &View) -> Command {
    let (kind, name) = (names::kebab(view.kind.name), view.name);
    let dot = format!("Example, with Graphviz: nephos {kind} {name} web --format dot | dot -Tsvg > web.svg");
    let format = Arg::new("format").long("format").value_name("FORMAT").value_parser(["tree", "dot"]);
    let format =
        format.default_value("tree").help("Output format: a tree for the terminal, or a graph for Graphviz");
    let follow = Arg::new("follow").long("follow").action(ArgAction::SetTrue);
    command.after_help(dot).arg(format).arg(follow.help("Draw it again whenever it has changed"))
}

/// Shows the view `name` of a kind.
pub(crate) fn run_view(
    kind: &KindShape,
    name: &str,
    matches: &ArgMatches,
    env: &mut Environment<'_>,
) -> CmdResult {
    let Some(view) = views_of(kind).find(|view| view.name == name) else {
        return service_views::run_of_kind(kind, name, matches, env);
    };
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    match &view.form {
        ViewForm::Graph(draw) => {
            let mut shown = None;
            loop {
                // Other commands can change a state file between two pictures.
                let connection = Context::read(matches, env)?.connect(Access::SharedRead, env)?;
                let graph = wait(draw(&connection.session, text("NAME")))?;
                drop(connection);
                if shown.as_ref() != Some(&graph) {
                    if shown.is_some() {
                        writeln!(env.out)?;
                    }
                    match text("format") {
                        "dot" => dot::draw(&graph, env.out)?,
                        _ => tree::draw(&graph, env.terminal.colour, env.out)?,
                    }
                    env.out.flush()?;
                    shown = Some(graph);
                }
                if !matches.get_flag("follow") || !(env.pause)(POLL_INTERVAL) {
                    return Ok(());
                }
            }
        }
        ViewForm::Lines(lines) => tail::run(lines, text("NAME"), matches, env),
    }
}
