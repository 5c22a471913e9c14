//! Secrets on the command line: values are hidden unless `--show-values` is set.

use crate::harness::{Program, assert_snapshot};

const MARKER: &str = "MARKER-5ecre7";

/// Creates a program with a secret whose value is the marker.
fn with_secret() -> Program {
    let program = Program::new();
    program.run_all(&[&format!(
        "secret create web/db --secret-string {MARKER} --description database --tags team=web"
    )]);
    program
}

#[test]
fn secret_create_get_update_and_delete() {
    let program = Program::new();
    assert_snapshot!(program.transcript(&[
        "secret create web/db --secret-string hunter2 --description 'the database' --fields Name,Description",
        "secret get-value web/db --fields Name,SecretString,VersionStages",
        "secret get-value web/db --fields Name,SecretString --show-values",
        "secret get-value web/db --show-values --query SecretString -o text",
        "secret set-value web/db --secret-string hunter3 --fields Name,VersionStages",
        "secret get-value web/db --version-stage PROVIDERPREVIOUS --show-values --query SecretString -o text",
        "secret-version list web/db --fields VersionStages,CryptoKeyIds",
        "secret update web/db --description changed --fields Name,Description",
        "secret delete web/db --recovery-window-in-days 7 --fields Name,DeletionDate",
        "secret get-value web/db",
        "secret restore web/db --fields Name",
        "secret delete web/db --recovery-window-in-days 3",
        "secret list --fields Name,Description",
    ]));
}

#[test]
fn secret_value_is_hidden_in_every_output() {
    let program = with_secret();
    for form in ["table", "json", "jsonl", "yaml", "text"] {
        for call in
            ["get-value web/db", "batch-get-value --secret-id-list web/db", "get web/db", "describe web/db"]
        {
            let output = program.run(&format!("secret {call} -o {form}"));
            assert_eq!(output.code, 0, "{output:?}");
            assert!(!format!("{output:?}").contains(MARKER), "{call} {form}: {output:?}");
        }
        let queried = program.run(&format!("secret get-value web/db -o {form} --query SecretString"));
        assert!(queried.out.contains("<secret>") && !queried.out.contains(MARKER), "{form}: {queried:?}");
        let shown = program.run(&format!("secret get-value web/db -o {form} --show-values"));
        assert!(shown.out.contains(MARKER), "{form}: {shown:?}");
        let shown =
            program.run(&format!("secret batch-get-value --secret-id-list web/db -o {form} --show-values"));
        assert!(shown.out.contains(MARKER), "{form}: {shown:?}");
    }
    let password = program.run("secret random-password");
    assert_eq!(password.out, "<secret>\n");
    assert_eq!(program.run("secret random-password --show-values").out.trim_end().len(), 32);
    for line in [
        format!("secret set-value web/db --secret-string {MARKER} --dry-run"),
        format!("secret set-value web/db --secret-string {MARKER} --dry-run --show-values -o json"),
        format!("secret create web/db --secret-string {MARKER}"),
        format!("secret set-value none --secret-string {MARKER}"),
        format!("secret set-value web/db --secret-string {MARKER} --secret-binary AAAA"),
        format!("secret set-value web/db --secret-string {MARKER} --client-request-token short"),
    ] {
        let output = program.run(&line);
        assert!(!format!("{}{}", output.out, output.err).contains(MARKER), "{line}: {output:?}");
    }
    let lines = format!(
        "{{\"Name\": \"a\", \"SecretString\": \"{MARKER}\"}}\n{{\"Name\": \"a\", \"SecretString\": \"{MARKER}\"}}\n"
    );
    let output = program.run_with_input("secret create --from -", &lines);
    assert!(!format!("{}{}", output.out, output.err).contains(MARKER), "{output:?}");
}

