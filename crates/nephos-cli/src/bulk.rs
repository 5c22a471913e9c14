//! Bulk calls: one call for each line of a file or pipe. Lines that are read together share a commit.

use crate::{
    context::Context,
    dry_run::Rehearsal,
    env::Environment,
    exit::{CmdResult, Failure, exit_code, file_error},
    failed_entries,
    inputs::{self, Part},
    listing, one_time,
    output::{Columns, Format, Output, changes},
    printable::printable_line,
    progress, resource_names,
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

/// Maximum number of concurrent calls.
const MAX_CONCURRENT: usize = 64;

/// A call that is made once for each line.
#[derive(Debug)]
pub(crate) struct BulkCall {
    pub(crate) target: Target,
    /// Values from the command line, for all lines.
    pub(crate) given: Vec<GivenValue>,
    pub(crate) clear: Vec<&'static FieldShape>,
    /// True for a dry run.
    pub(crate) dry_run: bool,
    /// True if an input without lines is no error.
    pub(crate) allow_empty: bool,
}

/// A line of the input, with its number.
#[derive(Debug)]
struct Line {
    number: u64,
    text: String,
}

/// Counts of the calls so far, and the exit code of the first failure.
#[derive(Debug, Default)]
struct Summary {
    succeeded: u64,
    failed: u64,
    first_exit_code: Option<u8>,
}

/// Makes the call for each line of `from`. A failed line is reported, and the remaining lines are processed.
pub(crate) fn run(
    bulk_call: &BulkCall,
    from: &str,
    output: &Output,
    context: &Context,
    env: &mut Environment<'_>,
) -> CmdResult {
    if one_time::is_returned_by(bulk_call.target)
        && !bulk_call.dry_run
        && matches!(output.format, Format::Table | Format::Text)
    {
        let message =
            "the answers have secret values, which are returned only once; add -o jsonl to see them";
        return Err(Error::invalid("--output", message).into());
    }
    let file = match from {
        "-" => None,
        path => {
            let file = File::open(path).map_err(|error| file_error(path, &error))?;
            Some(BufReader::with_capacity(1 << 16, file))
        }
    };
    let length = file.as_ref().and_then(|file| file.get_ref().metadata().ok()).map(|metadata| metadata.len());
    let bar = progress::bar(env, length);
    let mut input = Input { from, file, lines: LineReader::default(), ended: false };
    // The previous command of a pipe may need the state to write the first line.
    while input.lines.ready.is_empty() && !input.ended {
        input.read_more(env)?;
    }
    let summary = match bulk_call.dry_run {
        _ if input.lines.ready.is_empty() => Summary::default(),
        false => {
            let connection = context.connect(bulk_call.target.access(), env)?;
            bulk_call.run_all(&mut input, &bar, env, |lines, summary, env| {
                bulk_call.run_batch(lines, &connection.session, output, summary, &bar, env)
            })?
        }
        true => Rehearsal::run(context, env, |rehearsal, env| {
            bulk_call.run_all(&mut input, &bar, env, |lines, summary, env| {
                bulk_call.rehearse_batch(lines, rehearsal, output, summary, &bar, env)
            })
        })?,
    };
    bar.finish_and_clear();
    let (succeeded, failed) = (summary.succeeded, summary.failed);
    if (succeeded, failed) == (0, 0) && !bulk_call.allow_empty {
        let message = "the input has no lines; if that is expected, add --allow-empty";
        return Err(Error::invalid("--from", message).into());
    }
    writeln!(env.err, "{succeeded} succeeded, {failed} failed")?;
    summary.first_exit_code.map_or(Ok(()), |code| Err(Failure::AlreadyReported(code)))
}

/// Source of the lines.
struct Input<'f> {
    /// Path of the file, or `-` for standard input.
    from: &'f str,
    /// The file; none for standard input.
    file: Option<BufReader<File>>,
    lines: LineReader,
    ended: bool,
}

impl Input<'_> {
    /// Reads the next lines.
    fn read_more(&mut self, env: &mut Environment<'_>) -> CmdResult {
        let read = match &mut self.file {
            Some(file) => self.lines.read_more(file),
            None => self.lines.read_more(env.input),
        };
        self.ended = !read.map_err(|error| file_error(self.from, &error))?;
        Ok(())
    }
}

