//! The statements of the store. Each connection prepares all of them when it is opened.
//!
//! A row has the columns `k`, the first bytes of its key; `o`, the rest of a long key; `h`, a digest of `o`, so that an index
//! entry stays small; and `v`, the value with its checksum. Almost all keys are short: then `o` and `h` are empty, and the order of
//! `k` is that of the keys.

use sha2::{Digest, Sha256};

/// Maximum number of bytes of a key in the column `k`. PostgreSQL limits an index entry to a third of a page.
pub(crate) const SHORT_KEY: usize = 2000;

macro_rules! statements {
    ($($name:ident = $text:expr;)*) => {
        /// A prepared statement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Sql { $($name),* }

        impl Sql {
            /// All statements.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            pub(crate) const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

statements! {
    BeginWrite = "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE";
    BeginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    // The lock is taken before the snapshot of the transaction, because LOCK needs none.
    TakeTurnWithOthers = "LOCK TABLE turn IN ROW EXCLUSIVE MODE";
    TakeTurnAlone = "LOCK TABLE turn IN EXCLUSIVE MODE";
    Commit = "COMMIT";
    Rollback = "ROLLBACK";
    Now = "SELECT 1::int8";
    Get = "SELECT k, o, v FROM rows WHERE k = $1::bytea AND h = $2::bytea";
    GetMany = "SELECT k, o, v FROM rows WHERE k = ANY($1::bytea[]) AND h = ''";
    // From $1 inclusive to $2 exclusive, at most $3.
    Up = "SELECT k, o, v FROM rows WHERE k >= $1::bytea AND k < $2::bytea ORDER BY k LIMIT $3::int8";
    UpToEnd = "SELECT k, o, v FROM rows WHERE k >= $1::bytea ORDER BY k LIMIT $2::int8";
    Down = "SELECT k, o, v FROM rows WHERE k >= $1::bytea AND k < $2::bytea ORDER BY k DESC LIMIT $3::int8";
    DownFromEnd = "SELECT k, o, v FROM rows WHERE k >= $1::bytea ORDER BY k DESC LIMIT $2::int8";
    // The same with long keys: from ($1, $2) to ($3, $4), which may be null, at most $5.
    LongUp = "SELECT k, o, v FROM rows WHERE k >= $1::bytea AND (k, o) >= ($1::bytea, $2::bytea)
        AND ($3::bytea IS NULL OR (k, o) < ($3::bytea, $4::bytea)) ORDER BY k, o LIMIT $5::int8";
    LongDown = "SELECT k, o, v FROM rows WHERE k >= $1::bytea AND (k, o) >= ($1::bytea, $2::bytea)
        AND ($3::bytea IS NULL OR (k, o) < ($3::bytea, $4::bytea)) ORDER BY k DESC, o DESC LIMIT $5::int8";
    Put = "INSERT INTO rows (k, h, o, v) SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[])
        ON CONFLICT (k, h) DO UPDATE SET v = excluded.v";
    Delete = "DELETE FROM rows WHERE k = ANY($1::bytea[]) AND h = ''";
    DeleteLong = "DELETE FROM rows WHERE (k, h) IN (SELECT * FROM unnest($1::bytea[], $2::bytea[]))";
    DeleteAll = "DELETE FROM rows";
    // In microseconds since 1970.
    Time = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
    Size = "SELECT pg_total_relation_size('rows')";
    AddWriter = "INSERT INTO writers (slot, number, fence) VALUES ($1::bytea, 0, 0) ON CONFLICT (slot) DO NOTHING";
    ReadFence = "SELECT fence FROM writers WHERE slot = $1::bytea";
    ForgetWriters = "DELETE FROM writers WHERE at < now() - interval '30 days' AND slot <> $1::bytea";
    // Fails, by a division by zero, if the writer was fenced: it was declared dead, and somebody acted on that.
    Mark = "UPDATE writers SET number = $2::int8, at = now(), checked = 1 / (CASE WHEN fence = $3::int8 THEN 1 ELSE 0 END)
        WHERE slot = $1::bytea";
    // Waits for a commit that is under way; one that comes later fails.
    Fence = "UPDATE writers SET fence = fence + 1 WHERE slot = $1::bytea RETURNING number, fence";
}

/// A key as it is stored: the columns `k`, `o` and `h`.
pub(crate) struct StoredKey<'k> {
    pub(crate) k: &'k [u8],
    pub(crate) o: &'k [u8],
    digest: Option<[u8; 32]>,
}

impl<'k> StoredKey<'k> {
    pub(crate) fn new(key: &'k [u8]) -> Self {
        let (k, o) = key.split_at(key.len().min(SHORT_KEY));
        Self { k, o, digest: (!o.is_empty()).then(|| Sha256::digest(o).into()) }
    }

    pub(crate) fn h(&self) -> &[u8] {
        self.digest.as_ref().map_or(&[], |digest| digest)
    }
}
