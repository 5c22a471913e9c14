//! The committed inputs: files in `corpus/TARGET`, each with several inputs between lines that consist of `%%`.

use std::{fs, path::PathBuf};

/// Line between two inputs.
const SEPARATOR: &[u8] = b"\n%%\n";

/// Folder with the inputs of a target.
pub(crate) fn folder(target: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "corpus", target].iter().collect()
}

/// Reads the inputs of a target, in the order of the names of their files.
///
/// # Panics
///
/// If they cannot be read.
pub(crate) fn read(target: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder(target)).expect("the target has a folder of inputs");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    files.sort();
    files.iter().flat_map(|file| split(&fs::read(file).expect("an input can be read"))).collect()
}

fn split(mut file: &[u8]) -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    while let Some(end) = file.windows(SEPARATOR.len()).position(|window| window == SEPARATOR) {
        inputs.push(file[..end].to_vec());
        file = &file[end + SEPARATOR.len()..];
    }
    inputs.push(file.strip_suffix(b"\n").unwrap_or(file).to_vec());
    inputs
}

/// Writes inputs to one file of a target.
///
/// # Panics
///
/// If the file cannot be written.
pub(crate) fn write(target: &str, name: &str, inputs: &[Vec<u8>]) {
    fs::create_dir_all(folder(target)).expect("the folder can be created");
    let mut file = inputs.join(SEPARATOR);
    file.push(b'\n');
    fs::write(folder(target).join(name), file).expect("the file can be written");
}
