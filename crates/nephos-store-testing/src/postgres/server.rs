//! A PostgreSQL in a scratch folder: started on a free loopback port, stopped and removed when it is dropped.

use nephos_postgres::{Address, query_texts};
use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Places of the programs of PostgreSQL, the newest first, where Debian and Red Hat install them.
const PLACES: [&str; 7] = [
    "/usr/lib/postgresql/18/bin",
    "/usr/lib/postgresql/17/bin",
    "/usr/lib/postgresql/16/bin",
    "/usr/lib/postgresql/15/bin",
    "/usr/pgsql-17/bin",
    "/usr/pgsql-15/bin",
    "/usr/local/bin",
];

/// Settings for tests: small, and with the full durability of a default installation.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 64MB
autovacuum_naptime = 5s
max_pred_locks_per_page = 8
";

/// A running PostgreSQL.
#[derive(Debug)]
pub struct Server {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

/// True if PostgreSQL 15 or newer is installed. If not, prints why a test does nothing, or panics if the environment says that
/// it must be there.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests have no other source of this setting"
)]
pub fn is_installed() -> bool {
    if programs().is_some() {
        return true;
    }
    assert!(
        std::env::var_os("NEPHOS_NEEDS_POSTGRES").is_none(),
        "NEPHOS_NEEDS_POSTGRES is set, and PostgreSQL is not installed: apt-get install postgresql-15"
    );
    eprintln!("NOT TESTED: PostgreSQL is not installed (apt-get install postgresql-15)");
    false
}

fn programs() -> Option<PathBuf> {
    PLACES
        .iter()
        .map(PathBuf::from)
        .find(|place| place.join("initdb").exists() && place.join("postgres").exists())
}

impl Server {
    /// Starts a new PostgreSQL; none if it is not installed.
    pub fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// Starts a new PostgreSQL with more settings; none if it is not installed.
    pub fn start_with(settings: &str) -> Option<Self> {
        if !is_installed() {
            return None;
        }
        let server = Self::prepare()?;
        let data = server.data();
        server.run(
            "initdb",
            &["--auth=trust", "--username=nephos", "--encoding=UTF8", "--locale=C", "--pgdata", &data],
        );
        server.configure(&format!("{SETTINGS}\n{settings}"));
        server.resume();
        Some(server)
    }

    /// Starts a standby of this server, which reaches it through a port, such as that of a proxy.
    pub fn start_standby(&self, port: u16) -> Self {
        let standby = Self::prepare().expect("the programs are those of this server");
        let source = format!("host=127.0.0.1 port={port} user=nephos");
        standby.run(
            "pg_basebackup",
            &["--pgdata", &standby.data(), "--dbname", &source, "--write-recovery-conf", "--checkpoint=fast"],
        );
        standby.configure("synchronous_standby_names = ''");
        standby.resume();
        standby
    }

    /// Makes a primary of this standby.
    pub fn promote(&self) {
        self.run("pg_ctl", &["promote", "--wait", "--timeout=600", "--pgdata", &self.data()]);
    }

    /// Makes the folder of a server, and finds a port that was free a moment ago.
    fn prepare() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("nephos-postgres-").tempdir().expect("a scratch folder");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port")
            .port();
        let server = Self { folder, programs: programs()?, port };
        server.give_to_user();
        Some(server)
    }

    /// Appends settings, and the port, to the configuration.
    fn configure(&self, settings: &str) {
        let config = self.folder.path().join("data/postgresql.conf");
        let mut text = fs::read_to_string(&config).expect("the configuration");
        text.push_str(&format!("\nport = {}\n{settings}\n", self.port));
        fs::write(&config, text).expect("the configuration");
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Folder of the server, for files of a test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Path of a program of this PostgreSQL.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Address of the database, with the tables in `schema`.
    pub fn address(&self, schema: &str) -> Address {
        self.url(schema).parse().expect("a valid address")
    }

    /// The same as text.
    pub fn url(&self, schema: &str) -> String {
        format!("postgres://nephos@127.0.0.1:{}/postgres?schema={schema}&timeout=30", self.port)
    }

    /// The same through another port, such as that of a proxy.
    pub fn url_at(&self, port: u16, schema: &str) -> String {
        self.url(schema).replace(&format!(":{}/", self.port), &format!(":{port}/"))
    }

    /// Runs statements as the owner of the database; returns the first column of the rows of the first one.
    pub fn sql(&self, sql: &str) -> Vec<String> {
        query_texts(&self.address("public"), sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Gives a file in the folder to the user that the server runs as, who alone can read it.
    pub fn give_file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).expect("a file");
        let mode = Command::new("chmod").arg("600").arg(&path).status();
        assert!(mode.is_ok_and(|status| status.success()), "the file can be protected");
        if Self::is_root() {
            let changed = Command::new("chown").arg("nobody").arg(&path).status();
            assert!(changed.is_ok_and(|status| status.success()), "the file can be given to nobody");
        }
        path
    }

    /// PostgreSQL refuses to run as root: then it runs as nobody.
    fn is_root() -> bool {
        let id = Command::new("id").arg("-u").output();
        id.is_ok_and(|id| id.stdout.starts_with(b"0\n"))
    }

    fn give_to_user(&self) {
        if Self::is_root() {
            let changed = Command::new("chown").arg("nobody").arg(self.folder.path()).status();
            assert!(
                changed.is_ok_and(|status| status.success()),
                "the scratch folder can be given to nobody"
            );
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let path = self.programs.join(program);
        let mut command = match Self::is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=nobody", "--clear-groups", "--"]).arg(path);
                command
            }
            false => Command::new(path),
        };
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        let log = fs::File::create(self.folder.path().join(format!("{program}.log"))).expect("a log file");
        command.stdout(log.try_clone().expect("a log file")).stderr(log);
        let done = command.status().expect("the program of PostgreSQL can be run");
        let said =
            || fs::read_to_string(self.folder.path().join(format!("{program}.log"))).unwrap_or_default();
        assert!(done.success(), "{program} failed: {}", said());
    }

    /// Starts the server again, after it was stopped or killed.
    pub fn resume(&self) {
        let log = self.folder.path().join("data/server.log").display().to_string();
        self.run("pg_ctl", &["start", "--wait", "--timeout=600", "--pgdata", &self.data(), "--log", &log]);
    }

    /// Stops the server at once, as if its machine had lost power, except that what was written to the disk stays.
    pub fn kill(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate", "--pgdata", &self.data()]);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = Command::new(self.programs.join("pg_ctl"));
        if Self::is_root() {
            stop = Command::new("setpriv");
            stop.args(["--reuid=nobody", "--clear-groups", "--"]).arg(self.programs.join("pg_ctl"));
        }
        stop.args(["stop", "--mode=immediate", "--pgdata", &self.data()]).current_dir(self.folder.path());
        // It may have been stopped before.
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
