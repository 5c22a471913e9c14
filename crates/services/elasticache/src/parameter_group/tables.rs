//! The parameters of all families.

use crate::{
    ChangeType,
    engine::{Engine, Family, node_types::NodeValue},
};

/// Type of the values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DataType {
    Boolean,
    Float,
    Integer,
    String,
}

impl DataType {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Float => "float",
            Self::Integer => "integer",
            Self::String => "string",
        }
    }
}

/// When a parameter can be changed, and when a change takes effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// At any time, with immediate effect.
    Now,
    /// At any time, with effect after a reboot.
    Reboot,
    /// While no cluster uses the group.
    Unused,
    /// Never.
    Never,
    /// Never. A change by the provider takes effect after a reboot.
    NeverReboot,
}

/// Definition of a parameter.
#[derive(Debug)]
pub struct Definition {
    since: Family,
    until: Family,
    /// Name.
    pub name: &'static str,
    pub(super) data_type: DataType,
    /// Values and ranges, such as `0,20-`; empty if the values are not limited or not known.
    pub(super) allowed: &'static str,
    /// Value by default.
    pub default: Option<&'static str>,
    pub(super) change: Change,
    /// First version of the engine with the parameter, if it is later than the first one of the family.
    first_version: Option<&'static str>,
    pub(super) description: &'static str,
}

impl Definition {
    /// When a change takes effect.
    pub(super) fn change_type(&self) -> ChangeType {
        match self.change {
            Change::Now | Change::Never => ChangeType::Immediate,
            Change::Reboot | Change::Unused | Change::NeverReboot => ChangeType::RequiresReboot,
        }
    }

    /// First version of the engine with the parameter.
    pub(super) fn first_version(&self, family: Family) -> &'static str {
        self.first_version.filter(|_| family == self.since).unwrap_or(family.first_version())
    }
}

/// Returns the parameters of a family, in order of their names.
pub fn of_family(family: Family) -> impl Iterator<Item = &'static Definition> + Clone {
    PARAMETERS.iter().filter(move |definition| (definition.since..=definition.until).contains(&family))
}

/// Finds a parameter of a family.
pub(crate) fn find(family: Family, name: &str) -> Option<&'static Definition> {
    of_family(family).find(|definition| definition.name == name)
}

/// Definition of a parameter whose value depends on the type of the nodes.
pub(super) struct NodeDefinition {
    since: Family,
    until: Family,
    pub name: &'static str,
    pub(super) allowed: &'static str,
    pub(super) value: NodeValue,
    pub(super) description: &'static str,
}

/// Returns the parameters of a family whose values depend on the type of the nodes.
pub(super) fn of_nodes(family: Family) -> impl Iterator<Item = &'static NodeDefinition> {
    NODE_PARAMETERS.iter().filter(move |definition| (definition.since..=definition.until).contains(&family))
}

/// True if answers say when changes of the parameters take effect: for all engines but memcached.
pub(super) fn has_change_types(family: Family) -> bool {
    family.engine() != Engine::Memcached
}

