//! Encryption at rest: no file contains a value, and a value opens only with its key and in its row.

use super::{create, options, try_value, value};
use base64::{Engine as _, engine::general_purpose};
use nephos_cloud::CloudKey;
use nephos_core::{ErrorKind, SignedDuration, prelude::*};
use nephos_secrets::{RotationFunctions as _, Secret};
use nephos_secrets_cases::Cloud;
use nephos_store::Store;
use std::{fs, path::Path};

const MARKER: &str = "MARKER-5ecre7-of-the-web";

/// Returns all encodings of the marker: plain, hex, UTF-16, and base64 at any offset.
fn forms() -> Vec<Vec<u8>> {
    let hex: String = MARKER.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![MARKER.as_bytes().to_vec(), hex.to_uppercase().into_bytes(), hex.into_bytes()];
    forms.push(MARKER.encode_utf16().flat_map(u16::to_le_bytes).collect());
    for skipped in 0..3 {
        // Only the part that does not depend on the neighbouring bytes.
        let encoded = general_purpose::STANDARD.encode(&MARKER.as_bytes()[skipped..]);
        forms.push(encoded.as_bytes()[..encoded.len() / 4 * 4 - 4].to_vec());
        let encoded = general_purpose::URL_SAFE_NO_PAD.encode(&MARKER.as_bytes()[skipped..]);
        forms.push(encoded.as_bytes()[..encoded.len() / 4 * 4 - 4].to_vec());
    }
    forms
}

fn assert_hidden(what: &str, bytes: &[u8]) {
    for form in forms() {
        let found = bytes.windows(form.len()).any(|part| part == form);
        assert!(!found, "{what} has the marker as {}", String::from_utf8_lossy(&form));
    }
}

fn assert_hidden_in(folder: &Path) {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_hidden(&path.display().to_string(), &fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= 2, "a state file and a key file");
}

#[test]
fn marker_search_finds_marker() {
    let mut text = b"before ".to_vec();
    text.extend(general_purpose::STANDARD.encode(format!("x{MARKER}yz")).into_bytes());
    assert!(std::panic::catch_unwind(|| assert_hidden("this", &text)).is_err());
    assert!(std::panic::catch_unwind(|| assert_hidden("this", format!("a{MARKER}b").as_bytes())).is_err());
}

/// Uses every operation that stores or moves a value.
fn use_secrets(cloud: &Cloud) {
    let (session, marker) = (cloud.session(), MARKER.to_owned());
    let log = marker.clone();
    cloud.rotation_function("renew", move |step| {
        let secrets = Secret::objects(step.session());
        let set = secrets.set_value(step.secret_id()).client_request_token(step.client_request_token());
        set.secret_string(format!("{marker}{}", step.step().as_str())).wait()?;
        Err(nephos_core::Error::new(ErrorKind::Internal, format!("failed with {log}")))
    });
    let secret = create(&session, "web", MARKER);
    secret.get_value().wait().unwrap();
    Secret::objects(&session).set_value("web").secret_binary(MARKER.as_bytes().to_vec()).wait().unwrap();
    let region = nephos_secrets::ReplicaRegion::new("eu-west-1");
    Secret::objects(&session).replicate_to_regions("web", vec![region]).wait().unwrap();
    secret.rotate().rotation_function_arn("renew").wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(30)).unwrap();
    create(&session, "gone", MARKER).delete().recovery_window_in_days(7).wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(24 * 8)).unwrap();
    let preview = Secret::objects(&session).set_value("web").secret_string(MARKER).preview().wait().unwrap();
    assert_hidden("a preview", format!("{preview:?}").as_bytes());
    assert_hidden("failed work", format!("{:?}", cloud.failed_work().unwrap()).as_bytes());
}

#[test]
fn no_state_file_contains_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let cloud = options().open(folder.path().join("cloud")).unwrap();
    use_secrets(&cloud);
    for (key, row) in cloud.rows().unwrap() {
        assert_hidden(&format!("{:?}", nephos_cloud::read_key(&key)), &row);
        assert_hidden("a key", &key);
    }
    cloud.save_to(folder.path().join("copy"), |_| ()).unwrap();
    cloud.compact(|_| ()).unwrap();
    assert_hidden_in(folder.path());
    cloud.close().unwrap();
    assert_hidden_in(folder.path());
}

#[test]
fn copy_fork_and_restored_state_have_values() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("cloud"), folder.path().join("copy"));
    let cloud = options().durable(false).open(&path).unwrap();
    create(&cloud.session(), "web", MARKER);
    let fork = cloud.fork().unwrap();
    cloud.save_to(&copy, |_| ()).unwrap();
    Secret::objects(&cloud.session()).set_value("web").secret_string("changed").wait().unwrap();
    assert_eq!(value(&fork.session(), "web"), MARKER);
    create(&fork.session(), "own", "x");
    cloud.restore_from(&copy, |_| ()).unwrap();
    assert_eq!(value(&cloud.session(), "web"), MARKER);
    cloud.close().unwrap();
    assert_eq!(value(&options().open(&path).unwrap().session(), "web"), MARKER);

    let key = folder.path().join("cloud.nephos-key");
    let opened = options().key_file(&key).open(&copy).unwrap();
    assert_eq!(value(&opened.session(), "web"), MARKER);
    opened.close().unwrap();
    let error = options().open(&copy).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "a copy needs the same key file");
    let error = options().key(CloudKey::new([1; 32])).open(&copy).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    assert!(!folder.path().join("copy.nephos-key").exists(), "no new key file is created");
}

