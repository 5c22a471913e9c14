//! Inputs that decoders once failed on, and examples, through every decoder. `tests/fuzz` runs them on mutations.

use crate::decoders;
use std::{fs, path::PathBuf};

#[test]
fn corpus_passes_through_every_decoder() {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "corpus"].iter().collect();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20);
    let mut read = 0;
    for file in files {
        let data = fs::read(&file).unwrap();
        for cut in [data.len(), data.len() / 2, data.len() / 3, 1] {
            let data = &data[..cut.min(data.len())];
            read += usize::from(decoders::request(data));
            read += usize::from(decoders::answer(data));
            read += usize::from(decoders::signature(data));
        }
    }
    assert!(read >= 20, "too few files of the corpus can be decoded: {read}");
}
