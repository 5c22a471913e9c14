//! redb without the store, as the baseline.

use redb::{ReadableTable, TableDefinition};
use std::{
    hint::black_box,
    sync::{Arc, mpsc},
    thread,
};

/// The table of the store's rows; the baseline works on copies of the same files.
pub(crate) const ROWS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("rows");

type Row = (Vec<u8>, Vec<u8>);

/// Reads and writes `rows` in one durable transaction.
pub(crate) fn write(redb: &redb::Database, rows: impl IntoIterator<Item = Row>) {
    let mut txn = redb.begin_write().expect("redb writes");
    txn.set_quick_repair(true);
    {
        let mut table = txn.open_table(ROWS).expect("redb has the rows");
        for (key, value) in rows {
            black_box(table.get(&*key).expect("redb reads").map(|value| value.value().to_vec()));
            table.insert(&*key, &*value).expect("redb inserts");
        }
    }
    txn.commit().expect("redb commits");
}

/// A minimal group commit: a thread that takes all waiting rows, commits them, and answers.
pub(crate) struct GroupCommit {
    requests: mpsc::Sender<(Row, mpsc::Sender<()>)>,
}

impl GroupCommit {
    pub(crate) fn start(redb: Arc<redb::Database>) -> Self {
        let (requests, received) = mpsc::channel();
        thread::spawn(move || {
            while let Ok(first) = received.recv() {
                let mut answers: Vec<mpsc::Sender<()>> = Vec::new();
                let waiting = [first].into_iter().chain(received.try_iter());
                write(
                    &redb,
                    waiting.map(|(row, answer)| {
                        answers.push(answer);
                        row
                    }),
                );
                for answer in answers {
                    answer.send(()).expect("the caller waits");
                }
            }
        });
        Self { requests }
    }

    pub(crate) fn write(&self, row: Row) {
        let (answer, answered) = mpsc::channel();
        self.requests.send((row, answer)).expect("the writer listens");
        answered.recv().expect("the writer answers");
    }
}
