//! Tests of `log_file::format`.

use nephos_rds::parts::event::EngineEvent;
use nephos_rds::parts::format::*;

fn event(time: &str, is_start: bool) -> EngineEvent {
    EngineEvent { time: time.parse().unwrap(), is_start, version: "8.0.35".into() }
}

#[test]
fn entries_have_the_format_of_the_engine() {
    let (start, stop) = (event("2026-01-31T12:00:00Z", true), event("2026-01-31T12:30:00Z", false));
    for (format, event, expected) in [
        (
            Format::MySql,
            &start,
            "2026-01-31T12:00:00.000000Z 0 [System] [MY-010116] [Server] /rdsdbbin/mysql/bin/mysqld (mysqld 8.0.35) starting as process 1\n",
        ),
        (
            Format::MariaDb,
            &stop,
            "2026-01-31 12:30:00 0 [Note] /rdsdbbin/mysql/bin/mysqld: Shutdown complete\n",
        ),
        (
            Format::Postgres,
            &start,
            "2026-01-31 12:00:00 UTC::@:[1]:LOG:  database system is ready to accept connections\n",
        ),
        (
            Format::Oracle,
            &stop,
            "2026-01-31T12:30:00.000000+00:00\nShutting down ORACLE instance (immediate)\n",
        ),
    ] {
        assert_eq!(format.entries(event), expected);
    }
    assert!(
        Format::SqlServer.entries(&start).starts_with("2026-01-31 12:00:00.00 Server      SQL Server is now")
    );
}
