//! Bulk work: one call for each line of a file or pipe. Lines that are there together share a commit.

use crate::{
    env::Environment,
    exit::{CmdResult, Failure, exit_code, file_error},
    inputs::{self, Part},
    output::{Columns, Format, Output, changes},
    place::Place,
    progress,
    target::{self, GivenValue, Target},
};
use indicatif::ProgressBar;
use nephos::{Error, Map, Result, Session, Value};
use nephos_core::{
    BoxFuture,
    dynamic::{AnyCall, AnyOutput, fill_parameter},
    fill::Reader,
    json,
    shape::FieldShape,
    wait,
};
use std::{
    collections::VecDeque,
    fs::File,
    future::poll_fn,
    io::{self, BufRead, BufReader},
    task::Poll,
};

/// How many calls are under way at a time.
const TOGETHER: usize = 64;

/// What is to be done for each line.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) target: Target,
    /// What the command line says for all lines.
    pub(crate) given: Vec<GivenValue>,
    pub(crate) clear: Vec<&'static FieldShape>,
    /// Whether it is only tried.
    pub(crate) dry: bool,
}

/// A line of the file.
#[derive(Debug)]
struct Line {
    number: u64,
    text: String,
}

/// How it went so far.
#[derive(Debug, Default)]
struct Tally {
    done: u64,
    refused: u64,
    first: Option<u8>,
}

/// Does the work for each line of `from`; a line that is refused is told of, and holds nothing up.
pub(crate) fn run(
    work: &Work,
    from: &str,
    output: &Output,
    place: &Place,
    env: &mut Environment<'_>,
) -> CmdResult {
    let mut file = match from {
        "-" => None,
        path => {
            let file = File::open(path).map_err(|error| file_error(path, &error))?;
            Some(BufReader::with_capacity(1 << 16, file))
        }
    };
    let length = file.as_ref().and_then(|file| file.get_ref().metadata().ok()).map(|found| found.len());
    let bar = progress::bar(env, length);
    let reached = place.reach(env)?;
    let session = &reached.session;
    // What is looked up before it is changed has to see the changes of the lines before.
    let together = if inputs::finder(work.target.kind, work.target.call).is_some() { 1 } else { TOGETHER };
    let (mut lines, mut tally) = (Lines::default(), Tally::default());
    loop {
        let read = match &mut file {
            Some(file) => lines.more(file),
            None => lines.more(env.input),
        };
        let ended = !read.map_err(|error| file_error(from, &error))?;
        while !lines.ready.is_empty() {
            let group: Vec<_> = lines.ready.drain(..together.min(lines.ready.len())).collect();
            work.group(&group, session, output, &mut tally, &bar, env)?;
            bar.set_message(format!("{} done, {} refused", tally.done, tally.refused));
        }
        bar.set_position(lines.bytes);
        if ended {
            break;
        }
    }
    bar.finish_and_clear();
    let (done, refused) = (tally.done, tally.refused);
    writeln!(env.err, "{done} done, {refused} refused")?;
    tally.first.map_or(Ok(()), |code| Err(Failure::AlreadyReported(code)))
}

impl Work {
    /// Does the work of some lines at once, and tells of each when it is safe.
    fn group(
        &self,
        lines: &[Line],
        session: &Session,
        output: &Output,
        tally: &mut Tally,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
    ) -> CmdResult {
        let prepared: Vec<_> = lines.iter().map(|line| self.prepare(line, session)).collect();
        if self.dry {
            let mut found = Vec::new();
            for (line, prepared) in lines.iter().zip(prepared) {
                match prepared.and_then(|(_, call)| call.preview().wait()) {
                    Ok(preview) => {
                        tally.done += 1;
                        found.extend(preview.changes);
                    }
                    Err(error) => tally.refuse(line, &error, bar, env)?,
                }
            }
            return changes::show(output, env, &found);
        }
        let mut names = Vec::new();
        let calls = prepared.into_iter().map(|prepared| {
            let (name, call) =
                prepared.map_or_else(|error| (String::new(), Err(error)), |(name, call)| (name, Ok(call)));
            names.push(name);
            call.map(AnyCall::run)
        });
        let answers = join(calls.collect());
        for ((line, name), answer) in lines.iter().zip(names).zip(answers) {
            match answer {
                Ok(answer) => {
                    tally.done += 1;
                    self.tell(&name, answer, output, env)?;
                }
                Err(error) => tally.refuse(line, &error, bar, env)?,
            }
        }
        env.out.flush()?;
        Ok(())
    }

