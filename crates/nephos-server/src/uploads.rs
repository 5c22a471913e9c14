//! Limits of uploads, which may take long: their number at a time, and the rate at which they arrive.

use crate::client_timeout::TimedOut;
use nephos::{Code, ErrorKind, Result, Text};
use std::{
    collections::HashMap,
    future::Future,
    net::IpAddr,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{self, Instant};

/// Error code for one upload more than there can be at a time.
static TOO_MANY: Code = Code {
    code: "TooManyRequestsException",
    status: 429,
    kind: ErrorKind::Throttled,
    meaning: "Too many uploads are under way.",
    texts: &[],
};

/// Uploads that are under way, within limits.
#[derive(Clone, Debug)]
pub(crate) struct Uploads {
    max: usize,
    /// Maximum number of one address, and of one account.
    max_of_client: usize,
    under_way: Arc<Mutex<UnderWay>>,
}

#[derive(Debug, Default)]
struct UnderWay {
    count: usize,
    of_clients: HashMap<Client, usize>,
}

/// A source of uploads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Client {
    Address(IpAddr),
    Account(Text),
}

impl Uploads {
    /// Creates the limits: uploads in all, and of one address or account.
    pub(crate) fn new(max: usize, max_of_client: usize) -> Self {
        Self { max, max_of_client, under_way: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an upload until the returned guard is dropped; refuses one too many.
    pub(crate) fn enter(&self, address: IpAddr, account: &str) -> Result<UploadSlot> {
        let clients = [Client::Address(address.to_canonical()), Client::Account(account.into())];
        let mut under_way = self.lock();
        if under_way.count >= self.max {
            let max = self.max;
            return Err(TOO_MANY.with_message(format!("{max} uploads are under way; send it again later")));
        }
        let count = |client: &Client| under_way.of_clients.get(client).copied().unwrap_or(0);
        if let Some(client) = clients.iter().find(|client| count(client) >= self.max_of_client) {
            let of = match client {
                Client::Address(_) => "this address",
                Client::Account(_) => "this account",
            };
            let max = self.max_of_client;
            let message = format!("{max} uploads of {of} are under way; send it again later");
            return Err(TOO_MANY.with_message(message));
        }
        under_way.count += 1;
        clients.iter().for_each(|client| *under_way.of_clients.entry(client.clone()).or_default() += 1);
        Ok(UploadSlot { clients, uploads: self.clone() })
    }
}

/// Guard of a counted upload.
#[derive(Debug)]
pub(crate) struct UploadSlot {
    clients: [Client; 2],
    uploads: Uploads,
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        let mut under_way = self.uploads.lock();
        under_way.count -= 1;
        for client in &self.clients {
            let count = under_way.of_clients.entry(client.clone()).or_default();
            *count -= 1;
            if *count == 0 {
                under_way.of_clients.remove(client);
            }
        }
    }
}

/// Time over which the rate of an upload is measured.
const WINDOW: Duration = Duration::from_secs(30);

/// Rate of an upload. Only the time in which the server waits for the client counts.
pub(crate) struct UploadRate {
    /// Minimum number of bytes in a window.
    min: u64,
    /// Time waited in this window.
    waited: Duration,
    /// Bytes that arrived in this window.
    received: u64,
}

impl UploadRate {
    /// Creates the rate of an upload that begins, of at least this many bytes per second.
    pub(crate) fn new(bytes_per_second: u64) -> Self {
        Self { min: bytes_per_second.saturating_mul(WINDOW.as_secs()), waited: Duration::ZERO, received: 0 }
    }

    /// Notes that bytes arrived.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.received += bytes as u64;
    }

    /// Returns the output of `future`, which waits for the client, or the error that the client is too slow.
    pub(crate) async fn wait_for<F: Future>(&mut self, future: F) -> Result<F::Output, TimedOut> {
        let mut future = pin!(future);
        loop {
            let start = Instant::now();
            let arrived = time::timeout(WINDOW.saturating_sub(self.waited), &mut future).await;
            self.waited += start.elapsed();
            match arrived {
                Ok(output) => return Ok(output),
                Err(_) if self.received < self.min => return Err(TimedOut),
                Err(_) => (self.waited, self.received) = (Duration::ZERO, 0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `test` on a paused clock, which advances when all tasks are idle.
    fn run_paused<T>(test: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test)
    }

    #[test]
    fn uploads_are_limited_in_all_and_for_each_address_and_account() {
        let uploads = Uploads::new(3, 2);
        let [one, other]: [IpAddr; 2] = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
        let refusal = |address, account| uploads.enter(address, account).unwrap_err().message().to_owned();
        let first = uploads.enter(one, "1").unwrap();
        let second = uploads.enter("::ffff:10.0.0.1".parse().unwrap(), "2").unwrap();
        assert_eq!(refusal(one, "3"), "2 uploads of this address are under way; send it again later");
        let third = uploads.enter(other, "1").unwrap();
        assert_eq!(refusal(other, "3"), "3 uploads are under way; send it again later");
        drop(second);
        assert_eq!(refusal(other, "1"), "2 uploads of this account are under way; send it again later");
        let fourth = uploads.enter(other, "2").unwrap();
        assert_eq!(uploads.enter(one, "3").unwrap_err().status(), 429);
        drop((first, third, fourth));
        let under_way = uploads.lock();
        assert_eq!((under_way.count, under_way.of_clients.len()), (0, 0));
    }

    /// Seconds until an upload is too slow that sends `bytes` each `interval` seconds; none if it is not within an hour.
    fn seconds_until_refused(bytes: usize, interval: u64) -> Option<u64> {
        run_paused(async {
            let start = Instant::now();
            let mut rate = UploadRate::new(1 << 10);
            while start.elapsed() < Duration::from_secs(3600) {
                if rate.wait_for(time::sleep(Duration::from_secs(interval))).await.is_err() {
                    return Some(start.elapsed().as_secs());
                }
                rate.add(bytes);
            }
            None
        })
    }

    #[test]
    fn upload_that_drips_is_refused_and_a_steady_one_is_not() {
        assert_eq!(seconds_until_refused(1, 5), Some(30));
        assert_eq!(seconds_until_refused(1 << 20, 7200), Some(30), "nothing arrives");
        assert_eq!(seconds_until_refused(1000, 1), Some(30));
        assert_eq!(seconds_until_refused(1100, 1), None);
        assert_eq!(seconds_until_refused(40 << 10, 25), None);
    }

    #[test]
    fn time_that_the_server_takes_does_not_count() {
        run_paused(async {
            let mut rate = UploadRate::new(1 << 10);
            for _ in 0..100 {
                assert!(rate.wait_for(time::sleep(Duration::from_millis(200))).await.is_ok());
                time::sleep(Duration::from_secs(60)).await;
                rate.add(1);
            }
        });
    }
}
