//! Access strings: the rules of a user, in the grammar of access control lists.
//!
//! Rules are read from left to right. An access string is answered in the order of the engine: the switch,
//! keys, channels, commands, and further sets of rules in parentheses.

use crate::errors;
use nephos_core::{Error, Result, Text, nearest};
use std::fmt;

/// Rules without an argument, for hints.
const WORDS: [&str; 9] = [
    "on",
    "off",
    "allkeys",
    "resetkeys",
    "allchannels",
    "resetchannels",
    "allcommands",
    "nocommands",
    "clearselectors",
];

/// Categories of commands.
const CATEGORIES: [&str; 25] = [
    "all",
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
    "json",
    "search",
    "bloom",
];

/// Rules that set passwords, or remove all rules. Passwords have parameters of their own.
const REFUSED: [&str; 3] = ["nopass", "resetpass", "reset"];

/// First characters of rules with a password or its hash.
const PASSWORD_MARKS: [char; 4] = ['>', '<', '#', '!'];

/// A parsed access string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessString {
    /// True if the user can connect.
    is_on: bool,
    /// Rules of the user.
    root: Selector,
    /// Further sets of rules, each in parentheses.
    selectors: Vec<Selector>,
}

/// A set of rules: a command is allowed if one set allows it with all its keys and channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Selector {
    has_all_keys: bool,
    keys: Vec<KeyPattern>,
    has_all_channels: bool,
    /// True if channels were removed by a rule, and not only left out.
    has_reset_channels: bool,
    channels: Vec<String>,
    commands: Commands,
}

/// A pattern of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeyPattern {
    reads: bool,
    writes: bool,
    pattern: String,
}

/// Rules for commands: all of them or none, then exceptions in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Commands {
    has_all: bool,
    exceptions: Vec<CommandRule>,
}

/// A rule for a command, a subcommand or a category.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CommandRule {
    allows: bool,
    /// `get`, `config|get` or `@read`, in lower case.
    target: String,
}

impl AccessString {
    /// Parses an access string; an error names the rule that is not valid.
    pub fn parse(text: &str) -> Result<Self> {
        let mut access = Self::default();
        let mut words = text.split_ascii_whitespace();
        let mut is_empty = true;
        while let Some(word) = words.next() {
            is_empty = false;
            match word.strip_prefix('(') {
                Some(rest) => access.selectors.push(parse_selector(rest, &mut words)?),
                None => access.add(word)?,
            }
        }
        if is_empty { Err(errors::access_rule_missing()) } else { Ok(access) }
    }

    /// Parses further rules, which follow those of this access string.
    pub fn append(&self, text: &str) -> Result<Self> {
        Self::parse(text)?;
        Self::parse(&format!("{self} {text}"))
    }

    fn add(&mut self, word: &str) -> Result<()> {
        match word.to_ascii_lowercase().as_str() {
            "on" => self.is_on = true,
            "off" => self.is_on = false,
            "clearselectors" => self.selectors.clear(),
            _ => return self.root.add(word),
        }
        Ok(())
    }
}

/// Parses a set of rules up to the word that closes it. `first` is what follows the opening parenthesis.
fn parse_selector<'t>(first: &'t str, words: &mut impl Iterator<Item = &'t str>) -> Result<Selector> {
    let mut selector = Selector::default();
    let mut word = first;
    loop {
        let rule = word.strip_suffix(')');
        match rule.unwrap_or(word) {
            "" => {}
            // A parenthesis at the end of a printed rule would close the selector.
            rule if rule.starts_with('(') || rule.ends_with(')') => return Err(unknown(rule)),
            rule => selector.add(rule)?,
        }
        if rule.is_some() {
            return Ok(selector);
        }
        word = words.next().ok_or_else(|| errors::selector_not_closed(shown(&format!("({first}"))))?;
    }
}

