//! Tests of `engine::node_types`.

use nephos_elasticache::parts::node_types::*;

#[test]
fn unknown_node_types_are_refused_with_the_nearest() {
    check("cache.t4g.micro", "CacheNodeType").unwrap();
    let error = check("cache.t4g.mikro", "CacheNodeType").unwrap_err();
    assert!(error.to_string().contains("cache.t4g.micro"), "{error}");
}
