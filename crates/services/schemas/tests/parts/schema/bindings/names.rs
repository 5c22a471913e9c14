//! Tests of `schema::bindings::names`.

use nephos_schemas::parts::names::*;

#[test]
fn names_become_identifiers() {
    for (name, pascal, camel, underscore) in [
        ("instance-id", "InstanceId", "instanceId", "instance_id"),
        ("ARN", "ARN", "ARN", "ARN"),
        ("a-b", "AB", "aB", "a_b"),
        ("__typename", "Typename", "typename", "_typename"),
        ("SchemaName", "SchemaName", "schemaName", "SchemaName"),
        ("class", "Class", "_class", "_class"),
        ("2fa", "X2fa", "x2fa", "_2fa"),
        ("é", "X", "x", "_"),
        ("a", "A", "a", "a"),
    ] {
        assert_eq!((pascal_case(name).as_str(), camel_case(name, JAVA).as_str()), (pascal, camel), "{name}");
        assert_eq!(underscored(name, PYTHON), underscore, "{name}");
    }
    assert_eq!((upper_case("shutting-down"), upper_case("1")), ("SHUTTING_DOWN".into(), "_1".into()));
    assert_eq!((type_name("object"), type_name("order")), ("ModelObject".into(), "Order".into()));
}

#[test]
fn repeated_names_are_numbered() {
    let mut used = UsedNames::new();
    let names = ["a", "a", "a2", "a", "a2", "b"].map(|name| unique(&mut used, name.to_owned()));
    assert_eq!(names, ["a", "a2", "a22", "a3", "a23", "b"]);
}

#[test]
fn schema_names_become_directories() {
    for (schema, path) in [
        ("aws.ec2@EC2Change", "schema/aws/ec2/ec2change"),
        ("aws.partner-shop.com@Order", "schema/aws/partner/shop_com/order"),
        ("unicorn.contracts@Class", "schema/unicorn_contracts/_class"),
        ("Order", "schema/order"),
        ("..@go", "schema/__/_go"),
    ] {
        assert_eq!(package_path(schema).join("/"), path);
    }
}
