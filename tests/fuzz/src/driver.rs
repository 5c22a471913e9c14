//! The driver: runs targets on changed inputs, and saves those that fail.

use crate::{
    corpus,
    mutation::{self, Random},
    options::Options,
    targets::Target,
};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    panic,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

/// Time after which an input is reported as one that hangs.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Messages of the panics of all threads since they were last taken.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "the program runs for a wall-clock time")]
fn now() -> Instant {
    Instant::now()
}

/// Runs the targets; returns true if no input failed.
pub(crate) fn run(options: &Options) -> bool {
    collect_panics();
    let words = mutation::dictionary();
    let time = options.time / u32::try_from(options.targets.len()).unwrap_or(1).max(1);
    println!("seed {}, {} targets, {time:.1?} each", options.seed, options.targets.len());
    // Each target is fuzzed, also after one that failed.
    options.targets.iter().filter(|target| !fuzz(target, options, &words, time)).count() == 0
}

/// Runs one input; returns true if it passed.
pub(crate) fn replay(options: &Options, file: &Path) -> bool {
    collect_panics();
    let input = match fs::read(file) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return false;
        }
    };
    let failure = check(options.targets[0], &input);
    println!("{}", failure.as_deref().unwrap_or("passed"));
    failure.is_none()
}

/// Fuzzes one target for `time`; returns true if no input failed.
fn fuzz(target: &Target, options: &Options, words: &[Vec<u8>], time: Duration) -> bool {
    let inputs = corpus::read(target.name);
    let mut random = Random::new(options.seed);
    let watchdog = Watchdog::start(target.name, options.failures.clone());
    let start = now();
    let mut count = 0;
    let changed = std::iter::from_fn(|| Some(mutation::mutate(&inputs, words, &mut random)));
    for input in inputs.iter().cloned().chain(changed) {
        // The committed inputs all run, also without any time.
        if count >= inputs.len() && now().duration_since(start) >= time {
            break;
        }
        count += 1;
        watchdog.begin(&input);
        if let Some(message) = check(target, &input) {
            let file = save(&options.failures, target.name, &input);
            println!("{}: FAILED after {count} inputs: {message}\n  input: {}", target.name, file.display());
            return false;
        }
    }
    println!("{}: {count} inputs in {:.1?}", target.name, now().duration_since(start));
    true
}

/// Runs one input; returns the message of its failure.
fn check(target: &Target, input: &[u8]) -> Option<String> {
    let outcome = panic::catch_unwind(|| (target.check)(input));
    let panics = std::mem::take(&mut *lock(&PANICS));
    (outcome.is_err() || (target.any_thread && !panics.is_empty())).then(|| panics.join("\n  "))
}

/// Replaces the panic hook by one that collects the messages.
fn collect_panics() {
    panic::set_hook(Box::new(|info| lock(&PANICS).push(info.to_string())));
}

fn save(folder: &Path, target: &str, input: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let file = folder.join(format!("{target}-{:016x}", hasher.finish()));
    if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&file, input)) {
        eprintln!("{}: {error}", file.display());
    }
    file
}

/// A thread that ends the program if an input runs for too long. It ends when this is dropped.
struct Watchdog {
    current: Arc<Mutex<(Instant, Vec<u8>)>>,
    _stop: Sender<()>,
}

impl Watchdog {
    fn start(target: &'static str, failures: PathBuf) -> Self {
        let current = Arc::new(Mutex::new((now(), Vec::new())));
        let (stop, stopped) = mpsc::channel();
        let watched = current.clone();
        thread::spawn(move || {
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let current = lock(&watched);
                if now().duration_since(current.0) > MAX_TIME {
                    let file = save(&failures, target, &current.1);
                    println!("{target}: FAILED: no end after {MAX_TIME:?}\n  input: {}", file.display());
                    process::exit(1);
                }
            }
        });
        Self { current, _stop: stop }
    }

    /// Notes the input that runs now.
    fn begin(&self, input: &[u8]) {
        let mut current = lock(&self.current);
        current.0 = now();
        current.1.clear();
        current.1.extend_from_slice(input);
    }
}