impl Selector {
    fn add(&mut self, word: &str) -> Result<()> {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "allkeys" => self.add_key(word, true, true, "*")?,
            "resetkeys" => (self.has_all_keys, self.keys) = (false, Vec::new()),
            "allchannels" => self.add_channel(word, "*")?,
            "resetchannels" => {
                (self.has_all_channels, self.has_reset_channels) = (false, true);
                self.channels.clear();
            }
            "allcommands" => self.commands = Commands { has_all: true, exceptions: Vec::new() },
            "nocommands" => self.commands = Commands::default(),
            _ => return self.add_with_argument(word, &lower),
        }
        Ok(())
    }

    fn add_with_argument(&mut self, word: &str, lower: &str) -> Result<()> {
        if REFUSED.contains(&lower) || word.starts_with(PASSWORD_MARKS) {
            let hint = "set passwords with the parameter Passwords or AuthenticationMode";
            return Err(errors::access_rule_refused(shown(word)).with_hint(hint));
        }
        if let Some(pattern) = word.strip_prefix('~') {
            return self.add_key(word, true, true, pattern);
        }
        if let Some(rest) = word.strip_prefix('%') {
            let (permissions, pattern) = rest.split_once('~').ok_or_else(|| unknown(word))?;
            let permissions = permissions.to_ascii_uppercase();
            let (reads, writes) = (permissions.contains('R'), permissions.contains('W'));
            if permissions.is_empty() || !permissions.chars().all(|one| matches!(one, 'R' | 'W')) {
                return Err(unknown(word));
            }
            return self.add_key(word, reads, writes, pattern);
        }
        if let Some(channel) = word.strip_prefix('&') {
            return self.add_channel(word, channel);
        }
        match lower.split_at_checked(1) {
            Some(("+", target)) => self.commands.add(true, target, word),
            Some(("-", target)) => self.commands.add(false, target, word),
            _ => Err(unknown(word)),
        }
    }

    fn add_key(&mut self, word: &str, reads: bool, writes: bool, pattern: &str) -> Result<()> {
        if pattern.is_empty() {
            return Err(unknown(word));
        }
        if pattern == "*" && reads && writes {
            (self.has_all_keys, self.keys) = (true, Vec::new());
            return Ok(());
        }
        if self.has_all_keys {
            return Err(errors::access_rule_without_effect(shown(word), "~*"));
        }
        match self.keys.iter_mut().find(|known| known.pattern == pattern) {
            Some(known) => (known.reads, known.writes) = (known.reads || reads, known.writes || writes),
            None => self.keys.push(KeyPattern { reads, writes, pattern: pattern.to_owned() }),
        }
        let is_all = |key: &KeyPattern| key.pattern == "*" && key.reads && key.writes;
        if self.keys.iter().any(is_all) {
            (self.has_all_keys, self.keys) = (true, Vec::new());
        }
        Ok(())
    }

    fn add_channel(&mut self, word: &str, channel: &str) -> Result<()> {
        if channel.is_empty() {
            return Err(unknown(word));
        }
        if channel == "*" {
            (self.has_all_channels, self.has_reset_channels) = (true, false);
            self.channels.clear();
            return Ok(());
        }
        if self.has_all_channels {
            return Err(errors::access_rule_without_effect(shown(word), "&*"));
        }
        if !self.channels.iter().any(|known| known == channel) {
            self.channels.push(channel.to_owned());
        }
        Ok(())
    }
}

impl Commands {
    /// Adds a rule. It replaces earlier ones for the same commands.
    fn add(&mut self, allows: bool, target: &str, word: &str) -> Result<()> {
        if let Some(category) = target.strip_prefix('@') {
            if !CATEGORIES.contains(&category) {
                let sign = if allows { '+' } else { '-' };
                let near = nearest::nearest(category, CATEGORIES);
                let hint = near.map(|near| format!("did you mean {sign}@{near}?")).unwrap_or_default();
                return Err(errors::access_rule_unknown(shown(word)).with_hint(hint));
            }
            if category == "all" {
                *self = Self { has_all: allows, exceptions: Vec::new() };
                return Ok(());
            }
        } else if !is_command(target) {
            return Err(unknown(word));
        }
        let subcommands = format!("{target}|");
        self.exceptions.retain(|rule| rule.target != target && !rule.target.starts_with(&subcommands));
        self.exceptions.push(CommandRule { allows, target: target.to_owned() });
        Ok(())
    }
}

/// True for the name of a command, with or without a subcommand.
fn is_command(target: &str) -> bool {
    let is_name = |name: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.bytes().all(is_part)
    };
    match target.split_once('|') {
        Some((command, subcommand)) => is_name(command) && is_name(subcommand),
        None => is_name(target),
    }
}

fn unknown(rule: &str) -> Error {
    let hint = nearest::nearest(rule, WORDS).map(|near| format!("did you mean {near}?"));
    errors::access_rule_unknown(shown(rule)).with_hint(hint.unwrap_or_default())
}

/// A rule as errors show it: without a password, and not longer than needed to find it.
fn shown(rule: &str) -> String {
    let start = rule.find(PASSWORD_MARKS).and_then(|at| rule.get(..=at));
    start.map_or_else(|| rule.chars().take(64).collect(), |start| format!("{start}..."))
}

impl fmt::Display for AccessString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_on { "on" } else { "off" }, self.root)?;
        self.selectors.iter().try_for_each(|selector| write!(f, " ({selector})"))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_all_keys {
            f.write_str("~* ")?;
        }
        for KeyPattern { reads, writes, pattern } in &self.keys {
            let permissions = match (reads, writes) {
                (true, true) => "",
                (true, false) => "%R",
                _ => "%W",
            };
            write!(f, "{permissions}~{pattern} ")?;
        }
        if self.has_reset_channels {
            f.write_str("resetchannels ")?;
        }
        if self.has_all_channels {
            f.write_str("&* ")?;
        }
        self.channels.iter().try_for_each(|channel| write!(f, "&{channel} "))?;
        f.write_str(if self.commands.has_all { "+@all" } else { "-@all" })?;
        self.commands.exceptions.iter().try_for_each(|rule| {
            let sign = if rule.allows { '+' } else { '-' };
            write!(f, " {sign}{}", rule.target)
        })
    }
}

impl From<&AccessString> for Text {
    fn from(access: &AccessString) -> Self {
        access.to_string().into()
    }
}