/// Commands that can be renamed.
pub(super) const COMMANDS: &str = "\
    APPEND,BITCOUNT,BITFIELD,BITOP,BITPOS,BLPOP,BRPOP,BRPOPLPUSH,BZPOPMIN,BZPOPMAX,CLIENT,COMMAND,\
    DBSIZE,DECR,DECRBY,DEL,DISCARD,DUMP,ECHO,EVAL,EVALSHA,EXEC,EXISTS,EXPIRE,EXPIREAT,FLUSHALL,FLUSHDB,\
    GEOADD,GEOHASH,GEOPOS,GEODIST,GEORADIUS,GEORADIUSBYMEMBER,GET,GETBIT,GETRANGE,GETSET,HDEL,HEXISTS,\
    HGET,HGETALL,HINCRBY,HINCRBYFLOAT,HKEYS,HLEN,HMGET,HMSET,HSET,HSETNX,HSTRLEN,HVALS,INCR,INCRBY,\
    INCRBYFLOAT,INFO,KEYS,LASTSAVE,LINDEX,LINSERT,LLEN,LPOP,LPUSH,LPUSHX,LRANGE,LREM,LSET,LTRIM,MEMORY,\
    MGET,MONITOR,MOVE,MSET,MSETNX,MULTI,OBJECT,PERSIST,PEXPIRE,PEXPIREAT,PFADD,PFCOUNT,PFMERGE,PING,\
    PSETEX,PSUBSCRIBE,PUBSUB,PTTL,PUBLISH,PUNSUBSCRIBE,RANDOMKEY,READONLY,READWRITE,RENAME,RENAMENX,\
    RESTORE,ROLE,RPOP,RPOPLPUSH,RPUSH,RPUSHX,SADD,SCARD,SCRIPT,SDIFF,SDIFFSTORE,SELECT,SET,SETBIT,SETEX,\
    SETNX,SETRANGE,SINTER,SINTERSTORE,SISMEMBER,SLOWLOG,SMEMBERS,SMOVE,SORT,SPOP,SRANDMEMBER,SREM,\
    STRLEN,SUBSCRIBE,SUNION,SUNIONSTORE,SWAPDB,TIME,TOUCH,TTL,TYPE,UNSUBSCRIBE,UNLINK,UNWATCH,WAIT,\
    WATCH,ZADD,ZCARD,ZCOUNT,ZINCRBY,ZINTERSTORE,ZLEXCOUNT,ZPOPMAX,ZPOPMIN,ZRANGE,ZRANGEBYLEX,\
    ZREVRANGEBYLEX,ZRANGEBYSCORE,ZRANK,ZREM,ZREMRANGEBYLEX,ZREMRANGEBYRANK,ZREMRANGEBYSCORE,ZREVRANGE,\
    ZREVRANGEBYSCORE,ZREVRANK,ZSCORE,ZUNIONSTORE,SCAN,SSCAN,HSCAN,ZSCAN,XINFO,XADD,XTRIM,XDEL,XRANGE,\
    XREVRANGE,XLEN,XREAD,XGROUP,XREADGROUP,XACK,XCLAIM,XPENDING,GEORADIUS_RO,GEORADIUSBYMEMBER_RO,\
    LOLWUT,XSETID,SUBSTR";

/// Parameter with the commands that have other names.
pub(super) const RENAME_COMMANDS: &str = "rename-commands";
/// Parameter with the events that clients are notified of.
pub(super) const KEYSPACE_EVENTS: &str = "notify-keyspace-events";
/// Parameter that turns cluster mode on.
pub(crate) const CLUSTER_ENABLED: &str = "cluster-enabled";

const YES_NO: &str = "yes,no";
const SWITCH: &str = "0,1";
const LIST_SIZES: &str = "-5,-4,-3,-2,-1,1-";
const POLICIES: &str = "volatile-lru,allkeys-lru,volatile-random,allkeys-random,volatile-ttl,noeviction";
const POLICIES_WITH_LFU: &str = "volatile-lru,allkeys-lru,volatile-lfu,allkeys-lfu,volatile-random,\
    allkeys-random,volatile-ttl,noeviction";

macro_rules! parameters {
    ($(
        $since:ident..$until:ident $name:tt $data_type:ident[$allowed:expr] $($default:literal)? $change:ident
        $(from $first:literal)?: $description:literal;
    )+) => {
        /// Parameters of all families.
        pub static PARAMETERS: &[Definition] = &[$(Definition {
            since: Family::$since,
            until: Family::$until,
            name: $name,
            data_type: DataType::$data_type,
            allowed: $allowed,
            default: parameters!(@optional $($default)?),
            change: Change::$change,
            first_version: parameters!(@optional $($first)?),
            description: $description,
        }),+];
    };
    (@optional) => { None };
    (@optional $value:literal) => { Some($value) };
}

