//! Reading policy documents: two statements over the same data identifiers, one to audit and one to mask.

use super::{
    super::pattern::dialect,
    finder::Finder,
    identifiers::{DETECTABLE, detectable, undetectable},
    invalid,
};
use nephos_core::{Map, Result, Value, json, nearest::nearest};
use regex::Regex;

/// How many characters a document may have.
const LONGEST: usize = 30_720;

const VERSION: &str = "2021-06-01";

/// How many custom data identifiers a document may define, and how long their names and expressions may be.
const MOST_CUSTOM: usize = 10;
const LONGEST_NAME: usize = 128;
const LONGEST_REGEX: usize = 200;

/// What the document says to find.
pub(super) fn read(document: &str) -> Result<Vec<Finder>> {
    let length = document.chars().count();
    if length > LONGEST {
        return Err(invalid(format!("it has {length} characters; at most {LONGEST} are allowed")));
    }
    let document = json::parse(document.as_bytes()).map_err(|error| invalid(error.message()))?;
    let known = ["Name", "Description", "Version", "Configuration", "Statement"];
    let document = Object::of("the policy", &document)?.with_only(&known)?;
    document.text("Name")?;
    document.optional_text("Description")?;
    let version = document.text("Version")?;
    if version != VERSION {
        return Err(invalid(format!("Version is {version:?}; it has to be {VERSION:?}")));
    }
    let custom = document.get("Configuration").map_or(Ok(Vec::new()), custom)?;
    let identifiers = statements(document.list("Statement")?)?;
    finders(&identifiers, &custom)
}

/// The data identifiers that both statements name.
fn statements(statements: &[Value]) -> Result<Vec<&str>> {
    let [first, second] = statements else {
        let (count, why) = (statements.len(), "one that audits and one that masks are needed");
        return Err(invalid(format!("Statement has {count} items; {why}")));
    };
    let ((does, identifiers), second) =
        (statement("Statement[0]", first)?, statement("Statement[1]", second)?);
    if does == second.0 {
        let why = "one Audit and one Deidentify are needed";
        return Err(invalid(format!("both statements have {does}; {why}")));
    }
    if identifiers != second.1 {
        return Err(invalid("the two statements have to have the same DataIdentifier"));
    }
    Ok(identifiers)
}

/// What a statement does, and to which data identifiers.
fn statement<'a>(at: &str, value: &'a Value) -> Result<(&'static str, Vec<&'a str>)> {
    let statement = Object::of(at, value)?.with_only(&["Sid", "DataIdentifier", "Operation"])?;
    statement.optional_text("Sid")?;
    let identifiers =
        statement.list("DataIdentifier")?.iter().map(Value::as_text).collect::<Option<Vec<_>>>();
    let identifiers = identifiers.filter(|identifiers| !identifiers.is_empty());
    let identifiers =
        identifiers.ok_or_else(|| invalid(format!("{at}.DataIdentifier has to be a list of texts")))?;
    let operation = statement.object("Operation")?.with_only(&["Audit", "Deidentify"])?;
    match (operation.get("Audit"), operation.get("Deidentify")) {
        (Some(_), None) => {
            let audit = operation.object("Audit")?.with_only(&["FindingsDestination"])?;
            check_destinations(audit.object("FindingsDestination")?)?;
            Ok(("Audit", identifiers))
        }
        (None, Some(_)) => {
            let mask = operation.object("Deidentify")?.with_only(&["MaskConfig"])?;
            if !mask.object("MaskConfig")?.map.is_empty() {
                return Err(invalid(format!("{at}.Operation.Deidentify.MaskConfig has to be empty")));
            }
            Ok(("Deidentify", identifiers))
        }
        _ => Err(invalid(format!("{at}.Operation needs either Audit or Deidentify"))),
    }
}

fn check_destinations(findings: Object<'_>) -> Result<()> {
    const KINDS: [(&str, &str); 3] =
        [("CloudWatchLogs", "LogGroup"), ("Firehose", "DeliveryStream"), ("S3", "Bucket")];
    let findings = findings.with_only(&KINDS.map(|(kind, _)| kind))?;
    let mut given = KINDS.into_iter().filter(|(kind, _)| findings.get(kind).is_some());
    given.try_for_each(|(kind, name)| findings.object(kind)?.with_only(&[name])?.text(name).map(drop))
}

