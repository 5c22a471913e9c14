//! Parameters of the other engines: the commercial ones, and those for documents and graphs.

use super::parameters;

const SWITCH: &str = "disabled,enabled";

parameters! {
    /// Parameters of clusters of document databases.
    DOCDB:
    "audit_logs" List["disabled,enabled,all,none,ddl,dml_read,dml_write"] "disabled" Dynamic: "Writes the audit log.";
    "change_stream_log_retention_duration" Integer["3600-604800"] "10800" Dynamic: "Seconds for which events of change streams are kept.";
    "profiler" String[SWITCH] "disabled" Dynamic: "Logs slow operations.";
    "profiler_sampling_rate" Float["0.0-1.0"] "1.0" Dynamic: "Share of slow operations that are logged.";
    "profiler_threshold_ms" Integer["50-2147483646"] "100" Dynamic: "Milliseconds from which an operation is slow.";
    "tls" String["disabled,enabled,fips-140-3,tls1.2+,tls1.3+"] "enabled" Static: "Refuses connections without encryption.";
    "ttl_monitor" String[SWITCH] "enabled" Dynamic: "Removes documents that have expired.";
}

parameters! {
    /// Parameters of instances of graph databases.
    NEPTUNE:
    "neptune_dfe_query_engine" String["enabled,viaQueryHint"] "viaQueryHint" Static: "Use of the alternative query engine.";
    "neptune_query_timeout" Integer["10-2147483647"] "120000" Static: "Milliseconds after which a query is stopped.";
    "neptune_result_cache" Integer["0,1"] "0" Static: "Keeps results of queries.";
}

parameters! {
    /// Parameters of clusters of graph databases.
    NEPTUNE_CLUSTER:
    "neptune_enable_audit_log" Integer["0,1"] "0" Dynamic: "Writes the audit log.";
    "neptune_enable_slow_query_log" String["info,debug"] Dynamic: "Logs slow queries.";
    "neptune_enforce_ssl" Integer["0,1"] "1" Static: "Refuses connections without encryption.";
    "neptune_lab_mode" String[""] Static: "Experimental features.";
    "neptune_query_timeout" Integer["10-2147483647"] "120000" Static: "Milliseconds after which a query is stopped.";
    "neptune_slow_query_log_threshold" Integer["0-2147483647"] "5000" Dynamic: "Milliseconds from which a query is slow.";
    "neptune_streams" Integer["0,1"] "0" Static: "Writes a stream of changes.";
}

parameters! {
    /// Parameters of Oracle.
    ORACLE:
    "audit_trail" String["DB,OS,NONE,TRUE,FALSE,DB_EXTENDED,XML,XML_EXTENDED"] Static: "Destination of audit records.";
    "compatible" String[""] Static: "Version with which the database is compatible.";
    "db_files" Integer["200-65535"] Static: "Maximum number of data files.";
    "job_queue_processes" Integer["0-4000"] "50" Dynamic: "Maximum number of processes for jobs.";
    "nls_date_format" String[""] Static: "Format of dates.";
    "open_cursors" Integer["0-65535"] "300" Dynamic: "Maximum number of open cursors of a session.";
    "optimizer_mode" String["FIRST_ROWS_1,FIRST_ROWS_10,FIRST_ROWS_100,FIRST_ROWS_1000,FIRST_ROWS,ALL_ROWS"] Dynamic:
        "Goal of the optimizer.";
    "pga_aggregate_target" Integer["10485760-4398046510080"] "{DBInstanceClassMemory*1/8}" Dynamic: "Memory of all server processes.";
    "processes" Integer["80-20000"] "LEAST({DBInstanceClassMemory/9868951},20000)" Static: "Maximum number of processes.";
    "recyclebin" String["ON,OFF"] Static: "Keeps dropped tables.";
    "session_cached_cursors" Integer["0-65535"] Static: "Cursors that a session keeps.";
    "sga_target" Integer["0-9223372036854775807"] "{DBInstanceClassMemory*3/4}" Static: "Memory that all processes share.";
    "undo_retention" Integer["0-4294967295"] Dynamic: "Seconds for which old versions of data are kept.";
}

parameters! {
    /// Parameters of SQL Server.
    SQLSERVER:
    "blocked process threshold (s)" Integer["0,5-86400"] "0" Dynamic: "Seconds after which a blocked process is reported.";
    "clr enabled" Boolean["0,1"] "0" Dynamic: "Runs code of the common language runtime.";
    "contained database authentication" Boolean["0,1"] "0" Dynamic: "Allows contained databases.";
    "cost threshold for parallelism" Integer["0-32767"] "5" Dynamic: "Cost from which plans are parallel.";
    "max degree of parallelism" Integer["0-32767"] "0" Dynamic: "Maximum number of processors of a plan.";
    "max server memory (mb)" Integer["128-2147483647"] "{DBInstanceClassMemory/1048576}" Dynamic: "Maximum memory in megabytes.";
    "max worker threads" Integer["0,128-32767"] "0" Static: "Maximum number of threads.";
    "optimize for ad hoc workloads" Boolean["0,1"] "0" Dynamic: "Keeps a plan from its second use on.";
    "rds.force_ssl" Boolean["0,1"] "0" Static: "Refuses connections without encryption.";
    "rds.tls10" String["default,disabled,enabled"] "default" Static: "Use of TLS 1.0.";
    "user connections" Integer["0,10-32767"] "0" Static: "Maximum number of connections.";
}

parameters! {
    /// Parameters of Db2.
    DB2:
    "max_connections" String[""] "AUTOMATIC" Dynamic: "Maximum number of connections.";
    "max_coordagents" String[""] "AUTOMATIC" Dynamic: "Maximum number of coordinating agents.";
    "rds.ibm_customer_id" String[""] Dynamic: "Customer number of the licence.";
    "rds.ibm_site_id" String[""] Dynamic: "Site number of the licence.";
}
