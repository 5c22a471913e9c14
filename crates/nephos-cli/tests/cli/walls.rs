//! Laws about what the crates around the services may know: the command line, the server and the kernel name no service and no kind.

use nephos::{AllServices, REGISTRY};
use nephos_cloud::ServiceSet;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Crates without code for a service.
const CRATES: [&str; 3] = ["nephos-cli", "nephos-server", "nephos-cloud"];

/// Services whose names are part of every policy and principal: identities are the platform's own.
const IDENTITY: [&str; 2] = ["iam", "sts"];

/// Names that are allowed, with the end of the path of their file, and the reason.
const ALLOWED: [(&str, &str, &str); 4] = [
    (
        "nephos-cloud/src/managed_secrets.rs",
        "secretsmanager",
        "services keep the secrets of their users in it, if the cloud has it",
    ),
    (
        "nephos-cloud/src/managed_secrets.rs",
        "secretsmanager:TagResource",
        "callers whose secrets a service keeps need the permission",
    ),
    ("nephos-cli/src/context.rs", "CallerIdentity", "the account of the caller is asked from an endpoint"),
    ("nephos-cli/src/explain/wire.rs", "ec2", "name of a wire protocol"),
];

/// A part of a source file that can name something.
#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
}

/// Returns the words and literals of a source, without comments.
fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some((raw, after)) = raw_literal(rest) {
            tokens.push(Token::Text(raw.to_owned()));
            rest = after;
        } else if first == '"' {
            let end = literal_end(&rest[1..]);
            tokens.push(Token::Text(rest[1..=end].to_owned()));
            rest = &rest[(end + 2).min(rest.len())..];
        } else if let Some(after) = rest.strip_prefix("'\"'").or_else(|| rest.strip_prefix(r#"'\"'"#)) {
            rest = after;
        } else if is_word(first) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

/// Returns the content of the raw literal that a source begins with, and what follows it.
fn raw_literal(source: &str) -> Option<(&str, &str)> {
    let after = source.strip_prefix("br").or_else(|| source.strip_prefix('r'))?;
    let content = after.trim_start_matches('#');
    let end = format!("\"{}", &after[..after.len() - content.len()]);
    content.strip_prefix('"')?.split_once(&end)
}

/// Returns the length of the content of a literal.
fn literal_end(content: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in content.char_indices() {
        match c {
            '"' if !is_escaped => return at,
            c => is_escaped = c == '\\' && !is_escaped,
        }
    }
    content.len()
}

/// Returns the source files of a folder, without the environment of behaviour cases.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true if path.ends_with("testing") => Vec::new(),
        true => sources(&path),
        false => vec![path],
    });
    found.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Returns the words of imports from the facade.
fn imported_words(tokens: &[Token], source: &str) -> BTreeSet<String> {
    let imports = source.split("use nephos::").skip(1).filter_map(|rest| rest.split_once(';'));
    let words = imports.flat_map(|(import, _)| self::tokens(import));
    let paths = tokens.windows(2).filter_map(|pair| match pair {
        [Token::Word(facade), Token::Word(name)] if facade == "nephos" => Some(Token::Word(name.clone())),
        _ => None,
    });
    let words = words.chain(paths).filter_map(|token| match token {
        Token::Word(word) => Some(word),
        Token::Text(_) => None,
    });
    words.collect()
}

/// Returns the names of services and kinds in a source.
fn forbidden_names(source: &str, crates: &[String]) -> BTreeSet<String> {
    let product = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let tokens = tokens(product);
    let imported = imported_words(&tokens, product);
    // A kind whose name is one common word is only found in imports from the facade.
    let is_distinct = |kind: &str| kind.chars().filter(|c| c.is_uppercase()).count() > 1;
    let kind_names: BTreeSet<_> = REGISTRY.kinds().map(|kind| kind.name).collect();
    let services = REGISTRY.services.iter().filter(|service| !IDENTITY.contains(&service.name));
    let service_names: Vec<_> =
        services.flat_map(|service| [service.name, service.endpoint, service.signing]).collect();
    let is_control = |text: &str| {
        let mut controls = AllServices::SERVICES.iter().flat_map(|service| service.controls);
        controls.any(|control| control.name == text)
    };
    let is_service = |text: &str| {
        let start = text.split_once(':').map_or(text, |(start, _)| start);
        service_names.contains(&start) || is_control(text)
    };
    let of_services = tokens.windows(2).filter_map(|pair| match pair {
        [Token::Word(module), Token::Word(name)] if module == "services" && crates.contains(name) => {
            Some(format!("services::{name}"))
        }
        _ => None,
    });
    let named = tokens.iter().filter_map(|token| match token {
        Token::Word(word)
            if kind_names.contains(&**word) && (is_distinct(word) || imported.contains(word)) =>
        {
            Some(word.clone())
        }
        Token::Word(word) => word
            .strip_prefix("nephos_")
            .filter(|name| crates.iter().any(|known| known == name))
            .map(|_| word.clone()),
        Token::Text(text) => is_service(text).then(|| text.clone()),
    });
    named.chain(of_services).collect()
}

