//! Arguments of the program.

use crate::targets::{self, Target};
use std::{path::PathBuf, time::Duration};

pub(crate) const USAGE: &str = "\
Usage: nephos-fuzz [TARGET…] [--seconds N] [--seed N] [--failures DIR]
       nephos-fuzz TARGET --input FILE
       nephos-fuzz --record

Runs fuzz targets: requests, answers, signatures, control, events, policies, state-file. All of them by default.
  --seconds N     Time for all targets together (default 120)
  --seed N        Seed of the random changes (default 1)
  --failures DIR  Folder for inputs that fail (default target/fuzz)
  --input FILE    Run one input
  --record        Write the corpus of requests, answers and signatures from the behaviour cases (feature `record`)";

/// Arguments of the program.
pub(crate) struct Options {
    pub(crate) action: Action,
    pub(crate) targets: Vec<&'static Target>,
    pub(crate) time: Duration,
    pub(crate) seed: u64,
    pub(crate) failures: PathBuf,
}

/// Action of the program.
pub(crate) enum Action {
    Fuzz,
    Replay(PathBuf),
    Record,
}

impl Options {
    /// Parses the arguments; the error is a message for the user.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            action: Action::Fuzz,
            targets: Vec::new(),
            time: Duration::from_secs(120),
            seed: 1,
            failures: PathBuf::from("target/fuzz"),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--seconds" => options.time = Duration::from_secs(number(&argument, &value()?)?),
                "--seed" => options.seed = number(&argument, &value()?)?,
                "--failures" => options.failures = value()?.into(),
                "--input" => options.action = Action::Replay(value()?.into()),
                "--record" => options.action = Action::Record,
                name => {
                    let target = targets::ALL.iter().find(|target| target.name == name);
                    options.targets.push(target.ok_or_else(|| format!("unknown target or option {name:?}"))?);
                }
            }
        }
        if matches!(options.action, Action::Replay(_)) && options.targets.len() != 1 {
            return Err("--input needs one target".to_owned());
        }
        // Some targets change the working directory.
        options.failures = std::path::absolute(&options.failures).map_err(|error| error.to_string())?;
        if options.targets.is_empty() {
            options.targets = targets::ALL.iter().collect();
        }
        Ok(options)
    }
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{option}: {text:?} is not a number"))
}
