//! Names of flags in messages, in place of the names of parameters.

use crate::{
    inputs::{self, Input},
    target::Target,
};
use nephos::Error;
use nephos_core::record;

/// Returns the text of an error of a call, with the flags of the parameters that it names.
pub(crate) fn with_flags(target: Target, error: &Error) -> String {
    with_flags_of(&inputs::inputs(target.kind, target.call), error)
}

/// Returns the text of an error, with the flags of the inputs that it names.
pub(crate) fn with_flags_of(inputs: &[Input], error: &Error) -> String {
    let flag = |name: &str| {
        let by_name = |input: &&Input| input.field.name == name;
        let by_field =
            |input: &&Input| input.model_field() == name || input.field.name.eq_ignore_ascii_case(name);
        let input = inputs.iter().find(by_name).or_else(|| inputs.iter().find(by_field))?;
        Some(format!("--{}", input.flag))
    };
    let text = error.to_string();
    let Some(field) = error.field() else { return replace_names(&text, &flag) };
    let prefix = format!("{}: ", error.code());
    match text.strip_prefix(&prefix).and_then(|rest| rest.strip_prefix(field)) {
        Some(rest) => {
            let end = field.find(['.', '[']).unwrap_or(field.len());
            let (first, path) = field.split_at(end);
            // A `get` that is a listing by one key has the singular of the parameter of the listing: `VpcId`, `VpcIds`.
            let singular = || flag(first.strip_suffix('s')?);
            let first = flag(first).or_else(singular).unwrap_or_else(|| first.to_owned());
            format!("{prefix}{first}{path}{}", replace_names(rest, &flag))
        }
        None => replace_names(&text, &flag),
    }
}

/// End of a message that consists of names of parameters only, and a part that names follow.
const REQUIRED: &str = " is required";

/// Replaces names of parameters. A name of one word stays, because it may be a word of the sentence.
fn replace_names(text: &str, flag: &dyn Fn(&str) -> Option<String>) -> String {
    let has_only_names = text.ends_with(REQUIRED) || text.contains(record::ALSO_REQUIRED);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        replaced.push_str(&rest[..start]);
        let is_name = has_only_names || word.chars().skip(1).any(char::is_uppercase);
        match flag(word).filter(|_| is_name) {
            Some(flag) => replaced.push_str(&flag),
            None => replaced.push_str(word),
        }
        rest = &rest[end..];
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::REGISTRY;

    #[test]
    fn parameters_of_the_call_become_flags() {
        let target = Target::new(REGISTRY.kind("LogGroup").unwrap(), "create").unwrap();
        let error = |field: &str, message: &str| with_flags(target, &Error::invalid(field, message));
        assert_eq!(error("retentionInDays", "must be 1"), "ValidationError: --retention-in-days: must be 1");
        assert_eq!(error("Tags[0].Key", "is reserved"), "ValidationError: --tags[0].Key: is reserved");
        assert_eq!(
            error("colour", "needs kmsKeyId, and Tags; not kmsKeyIds"),
            "ValidationError: colour: needs --kms-key-id, and Tags; not kmsKeyIds"
        );
    }
}