/// Overwrites the row of one key with that of another, directly in the store.
fn swap(path: &Path, table: &str, from: &str, to: &str) {
    let store = Store::open(path).unwrap();
    let snapshot = store.snapshot().unwrap();
    let all = nephos_store::KeyRange::all();
    let rows =
        nephos_store::View::range(&snapshot, &all, nephos_store::Direction::Ascending, usize::MAX).unwrap();
    let find_row = |part: &str| {
        let has_part = |key: &[u8]| {
            nephos_cloud::read_key(key)
                .is_some_and(|(known, parts)| known == table && format!("{parts:?}").contains(part))
        };
        rows.iter()
            .find(|row| has_part(row.key()))
            .map(|row| (row.key().to_vec(), row.value().to_vec()))
            .unwrap()
    };
    let ((_, row), (place, _)) = (find_row(from), find_row(to));
    store.transact(move |txn| txn.put(&place, &row)).wait().unwrap();
    store.close().unwrap();
}

#[test]
fn swapped_value_cannot_be_decrypted() {
    let folder = tempfile::tempdir().unwrap();
    let token = |n: usize| format!("00000000-0000-4000-8000-{n:012}");
    for (n, (table, from, to)) in [
        // The value of another version of the same secret.
        ("secretsmanager/value", token(1), token(2)),
        // The value of another secret.
        ("secretsmanager/value", "\"other\"".to_owned(), token(2)),
        // The whole row of another secret, with its data key.
        ("secretsmanager/secret", "\"other\"".to_owned(), "\"web\"".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("cloud-{n}"));
        let cloud = options().durable(false).open(&path).unwrap();
        let session = cloud.session();
        let web = Secret::builder().name("web").build().unwrap();
        let created =
            Secret::objects(&session).create(&web).secret_string("one").client_request_token(token(1));
        created.wait().unwrap();
        Secret::objects(&session)
            .set_value("web")
            .secret_string("two")
            .client_request_token(token(2))
            .wait()
            .unwrap();
        let other = Secret::builder().name("other").build().unwrap();
        let created =
            Secret::objects(&session).create(&other).secret_string("three").client_request_token(token(2));
        created.wait().unwrap();
        cloud.close().unwrap();
        let cloud = options().durable(false).open(&path).unwrap();
        assert_eq!(value(&cloud.session(), "web"), "two");
        cloud.close().unwrap();

        let to = if table.ends_with("value") { format!("\"web\"), Text(\"{to}\")") } else { to };
        let from = if from.starts_with('"') || table.ends_with("secret") {
            from
        } else {
            format!("\"web\"), Text(\"{from}\")")
        };
        swap(&path, table, &from, &to);
        let cloud = options().durable(false).open(&path).unwrap();
        let error = try_value(&cloud.session(), "web").unwrap_err();
        assert_eq!((error.code(), error.kind()), ("DecryptionFailure", ErrorKind::Corrupt), "{n}: {error}");
        cloud.close().unwrap();
    }
}

#[test]
fn key_file_is_private_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (path, key) = (folder.path().join("cloud"), folder.path().join("cloud.nephos-key"));
    let cloud = options().durable(false).open(&path).unwrap();
    create(&cloud.session(), "web", "x");
    cloud.close().unwrap();
    let text = fs::read(&key).unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&key).unwrap().permissions()) & 0o777,
        0o600
    );
    options().open(&path).unwrap().close().unwrap();
    assert_eq!(fs::read(&key).unwrap(), text);
    let aside = folder.path().join("aside");
    fs::rename(&key, &aside).unwrap();
    let state = fs::read(&path).unwrap();
    let error = options().open(&path).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    assert!(error.to_string().contains("cloud.nephos-key"), "{error}");
    assert!(!key.exists());
    fs::rename(&aside, &key).unwrap();
    assert_eq!(value(&options().open(&path).unwrap().session(), "web"), "x", "the value can still be read");
    assert!(!state.is_empty());
}

#[test]
fn second_read_on_same_day_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloud");
    let cloud = options().open(&path).unwrap();
    let session = cloud.session();
    create(&session, "web", "x");
    let state = || fs::read(&path).unwrap();
    let created = state();
    value(&session, "web");
    let recorded = state();
    assert_ne!(recorded, created, "the first read of a day is recorded");
    value(&session, "web");
    assert_eq!(state(), recorded);
    cloud.clock().advance(nephos_core::SignedDuration::from_hours(24)).unwrap();
    let later = state();
    value(&session, "web");
    assert_ne!(state(), later);
}