/// The custom data identifiers of the configuration.
fn custom(configuration: &Value) -> Result<Vec<(&str, Regex)>> {
    let configuration = Object::of("Configuration", configuration)?.with_only(&["CustomDataIdentifier"])?;
    let rows = configuration.list("CustomDataIdentifier")?;
    let count = rows.len();
    if count > MOST_CUSTOM {
        let why = format!("there are {count} custom data identifiers; at most {MOST_CUSTOM} are allowed");
        return Err(invalid(why));
    }
    let mut custom: Vec<(&str, Regex)> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let at = format!("Configuration.CustomDataIdentifier[{n}]");
        let row = Object::of(&at, row)?.with_only(&["Name", "Regex"])?;
        let (name, regex) = (row.text("Name")?, row.text("Regex")?);
        let proper = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.len() > LONGEST_NAME || !name.chars().all(proper) {
            let why = format!("{at}.Name may have at most {LONGEST_NAME} letters, digits, _ and -");
            return Err(invalid(why));
        }
        if is_managed(name) {
            return Err(invalid(format!("{at}.Name: {name} is a managed data identifier")));
        }
        if custom.iter().any(|(known, _)| *known == name) {
            return Err(invalid(format!("{at}.Name: {name} is defined twice")));
        }
        if regex.chars().count() > LONGEST_REGEX {
            return Err(invalid(format!("{at}.Regex may have at most {LONGEST_REGEX} characters")));
        }
        let regex = dialect::compile(regex, dialect::IDENTIFIER_SYMBOLS);
        custom.push((name, regex.map_err(|why| invalid(format!("{at}.Regex: {why}")))?));
    }
    Ok(custom)
}

fn finders(identifiers: &[&str], custom: &[(&str, Regex)]) -> Result<Vec<Finder>> {
    let mut finders = Vec::new();
    for (n, identifier) in identifiers.iter().enumerate() {
        if identifiers[..n].contains(identifier) {
            continue;
        }
        if let Some((_, regex)) = custom.iter().find(|(name, _)| name == identifier) {
            finders.push(Finder::custom(regex.clone()));
            continue;
        }
        let name = managed_name(identifier, custom)?;
        for row in DETECTABLE.iter().filter(|row| row.name == name) {
            finders.push(Finder::managed(row)?);
        }
    }
    Ok(finders)
}

/// The name of the managed data identifier that can be detected, or why it is none.
fn managed_name<'a>(identifier: &'a str, custom: &[(&str, Regex)]) -> Result<&'a str> {
    const PARTITIONS: [&str; 3] = ["arn:aws", "arn:aws-cn", "arn:aws-us-gov"];
    let parts = identifier.split_once(":dataprotection::aws:data-identifier/");
    let name = match parts.filter(|(partition, _)| PARTITIONS.contains(partition)) {
        Some((_, name)) => name,
        None if is_managed(identifier) => {
            let arn = format!("arn:aws:dataprotection::aws:data-identifier/{identifier}");
            return Err(invalid(format!("{identifier} is a managed data identifier; write {arn}")));
        }
        None => {
            let known = custom.iter().map(|(name, _)| *name);
            return Err(unknown("custom data identifier or ARN", identifier, known));
        }
    };
    if detectable().any(|known| known == name) {
        return Ok(name);
    }
    if undetectable().any(|known| known == name) {
        let why = "exists, but its values cannot be detected here and would stay readable";
        return Err(invalid(format!("the managed data identifier {name} {why}")));
    }
    let known: Vec<_> = detectable().map(str::to_owned).chain(undetectable()).collect();
    Err(unknown("managed data identifier", name, known.iter().map(String::as_str)))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> nephos_core::Error {
    let near = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near}?"));
    invalid(format!("there is no {what} {name:?}{near}"))
}

fn is_managed(name: &str) -> bool {
    detectable().any(|known| known == name) || undetectable().any(|known| known == name)
}

/// An object of the document, and where it stands.
struct Object<'a> {
    at: String,
    map: &'a Map<Value>,
}

