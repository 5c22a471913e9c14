//! Parameters of MySQL and its relatives.

use super::parameters;

const SIZES: &str = "0-18446744073709551615";
const TIMEOUTS: &str = "1-31536000";
const CHARACTER_SETS: &str = "big5,dec8,cp850,hp8,koi8r,latin1,latin2,swe7,ascii,ujis,sjis,hebrew,tis620,euckr,koi8u,gb2312,\
    greek,cp1250,gbk,latin5,armscii8,utf8,utf8mb3,utf8mb4,ucs2,cp866,keybcs2,macce,macroman,cp852,latin7,cp1251,cp1256,cp1257,\
    binary,geostd8,cp932,eucjpms";
const SQL_MODES: &str = "ALLOW_INVALID_DATES,ANSI_QUOTES,ERROR_FOR_DIVISION_BY_ZERO,HIGH_NOT_PRECEDENCE,IGNORE_SPACE,NO_AUTO_CREATE_USER,\
    NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,NO_DIR_IN_CREATE,NO_ENGINE_SUBSTITUTION,NO_FIELD_OPTIONS,NO_KEY_OPTIONS,NO_TABLE_OPTIONS,\
    NO_UNSIGNED_SUBTRACTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,ONLY_FULL_GROUP_BY,PAD_CHAR_TO_FULL_LENGTH,PIPES_AS_CONCAT,REAL_AS_FLOAT,\
    STRICT_ALL_TABLES,STRICT_TRANS_TABLES,ANSI,DB2,MAXDB,MSSQL,MYSQL323,MYSQL40,ORACLE,POSTGRESQL,TRADITIONAL";
const ISOLATION: &str = "READ-UNCOMMITTED,READ-COMMITTED,REPEATABLE-READ,SERIALIZABLE";

parameters! {
    /// Parameters that Aurora has for instances, too.
    COMMON:
    "autocommit" Boolean["0,1"] Dynamic: "Commits each statement by itself.";
    "connect_timeout" Integer["2-31536000"] Dynamic: "Seconds that the server waits for the first packet of a client.";
    "event_scheduler" String["ON,OFF"] Dynamic: "Runs scheduled events.";
    "general_log" Boolean["0,1"] Dynamic: "Logs all statements.";
    "group_concat_max_len" Integer["4-18446744073709547520"] Dynamic: "Maximum length of the result of GROUP_CONCAT.";
    "innodb_lock_wait_timeout" Integer["1-1073741824"] Dynamic: "Seconds that a transaction waits for a row lock.";
    "innodb_print_all_deadlocks" Boolean["0,1"] Dynamic: "Logs all deadlocks.";
    "interactive_timeout" Integer[TIMEOUTS] Dynamic: "Seconds of inactivity after which an interactive connection is closed.";
    "join_buffer_size" Integer["128-18446744073709547520"] Dynamic: "Size of the buffer for joins without indexes.";
    "local_infile" Boolean["0,1"] "1" Dynamic: "Allows LOAD DATA LOCAL.";
    "log_bin_trust_function_creators" Boolean["0,1"] Dynamic: "Allows stored functions that may write unsafe events to the binary log.";
    "log_output" List["TABLE,FILE,NONE"] "TABLE" Dynamic: "Destination of the general log and the slow query log.";
    "log_queries_not_using_indexes" Boolean["0,1"] Dynamic: "Logs queries that use no index as slow.";
    "long_query_time" Float["0-31536000"] Dynamic: "Seconds from which a query is logged as slow.";
    "max_allowed_packet" Integer["1024-1073741824"] Dynamic: "Maximum size of a packet.";
    "max_connect_errors" Integer["1-9223372036854775807"] Dynamic: "Failed connections after which a host is blocked.";
    "max_connections" Integer["1-100000"] "{DBInstanceClassMemory/12582880}" Dynamic: "Maximum number of connections.";
    "max_heap_table_size" Integer["16384-1844674407370954752"] Dynamic: "Maximum size of tables in memory.";
    "net_read_timeout" Integer[TIMEOUTS] Dynamic: "Seconds that the server waits for data of a connection.";
    "net_write_timeout" Integer[TIMEOUTS] Dynamic: "Seconds that the server waits until data is written to a connection.";
    "performance_schema" Boolean["0,1"] "0" Static: "Collects performance data.";
    "port" Integer["1150-65535"] "{EndPointPort}" Fixed: "Port of the server.";
    "slow_query_log" Boolean["0,1"] Dynamic: "Logs slow queries.";
    "sort_buffer_size" Integer["32768-18446744073709551615"] Dynamic: "Size of the buffer for sorting.";
    "sql_mode" List[SQL_MODES] Dynamic: "Modes of SQL.";
    "table_open_cache" Integer["1-1048576"] Dynamic: "Number of open tables.";
    "thread_cache_size" Integer["0-16384"] Dynamic: "Number of threads to keep for new connections.";
    "tmp_table_size" Integer["1024-18446744073709551615"] Dynamic: "Maximum size of temporary tables in memory.";
    "wait_timeout" Integer[TIMEOUTS] Dynamic: "Seconds of inactivity after which a connection is closed.";
}