/// Names of the crates of services.
fn service_crates(root: &Path) -> Vec<String> {
    let folders = fs::read_dir(root.join("services")).unwrap().map(|entry| entry.unwrap());
    let names: Vec<_> = folders.map(|folder| folder.file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), REGISTRY.services.len());
    names
}

#[test]
fn crates_around_the_services_name_no_service_and_no_kind() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let crates = service_crates(root);
    let mut allowed: BTreeSet<_> = ALLOWED.iter().map(|(file, name, _)| (*file, *name)).collect();
    let mut found = Vec::new();
    for path in CRATES.iter().flat_map(|name| sources(&root.join(name).join("src"))) {
        let source = fs::read_to_string(&path).unwrap();
        for name in forbidden_names(&source, &crates) {
            let rule = ALLOWED.iter().find(|(file, word, _)| path.ends_with(file) && *word == name);
            match rule {
                Some((file, word, _)) => drop(allowed.remove(&(*file, *word))),
                None => found.push(format!("{}: {name}", path.display())),
            }
        }
    }
    assert_eq!(found, Vec::<String>::new(), "the name belongs into the `service!` list of its service");
    assert_eq!(allowed, BTreeSet::new(), "not needed any more");
}

#[test]
fn names_are_found_in_code_and_not_in_comments_and_tests() {
    let crates = ["events".to_owned(), "logs".to_owned()];
    let names = |source: &str| forbidden_names(source, &crates).into_iter().collect::<Vec<_>>();
    assert_eq!(names("use nephos::services::events::TIMEOUT;"), ["services::events"]);
    assert_eq!(names("nephos_logs::LOGS"), ["nephos_logs"]);
    assert_eq!(names("let x = LogGroup::KIND; // EventBus"), ["LogGroup"]);
    assert_eq!(names("use nephos::{Error, Rule};\nfn f(_: Rule) {}"), ["Rule"]);
    assert_eq!(names("let x: nephos::Role;"), ["Role"]);
    assert_eq!(names("use nephos_core::shape::Rule;"), [""; 0]);
    assert_eq!(
        names(
            r#"call("logs", "PutLogEvents"); f('"', "kms:Decrypt", "target-health", "iam:PassRole", "logs are")"#
        ),
        ["kms:Decrypt", "logs", "target-health"]
    );
    assert_eq!(names("r#\"say \"events\"\"#; \"a\\\"\"; \"events\""), ["events"]);
    assert_eq!(names("#[cfg(test)]\nmod tests {\n    use nephos_logs::LOGS;\n}\n"), [""; 0]);
}

/// Returns the names of the operations with a call in a source.
fn called_operations(source: &str) -> Vec<&str> {
    let attributes = source.match_indices("#[operation(").map(|(at, _)| &source[at..]);
    let operations = attributes.filter_map(|rest| {
        let (attribute, rest) = rest.split_once("pub struct ")?;
        let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
        attribute.contains("call = \"").then_some(name)
    });
    operations.collect()
}

/// An operation that is not in the list of its service compiles, and no client has it.
#[test]
fn every_operation_with_a_call_is_in_the_list_of_its_service() {
    let services = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("services");
    let mut missing = Vec::new();
    for service in fs::read_dir(services).unwrap() {
        let folder = service.unwrap().path().join("src");
        let list = fs::read_to_string(folder.join("lib.rs")).unwrap();
        let listed: BTreeSet<_> = list.split(|c: char| !c.is_alphanumeric()).collect();
        for path in sources(&folder) {
            let source = fs::read_to_string(&path).unwrap();
            let operations = called_operations(&source).into_iter().filter(|name| !listed.contains(name));
            missing.extend(operations.map(|name| format!("{name} of {}", path.display())));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}