// Families, name, type with the allowed values, default value, change, and first version if it is later.
parameters! {
    Redis6..Valkey8 "acl-pubsub-default" String["resetchannels,allchannels"] "allchannels" Now:
        "Access of new users to channels.";
    Redis6..Valkey8 "acllog-max-len" Integer["1-10000"] "128" Now:
        "Maximum number of entries in the access log.";
    Redis40..Valkey8 "active-defrag-cycle-max" Integer["1-75"] "75" Now:
        "Maximum share of CPU time for defragmentation, in percent.";
    Redis40..Redis40 "active-defrag-cycle-min" Integer["1-75"] "25" Now:
        "Minimum share of CPU time for defragmentation, in percent.";
    Redis50..Valkey8 "active-defrag-cycle-min" Integer["1-75"] "5" Now:
        "Minimum share of CPU time for defragmentation, in percent.";
    Redis40..Valkey8 "active-defrag-ignore-bytes" Integer["1048576-"] "104857600" Now:
        "Wasted memory in bytes from which defragmentation starts.";
    Redis50..Valkey8 "active-defrag-max-scan-fields" Integer["1-1000000"] "1000" Now:
        "Maximum number of fields of a key that one scan of defragmentation processes.";
    Redis40..Valkey8 "active-defrag-threshold-lower" Integer["1-100"] "10" Now:
        "Fragmentation in percent from which defragmentation starts.";
    Redis40..Valkey8 "active-defrag-threshold-upper" Integer["1-100"] "100" Now:
        "Fragmentation in percent from which defragmentation uses its maximum share of CPU time.";
    Redis6..Valkey8 "active-expire-effort" Integer["1-10"] "1" Now: "Effort to remove expired keys.";
    Redis40..Valkey8 "activedefrag" String[YES_NO] "no" Now: "Defragments the memory of a running node.";
    Redis26..Redis28 "activerehashing" String[YES_NO] "yes" NeverReboot:
        "Rehashes the main table in the background.";
    Redis32..Redis6 "activerehashing" String[YES_NO] "yes" Unused:
        "Rehashes the main table in the background.";
    Redis26..Redis28 "appendfsync" String["always,everysec,no"] "everysec" Now:
        "How often the append-only file is written to disk.";
    Redis32..Valkey8 "appendfsync" String["always,everysec,no"] "everysec" Never:
        "How often the append-only file is written to disk.";
    Redis26..Redis28 "appendonly" String[YES_NO] "no" Now: "Keeps an append-only file of all writes.";
    Redis32..Valkey8 "appendonly" String[YES_NO] "no" Never: "Keeps an append-only file of all writes.";
    Memcached14..Memcached16 "backlog_queue_limit" Integer["1-10000"] "1024" Never:
        "Maximum number of connections that wait to be accepted.";
    Memcached14..Memcached16 "binding_protocol" String["auto,binary,ascii"] "auto" Reboot:
        "Protocol of clients.";
    Memcached14..Memcached16 "cas_disabled" Boolean[SWITCH] "0" Reboot:
        "Turns check-and-set off, which saves 8 bytes an item.";
    Memcached14..Memcached16 "chunk_size" Integer["1-1024"] "48" Reboot:
        "Minimum number of bytes for the key, the value and the flags of an item.";
    Memcached14..Memcached16 "chunk_size_growth_factor" Float["1.01-100.00"] "1.25" Reboot:
        "Factor by which each size of chunks is larger than the previous one.";
    Redis26..Valkey8 "client-output-buffer-limit-normal-hard-limit" Integer["0-"] "0" Now:
        "Output buffer in bytes at which a client is disconnected at once; 0 for no limit.";
    Redis26..Valkey8 "client-output-buffer-limit-normal-soft-limit" Integer["0-"] "0" Now:
        "Output buffer in bytes at which a client is disconnected after a time; 0 for no limit.";
    Redis26..Valkey8 "client-output-buffer-limit-normal-soft-seconds" Integer["0-"] "0" Now:
        "Seconds above the soft limit after which a client is disconnected.";
    Redis26..Valkey8 "client-output-buffer-limit-pubsub-hard-limit" Integer["0-"] "33554432" Now:
        "Output buffer in bytes at which a subscriber is disconnected at once.";
    Redis26..Valkey8 "client-output-buffer-limit-pubsub-soft-limit" Integer["0-"] "8388608" Now:
        "Output buffer in bytes at which a subscriber is disconnected after a time.";
    Redis26..Valkey8 "client-output-buffer-limit-pubsub-soft-seconds" Integer["0-"] "60" Now:
        "Seconds above the soft limit after which a subscriber is disconnected.";
    Redis50..Valkey8 "client-output-buffer-limit-replica-soft-seconds" Integer["0-"] "60" Never:
        "Seconds above the soft limit after which a replica is disconnected.";
    Redis26..Redis40 "client-output-buffer-limit-slave-soft-seconds" Integer["0-"] "60" Never:
        "Seconds above the soft limit after which a replica is disconnected.";
    Redis40..Valkey8 "client-query-buffer-limit" Integer["1048576-1073741824"] "1073741824" Now:
        "Maximum size of the query buffer of a client in bytes.";
    Redis50..Valkey8 "close-on-replica-write" String[YES_NO] "yes" Now:
        "Disconnects clients that write to a read-only replica.";
    Redis28..Redis40 "close-on-slave-write" String[YES_NO] "yes" Now:
        "Disconnects clients that write to a read-only replica.";
    Redis7..Valkey8 "cluster-allow-pubsubshard-when-down" String[YES_NO] "yes" Now:
        "Serves channels of own slots while the cluster is down.";
    Redis6..Valkey8 "cluster-allow-reads-when-down" String[YES_NO] "no" Now:
        "Serves reads while the cluster is down.";
    Redis32..Valkey8 CLUSTER_ENABLED String[YES_NO] "no" Unused: "Turns cluster mode on.";
    Redis7..Valkey8 "cluster-preferred-endpoint-type" String["ip,tls-dynamic"] "tls-dynamic" Now:
        "Form of the endpoints that nodes return to clients.";
    Redis32..Valkey8 "cluster-require-full-coverage" String[YES_NO] "no" Now:
        "Refuses queries while a slot has no node.";
    Valkey8..Valkey8 "commandlog-large-reply-max-len" Integer["0-1024"] "128" Now from "8.1.0":
        "Maximum number of entries in the log of large replies.";
    Valkey8..Valkey8 "commandlog-large-request-max-len" Integer["0-1024"] "128" Now from "8.1.0":
        "Maximum number of entries in the log of large requests.";
    Valkey8..Valkey8 "commandlog-reply-larger-than" Integer["-"] "1048576" Now from "8.1.0":
        "Size in bytes above which replies are logged.";
    Valkey8..Valkey8 "commandlog-request-larger-than" Integer["-"] "1048576" Now from "8.1.0":
        "Size in bytes above which requests are logged.";
    Memcached14..Memcached16 "config_max" Integer["0-64"] "16" Never from "1.4.14":
        "Maximum number of configuration entries.";
    Memcached14..Memcached16 "config_size_max" Integer["1024-1048576"] "65536" Never from "1.4.14":
        "Maximum size of configuration entries in bytes.";
    Redis26..Redis28 "databases" Integer["1-1200000"] "16" NeverReboot: "Number of databases.";
    Redis32..Redis6 "databases" Integer["1-1200000"] "16" Unused: "Number of databases.";
    Redis7..Valkey8 "databases" Integer["1-10000"] "16" Unused: "Number of databases.";
    Memcached14..Memcached16 "disable_flush_all" Boolean[SWITCH] "0" Reboot from "1.4.24":
        "Refuses the command that removes all items.";
    Memcached14..Memcached16 "error_on_memory_exhausted" Boolean[SWITCH] "0" Reboot:
        "Returns an error instead of evicting items.";
    Memcached14..Memcached14 "expirezero_does_not_evict" Boolean[SWITCH] "0" Reboot from "1.4.24":
        "Does not evict items without an expiration time.";
    Valkey8..Valkey8 "extended-redis-compatibility" String[YES_NO] "yes" Now:
        "Answers clients like redis 7.2.";
    Redis7..Valkey8 "hash-max-listpack-entries" Integer["0-"] "512" Now:
        "Number of entries up to which a hash is stored compactly.";
    Redis7..Valkey8 "hash-max-listpack-value" Integer["0-"] "64" Now:
        "Size of an entry in bytes up to which a hash is stored compactly.";
    Redis26..Redis6 "hash-max-ziplist-entries" Integer["0-"] "512" Now:
        "Number of entries up to which a hash is stored compactly.";
    Redis26..Redis6 "hash-max-ziplist-value" Integer["0-"] "64" Now:
        "Size of an entry in bytes up to which a hash is stored compactly.";
    Memcached14..Memcached16 "hash_algorithm" String["jenkins,murmur3"] "jenkins" Reboot from "1.4.24":
        "Hash algorithm of keys.";
    Memcached14..Memcached16 "hashpower_init" Integer[""] "16" Never from "1.4.14":
        "Initial size of the table of keys as a power of two.";
    Redis32..Valkey8 "hll-sparse-max-bytes" Integer["1-16000"] "3000" Now:
        "Size in bytes up to which a HyperLogLog is stored compactly.";
    Memcached14..Memcached16 "idle_timeout" Integer["0-86400"] "0" Reboot from "1.4.33":
        "Seconds after which an idle client is asked to close; 0 for never.";
    Memcached15..Memcached16 "inline_ascii_resp" Boolean[SWITCH] "0" Reboot:
        "Stores the numbers of a text answer with the item.";
    Memcached14..Memcached16 "large_memory_pages" Boolean[SWITCH] "0" Never: "Uses large memory pages.";
    Redis7..Valkey8 "latency-tracking" String[YES_NO] "no" Now: "Records the latency of each command.";
    Redis40..Valkey7 "lazyfree-lazy-eviction" String[YES_NO] "no" Now:
        "Removes evicted keys in the background.";
    Redis40..Valkey7 "lazyfree-lazy-expire" String[YES_NO] "no" Now:
        "Removes expired keys in the background.";
    Redis40..Valkey7 "lazyfree-lazy-server-del" String[YES_NO] "no" Now:
        "Removes replaced values in the background.";
    Redis6..Valkey7 "lazyfree-lazy-user-del" String[YES_NO] "no" Now:
        "Removes deleted keys in the background.";
    Redis40..Valkey8 "lfu-decay-time" Integer["0-"] "1" Now:
        "Minutes after which the counter of a key is decremented.";
    Redis40..Valkey8 "lfu-log-factor" Integer["1-"] "10" Now:
        "Factor by which the counter of a key grows more slowly.";
    Redis32..Valkey8 "list-compress-depth" Integer["0-"] "0" Now:
        "Number of nodes at each end of a list that are not compressed.";
    Redis7..Valkey8 "list-max-listpack-size" Integer[LIST_SIZES] "-2" Never:
        "Maximum number of entries, or size class, of a node of a list.";
    Redis26..Redis28 "list-max-ziplist-entries" Integer["0-"] "512" Now:
        "Number of entries up to which a list is stored compactly.";
    Redis32..Redis6 "list-max-ziplist-size" Integer[LIST_SIZES] "-2" Never:
        "Maximum number of entries, or size class, of a node of a list.";
    Redis26..Redis28 "list-max-ziplist-value" Integer["0-"] "64" Now:
        "Size of an entry in bytes up to which a list is stored compactly.";
    Memcached14..Memcached16 "lock_down_paged_memory" Boolean[SWITCH] "0" Never: "Locks all memory pages.";
    Memcached14..Memcached16 "lru_crawler" Boolean[SWITCH] "0" Reboot from "1.4.24":
        "Removes expired items in the background.";
    Memcached14..Memcached16 "lru_maintainer" Boolean[SWITCH] "0" Reboot from "1.4.24":
        "Moves items between lists in the background.";
    Redis50..Redis50 "lua-replicate-commands" String[YES_NO] "yes" Now:
        "Replicates the effects of Lua scripts.";
    Redis26..Valkey8 "lua-time-limit" Integer["5000"] "5000" Never:
        "Maximum time of a Lua script in milliseconds.";
    Memcached14..Memcached16 "max_item_size" Integer["1024-1073741824"] "1048576" Reboot:
        "Maximum size of an item in bytes.";
    Memcached14..Memcached16 "max_simultaneous_connections" Integer["3-65000"] "65000" Never:
        "Maximum number of connections.";
    Redis26..Valkey8 "maxclients" Integer["1-65000"] "65000" NeverReboot: "Maximum number of clients.";
    Memcached14..Memcached16 "maxconns_fast" Boolean[SWITCH] "0" Reboot from "1.4.14":
        "Closes connections above the maximum number at once.";
    Memcached14..Memcached16 "maximize_core_file_limit" Boolean[SWITCH] "0" Never:
        "Maximizes the limit of core files.";
    Redis26..Redis32 "maxmemory-policy" String[POLICIES] "volatile-lru" Now:
        "Keys that are evicted if memory is full.";
    Redis40..Valkey8 "maxmemory-policy" String[POLICIES_WITH_LFU] "volatile-lru" Now:
        "Keys that are evicted if memory is full.";
    Redis26..Valkey7 "maxmemory-samples" Integer["1-"] "3" Now:
        "Number of keys of which the best one is evicted.";
    Valkey8..Valkey8 "maxmemory-samples" Integer["1-64"] "3" Now:
        "Number of keys of which the best one is evicted.";
    Memcached14..Memcached16 "memcached_connections_overhead" Integer["0-100000"] "100" Reboot:
        "Memory for connections in megabytes.";
    Redis50..Valkey8 "min-replicas-max-lag" Integer["0-"] "10" Now:
        "Seconds without a ping after which a replica does not count as available.";
    Redis50..Valkey8 "min-replicas-to-write" Integer["0-"] "0" Now:
        "Number of available replicas below which writes are refused.";
    Redis28..Redis40 "min-slaves-max-lag" Integer["0-"] "10" Now:
        "Seconds without a ping after which a replica does not count as available.";
    Redis28..Redis40 "min-slaves-to-write" Integer["0-"] "0" Now:
        "Number of available replicas below which writes are refused.";
    Memcached14..Memcached14 "modern" Boolean[SWITCH] "1" Reboot from "1.4.33":
        "Turns several newer features on.";
    Memcached15..Memcached16 "no_modern" Boolean[SWITCH] "1" Reboot: "Turns several newer features off.";
    Redis28..Valkey8 KEYSPACE_EVENTS String[""] Now: "Events of keys that clients are notified of.";
    Redis40..Valkey8 "proto-max-bulk-len" Integer["1048576-536870912"] "536870912" Now:
        "Maximum size of an element of a request in bytes.";
    Redis50..Redis50 RENAME_COMMANDS String[COMMANDS] "" Now from "5.0.3": "Commands that have other names.";
    Redis6..Valkey8 RENAME_COMMANDS String[COMMANDS] "" Now: "Commands that have other names.";
    Redis28..Valkey7 "repl-backlog-size" Integer["16384-"] "1048576" Now:
        "Size of the replication backlog in bytes.";
    Valkey8..Valkey8 "repl-backlog-size" Integer["16384-"] "10485760" Now:
        "Size of the replication backlog in bytes.";
    Redis28..Valkey8 "repl-backlog-ttl" Integer["0-"] "3600" Now:
        "Seconds after which the replication backlog is freed; 0 for never.";
    Redis28..Redis28 "repl-timeout" Integer["1-"] "60" Now: "Timeout of replication in seconds.";
    Redis32..Redis40 "repl-timeout" Integer["1-"] "60" Never: "Timeout of replication in seconds.";
    Redis50..Valkey8 "replica-allow-chaining" String[YES_NO] "no" Never: "Allows replicas of replicas.";
    Redis50..Valkey8 "replica-ignore-maxmemory" String[YES_NO] "yes" Never:
        "Lets replicas keep what the primary keeps.";
    Redis50..Redis50 "replica-lazy-flush" String[YES_NO] "no" Never:
        "Removes the keys of a replica in the background before a sync.";
    Redis6..Valkey7 "replica-lazy-flush" String[YES_NO] "yes" Never:
        "Removes the keys of a replica in the background before a sync.";
    Memcached14..Memcached16 "requests_per_event" Integer[""] "20" Never:
        "Maximum number of requests of a connection in a row.";
    Redis26..Redis28 "reserved-memory" Integer["0-"] "0" Now: "Memory that is not for data, in bytes.";
    Redis32..Valkey8 "reserved-memory-percent" Integer["0-100"] "25" Now:
        "Share of memory that is not for data, in percent.";
    Valkey8..Valkey8 "search-default-timeout-ms" Integer["1-60000"] "50000" Now from "8.2.0":
        "Timeout of searches in milliseconds.";
    Valkey8..Valkey8 "search-enable-partial-results" String[YES_NO] "yes" Now from "8.2.0":
        "Returns the results of other shards if a shard times out.";
    Valkey8..Valkey8 "search-fanout-target-mode" String["throughput,client"] "client" Now from "8.2.0":
        "Nodes that run searches.";
    Redis26..Redis6 "set-max-intset-entries" Integer["0-"] "512" Now:
        "Number of entries up to which a set of integers is stored compactly.";
    Redis7..Valkey8 "set-max-intset-entries" Integer["0-500000000"] "512" Now:
        "Number of entries up to which a set of integers is stored compactly.";
    Memcached14..Memcached16 "slab_automove" Integer["0-2"] "0" Reboot from "1.4.14":
        "How much memory is moved between sizes of items.";
    Memcached14..Memcached16 "slab_chunk_max" Integer["1-"] "524288" Reboot from "1.4.33":
        "Maximum size of a slab in bytes.";
    Memcached14..Memcached16 "slab_reassign" Boolean[SWITCH] "0" Reboot from "1.4.14":
        "Allows memory to be moved between sizes of items.";
    Redis26..Redis40 "slave-allow-chaining" String[YES_NO] "no" Never: "Allows replicas of replicas.";
    Redis40..Redis40 "slave-lazy-flush" String[YES_NO] "no" Never:
        "Removes the keys of a replica in the background before a sync.";
    Redis26..Valkey8 "slowlog-log-slower-than" Integer["-"] "10000" Now:
        "Microseconds above which commands are logged; a negative number logs none.";
    Redis26..Valkey8 "slowlog-max-len" Integer["0-"] "128" Now:
        "Maximum number of entries in the log of slow commands.";
    Redis50..Valkey8 "stream-node-max-bytes" Integer["0-"] "4096" Now:
        "Maximum size of a node of a stream in bytes; 0 for no limit.";
    Redis50..Valkey8 "stream-node-max-entries" Integer["0-"] "100" Now:
        "Maximum number of entries of a node of a stream; 0 for no limit.";
    Redis26..Redis28 "tcp-keepalive" Integer["0-"] "0" Now:
        "Seconds between checks of connections; 0 for none.";
    Redis32..Valkey8 "tcp-keepalive" Integer["0-"] "300" Now:
        "Seconds between checks of connections; 0 for none.";
    Redis26..Valkey8 "timeout" Integer["0,20-"] "0" Now:
        "Seconds after which an idle client is disconnected; 0 for never.";
    Memcached14..Memcached16 "track_sizes" Boolean[SWITCH] "0" Reboot from "1.4.33":
        "Records the sizes of items.";
    Redis6..Valkey8 "tracking-table-max-keys" Integer["1-100000000"] "1000000" Now:
        "Maximum number of keys that are tracked for caches of clients.";
    Memcached14..Memcached16 "watcher_logbuf_size" Integer["1-"] "256" Reboot from "1.4.33":
        "Size of the log buffer of a watcher in kilobytes.";
    Memcached14..Memcached16 "worker_logbuf_size" Integer["1-"] "64" Reboot from "1.4.33":
        "Size of the log buffer of a worker in kilobytes.";
    Redis7..Valkey8 "zset-max-listpack-entries" Integer["0-"] "128" Now:
        "Number of entries up to which a sorted set is stored compactly.";
    Redis7..Valkey8 "zset-max-listpack-value" Integer["0-"] "64" Now:
        "Size of an entry in bytes up to which a sorted set is stored compactly.";
    Redis26..Redis6 "zset-max-ziplist-entries" Integer["0-"] "128" Now:
        "Number of entries up to which a sorted set is stored compactly.";
    Redis26..Redis6 "zset-max-ziplist-value" Integer["0-"] "64" Now:
        "Size of an entry in bytes up to which a sorted set is stored compactly.";
}