impl<'a> Object<'a> {
    fn of(at: &str, value: &'a Value) -> Result<Self> {
        match value {
            Value::Map(map) => Ok(Self { at: at.to_owned(), map }),
            _ => Err(invalid(format!("{at} has to be an object"))),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    /// The same object, which has to have no other properties than these.
    fn with_only(self, names: &[&str]) -> Result<Self> {
        match self.map.keys().find(|key| !names.contains(&key.as_str())) {
            None => Ok(self),
            Some(key) => Err(unknown(&format!("property of {}", self.at), key, names.iter().copied())),
        }
    }

    fn path(&self, name: &str) -> String {
        if self.at == "the policy" { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    fn required(&self, name: &str) -> Result<&'a Value> {
        self.get(name).ok_or_else(|| self.wrong(name, "is missing"))
    }

    fn wrong(&self, name: &str, why: &str) -> nephos_core::Error {
        invalid(format!("{} {why}", self.path(name)))
    }

    fn object(&self, name: &str) -> Result<Object<'a>> {
        Object::of(&self.path(name), self.required(name)?)
    }

    fn list(&self, name: &str) -> Result<&'a [Value]> {
        match self.required(name)? {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong(name, "has to be a list")),
        }
    }

    fn text(&self, name: &str) -> Result<&'a str> {
        self.required(name)?;
        let text = self.optional_text(name)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| self.wrong(name, "is empty"))
    }

    fn optional_text(&self, name: &str) -> Result<Option<&'a str>> {
        let not_text = || self.wrong(name, "has to be a text");
        self.get(name).map(|value| value.as_text().ok_or_else(not_text)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Policy,
        tests::{arn, document, policy},
    };

    const AUDIT: &str = r#""Audit": {"FindingsDestination": {}}"#;
    const MASK: &str = r#""Deidentify": {"MaskConfig": {}}"#;

    /// Checks what the refusal of a document has to say.
    fn refused(text: &str, said: &str) {
        let error = Policy::parse(text).map(|_| text).unwrap_err();
        assert_eq!(error.field(), Some("policyDocument"));
        assert!(error.message().contains(said), "{text} was refused with: {}", error.message());
    }

    #[test]
    fn the_documented_policy_is_understood() {
        let text = r#"{"Name": "example", "Description": "An example", "Version": "2021-06-01",
            "Configuration": {"CustomDataIdentifier": [{"Name": "EmployeeId", "Regex": "EmployeeId-\\d{9}"}]},
            "Statement": [
              {"Sid": "audit",
               "DataIdentifier": ["EmployeeId", "arn:aws-cn:dataprotection::aws:data-identifier/IpAddress"],
               "Operation": {"Audit": {"FindingsDestination": {"S3": {"Bucket": "findings"},
                 "CloudWatchLogs": {"LogGroup": "/audit"}, "Firehose": {"DeliveryStream": "stream"}}}}},
              {"DataIdentifier": ["EmployeeId", "arn:aws-cn:dataprotection::aws:data-identifier/IpAddress"],
               "Operation": {"Deidentify": {"MaskConfig": {}}}}]}"#;
        let policy = Policy::parse(text).unwrap();
        assert_eq!(policy.mask("EmployeeId-123456789 from 10.0.0.1"), "******************** from ********");
    }

    #[test]
    fn an_identifier_that_cannot_be_detected_is_refused_and_said_to_be() {
        for name in ["Name", "Address", "DriversLicense-US", "PassportNumber-FR", "BankAccountNumber-US"] {
            let said = format!("{name} exists, but its values cannot be detected");
            refused(&document(&arn(name), ""), &said);
        }
    }

    #[test]
    fn wrong_identifiers_are_refused() {
        for (identifiers, said) in [
            (&*arn("EmailAdress"), "\"EmailAdress\"; did you mean EmailAddress?"),
            (&arn("Ssn"), "did you mean Ssn-"),
            (&arn("qqq"), "there is no managed data identifier \"qqq\""),
            ("\"EmailAddress\"", "write arn:aws:dataprotection::aws:data-identifier/EmailAddress"),
            ("\"arn:aws:s3:::bucket\"", "there is no custom data identifier or ARN"),
            ("", "Statement[0].DataIdentifier has to be a list of texts"),
            ("5", "Statement[0].DataIdentifier has to be a list of texts"),
        ] {
            refused(&document(identifiers, ""), said);
        }
        let custom = r#""Configuration": {"CustomDataIdentifier": [{"Name": "EmployeeId", "Regex": "E"}]},"#;
        refused(&document("\"EmployeeID2\"", custom), "did you mean EmployeeId?");
    }

    #[test]
    fn wrong_custom_identifiers_are_refused() {
        let custom = |rows: &str| {
            let rows = format!("\"Configuration\": {{\"CustomDataIdentifier\": [{rows}]}},");
            document(&arn("EmailAddress"), &rows)
        };
        let row = |name: &str, regex: &str| format!(r#"{{"Name": "{name}", "Regex": "{regex}"}}"#);
        assert!(Policy::parse(&custom(&row(&"n".repeat(128), &"r".repeat(200)))).is_ok());
        let eleven: Vec<_> = (0..11).map(|n| row(&format!("n{n}"), "r")).collect();
        assert!(Policy::parse(&custom(&eleven[1..].join(","))).is_ok());
        for (rows, said) in [
            (row(&"n".repeat(129), "r"), "CustomDataIdentifier[0].Name may have at most 128"),
            (row("a b", "r"), "letters, digits, _ and -"),
            (row("n", &"r".repeat(201)), "Regex may have at most 200 characters"),
            (row("n", "(r)"), "parentheses are not supported"),
            (row("n", "a:b"), "':' is not supported"),
            (row("EmailAddress", "r"), "EmailAddress is a managed data identifier"),
            (format!("{0}, {0}", row("n", "r")), "n is defined twice"),
            (r#"{"Name": "n"}"#.to_owned(), "CustomDataIdentifier[0].Regex is missing"),
            (eleven.join(","), "there are 11 custom data identifiers; at most 10"),
        ] {
            refused(&custom(&rows), said);
        }
    }

    #[test]
    fn wrong_documents_are_refused() {
        refused("", "invalid JSON");
        refused("{", "invalid JSON");
        refused("[]", "the policy has to be an object");
        refused(r#"{"Name": "n", "Version": "2021-06-01", "Statement": []}"#, "Statement has 0 items");
        refused(r#"{"Name": "n", "Version": "2021-06-01"}"#, "Statement is missing");
        let good = document(&arn("EmailAddress"), "");
        refused(&format!("{good}{}", " ".repeat(30_720)), "at most 30720 are allowed");
        let findings = r#""FindingsDestination": {}"#;
        for (right, wrong, said) in [
            (r#""Name": "policy","#, "", "Name is missing"),
            (r#""policy""#, "5", "Name has to be a text"),
            ("\"Version\"", "\"Verson\"", "no property of the policy \"Verson\"; did you mean Version?"),
            ("2021-06-01", "2012-10-17", "it has to be \"2021-06-01\""),
            (MASK, AUDIT, "both statements have Audit"),
            (AUDIT, "", "Statement[0].Operation needs either"),
            (findings, "", "Statement[0].Operation.Audit.FindingsDestination is missing"),
            (findings, r#""FindingsDestination": {"S3": {}}"#, "S3.Bucket is missing"),
            (findings, r#""FindingsDestination": {"SQS": {}}"#, "\"SQS\""),
            (
                r#""MaskConfig": {}"#,
                r##""MaskConfig": {"MaskWithCharacter": "#"}"##,
                "MaskConfig has to be empty",
            ),
            ("EmailAddress", "IpAddress", "have to have the same DataIdentifier"),
            (r#""Sid": "audit""#, r#""Effect": "Deny""#, "property of Statement[0] \"Effect\""),
        ] {
            assert!(good.contains(right), "{right}");
            refused(&good.replacen(right, wrong, 1), said);
        }
    }

    #[test]
    fn the_statements_may_come_in_either_order() {
        let good = document(&arn("EmailAddress"), "");
        let turned = good.replace(AUDIT, "HERE").replace(MASK, AUDIT).replace("HERE", MASK);
        assert_eq!(Policy::parse(&turned).unwrap().mask("a@b.io"), policy(&["EmailAddress"]).mask("a@b.io"));
    }
}