    /// The call for a line, and what it is about.
    fn prepare(&self, line: &Line, session: &Session) -> Result<(String, Box<dyn AnyCall>)> {
        let Value::Map(object) = json::parse(line.text.as_bytes())? else {
            return Err(Error::new(nephos::ErrorKind::Invalid, "a line is a JSON object of parameters"));
        };
        let (target, inputs) = (self.target, inputs::inputs(self.target.kind, self.target.call));
        let find = |name: &str| {
            inputs.iter().find(|input| input.field.answers_to(name) || input.field.rust_name == name).or_else(
                || inputs.iter().find(|input| input.part == Part::Key && input.says(self.target.kind, name)),
            )
        };
        let (mut given, mut rest) = (self.given.clone(), Map::default());
        for (name, value) in object {
            match find(&name) {
                Some(input) => {
                    given.retain(|given| !std::ptr::eq(given.field, input.field));
                    given.push(GivenValue::new(input, value));
                }
                None => drop(rest.insert(name, value)),
            }
        }
        let name = target::subject(&given);
        if inputs::finder(target.kind, target.call).is_some() {
            if let Some(name) = rest.keys().next() {
                let why = format!("{} has no such field that could be changed", target.kind.name);
                return Err(target.coded(Error::invalid(name.as_str(), why)));
            }
            return Ok((name, target::prepare(target, session, &given, &self.clear)?));
        }
        let call = target::begin(target, session, &mut |params| {
            target::fill_given(params, &given, false)?;
            rest.iter()
                .try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
        })?;
        Ok((name, call))
    }

    /// Tells of a line that was done.
    fn tell(&self, name: &str, answer: AnyOutput, output: &Output, env: &mut Environment<'_>) -> CmdResult {
        let answer = answer.map(|answer| answer.view().to_value()).filter(|answer| *answer != Value::Null);
        match (output.format, answer) {
            (Format::Table, _) => {}
            (Format::Text, _) | (_, None) => writeln!(env.out, "{name}")?,
            (_, Some(answer)) => output.item(env.out, &answer, &Columns::default())?,
        }
        Ok(())
    }
}

impl Tally {
    fn refuse(
        &mut self,
        line: &Line,
        error: &Error,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
    ) -> io::Result<()> {
        self.refused += 1;
        self.first.get_or_insert(exit_code(error.kind()));
        bar.suspend(|| writeln!(env.err, "line {}: {error}", line.number))
    }
}

/// The answers to calls that are all under way at once, in their order.
fn join(calls: Vec<Result<BoxFuture<'static, Result<AnyOutput>>>>) -> Vec<Result<AnyOutput>> {
    let mut answers: Vec<Option<Result<AnyOutput>>> = Vec::new();
    let mut waiting: Vec<Option<BoxFuture<'static, Result<AnyOutput>>>> = Vec::new();
    for call in calls {
        let (answer, call) = call.map_or_else(|error| (Some(Err(error)), None), |call| (None, Some(call)));
        answers.push(answer);
        waiting.push(call);
    }
    wait(poll_fn(|context| {
        for (answer, slot) in answers.iter_mut().zip(&mut waiting) {
            if let Some(call) = slot
                && let Poll::Ready(ready) = call.as_mut().poll(context)
            {
                (*answer, *slot) = (Some(ready), None);
            }
        }
        if waiting.iter().any(Option::is_some) { Poll::Pending } else { Poll::Ready(()) }
    }));
    answers.into_iter().flatten().collect()
}

/// The lines of a file or pipe, as far as they have come: a pipe is not waited for while there is work.
#[derive(Debug, Default)]
struct Lines {
    ready: VecDeque<Line>,
    rest: Vec<u8>,
    number: u64,
    bytes: u64,
}

impl Lines {
    /// Reads what is there; false at the end.
    fn more(&mut self, from: &mut dyn BufRead) -> io::Result<bool> {
        let here = from.fill_buf()?;
        let length = here.len();
        self.rest.extend_from_slice(here);
        from.consume(length);
        self.bytes += length as u64;
        let whole = match length {
            0 => self.rest.len(),
            _ => self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1),
        };
        let whole: Vec<u8> = self.rest.drain(..whole).collect();
        for line in whole.split_inclusive(|byte| *byte == b'\n') {
            self.number += 1;
            let text = String::from_utf8_lossy(line).trim().to_owned();
            if !text.is_empty() {
                self.ready.push_back(Line { number: self.number, text });
            }
        }
        Ok(length > 0)
    }
}