#[test]
fn secret_value_is_in_no_file() {
    let program = with_secret();
    program.run_all(&["secret get-value web/db", "snapshot save $DIR/copy"]);
    for entry in std::fs::read_dir(program.folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(MARKER.len()).any(|part| part == MARKER.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn state_opens_only_with_its_key_file() {
    let program = with_secret();
    let folder = program.folder.path();
    let (beside, moved) = (folder.join("state.redb.nephos-key"), folder.join("elsewhere"));
    std::fs::rename(&beside, &moved).unwrap();
    let refused = program.run("secret get web/db");
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("state.redb.nephos-key"), "{refused:?}");
    assert!(!beside.exists());
    let read = program
        .run("secret get-value web/db --key-file $DIR/elsewhere --show-values --query SecretString -o text");
    assert_eq!((read.code, read.out.trim_end()), (0, MARKER));
    let write_key = |name: &str, text: &str| {
        // A copy keeps the permissions: only the owner can read a key file.
        std::fs::copy(folder.join("elsewhere"), folder.join(name)).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    };
    write_key("other", "nephos-key-1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    let refused = program.run("secret get web/db --key-file $DIR/other");
    assert!(refused.err.contains("sealed with another key"), "{refused:?}");
    write_key("wrong", "nonsense");
    assert!(program.run("secret get web/db --key-file $DIR/wrong").err.contains("is not a key file"));
    let mut program = program;
    program.variables.insert("NEPHOS_KEY_FILE".to_owned(), moved.to_string_lossy().into_owned());
    assert_eq!(program.run("secret get web/db").code, 0);
}

#[test]
fn key_is_replaced_protected_and_taken_from_a_command() {
    let mut program = with_secret();
    program.terminal.width = None;
    let key_file = program.folder.path().join("state.redb.nephos-key");
    let read_key = || std::fs::read_to_string(&key_file).unwrap();
    let first = read_key();
    program.run_all(&["state rekey"]);
    assert_ne!(read_key(), first);
    assert_eq!(value(&program).trim_end(), MARKER);

    let set = |program: &mut Program, name: &str, value: &str| {
        program.variables.insert(name.to_owned(), value.to_owned());
    };
    assert!(program.run("state rekey --passphrase").err.contains("NEPHOS_NEW_KEY_PASSPHRASE"));
    set(&mut program, "NEPHOS_NEW_KEY_PASSPHRASE", "short");
    assert!(program.run("state rekey --passphrase").err.contains("at least 12 characters"));
    set(&mut program, "NEPHOS_NEW_KEY_PASSPHRASE", "correct horse");
    program.run_all(&["state rekey --passphrase"]);
    assert!(read_key().starts_with("nephos-key-2:"), "{}", read_key());
    assert!(program.run("secret list").err.contains("is protected by a passphrase"));
    program.typed = Some("correct horse".into());
    assert_eq!(value(&program).trim_end(), MARKER, "the passphrase is asked for");
    program.typed = None;
    set(&mut program, "NEPHOS_KEY_PASSPHRASE", "correct horse");
    assert_eq!(value(&program).trim_end(), MARKER);

    program.file("key", &first);
    program.run_all(&["state rekey --to-command 'cat $DIR/key'"]);
    assert!(program.run("secret list").err.contains("sealed with another key"));
    let of_command = program.run(
        "secret get-value web/db --key-command 'cat $DIR/key' --show-values --query SecretString -o text",
    );
    assert_eq!(of_command.out.trim_end(), MARKER, "{of_command:?}");
    let failed = program.run("secret list --key-command 'exit 3 # hunter3'").err;
    assert!(failed.contains("--key-command: ended with exit status: 3"), "{failed}");
    assert!(!failed.contains("hunter3"), "{failed}");
    let no_key = program.run("secret list --key-command 'echo hunter2'").err;
    assert!(no_key.contains("the printed key must be nephos-key-1:"), "{no_key}");
    assert!(
        program.run("state rekey --key-command 'cat $DIR/key'").err.contains("the new one must be given")
    );
}

/// Returns the value of the secret `web/db`.
fn value(program: &Program) -> String {
    program.run("secret get-value web/db --show-values --query SecretString -o text").out
}

#[test]
fn secret_value_is_read_from_a_file_standard_input_or_a_prompt() {
    let mut program = Program::new();
    program.file("value", "line one\nline two\r\n");
    program.run_all(&["secret create web/db --secret-string @$DIR/value"]);
    program.terminal.width = None;
    assert_eq!(value(&program), "line one\nline two\n", "one line break at the end is no part of the value");
    let set = program.run_with_input("secret set-value web/db --secret-string -", "piped\n");
    assert_eq!(set.code, 0, "{}", set.err);
    assert_eq!(value(&program), "piped\n");
    let missing = program.run("secret set-value web/db --secret-string @$DIR/nothing");
    assert_eq!(missing.code, 74, "{}", missing.err);
    program.file("latin", "");
    std::fs::write(program.folder.path().join("latin"), [0xE4]).unwrap();
    let invalid = program.run("secret set-value web/db --secret-string @$DIR/latin");
    assert!(invalid.code == 74 && invalid.err.contains("UTF-8"), "{}", invalid.err);

    program.typed = Some("typed".to_owned());
    program.run_all(&["secret set-value web/db --secret-string -"]);
    assert_eq!(value(&program), "typed\n");

    program.run_all(&["secret set-value web/db --secret-binary @$DIR/latin"]);
    let binary = program.run("secret get-value web/db --show-values --query SecretBinary -o text");
    assert_eq!(binary.out, "5A==\n", "{}", binary.err);
}

#[test]
fn hidden_value_in_a_script_is_an_error() {
    let mut program = with_secret();
    program.terminal.width = None;
    for line in [
        "secret get-value web/db --query SecretString -o text",
        "secret get-value web/db --query '{a: [SecretString]}' -o json",
        "secret get-value web/db --fields SecretString -o json",
        "secret random-password",
    ] {
        let output = program.run(line);
        assert_eq!((output.code, output.out.as_str()), (5, ""), "{line}: {output:?}");
        assert!(output.err.contains("--show-values"), "{line}: {output:?}");
        let shown = program.run(&format!("{line} --show-values"));
        assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{line}: {shown:?}");
    }
    for line in ["secret get-value web/db -o json", "secret get-value web/db --fields Name"] {
        assert_eq!(program.run(line).code, 0, "{line}");
    }
    let note = program.run("secret get-value web/db -o json").err;
    assert_eq!(note, "secret values are hidden; --show-values shows them\n");
    assert_eq!(program.run("secret get-value web/db --query Name -o text").err, "");
}

/// Creates the resource of each call that returns a secret once, and its name.
const ONE_TIME: [(&str, &str); 3] = [
    ("access-key create --user-name u1", "SecretAccessKey"),
    ("virtual-mfa-device create phone", "Base32StringSeed"),
    (
        "service-specific-credential create --user-name u1 --service-name codecommit.amazonaws.com",
        "ServicePassword",
    ),
];

#[test]
fn secret_that_is_returned_once_is_shown() {
    for width in [None, Some(100)] {
        for (call, field) in ONE_TIME {
            let mut program = Program::new();
            program.terminal.width = width;
            program.run_all(&["user create u1"]);
            let queried = program.run(&format!("{call} --query {field} -o text --region us-west-2"));
            assert_eq!((queried.code, queried.err.as_str()), (0, ""), "{call}: {queried:?}");
            assert!(queried.out.trim_end().len() > 20, "{call}: {queried:?}");
            let mut program = Program::new();
            program.terminal.width = width;
            program.run_all(&["user create u1"]);
            let table = program.run(call);
            assert!(table.code == 0 && !table.out.contains("<secret>"), "{call}: {table:?}");
        }
    }
    let program = Program::new();
    program.run_all(&["user create u1"]);
    let line = "{\"UserName\": \"u1\"}\n";
    let refused = program.run_with_input("access-key create --from -", line);
    assert!(refused.code == 5 && refused.err.contains("-o jsonl"), "{refused:?}");
    assert_eq!(program.run("access-key list --user-name u1 -o json").out, "[]\n");
    let shown = program.run_with_input("access-key create --from - -o jsonl", line);
    assert!(shown.code == 0 && !shown.out.contains("<secret>"), "{shown:?}");
    let reset = program.run("access-key list --user-name u1 -o json --query '[].SecretAccessKey'");
    assert_eq!((reset.code, reset.out.as_str()), (0, "[]\n"), "a listing has no secrets: {reset:?}");
}

#[test]
fn hidden_value_that_a_write_would_return_is_refused_before_it() {
    let mut program = Program::new();
    program.run_all(&["user create u1"]);
    program.terminal.width = None;
    for selection in ["--query Password", "--fields UserName,Password", "--query '{a: Password}'"] {
        let line = format!("login-profile create u1 --password {MARKER}-Aa1! {selection} -o json");
        let refused = program.run(&line);
        assert_eq!((refused.code, refused.out.as_str()), (5, ""), "{line}: {refused:?}");
        assert!(refused.err.contains("--show-values"), "{line}: {refused:?}");
        assert_eq!(program.run("login-profile get u1").code, 3, "{line} creates nothing");
    }
    let created =
        program.run(&format!("login-profile create u1 --password {MARKER}-Aa1! --query UserName -o text"));
    assert_eq!((created.code, created.out.as_str()), (0, "u1\n"), "{created:?}");
}

#[test]
fn query_that_depends_on_a_hidden_value_is_an_error() {
    let mut program = with_secret();
    program.run_all(&["secret create other --secret-string another"]);
    for width in [None, Some(100)] {
        program.terminal.width = width;
        for query in [
            "join(`\"\"`,[`\"x:\"`,SecretString])",
            "contains(SecretString,`\"secret\"`)",
            "contains(SecretString,`\"MARK\"`)",
            "starts_with(SecretString,`\"MARKER\"`)",
            "SecretString == `\"MARKER-5ecre7\"`",
            "length(SecretString)",
            "to_string(@)",
            "to_number(SecretString)",
            "[SecretString, reverse(SecretString)]",
        ] {
            let line = format!("secret get-value web/db --query '{query}' -o text");
            let output = program.run(&line);
            assert_eq!((output.code, output.out.as_str()), (5, ""), "{line}: {output:?}");
            assert!(output.err.contains("--show-values"), "{line}: {output:?}");
            assert_eq!(program.run(&format!("{line} --show-values")).code, 0, "{line}");
        }
        let sorted = "secret batch-get-value --secret-id-list web/db,other --query \
                      'sort_by(@, &SecretString)[0].Name' -o text";
        assert_eq!(program.run(sorted).code, 5, "{:?}", program.run(sorted));
        let name =
            program.run("secret get-value web/db --query 'join(`\"-\"`, [Name, `\"secret\"`])' -o text");
        assert_eq!(name.out, "web/db-secret\n", "{name:?}");
    }
    let whole = program.run("secret get-value web/db --query '{a: SecretString, b: `\"MARK\"`}' -o json");
    assert!(whole.code == 0 && whole.out.contains("<secret>") && whole.out.contains("MARK"), "{whole:?}");
}
