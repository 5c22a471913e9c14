//! Names, rotation and entries of log files, by engine.

use crate::{DBInstance, event::EngineEvent};
use nephos_core::{SignedDuration, Timestamp};

/// A log file.
pub(super) struct LogFile {
    /// Name.
    pub(super) name: String,
    /// Time of the last entry.
    pub(super) last_written: Timestamp,
    /// Entries.
    pub(super) text: String,
}

impl LogFile {
    /// Size in bytes.
    pub(super) fn size(&self) -> i64 {
        i64::try_from(self.text.len()).unwrap_or(i64::MAX)
    }
}

/// Format of the logs of an engine.
#[derive(Clone, Copy)]
pub enum Format {
    /// MySQL and Aurora MySQL.
    MySql,
    /// MariaDB.
    MariaDb,
    /// PostgreSQL and Aurora PostgreSQL.
    Postgres,
    /// Oracle.
    Oracle,
    /// SQL Server.
    SqlServer,
}

impl Format {
    /// Returns the format of an engine; none for engines without log files.
    fn of(engine: &str) -> Option<Self> {
        Some(match engine {
            "mysql" | "aurora-mysql" => Self::MySql,
            "mariadb" => Self::MariaDb,
            "postgres" | "aurora-postgresql" => Self::Postgres,
            _ if engine.starts_with("oracle-") => Self::Oracle,
            _ if engine.starts_with("sqlserver-") => Self::SqlServer,
            _ => return None,
        })
    }

    /// Days for which files are kept.
    fn days(self) -> i64 {
        match self {
            Self::MySql | Self::MariaDb => 14,
            Self::Postgres => 3,
            Self::Oracle | Self::SqlServer => 7,
        }
    }

    /// Returns the entries of an event.
    pub fn entries(self, event: &EngineEvent) -> String {
        let (time, version) = (event.time, event.version.split(".mysql_aurora").next().unwrap_or_default());
        let program = "/rdsdbbin/mysql/bin/mysqld";
        match (self, event.is_start) {
            (Self::MySql, is_start) => {
                let time = time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ");
                let (code, text) = match is_start {
                    true => ("MY-010116", format!("{program} (mysqld {version}) starting as process 1")),
                    false => (
                        "MY-010910",
                        format!("{program}: Shutdown complete (mysqld {version})  Source distribution."),
                    ),
                };
                match version.starts_with("5.") {
                    true if is_start => {
                        format!("{time} 0 [Note] {program} (mysqld {version}) starting as process 1 ...\n")
                    }
                    true => format!("{time} 0 [Note] {program}: Shutdown complete\n"),
                    false => format!("{time} 0 [System] [{code}] [Server] {text}\n"),
                }
            }
            (Self::MariaDb, is_start) => {
                let time = time.strftime("%Y-%m-%d %H:%M:%S");
                match is_start {
                    true => format!(
                        "{time} 0 [Note] {program} (server {version}-MariaDB) starting as process 1 ...\n"
                    ),
                    false => format!("{time} 0 [Note] {program}: Shutdown complete\n"),
                }
            }
            (Self::Postgres, is_start) => {
                let prefix = time.strftime("%Y-%m-%d %H:%M:%S UTC::@:[1]:LOG:");
                match is_start {
                    true => format!("{prefix}  database system is ready to accept connections\n"),
                    false => format!(
                        "{prefix}  received fast shutdown request\n{prefix}  database system is shut down\n"
                    ),
                }
            }
            (Self::Oracle, is_start) => {
                let time = time.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00");
                match is_start {
                    true => format!("{time}\nStarting ORACLE instance (normal)\n"),
                    false => format!("{time}\nShutting down ORACLE instance (immediate)\n"),
                }
            }
            (Self::SqlServer, is_start) => {
                let time = time.strftime("%Y-%m-%d %H:%M:%S%.2f");
                let text = match is_start {
                    true => {
                        "SQL Server is now ready for client connections. This is an informational message; no user action is required."
                    }
                    false => {
                        "SQL Server is terminating in response to a 'stop' request from Service Control Manager. This is an informational message only. No user action is required."
                    }
                };
                format!("{time} Server      {text}\n")
            }
        }
    }

    /// Returns the name of the file with an event. `starts` is the number of later starts.
    fn file_name(self, instance: &DBInstance, event: &EngineEvent, now: Timestamp, starts: usize) -> String {
        let hour = |time: Timestamp| time.strftime("%Y-%m-%d %H").to_string();
        match self {
            Self::MySql | Self::MariaDb if hour(event.time) == hour(now) => {
                "error/mysql-error-running.log".into()
            }
            Self::MySql | Self::MariaDb => {
                format!("error/mysql-error-running.log.{}", event.time.strftime("%Y-%m-%d.%-H"))
            }
            Self::Postgres => format!("error/postgresql.log.{}", event.time.strftime("%Y-%m-%d-%H")),
            Self::Oracle => {
                format!("trace/alert_{}.log", instance.db_name.as_deref().unwrap_or("ORCL"))
            }
            Self::SqlServer if starts == 0 => "log/ERROR".into(),
            Self::SqlServer => format!("log/ERROR.{starts}"),
        }
    }
}

/// Returns the log files of an instance with these events, the oldest first, in order of the names of the files.
pub(super) fn files(instance: &DBInstance, events: &[EngineEvent], now: Timestamp) -> Vec<LogFile> {
    let Some(format) = Format::of(instance.engine.as_deref().unwrap_or_default()) else { return Vec::new() };
    let first = now.checked_sub(SignedDuration::from_hours(24 * format.days())).unwrap_or(Timestamp::MIN);
    let kept: Vec<_> = events.iter().filter(|event| event.time >= first).collect();
    let mut files: Vec<LogFile> = Vec::new();
    for (n, event) in kept.iter().enumerate() {
        // SQL Server starts a file with each start.
        let starts = kept[n + 1..].iter().filter(|later| later.is_start).count();
        let name = format.file_name(instance, event, now, starts);
        let text = format.entries(event);
        match files.iter_mut().find(|file| file.name == name) {
            Some(file) => {
                file.text.push_str(&text);
                file.last_written = event.time;
            }
            None => files.push(LogFile { name, last_written: event.time, text }),
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}