parameters! {
    /// Parameters that Aurora has for clusters only.
    SERVER:
    "auto_increment_increment" Integer["1-65535"] Dynamic: "Interval between values of AUTO_INCREMENT columns.";
    "auto_increment_offset" Integer["1-65535"] Dynamic: "First value of AUTO_INCREMENT columns.";
    "binlog_checksum" String["NONE,CRC32"] Dynamic: "Checksum of events in the binary log.";
    "binlog_format" String["ROW,STATEMENT,MIXED"] "MIXED" Dynamic: "Format of the binary log.";
    "binlog_row_image" String["full,minimal,noblob"] Dynamic: "Columns of rows in the binary log.";
    "character_set_client" String[CHARACTER_SETS] Dynamic: "Character set of statements of clients.";
    "character_set_connection" String[CHARACTER_SETS] Dynamic: "Character set of literals.";
    "character_set_database" String[CHARACTER_SETS] Dynamic: "Character set of the default database.";
    "character_set_results" String[CHARACTER_SETS] Dynamic: "Character set of results.";
    "character_set_server" String[CHARACTER_SETS] Dynamic: "Character set of the server.";
    "collation_connection" String[""] Dynamic: "Collation of connections.";
    "collation_server" String[""] Dynamic: "Collation of the server.";
    "default_time_zone" String[""] Fixed: "Time zone of the server at its start.";
    "innodb_buffer_pool_size" Integer["5242880-9223372036854775807"] "{DBInstanceClassMemory*3/4}" Dynamic: "Size of the buffer pool.";
    "innodb_file_per_table" Boolean["0,1"] "1" Dynamic: "Keeps each table in a file of its own.";
    "innodb_flush_log_at_trx_commit" Integer["0-2"] "1" Dynamic: "When the log is written to the disk.";
    "lower_case_table_names" Integer["0,1"] Static: "Stores names of tables in lower case.";
    "read_only" String["0,1,{TrueIfReplica},{TrueIfClusterReplica}"] "{TrueIfReplica}" Dynamic: "Refuses changes by users.";
    "server_id" Integer[SIZES] Fixed: "ID of the server for replication.";
    "time_zone" String[""] Dynamic: "Time zone of the server.";
    "tx_isolation" String[ISOLATION] Dynamic: "Isolation of transactions.";
}

parameters! {
    /// Parameters of MySQL only.
    MYSQL:
    "enforce_gtid_consistency" String["OFF,WARN,ON"] Static: "Allows statements only that are safe with global transaction IDs.";
    "gtid-mode" String["OFF,OFF_PERMISSIVE,ON_PERMISSIVE,ON"] "OFF_PERMISSIVE" Static: "Use of global transaction IDs.";
    "max_execution_time" Integer["0-18446744073709551615"] Dynamic: "Milliseconds after which a query is stopped.";
    "require_secure_transport" Boolean["0,1"] "0" Dynamic: "Refuses connections without encryption.";
    "transaction_isolation" String[ISOLATION] Dynamic since 8: "Isolation of transactions.";
}

parameters! {
    /// Parameters of MariaDB only.
    MARIADB:
    "gtid_strict_mode" Boolean["0,1"] "0" Dynamic: "Refuses events out of the order of global transaction IDs.";
    "max_statement_time" Float["0-31536000"] Dynamic: "Seconds after which a statement is stopped.";
    "query_cache_size" Integer[SIZES] Dynamic: "Size of the cache of results.";
    "query_cache_type" Integer["0-2"] Static: "Use of the cache of results.";
    "require_secure_transport" Boolean["0,1"] "0" Dynamic: "Refuses connections without encryption.";
}

parameters! {
    /// Parameters of Aurora that differ from those of MySQL.
    AURORA:
    "aurora_parallel_query" Boolean["0,1"] Dynamic: "Runs parts of queries in the storage.";
    "innodb_buffer_pool_size" Integer["5242880-9223372036854775807"] "{DBInstanceClassMemory*3/4}" Static: "Size of the buffer pool.";
    "innodb_read_only" Boolean["0,1"] "{TrueIfClusterReplica}" Fixed: "Refuses changes of tables.";
    "max_connections" Integer["1-16000"]
        "GREATEST({log(DBInstanceClassMemory/805306368)*45},{log(DBInstanceClassMemory/8187281408)*1000})" Dynamic:
        "Maximum number of connections.";
    "max_execution_time" Integer["0-18446744073709551615"] Dynamic: "Milliseconds after which a query is stopped.";
    "transaction_isolation" String[ISOLATION] Dynamic since 8: "Isolation of transactions.";
}

parameters! {
    /// Parameters of clusters of Aurora only.
    AURORA_CLUSTER:
    "aurora_enhanced_binlog" Boolean["0,1"] "0" Static since 8: "Writes the binary log in the storage.";
    "aurora_load_from_s3_role" String[""] Dynamic: "Role with which files are loaded from buckets.";
    "aws_default_s3_role" String[""] Dynamic: "Role with which buckets are used.";
    "binlog_backup" Boolean["0,1"] "1" Static since 8: "Keeps the binary log in backups.";
    "binlog_format" String["ROW,STATEMENT,MIXED,OFF"] "OFF" Static: "Format of the binary log.";
    "enforce_gtid_consistency" String["OFF,WARN,ON"] Static: "Allows statements only that are safe with global transaction IDs.";
    "gtid-mode" String["OFF,OFF_PERMISSIVE,ON_PERMISSIVE,ON"] "OFF_PERMISSIVE" Static: "Use of global transaction IDs.";
    "require_secure_transport" String["ON,OFF"] "OFF" Dynamic: "Refuses connections without encryption.";
    "server_audit_events" List["CONNECT,QUERY,QUERY_DCL,QUERY_DDL,QUERY_DML,TABLE"] Dynamic: "Events in the audit log.";
    "server_audit_logging" Boolean["0,1"] "0" Dynamic: "Writes the audit log.";
    "tls_version" List["TLSv1,TLSv1.1,TLSv1.2,TLSv1.3"] Static: "Allowed versions of TLS.";
}