macro_rules! node_parameters {
    ($($since:ident..$until:ident $name:literal[$allowed:literal] $value:ident: $description:literal;)+) => {
        static NODE_PARAMETERS: &[NodeDefinition] = &[$(NodeDefinition {
            since: Family::$since,
            until: Family::$until,
            name: $name,
            allowed: $allowed,
            value: NodeValue::$value,
            description: $description,
        }),+];
    };
}

node_parameters! {
    Redis50..Valkey8 "client-output-buffer-limit-replica-hard-limit"["0-"] ReplicaBuffer:
        "Output buffer in bytes at which a replica is disconnected at once.";
    Redis50..Valkey8 "client-output-buffer-limit-replica-soft-limit"["0-"] ReplicaBuffer:
        "Output buffer in bytes at which a replica is disconnected after a time.";
    Redis26..Redis40 "client-output-buffer-limit-slave-hard-limit"["0-"] ReplicaBuffer:
        "Output buffer in bytes at which a replica is disconnected at once.";
    Redis26..Redis40 "client-output-buffer-limit-slave-soft-limit"["0-"] ReplicaBuffer:
        "Output buffer in bytes at which a replica is disconnected after a time.";
    Memcached14..Memcached16 "max_cache_memory"["1-100000"] CacheMemory: "Memory for items in megabytes.";
    Redis26..Valkey8 "maxmemory"["0-"] Memory: "Memory of a node in bytes.";
    Memcached14..Memcached16 "num_threads"["1-8"] Threads: "Number of threads.";
}
