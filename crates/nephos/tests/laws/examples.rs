//! Examples of every kind, and a cloud with a resource of each example.

use crate::{generic::options, test_resource::TestResource};
use nephos::{Cloud, Map, REGISTRY, Session, Value};
use nephos_core::json;
use std::sync::LazyLock;

/// Parameters of a SAML provider with a metadata document.
macro_rules! saml_provider {
    ($name:literal, $others:literal) => {
        concat!(
            r#"{"Name": ""#, $name, r#"", "SAMLMetadataDocument": "<EntityDescriptor xmlns='urn:oasis:names:tc:SAML:2.0:metadata' entityID='https://"#,
            $name,
            ".example'><IDPSSODescriptor><KeyDescriptor use='signing'><KeyInfo xmlns='http://www.w3.org/2000/09/xmldsig#'><X509Data><X509Certificate>",
            "MIICAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            r#"</X509Certificate></X509Data></KeyInfo></KeyDescriptor></IDPSSODescriptor></EntityDescriptor>""#,
            $others,
            "}"
        )
    };
}

/// Parameters of a server certificate, self-signed and valid until 2120.
macro_rules! server_certificate {
    ("one", $others:literal) => {
        concat!(
            r#"{"ServerCertificateName": "one", "CertificateBody": ""#,
            "-----BEGIN CERTIFICATE-----MIIBCjCBsaADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA29uZTAgFw0yMDAxMDEwMDAwMDBaGA8",
            "yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwDb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHj5ABrsfSS6O8WkwFhiBjctGNfZRb7I5H",
            "hU3lwKzmFjMhQ9Q2BR2HvAbRFfQRfwIy2i743PTUnDuDOKCxhkDPDAKBggqhkjOPQQDAgNIADBFAiApRJPohqJcQfz2BoX2KYbwfBjRqQWSPcH",
            "NIcu1KajSsQIhAO+gmH1f0eum/fKwcS0IdH9KZvtbX3k1uEWf0EPJNvrY-----END CERTIFICATE-----",
            r#"", "PrivateKey": ""#,
            "-----BEGIN EC PRIVATE KEY-----MHcCAQEEIBp60A2LzNBrGUSA7Fg+nk9la6Nkb4EX/W6i85NawJ7goAoGCCqGSM49AwEHoUQDQgAEHj5A",
            "BrsfSS6O8WkwFhiBjctGNfZRb7I5HhU3lwKzmFjMhQ9Q2BR2HvAbRFfQRfwIy2i743PTUnDuDOKCxhkDPA==-----END EC PRIVATE KEY---",
            "--",
            r#"""#,
            $others,
            "}"
        )
    };
    ("two", $others:literal) => {
        concat!(
            r#"{"ServerCertificateName": "two", "CertificateBody": ""#,
            "-----BEGIN CERTIFICATE-----MIIBCTCBsaADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA3R3bzAgFw0yMDAxMDEwMDAwMDBaGA8",
            "yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwDdHdvMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFlK7eFgIXLHD4T1TxMYBJhvNQ8KOMx05i",
            "2Ie0R6R9PgKsQFKau0szhGi0GZuM/710Qvy2kgHRF9XA9IP7/ECJTAKBggqhkjOPQQDAgNHADBEAiB6UKXm888Xev9Ma1ZNWBgLNkZzNBEHVxl",
            "JtIKpFgzDhgIgCMW2deg/lUMRX+PVC6u8IL8dPe6xok7VtwjJtYNt60w=-----END CERTIFICATE-----",
            r#"", "PrivateKey": ""#,
            "-----BEGIN EC PRIVATE KEY-----MHcCAQEEICWoU2t9nOWulIbDJUHCBLMPfhzDNj4XM4jESlZ+PdGkoAoGCCqGSM49AwEHoUQDQgAEFlK7",
            "eFgIXLHD4T1TxMYBJhvNQ8KOMx05i2Ie0R6R9PgKsQFKau0szhGi0GZuM/710Qvy2kgHRF9XA9IP7/ECJQ==-----END EC PRIVATE KEY---",
            "--",
            r#"""#,
            $others,
            "}"
        )
    };
}

