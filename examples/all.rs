//! Every program in `examples/` runs to its end: its `main` is a test here.

macro_rules! examples {
    ($($name:ident in $path:literal;)+) => {$(
        #[path = $path]
        mod $name;
    )+};
}

examples! {
    bulk_import in "bulk_import.rs";
    cache_clusters in "cache_clusters.rs";
    classic_load_balancer in "classic_load_balancer.rs";
    databases in "databases.rs";
    durable_state in "durable_state.rs";
    event_schemas in "event_schemas.rs";
    forks_and_time in "forks_and_time.rs";
    from_boto3 in "from_boto3.rs";
    load_balancer in "load_balancer.rs";
    log_groups in "log_groups.rs";
    network in "network.rs";
    secrets in "secrets.rs";
    streams in "streams.rs";
    web_handler in "web_handler.rs";
}
