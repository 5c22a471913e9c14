//! Accepting connections: a pause when the system has no more resources, and a limit for each address.
//!
//! A limit does not lock out new clients: the connection that has waited longest for its client makes room. On the loopback address
//! all programs of the machine are one address, and those that hold idle connections must not stop the others.

use crate::client_timeout::ClientTimeout;
use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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

/// The connections of one address, by their numbers.
type OfAddress = HashMap<u64, Arc<ClientTimeout>>;

/// Connections by address of the client.
#[derive(Clone)]
pub(crate) struct AddressLimit {
    max: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    by_address: HashMap<IpAddr, OfAddress>,
    last_number: u64,
}

impl AddressLimit {
    /// Creates the limit of `max` connections for each address.
    pub(crate) fn new(max: usize) -> Self {
        Self { max, open: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection of `address` until the returned guard is dropped. If the address has too many, the one that has waited
    /// longest for its client is ended; `None` if all of them are being answered.
    pub(crate) fn enter(&self, address: IpAddr, connection: &Arc<ClientTimeout>) -> Option<AddressSlot> {
        let address = address.to_canonical();
        let mut open = self.lock();
        open.last_number += 1;
        let number = open.last_number;
        let of_address = open.by_address.entry(address).or_default();
        if of_address.len() >= self.max && !end_longest_waiting(of_address) {
            return None;
        }
        of_address.insert(number, connection.clone());
        Some(AddressSlot { address, number, limit: self.clone() })
    }

    /// Ends the connection that has waited longest for its client, of the address that has most of them.
    pub(crate) fn make_room(&self) {
        let mut open = self.lock();
        if let Some(most) = open.by_address.values_mut().max_by_key(|of_address| of_address.len()) {
            end_longest_waiting(most);
        }
    }
}

/// Ends the connection that has waited longest for its client; false if none waits.
fn end_longest_waiting(connections: &mut OfAddress) -> bool {
    let waiting = connections.iter().filter_map(|(number, one)| Some((one.waits_until()?, *number)));
    let Some((_, number)) = waiting.min() else { return false };
    connections.remove(&number).inspect(|connection| connection.end()).is_some()
}

/// Guard of a counted connection.
pub(crate) struct AddressSlot {
    address: IpAddr,
    number: u64,
    limit: AddressLimit,
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut open = self.limit.lock();
        let Some(of_address) = open.by_address.get_mut(&self.address) else { return };
        of_address.remove(&self.number);
        if of_address.is_empty() {
            open.by_address.remove(&self.address);
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

    /// Runs `test` on a paused clock.
    fn run_paused(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test);
    }

    fn connection() -> Arc<ClientTimeout> {
        Arc::new(ClientTimeout::new(Duration::from_secs(30)))
    }

    #[test]
    fn connections_of_an_address_are_limited() {
        run_paused(async {
            let limit = AddressLimit::new(2);
            let [one, other]: [IpAddr; 2] = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
            let busy = [connection(), connection(), connection()];
            let _answering = busy.each_ref().map(ClientTimeout::suspend);
            let first = limit.enter(one, &busy[0]).unwrap();
            let _second = limit.enter("::ffff:10.0.0.1".parse().unwrap(), &busy[1]).unwrap();
            assert!(limit.enter(one, &connection()).is_none());
            let third = limit.enter(other, &busy[2]).unwrap();
            drop((first, third));
            assert!(limit.enter(one, &connection()).is_some());
            assert_eq!(limit.lock().by_address.len(), 1, "addresses without connections are forgotten");
        });
    }

    #[test]
    fn connection_that_waits_longest_makes_room() {
        run_paused(async {
            let limit = AddressLimit::new(3);
            let address: IpAddr = "127.0.0.1".parse().unwrap();
            let mut open = Vec::new();
            for _ in 0..3 {
                let one = connection();
                open.push((limit.enter(address, &one).unwrap(), one));
                time::advance(Duration::from_secs(1)).await;
            }
            let answering = open[0].1.suspend();
            let _new = limit.enter(address, &connection()).unwrap();
            let ended = |n: usize| open[n].1.is_ended();
            assert_eq!([ended(0), ended(1), ended(2)], [false, true, false]);
            limit.make_room();
            assert_eq!([ended(0), ended(1), ended(2)], [false, true, true]);
            drop(answering);
            limit.make_room();
            assert!(ended(0), "it waits for its client again");
        });
    }
}