impl BulkCall {
    /// Reads all lines, and calls `run_batch` for those that are there.
    fn run_all(
        &self,
        input: &mut Input<'_>,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
        mut run_batch: impl FnMut(&[Line], &mut Summary, &mut Environment<'_>) -> CmdResult,
    ) -> CmdResult<Summary> {
        // An update reads the resource first, so it must see the changes of the previous lines.
        let is_update = inputs::lookup_call(self.target.kind, self.target.call).is_some();
        let batch_size = if is_update { 1 } else { MAX_CONCURRENT };
        let mut summary = Summary::default();
        loop {
            let ready = &mut input.lines.ready;
            while !ready.is_empty() {
                let batch: Vec<_> = ready.drain(..batch_size.min(ready.len())).collect();
                run_batch(&batch, &mut summary, env)?;
                bar.set_message(format!("{} succeeded, {} failed", summary.succeeded, summary.failed));
            }
            bar.set_position(input.lines.bytes);
            if input.ended {
                return Ok(summary);
            }
            input.read_more(env)?;
        }
    }

    /// Makes the calls of a batch of lines on the copy of the cloud, where each sees the changes of the previous ones.
    fn rehearse_batch(
        &self,
        lines: &[Line],
        rehearsal: &Rehearsal,
        output: &Output,
        summary: &mut Summary,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
    ) -> CmdResult {
        let mut all = Vec::new();
        for line in lines {
            let rehearsed = self.read(line).and_then(|(given, _)| {
                let build = |session: &Session| Ok(self.prepare(line, session)?.1);
                rehearsal.change(self.target, &given, &build)
            });
            match rehearsed {
                Ok(changes) => {
                    summary.succeeded += 1;
                    all.extend(changes);
                }
                Err(error) => summary.add_failure(line, &error, bar, env)?,
            }
        }
        changes::show(output, env, &all, rehearsal.is_remote())
    }

    /// Makes the calls of a batch of lines concurrently, and reports each line once it is committed.
    fn run_batch(
        &self,
        lines: &[Line],
        session: &Session,
        output: &Output,
        summary: &mut Summary,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
    ) -> CmdResult {
        let prepared = lines.iter().map(|line| self.prepare(line, session));
        let mut names = Vec::new();
        let calls = prepared.map(|prepared| {
            let (name, call) =
                prepared.map_or_else(|error| (String::new(), Err(error)), |(name, call)| (name, Ok(call)));
            names.push(name);
            call.map(AnyCall::run)
        });
        let answers = join_all(calls.collect());
        for ((line, name), answer) in lines.iter().zip(names).zip(answers) {
            match answer {
                Ok(answer) => {
                    let answer = answer.map(|answer| answer.view().to_value());
                    let failed = answer.iter().flat_map(|answer| failed_entries::errors(self.target, answer));
                    match failed.collect::<Vec<_>>().first() {
                        Some(error) => summary.add_failure(line, error, bar, env)?,
                        None => summary.succeeded += 1,
                    }
                    self.write_answer(&name, answer, output, env)?;
                }
                Err(error) => summary.add_failure(line, &error, bar, env)?,
            }
        }
        env.out.flush()?;
        Ok(())
    }

    /// Reads the parameters of a line, in addition to those of the command line; also returns those that are no inputs of the
    /// call.
    fn read(&self, line: &Line) -> Result<(Vec<GivenValue>, Map<Value>)> {
        let Value::Map(object) = json::parse(line.text.as_bytes())? else {
            let message = "each line must be a JSON object of parameters";
            return Err(Error::new(nephos::ErrorKind::Invalid, message));
        };
        if let Some(reason) = object.get(listing::ERROR_FIELD) {
            let reason = reason.as_text().unwrap_or_default();
            let message = format!("the command that writes the input failed: {reason}");
            return Err(Error::new(nephos::ErrorKind::Invalid, message));
        }
        let inputs = inputs::inputs(self.target.kind, self.target.call);
        let is_delete = self.target.call.name == "delete";
        let find = |name: &str| {
            let named =
                |input: &&inputs::Input| input.field.answers_to(name) || input.field.rust_name == name;
            let key =
                |input: &&inputs::Input| input.part == Part::Key && input.sets_field(self.target.kind, name);
            let source = |input: &&inputs::Input| input.field.is_taken_from(name);
            inputs
                .iter()
                .find(named)
                .or_else(|| inputs.iter().find(key))
                .or_else(|| inputs.iter().find(source))
        };
        let (mut given, mut rest) = (self.given.clone(), Map::default());
        let mut give = |input: &inputs::Input, value: Value| {
            given.retain(|given| !std::ptr::eq(given.field, input.field));
            given.push(GivenValue::new(input, value));
        };
        for (name, value) in object {
            for input in &inputs {
                if let Some(part) = input.part_of(&name, &value) {
                    give(input, part.clone());
                }
            }
            match find(&name) {
                Some(input) => give(input, value),
                // A line of a listing has all fields of the resource.
                None if is_delete && self.target.kind.record.field(&name).is_some() => {}
                None => drop(rest.insert(name, value)),
            }
        }
        Ok((given, rest))
    }

    /// Builds the call for a line; returns it with the name of its resource.
    fn prepare(&self, line: &Line, session: &Session) -> Result<(String, AnyCall)> {
        let (target, (mut given, rest)) = (self.target, self.read(line)?);
        let name = target::subject(&given);
        resource_names::resolve(target, session, &mut given)?;
        if inputs::lookup_call(target.kind, target.call).is_some() {
            if let Some(name) = rest.keys().next() {
                let message = format!("{} has no changeable field of this name", target.kind.name);
                return Err(target.with_service_code(Error::invalid(name.as_str(), message)));
            }
            return Ok((name, target::prepare_call(target, session, &given, &self.clear)?));
        }
        let call = target::build_call(target, session, &mut |params| {
            target::fill_given(params, &given, false)?;
            rest.iter()
                .try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
        })?;
        Ok((name, call))
    }

    /// Writes the answer for a line that succeeded.
    fn write_answer(
        &self,
        name: &str,
        answer: Option<Value>,
        output: &Output,
        env: &mut Environment<'_>,
    ) -> CmdResult {
        let answer = answer.map(|answer| one_time::expose(self.target, answer));
        let answer = answer.filter(|answer| *answer != Value::Null);
        match (output.format, answer) {
            (Format::Table, _) => {}
            (Format::Text, _) | (_, None) => writeln!(env.out, "{}", printable_line(name))?,
            (_, Some(answer)) => output.write_item(env, &answer, &Columns::default())?,
        }
        Ok(())
    }
}

impl Summary {
    fn add_failure(
        &mut self,
        line: &Line,
        error: &Error,
        bar: &ProgressBar,
        env: &mut Environment<'_>,
    ) -> io::Result<()> {
        self.failed += 1;
        self.first_exit_code.get_or_insert(exit_code(error.kind()));
        bar.suspend(|| writeln!(env.err, "line {}: {}", line.number, printable_line(&error.to_string())))
    }
}

/// Runs the calls concurrently and returns their answers in order.
fn join_all(calls: Vec<Result<BoxFuture<'static, Result<AnyOutput>>>>) -> Vec<Result<AnyOutput>> {
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

/// Reads lines from a file or pipe in chunks, so that lines already received are processed before the next read blocks.
#[derive(Debug, Default)]
struct LineReader {
    ready: VecDeque<Line>,
    rest: Vec<u8>,
    number: u64,
    bytes: u64,
}

impl LineReader {
    /// Reads the next chunk; returns false at the end.
    fn read_more(&mut self, from: &mut dyn BufRead) -> io::Result<bool> {
        let chunk = from.fill_buf()?;
        let length = chunk.len();
        self.rest.extend_from_slice(chunk);
        from.consume(length);
        self.bytes += length as u64;
        let complete = match length {
            0 => self.rest.len(),
            _ => self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1),
        };
        let complete: Vec<u8> = self.rest.drain(..complete).collect();
        for line in complete.split_inclusive(|byte| *byte == b'\n') {
            self.number += 1;
            let text = String::from_utf8_lossy(line).trim().to_owned();
            if !text.is_empty() {
                self.ready.push_back(Line { number: self.number, text });
            }
        }
        Ok(length > 0)
    }
}
