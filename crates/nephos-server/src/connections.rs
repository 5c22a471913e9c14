//! Accepting connections: a pause when the system has no more resources, and a limit for each address.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time;

/// Pause after a connection could not be accepted, at first.
const MIN_PAUSE: Duration = Duration::from_millis(10);

/// Longest pause after connections could not be accepted.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Accepts the next connection. After an error of this machine, such as no more file descriptors, it waits before it tries
/// again: the connection stays in the queue, so that the next attempt would fail at once.
pub(crate) async fn accept_next<T>(mut accept: impl AsyncFnMut() -> io::Result<T>) -> T {
    let mut pause = MIN_PAUSE;
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            // A client whose connection could not be accepted can try again.
            Err(error) if is_of_client(&error) => {}
            Err(_) => {
                time::sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
        }
    }
}

/// True for an error of one connection, which was closed before it was accepted.
fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Numbers of connections by address of the client.
#[derive(Clone, Debug)]
pub(crate) struct AddressLimit {
    max: usize,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AddressLimit {
    /// Creates the limit of `max` connections for each address.
    pub(crate) fn new(max: usize) -> Self {
        Self { max, open: Arc::default() }
    }

    /// Counts a connection of `address` until the returned guard is dropped; `None` if it has too many.
    pub(crate) fn enter(&self, address: IpAddr) -> Option<AddressSlot> {
        let address = address.to_canonical();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(AddressSlot { address, limit: self.clone() })
    }
}

/// Guard of a counted connection.
#[derive(Debug)]
pub(crate) struct AddressSlot {
    address: IpAddr,
    limit: AddressLimit,
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut open = self.limit.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of attempts to accept until the error has gone away after `seconds` on a paused clock.
    fn attempts(seconds: u64, error: fn() -> io::Error) -> u32 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let (end, mut attempts) = (time::Instant::now() + Duration::from_secs(seconds), 0);
            accept_next(async || {
                attempts += 1;
                if time::Instant::now() < end { Err(error()) } else { Ok(()) }
            })
            .await;
            attempts
        })
    }

    #[test]
    fn accepting_pauses_without_file_descriptors() {
        const EMFILE: i32 = 24;
        let attempts = attempts(60, || io::Error::from_raw_os_error(EMFILE));
        assert!((60..80).contains(&attempts), "{attempts} attempts in a minute");
    }

    #[test]
    fn accepting_goes_on_after_an_error_of_a_client() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let (start, mut left) = (time::Instant::now(), 5);
            accept_next(async || {
                left -= 1;
                if left > 0 { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
            })
            .await;
            assert_eq!(start.elapsed(), Duration::ZERO);
        });
    }

    #[test]
    fn connections_of_an_address_are_limited() {
        let limit = AddressLimit::new(2);
        let [one, other]: [IpAddr; 2] = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
        let first = limit.enter(one).unwrap();
        let _second = limit.enter("::ffff:10.0.0.1".parse().unwrap()).unwrap();
        assert!(limit.enter(one).is_none());
        let third = limit.enter(other).unwrap();
        drop((first, third));
        assert!(limit.enter(one).is_some());
        assert_eq!(limit.open.lock().unwrap().len(), 1, "addresses without connections are forgotten");
    }
}
