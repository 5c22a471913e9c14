//! Parameters of PostgreSQL.

use super::parameters;

const NUMBERS: &str = "0-2147483647";
const LEVELS: &str = "debug5,debug4,debug3,debug2,debug1,info,notice,warning,error,log,fatal,panic";
const LIBRARIES: &str = "auto_explain,orafce,pgaudit,pglogical,pg_bigm,pg_cron,pg_hint_plan,pg_prewarm,pg_similarity,pg_stat_statements,\
    pg_tle,pg_transport,plprofiler,plrust";

parameters! {
    /// Parameters that Aurora has for instances, too.
    COMMON:
    "application_name" String[""] Dynamic: "Name of the application in statistics and logs.";
    "auto_explain.log_min_duration" Integer["-1-2147483647"] Dynamic: "Milliseconds from which the plan of a statement is logged.";
    "checkpoint_timeout" Integer["30-3600"] Dynamic: "Seconds between checkpoints.";
    "deadlock_timeout" Integer["1-2147483647"] Dynamic: "Milliseconds before a lock is checked for a deadlock.";
    "default_statistics_target" Integer["1-10000"] Dynamic: "Precision of the statistics of columns.";
    "effective_cache_size" Integer["1-2147483647"] "{DBInstanceClassMemory/16384}" Dynamic: "Size of caches that the planner assumes.";
    "idle_in_transaction_session_timeout" Integer[NUMBERS] "86400000" Dynamic:
        "Milliseconds after which an idle session with a transaction is ended.";
    "jit" Boolean["0,1"] Dynamic: "Compiles expressions.";
    "lock_timeout" Integer[NUMBERS] Dynamic: "Milliseconds that a statement waits for a lock.";
    "log_connections" Boolean["0,1"] Dynamic: "Logs connections.";
    "log_disconnections" Boolean["0,1"] Dynamic: "Logs the ends of sessions.";
    "log_lock_waits" Boolean["0,1"] Dynamic: "Logs waits for locks.";
    "log_min_duration_statement" Integer["-1-2147483647"] Dynamic: "Milliseconds from which a statement is logged.";
    "log_min_error_statement" String[LEVELS] Dynamic: "Level of messages from which their statements are logged.";
    "log_min_messages" String[LEVELS] Dynamic: "Level of messages from which they are logged.";
    "log_rotation_size" Integer["0-2097151"] Dynamic: "Size in kilobytes after which a new log file starts.";
    "log_statement" String["none,ddl,mod,all"] Dynamic: "Statements to log.";
    "log_temp_files" Integer["-1-2147483647"] Dynamic: "Size in kilobytes from which temporary files are logged.";
    "maintenance_work_mem" Integer["1024-2147483647"] "GREATEST({DBInstanceClassMemory*1024/63963136},65536)" Dynamic:
        "Memory in kilobytes for maintenance.";
    "max_connections" Integer["6-8388607"] "LEAST({DBInstanceClassMemory/9531392},5000)" Static: "Maximum number of connections.";
    "pg_stat_statements.track" String["none,top,all"] Dynamic: "Statements of which statistics are kept.";
    "pgaudit.log" List["ddl,function,misc,read,role,write,none,all,-ddl,-function,-misc,-read,-role,-write"] Dynamic:
        "Statements in the audit log.";
    "random_page_cost" Float["0-1.79769e+308"] Dynamic: "Cost of a page that is not read in sequence.";
    "rds.log_retention_period" Integer["1440-10080"] "4320" Dynamic: "Minutes for which logs are kept.";
    "search_path" String[""] Dynamic: "Schemas in which names are looked up.";
    "shared_buffers" Integer["16-1073741823"] "{DBInstanceClassMemory/32768}" Static: "Memory for pages, in units of 8 kilobytes.";
    "shared_preload_libraries" List[LIBRARIES] "pg_stat_statements" Static: "Libraries to load at the start.";
    "statement_timeout" Integer[NUMBERS] Dynamic: "Milliseconds after which a statement is stopped.";
    "temp_buffers" Integer["100-1073741823"] Dynamic: "Memory of a session for temporary tables, in units of 8 kilobytes.";
    "track_activity_query_size" Integer["100-1048576"] "4096" Static: "Bytes of the text of running statements that are kept.";
    "work_mem" Integer["64-2147483647"] Dynamic: "Memory in kilobytes for sorting and hashing.";
}

