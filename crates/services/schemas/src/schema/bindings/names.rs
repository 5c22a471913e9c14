//! Identifiers of generated code.

use std::collections::HashMap;

/// Words that cannot be names of attributes in Python.
pub const PYTHON: &str = "False None True and as assert async await break class continue def del elif else \
    except finally for from global if import in is lambda nonlocal not or pass raise return self try while with yield";

/// Words that cannot be names of fields in Java.
pub const JAVA: &str = "abstract assert boolean break byte case catch char class const continue default do double \
    else enum extends false final finally float for goto if implements import instanceof int interface long native new \
    null package private protected public return short static strictfp super switch synchronized this throw throws \
    transient true try void volatile while";

/// Words that cannot be names of properties in TypeScript.
pub(super) const TYPESCRIPT: &str = "constructor";

/// Words that cannot be names of packages in Go.
const GO: &str = "_ break case chan const continue default defer else fallthrough for func go goto if import interface map \
    package range return select struct switch type var";

/// Names that generated code uses for its own classes or for those of the languages.
const RESERVED_TYPES: &str = "Any Array Arrays Boolean Class Date Double Enum Error False Float Function Integer \
    IOException InputStream Iterable Iterator JsonAutoDetect JsonCreator JsonInclude JsonProperty JsonValue List Long Map \
    Marshaller None Number Object Objects Override Promise Record Serializable String Symbol System Time True Void";

fn is_in(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

/// Splits a name at all characters that are neither letters nor digits.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Puts `prefix` in front of a name that is empty or begins with a digit.
fn with_letter_first(name: String, prefix: &str) -> String {
    let is_valid = name.starts_with(|c: char| !c.is_ascii_digit());
    if is_valid { name } else { [prefix, &name].concat() }
}

/// Converts a name to `PascalCase`. Capital letters within words are kept.
pub fn pascal_case(name: &str) -> String {
    with_letter_first(words(name).map(capitalize).collect(), "X")
}

/// Converts a name to `camelCase` that is not one of the keywords. An acronym at the start is kept.
pub fn camel_case(name: &str, keywords: &str) -> String {
    let pascal = pascal_case(name);
    let first = words(name).next().unwrap_or_default();
    if first.len() > 1 && first.chars().take(2).all(|c| c.is_ascii_uppercase()) {
        return pascal;
    }
    avoid(keywords, pascal[..1].to_ascii_lowercase() + &pascal[1..])
}

/// Converts a value of an enum to the `UPPER_CASE` name of a constant.
pub fn upper_case(value: &str) -> String {
    let parts: Vec<_> = words(value).map(str::to_ascii_uppercase).collect();
    if parts.is_empty() { "EMPTY".to_owned() } else { with_letter_first(parts.join("_"), "_") }
}

/// Replaces every character that is not valid in an identifier, and avoids keywords. There is at most one underscore at the
/// start, because two have a meaning in Python.
pub fn underscored(name: &str, keywords: &str) -> String {
    let replace = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(replace).collect();
    let trimmed = name.trim_start_matches('_');
    let name = if name.starts_with('_') { ["_", trimmed].concat() } else { name };
    avoid(keywords, with_letter_first(name, "_"))
}

fn avoid(keywords: &str, name: String) -> String {
    if is_in(keywords, &name) { ["_", &name].concat() } else { name }
}

/// Converts the name of a component or property to the name of a type.
pub fn type_name(name: &str) -> String {
    let name = pascal_case(name);
    if is_in(RESERVED_TYPES, &name) { ["Model", &name].concat() } else { name }
}

/// Names that are in use, and the number that was last added to each.
pub type UsedNames = HashMap<String, usize>;

/// Returns a name that is not in use yet: with a number at its end if necessary.
pub fn unique(used: &mut UsedNames, name: String) -> String {
    let (mut free, mut number) = (name.clone(), used.get(&name).copied().unwrap_or(1));
    while used.contains_key(&free) {
        number += 1;
        free = format!("{name}{number}");
    }
    used.insert(free.clone(), 1);
    used.insert(name, number);
    free
}

/// Returns the directories of the code of a schema: `aws.ec2@Change` becomes `schema/aws/ec2/change`.
pub fn package_path(schema: &str) -> Vec<String> {
    let lower = schema.to_ascii_lowercase();
    let mut parts = vec!["schema"];
    let rest = match lower.strip_prefix("aws.partner-") {
        Some(partner) => {
            parts.extend(["aws", "partner"]);
            partner.split('@').collect()
        }
        None if lower.starts_with("aws.") => lower.split(['.', '@']).collect(),
        None => lower.split('@').collect::<Vec<_>>(),
    };
    parts.extend(rest.into_iter().filter(|part| !part.is_empty()));
    let avoid_all =
        |part| [JAVA, GO].into_iter().fold(underscored(part, PYTHON), |part, words| avoid(words, part));
    parts.into_iter().map(avoid_all).collect()
}

/// Returns a string literal, which has the same form in all four languages.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
