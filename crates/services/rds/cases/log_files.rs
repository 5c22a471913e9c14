//! Log files of instances.

use super::{
    World, advance_days,
    instances::{create, instances},
};
use nephos_core::{Result, Session};
use nephos_rds::{
    CreateDBInstance, DBInstance, DescribeDBLogFiles, DownloadDBLogFilePortion, ModifyDBInstance,
    RebootDBInstance, StopDBInstance, errors,
};
use nephos_testing::{HOUR, ask};

fn names(session: &Session, request: DescribeDBLogFiles) -> Result<Vec<String>> {
    let found = ask(session, request)?;
    let files = found.describe_db_log_files().unwrap();
    Ok(files.iter().map(|file| file.log_file_name().unwrap().to_owned()).collect())
}

fn read(session: &Session, request: DownloadDBLogFilePortion) -> Result<(String, Option<bool>, String)> {
    let found = ask(session, request)?;
    let data = found.log_file_data().unwrap().to_owned();
    Ok((data, found.additional_data_pending(), found.marker().unwrap().to_owned()))
}

pub(super) fn log_files_tell_of_starts_and_shutdowns(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres", "16.3")?;
    let request = || DescribeDBLogFiles::new("web");
    let [first] = &names(&session, request())?[..] else { panic!("one file") };
    assert!(first.starts_with("error/postgresql.log.2026-"), "{first}");
    let created = world.now();
    world.advance(2 * HOUR)?;
    ask(&session, RebootDBInstance::new("web"))?;
    let files = names(&session, request())?;
    assert_eq!((files.len(), &files[0]), (2, first));
    let last = DownloadDBLogFilePortion::new("web", files[1].as_str());
    let (text, more, _) = read(&session, last)?;
    let lines: Vec<_> = text.lines().map(|line| line.split_once("LOG:  ").unwrap().1).collect();
    assert_eq!(
        lines,
        [
            "received fast shutdown request",
            "database system is shut down",
            "database system is ready to accept connections"
        ]
    );
    assert_eq!(more, Some(false));
    let size = i64::try_from(text.len()).unwrap();
    let found = ask(&session, request().file_last_written(created + 1))?;
    let [file] = found.describe_db_log_files().unwrap() else { panic!("one file") };
    assert_eq!((file.size(), file.last_written()), (Some(size), Some(world.now())));
    assert_eq!(names(&session, request().file_size(size))?.len(), 0);
    assert_eq!(names(&session, request().filename_contains("slow"))?.len(), 0);
    advance_days(world, 4)?;
    assert_eq!(names(&session, request())?.len(), 0, "files are kept for three days");
    Ok(())
}

pub(super) fn log_files_are_downloaded_in_parts(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0.35")?;
    for _ in 0..3 {
        ask(&session, RebootDBInstance::new("web"))?;
    }
    let file = "error/mysql-error-running.log";
    assert_eq!(names(&session, DescribeDBLogFiles::new("web"))?, [file]);
    let request = || DownloadDBLogFilePortion::new("web", file);
    let (whole, more, end) = read(&session, request())?;
    assert_eq!((whole.lines().count(), more), (7, Some(false)));
    assert!(whole.lines().next().unwrap().ends_with("(mysqld 8.0.35) starting as process 1"), "{whole}");
    let (first, more, marker) = read(&session, request().marker("0").number_of_lines(2))?;
    assert_eq!((first.lines().count(), more), (2, Some(true)));
    let (rest, more, _) = read(&session, request().marker(marker))?;
    assert_eq!((format!("{first}{rest}"), more), (whole.clone(), Some(false)));
    let (last, ..) = read(&session, request().number_of_lines(3))?;
    assert!(whole.ends_with(&last) && last.lines().count() == 3, "{last}");
    assert_eq!(read(&session, request().marker(end))?.0, "", "nothing was written since");
    // Entries have the version of their time.
    ask(&session, ModifyDBInstance::new("web").engine_version("8.0.36").apply_immediately(true))?;
    let (whole, ..) = read(&session, request())?;
    assert!(whole.contains("(mysqld 8.0.35)") && whole.contains("(mysqld 8.0.36)"), "{whole}");
    world.refused(&errors::INVALID, "Marker", || ask(&session, request().marker("end")));
    let error = world.refused(&errors::LOG_FILE_NOT_FOUND, "LogFileName", || {
        ask(&session, DownloadDBLogFilePortion::new("web", "error/none.log"))
    });
    assert_eq!(error.message(), "DBLog File: error/none.log, is not found on the DB instance");
    world.refused(&errors::INSTANCE_NOT_FOUND, "DBInstanceIdentifier", || {
        ask(&session, DescribeDBLogFiles::new("none"))
    });
    Ok(())
}

pub(super) fn log_files_belong_to_one_instance(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web", "mysql", "8.0.35")?;
    ask(&session, StopDBInstance::new("web"))?;
    web.delete().skip_final_snapshot(true).wait()?;
    let create = CreateDBInstance::new("web", "db.t3.small", "sqlserver-web").allocated_storage(20);
    ask(&session, create.master_username("boss").master_user_password("correct-horse"))?;
    ask(&session, RebootDBInstance::new("web"))?;
    let web: DBInstance = instances(&session).get("web").wait()?.unwrap();
    let files = web.log_files().wait()?;
    let files: Vec<_> = files.iter().map(|file| file.log_file_name().unwrap()).collect();
    assert_eq!(files, ["log/ERROR", "log/ERROR.1"], "each start begins a file");
    let part = web.download_log_file("log/ERROR.1").wait()?;
    assert_eq!(part.log_file_data().unwrap().lines().count(), 2, "a start and a shutdown");
    Ok(())
}