parameters! {
    /// Parameters that Aurora has for clusters only.
    SERVER:
    "autovacuum" Boolean["0,1"] "1" Dynamic: "Removes dead rows by itself.";
    "autovacuum_analyze_scale_factor" Float["0-100"] "0.05" Dynamic: "Share of changed rows from which a table is analyzed.";
    "autovacuum_max_workers" Integer["1-262143"] "GREATEST({DBInstanceClassMemory/64371566592},3)" Static:
        "Maximum number of processes that remove dead rows.";
    "autovacuum_naptime" Integer["1-2147483"] "15" Dynamic: "Seconds between removals of dead rows.";
    "autovacuum_vacuum_scale_factor" Float["0-100"] "0.1" Dynamic: "Share of dead rows from which they are removed.";
    "client_encoding" String[""] Dynamic: "Character set of clients.";
    "default_transaction_isolation" String["serializable,repeatable read,read committed,read uncommitted"] Dynamic:
        "Isolation of transactions.";
    "hot_standby_feedback" Boolean["0,1"] Dynamic: "Reports queries of a replica to its source.";
    "log_autovacuum_min_duration" Integer["-1-2147483647"] "10000" Dynamic: "Milliseconds from which a removal of dead rows is logged.";
    "max_locks_per_transaction" Integer["10-2147483647"] "64" Static: "Average number of locks of a transaction.";
    "max_prepared_transactions" Integer["0-262143"] "0" Static: "Maximum number of prepared transactions.";
    "max_replication_slots" Integer["5-262143"] "20" Static: "Maximum number of replication slots.";
    "max_wal_senders" Integer["5-262143"] "20" Static: "Maximum number of processes that send the log.";
    "max_wal_size" Integer["128-201326592"] "2048" Dynamic: "Size of the log in megabytes from which a checkpoint starts.";
    "max_worker_processes" Integer["0-262143"] "GREATEST({DBInstanceVCPU/2},8)" Static: "Maximum number of background processes.";
    "password_encryption" String["md5,scram-sha-256"] "md5" Dynamic: "Hash of passwords.";
    "password_encryption" String["md5,scram-sha-256"] "scram-sha-256" Dynamic since 14: "Hash of passwords.";
    "port" Integer["1-65535"] "{EndPointPort}" Fixed: "Port of the server.";
    "rds.extensions" String[""] Fixed: "Extensions that can be created.";
    "rds.force_ssl" Boolean["0,1"] "0" Dynamic: "Refuses connections without encryption.";
    "rds.force_ssl" Boolean["0,1"] "1" Dynamic since 15: "Refuses connections without encryption.";
    "rds.logical_replication" Boolean["0,1"] "0" Static: "Allows logical replication.";
    "rds.restrict_password_commands" Boolean["0,1"] "0" Static: "Lets only certain users change passwords.";
    "ssl" Boolean["0,1"] "1" Fixed: "Allows encryption.";
    "synchronous_commit" String["local,on,off"] "on" Dynamic: "When a commit is reported.";
    "timezone" String[""] "UTC" Dynamic: "Time zone of the server.";
    "wal_buffers" Integer["-1-262143"] Static: "Memory for the log, in units of 8 kilobytes.";
    "wal_sender_timeout" Integer["0-3600000"] "30000" Dynamic: "Milliseconds after which a replica that does not answer is cut off.";
}

parameters! {
    /// Parameters of Aurora that differ from those of PostgreSQL.
    AURORA:
    "apg_enable_batch_mode_function_execution" Boolean["0,1"] Dynamic: "Runs functions on several rows at once.";
    "shared_buffers" Integer["16-1073741823"] "SUM({DBInstanceClassMemory/12038},-50003)" Static:
        "Memory for pages, in units of 8 kilobytes.";
}

parameters! {
    /// Parameters of clusters of Aurora only.
    AURORA_CLUSTER:
    "apg_plan_mgmt.capture_plan_baselines" String["off,manual,automatic"] Dynamic: "Keeps plans of statements.";
    "rds.babelfish_status" String["on,off,datamigration"] "off" Static since 13: "Understands the protocol of SQL Server.";
    "rds.force_ssl" Boolean["0,1"] "0" Dynamic: "Refuses connections without encryption.";
    "rds.force_ssl" Boolean["0,1"] "1" Dynamic since 17: "Refuses connections without encryption.";
    "rds.global_db_rpo" Integer["-1,20-2147483647"] Dynamic: "Seconds of data that a global database may lose.";
}