/// Parameters of the calls that create the examples: at least two of every kind, dependencies first. `$Kind.Field` is a
/// field of the last resource of a kind, `$Kind0.Field` of the first. Account and Region are replaced by those of the
/// session.
pub(crate) const EXAMPLES: &[(&str, &str)] = &[
    ("CryptoKey", r#"{"Description": "one"}"#),
    ("CryptoKey", r#"{"KeySpec": "HMAC_256", "KeyUsage": "GENERATE_VERIFY_MAC"}"#),
    ("CryptoKey", r#"{"Description": "three"}"#),
    ("KeyAlias", r#"{"AliasName": "alias/one", "TargetKeyId": "$CryptoKey0.KeyId"}"#),
    ("KeyAlias", r#"{"AliasName": "alias/two", "TargetKeyId": "$CryptoKey0.KeyId"}"#),
    (
        "KeyGrant",
        r#"{"KeyId": "$CryptoKey0.Arn", "Name": "one", "GranteePrincipal": "arn:aws:iam::123456789012:root",
        "RetiringPrincipal": "arn:aws:iam::123456789012:root", "Operations": ["DescribeKey", "RetireGrant"]}"#,
    ),
    (
        "KeyGrant",
        r#"{"KeyId": "$CryptoKey0.Arn", "Name": "two", "GranteePrincipal": "arn:aws:iam::210987654321:root",
        "RetiringPrincipal": "arn:aws:iam::123456789012:root", "Operations": ["Decrypt"],
        "Constraints": {"EncryptionContextSubset": {"team": "web"}}}"#,
    ),
    (
        "LogGroup",
        r#"{"logGroupName": "/a", "retentionInDays": 7, "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("LogGroup", r#"{"logGroupName": "/a/b", "logGroupClass": "INFREQUENT_ACCESS"}"#),
    ("LogGroup", r#"{"logGroupName": "/b", "kmsKeyId": "$CryptoKey0.Arn"}"#),
    ("LogStream", r#"{"logGroupName": "/a", "logStreamName": "/a"}"#),
    ("LogStream", r#"{"logGroupName": "/a", "logStreamName": "/a 2"}"#),
    (
        "LogEvent",
        r#"{"logGroupName": "/a", "logStreamName": "/a", "logEvents": [{"timestamp": 1769860800000, "message": "ERROR one"}]}"#,
    ),
    (
        "LogEvent",
        r#"{"logGroupName": "/a", "logStreamName": "/a 2", "logEvents": [{"timestamp": 1769860801000, "message": "two"}]}"#,
    ),
    (
        "MetricFilter",
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "ERROR",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "1"}]}"#,
    ),
    (
        "MetricFilter",
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "",
        "metricTransformations": [{"metricName": "m", "metricNamespace": "n", "metricValue": "$.a",
        "dimensions": {"d": "$.d"}, "unit": "Bytes/Second"}]}"#,
    ),
    (
        "SubscriptionFilter",
        r#"{"logGroupName": "/a", "filterName": "/a", "filterPattern": "",
        "destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:out"}"#,
    ),
    (
        "SubscriptionFilter",
        r#"{"logGroupName": "/a", "filterName": "two", "filterPattern": "x",
        "destinationArn": "arn:aws:kinesis:us-east-1:123456789012:stream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out", "distribution": "Random"}"#,
    ),
    (
        "Destination",
        r#"{"destinationName": "/a", "targetArn": "arn:aws:kinesis:us-east-1:123456789012:stream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out"}"#,
    ),
    (
        "Destination",
        r#"{"destinationName": "two", "targetArn": "arn:aws:firehose:us-east-1:123456789012:deliverystream/out",
        "roleArn": "arn:aws:iam::123456789012:role/out", "Tags": [{"Key": "team", "Value": "web"}],
        "accessPolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ),
    ("EventBus", r#"{"Name": "one", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}]}"#),
    ("EventBus", r#"{"Name": "two"}"#),
    (
        "EventRule",
        r#"{"Name": "one", "EventPattern": "{\"source\": [\"shop\"]}", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("EventRule", r#"{"Name": "two", "EventBusName": "one", "EventPattern": "{\"source\": [\"shop\"]}"}"#),
    ("EventRule", r#"{"Name": "three", "ScheduleExpression": "rate(1 day)", "State": "DISABLED"}"#),
    ("EventTarget", r#"{"Rule": "one", "Id": "one", "Arn": "arn:aws:sqs:us-east-1:123456789012:orders"}"#),
    (
        "Connection",
        r#"{"Name": "one", "Description": "d", "AuthorizationType": "BASIC",
        "AuthParameters": {"BasicAuthParameters": {"Username": "ann", "Password": "hunter2"}}}"#,
    ),
    (
        "Connection",
        r#"{"Name": "two", "AuthorizationType": "BASIC", "AuthParameters": {
            "BasicAuthParameters": {"Username": "ben", "Password": "hunter3"},
            "InvocationHttpParameters": {"HeaderParameters": [{"Key": "X-Team", "IsValueSecret": false}]}}}"#,
    ),
    (
        "ApiDestination",
        r#"{"Name": "one", "Description": "d", "ConnectionArn": "$Connection0.ConnectionArn",
        "InvocationEndpoint": "https://example.com/one/*", "HttpMethod": "POST", "InvocationRateLimitPerSecond": 5}"#,
    ),
    (
        "ApiDestination",
        r#"{"Name": "two", "ConnectionArn": "$Connection.ConnectionArn",
        "InvocationEndpoint": "http://localhost:9/two", "HttpMethod": "PUT"}"#,
    ),
    (
        "EventTarget",
        r#"{"Rule": "one", "Id": "two", "Arn": "arn:aws:logs:us-east-1:123456789012:log-group:/a",
        "RetryPolicy": {"MaximumRetryAttempts": 2}}"#,
    ),
    (
        "Archive",
        r#"{"ArchiveName": "one", "EventSourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/default"}"#,
    ),
    (
        "Archive",
        r#"{"ArchiveName": "two", "EventSourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/one",
        "Description": "d", "EventPattern": "{\"source\": [\"shop\"]}", "RetentionDays": 7}"#,
    ),
    ("Registry", r#"{"RegistryName": "one", "Description": "d", "Tags": {"team": "web"}}"#),
    ("Registry", r#"{"RegistryName": "two"}"#),
    (
        "Schema",
        r#"{"RegistryName": "one", "SchemaName": "s", "Type": "JSONSchemaDraft4", "Description": "d",
        "Content": "{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"type\": \"object\"}"}"#,
    ),
    (
        "Schema",
        r#"{"RegistryName": "one", "SchemaName": "t@1", "Type": "OpenApi3", "Content":
        "{\"openapi\": \"3.0.0\", \"info\": {\"version\": \"1\", \"title\": \"t\"}, \"paths\": {}, \"components\": {\"schemas\": {}}}"}"#,
    ),
    ("Discoverer", r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/default"}"#),
    (
        "Discoverer",
        r#"{"SourceArn": "arn:aws:events:us-east-1:123456789012:event-bus/other", "Description": "d",
        "CrossAccount": false, "Tags": {"team": "web"}}"#,
    ),
    (
        "Secret",
        r#"{"Name": "/a", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}, {"Key": "x", "Value": ""}],
        "SecretString": "hunter2"}"#,
    ),
    ("Secret", r#"{"Name": "one", "CryptoKeyId": "alias/one", "Type": "partner"}"#),
    ("SecretVersion", r#"{"SecretId": "/a", "SecretString": "hunter3"}"#),
    ("SecretVersion", r#"{"SecretId": "one", "SecretString": "hunter4"}"#),
    ("User", r#"{"UserName": "ann"}"#),
    ("User", r#"{"UserName": "bea", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#),
    ("Group", r#"{"GroupName": "api"}"#),
    ("Group", r#"{"GroupName": "web", "Path": "/web/"}"#),
    (
        "Role",
        r#"{"RoleName": "api", "AssumeRolePolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\", \"Principal\": {\"Service\": \"ec2.amazonaws.com\"}}]}"}"#,
    ),
    (
        "Role",
        r#"{"RoleName": "web", "Path": "/web/", "Description": "d", "MaxSessionDuration": 7200,
        "Tags": [{"Key": "team", "Value": "web"}], "AssumeRolePolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\", \"Principal\": {\"Service\": \"lambda.amazonaws.com\"}}]}"}"#,
    ),
    ("InstanceProfile", r#"{"InstanceProfileName": "api"}"#),
    (
        "InstanceProfile",
        r#"{"InstanceProfileName": "web", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("AccessKey", r#"{"UserName": "ann"}"#),
    ("AccessKey", r#"{"UserName": "bea"}"#),
    (
        "Policy",
        r#"{"PolicyName": "read", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}]}"}"#,
    ),
    (
        "Policy",
        r#"{"PolicyName": "write", "Path": "/web/", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}],
        "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"ec2:*\", \"Resource\": \"*\"}]}"}"#,
    ),
    (
        "PolicyVersion",
        r#"{"PolicyArn": "$Policy.Arn", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:*\", \"Resource\": \"*\"}]}"}"#,
    ),
    (
        "PolicyVersion",
        r#"{"PolicyArn": "$Policy.Arn", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"iam:*\", \"Resource\": \"*\"}]}"}"#,
    ),
    ("VirtualMFADevice", r#"{"VirtualMFADeviceName": "phone"}"#),
    (
        "VirtualMFADevice",
        r#"{"VirtualMFADeviceName": "key", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "OpenIDConnectProvider",
        r#"{"Url": "https://one.example", "ClientIDList": ["one"],
        "ThumbprintList": ["0000000000000000000000000000000000000001"]}"#,
    ),
    (
        "OpenIDConnectProvider",
        r#"{"Url": "https://two.example/id", "ClientIDList": ["two"], "Tags": [{"Key": "team", "Value": "web"}],
        "ThumbprintList": ["0000000000000000000000000000000000000002"]}"#,
    ),
    ("SAMLProvider", saml_provider!("one", "")),
    ("SAMLProvider", saml_provider!("two", r#", "Tags": [{"Key": "team", "Value": "web"}]"#)),
    ("ServerCertificate", server_certificate!("one", "")),
    (
        "ServerCertificate",
        server_certificate!("two", r#", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]"#),
    ),
    ("ServiceSpecificCredential", r#"{"UserName": "ann", "ServiceName": "codecommit.amazonaws.com"}"#),
    (
        "ServiceSpecificCredential",
        r#"{"UserName": "bea", "ServiceName": "bedrock.amazonaws.com", "CredentialAgeDays": 36600}"#,
    ),
    ("Vpc", r#"{"CidrBlock": "10.1.0.0/16", "InstanceTenancy": "dedicated"}"#),
    ("Vpc", r#"{"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "team", "Value": "web"}]}"#),
    ("Subnet", r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-east-1a"}"#),
    (
        "Subnet",
        r#"{"VpcId": "$Vpc.VpcId", "CidrBlock": "10.0.1.0/24", "AvailabilityZone": "us-east-1b",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("SecurityGroup", r#"{"GroupName": "api", "Description": "d", "VpcId": "$Vpc.VpcId"}"#),
    // In the default VPC.
    ("SecurityGroup", r#"{"GroupName": "db", "Description": "d"}"#),
    (
        "SecurityGroup",
        r#"{"GroupName": "web", "Description": "d", "VpcId": "$Vpc.VpcId", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("Instance", r#"{"ImageId": "ami-12345678"}"#),
    (
        "Instance",
        r#"{"ImageId": "ami-12345678", "SubnetId": "$Subnet.SubnetId", "InstanceType": "t3.micro", "KeyName": "key",
        "PrivateIpAddress": "10.0.1.10", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    ("TargetGroup", r#"{"Name": "tcp", "Protocol": "TCP", "Port": 80, "VpcId": "$Vpc.VpcId"}"#),
    ("TargetGroup", r#"{"Name": "fn", "TargetType": "function"}"#),
    (
        "TargetGroup",
        r#"{"Name": "web", "Protocol": "HTTP", "Port": 80, "VpcId": "$Vpc.VpcId",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "TrustStore",
        r#"{"Name": "api", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "api.pem"}"#,
    ),
    (
        "TrustStore",
        r#"{"Name": "web", "CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "LoadBalancer",
        r#"{"LoadBalancerName": "net", "Type": "network", "Scheme": "internal", "Subnets": ["$Subnet0.SubnetId"]}"#,
    ),
    (
        "LoadBalancer",
        r#"{"LoadBalancerName": "web", "Subnets": ["$Subnet0.SubnetId", "$Subnet.SubnetId"],
        "SecurityGroups": ["$SecurityGroup.GroupId"], "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer0.LoadBalancerArn", "Port": 443, "Protocol": "TLS",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/one"}],
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup0.TargetGroupArn"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 80, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}]}"#,
    ),
    (
        "Listener",
        r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn", "Port": 8080, "Protocol": "HTTP",
        "DefaultActions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "503"}}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
    (
        "Rule",
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "10",
        "Conditions": [{"Field": "path-pattern", "Values": ["/a"]}],
        "Actions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "404"}}]}"#,
    ),
    (
        "Rule",
        r#"{"ListenerArn": "$Listener.ListenerArn", "Priority": "20",
        "Conditions": [{"Field": "host-header", "Values": ["a.example.com"]}],
        "Actions": [{"Type": "forward", "TargetGroupArn": "$TargetGroup.TargetGroupArn"}],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ),
];

/// Updates with values that cannot be derived from the shape.
pub(crate) const CHANGES: &[(&str, &str)] = &[
    ("EventBus", r#"{"DeadLetterConfig": {"Arn": "arn:aws:sqs:us-east-1:123456789012:dead"}}"#),
    ("EventTarget", r#"{"DeadLetterConfig": {"Arn": "arn:aws:sqs:us-east-1:123456789012:dead"}}"#),
    ("EventTarget", r#"{"InputPath": "$.detail"}"#),
    ("EventTarget", r#"{"KinesisParameters": {"PartitionKeyPath": "$.detail.id"}}"#),
    ("EventTarget", r#"{"BatchParameters": {"JobDefinition": "report", "JobName": "report"}}"#),
    ("SubscriptionFilter", r#"{"destinationArn": "arn:aws:lambda:us-east-1:123456789012:function:other"}"#),
    ("SubscriptionFilter", r#"{"emitSystemFields": ["@source.log"]}"#),
    ("MetricFilter", r#"{"emitSystemFieldDimensions": ["@aws.region"]}"#),
    ("Destination", r#"{"targetArn": "arn:aws:kinesis:us-east-1:123456789012:stream/other"}"#),
    ("Destination", r#"{"roleArn": "arn:aws:iam::123456789012:role/other"}"#),
    (
        "Destination",
        r#"{"accessPolicy": "{\"Statement\": {\"Effect\": \"Deny\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ),
    ("TrustStore", r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem"}"#),
    (
        "TrustStore",
        r#"{"CaCertificatesBundleS3Bucket": "other", "CaCertificatesBundleS3Key": "other.pem",
        "CaCertificatesBundleS3ObjectVersion": "2"}"#,
    ),
    ("KeyAlias", r#"{"TargetKeyId": "$CryptoKey.KeyId"}"#),
    ("Connection", r#"{"KmsKeyIdentifier": "$CryptoKey.KeyId"}"#),
    (
        "Connection",
        r#"{"AuthorizationType": "API_KEY",
        "AuthParameters": {"ApiKeyAuthParameters": {"ApiKeyName": "X-Key", "ApiKeyValue": "hunter2"}}}"#,
    ),
    ("LoadBalancer", r#"{"SecurityGroups": ["$SecurityGroup0.GroupId"]}"#),
    ("LoadBalancer", r#"{"IpamPools": {"Ipv4IpamPoolId": "ipam-pool-0123456789abcdef0"}}"#),
    ("Listener", r#"{"AlpnPolicy": ["HTTP2Preferred"]}"#),
    ("Listener", r#"{"SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}"#),
    (
        "Listener",
        r#"{"Protocol": "HTTPS", "SslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
        "Certificates": [{"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/two"}],
        "MutualAuthentication": {"Mode": "verify", "TrustStoreArn": "$TrustStore.TrustStoreArn"}}"#,
    ),
    (
        "Rule",
        r#"{"Transforms": [{"Type": "url-rewrite",
        "UrlRewriteConfig": {"Rewrites": [{"Regex": "^/a", "Replace": "/b"}]}}]}"#,
    ),
];

/// Creates the examples in a cloud.
pub(crate) fn with_examples(cloud: Cloud) -> Cloud {
    cloud.register("renew", std::sync::Arc::new(|_, _| Ok(())));
    create_examples(&cloud.session());
    cloud
}

/// Creates the examples in the account and Region of the session.
pub(crate) fn create_examples(session: &Session) -> Vec<TestResource> {
    let mut all: Vec<TestResource> = Vec::new();
    for (name, example) in EXAMPLES {
        let input = parse_params(session, &all, example);
        let resource = TestResource::create(session, REGISTRY.kind(name).unwrap(), input);
        all.push(resource.unwrap_or_else(|error| panic!("{name} {example}: {error}")));
    }
    all
}

/// Parses JSON parameters, with the account and Region of the session and references to `created` resources.
pub(crate) fn parse_params(session: &Session, created: &[TestResource], text: &str) -> Map<Value> {
    let text = text.replace("us-east-1", session.region()).replace("123456789012", session.account());
    parse_json_params(&text).into_iter().map(|(field, value)| (field, resolved(created, value))).collect()
}

/// Resources of the examples in a default cloud.
pub(crate) static DEFAULT_EXAMPLES: LazyLock<Vec<TestResource>> =
    LazyLock::new(|| create_examples(&options().in_memory().session()));

/// Replaces each `$Kind.Field` by that field of the last created resource of the kind, and `$Kind0.Field` by that of the
/// first.
fn resolved(created: &[TestResource], value: Value) -> Value {
    match value {
        Value::Text(text) => {
            let named = text.strip_prefix('$').and_then(|path| path.split_once('.'));
            let field_value = named.and_then(|(name, field)| {
                let of = |name: &'static str| move |resource: &&TestResource| resource.kind.name == name;
                let kind = REGISTRY.kind(name.trim_end_matches('0')).filter(|_| !name.is_empty())?;
                let mut all = created.iter().filter(of(kind.name));
                let resource = if name.ends_with('0') { all.next() } else { all.next_back() };
                Some(
                    resource.unwrap_or_else(|| panic!("{text}: no such resource was created")).known[field]
                        .clone(),
                )
            });
            field_value.unwrap_or(Value::Text(text))
        }
        Value::List(items) => Value::List(items.into_iter().map(|item| resolved(created, item)).collect()),
        Value::Map(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, resolved(created, value))).collect())
        }
        value => value,
    }
}

/// Parses JSON parameters.
pub(crate) fn parse_json_params(text: &str) -> Map<Value> {
    match json::parse(text.as_bytes()).unwrap() {
        Value::Map(input) => input,
        other => panic!("parameters must be a JSON object, got {other:?}"),
    }
}
