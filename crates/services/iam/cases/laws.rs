//! Facts about the kinds of the service for the laws over all kinds.

mod certificates;
mod clean_up;

use certificates::{saml_provider, server_certificate};
use nephos_iam::{
    AccessKey, AccountSummary, Group, InstanceProfile, LoginProfile, OpenIDConnectProvider, PasswordPolicy,
    Policy, PolicyVersion, Role, SAMLProvider, SSHPublicKey, ServerCertificate, ServiceSpecificCredential,
    SigningCertificate, User, VirtualMFADevice,
};
use nephos_testing::{Duplicate, KindFacts, LawFacts, RemainingRows, Step};

/// Parameters of an inline policy.
macro_rules! inline_policy {
    ($name:literal) => {
        concat!(
            r#"{"PolicyName": ""#,
            $name,
            r#"", "PolicyDocument": "{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#
        )
    };
}

const USER: KindFacts = KindFacts {
    examples: &[
        r#"{"UserName": "ann"}"#,
        r#"{"UserName": "bea", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    page_items: &[
        Step::last("add_to_group", r#"{"GroupName": "api"}"#),
        Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
        Step::last("put_policy", inline_policy!("one")),
        Step::last("put_policy", inline_policy!("two")),
    ],
    ..KindFacts::of::<User>()
};

const GROUP: KindFacts = KindFacts {
    examples: &[r#"{"GroupName": "api"}"#, r#"{"GroupName": "web", "Path": "/web/"}"#],
    page_items: &[
        Step::last("add_user", r#"{"UserName": "ann"}"#),
        Step::last("add_user", r#"{"UserName": "bea"}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
        Step::last("attach_policy", r#"{"GroupName": "api", "PolicyArn": "$Policy.Arn"}"#),
        Step::last("put_inline_policy", inline_policy!("one")),
        Step::last("put_inline_policy", inline_policy!("two")),
    ],
    ..KindFacts::of::<Group>()
};

const ROLE: KindFacts = KindFacts {
    examples: &[
        r#"{"RoleName": "api", "AssumeRolePolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\", \"Principal\": {\"Service\": \"ec2.amazonaws.com\"}}]}"}"#,
        r#"{"RoleName": "web", "Path": "/web/", "Description": "d", "MaxSessionDuration": 7200,
        "Tags": [{"Key": "team", "Value": "web"}], "AssumeRolePolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:AssumeRole\", \"Principal\": {\"Service\": [\"lambda.amazonaws.com\", \"codepipeline.amazonaws.com\"]}}]}"}"#,
    ],
    page_items: &[
        Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
        Step::last("attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
        Step::last("put_policy", inline_policy!("one")),
        Step::last("put_policy", inline_policy!("two")),
    ],
    ..KindFacts::of::<Role>()
};

const INSTANCE_PROFILE: KindFacts = KindFacts {
    examples: &[
        r#"{"InstanceProfileName": "api"}"#,
        r#"{"InstanceProfileName": "web", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    page_items: &[
        Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
        Step::last("add_role", r#"{"RoleName": "web"}"#),
        Step::last("add_role", r#"{"InstanceProfileName": "api", "RoleName": "web"}"#),
    ],
    ..KindFacts::of::<InstanceProfile>()
};

const ACCESS_KEY: KindFacts = KindFacts {
    examples: &[r#"{"UserName": "ann"}"#, r#"{"UserName": "bea"}"#],
    duplicate: Duplicate::Allowed,
    list_parameters: &[("UserName", "UserName")],
    page_items: &[Step::last("create", r#"{"UserName": "bea"}"#)],
    never_created: &[("Status", "a new key is active")],
    ..KindFacts::of::<AccessKey>()
};

const POLICY: KindFacts = KindFacts {
    examples: &[
        r#"{"PolicyName": "read", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}]}"}"#,
        r#"{"PolicyName": "write", "Path": "/web/", "Description": "d", "Tags": [{"Key": "team", "Value": "web"}],
        "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"ec2:*\", \"Resource\": \"*\"}]}"}"#,
    ],
    page_items: &[Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#)],
    // Without the 1,582 policies of AWS, which no law can change.
    call_parameters: &[("list", r#"{"Scope": "Local"}"#)],
    ..KindFacts::of::<Policy>()
};

const POLICY_VERSION: KindFacts = KindFacts {
    examples: &[
        r#"{"PolicyArn": "$Policy.Arn", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"sts:*\", \"Resource\": \"*\"}]}"}"#,
        r#"{"PolicyArn": "$Policy.Arn", "PolicyDocument":
        "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"iam:*\", \"Resource\": \"*\"}]}"}"#,
    ],
    duplicate: Duplicate::Allowed,
    list_parameters: &[("PolicyArn", "Arn")],
    ..KindFacts::of::<PolicyVersion>()
};

const VIRTUAL_MFA_DEVICE: KindFacts = KindFacts {
    examples: &[
        r#"{"VirtualMFADeviceName": "phone"}"#,
        r#"{"VirtualMFADeviceName": "key", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    page_items: &[Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#)],
    ..KindFacts::of::<VirtualMFADevice>()
};

const OPEN_ID_CONNECT_PROVIDER: KindFacts = KindFacts {
    examples: &[
        r#"{"Url": "https://one.example", "ClientIDList": ["one"],
        "ThumbprintList": ["0000000000000000000000000000000000000001"]}"#,
        r#"{"Url": "https://two.example/id", "ClientIDList": ["two"], "Tags": [{"Key": "team", "Value": "web"}],
        "ThumbprintList": ["0000000000000000000000000000000000000002"]}"#,
    ],
    listed_at_once: true,
    page_items: &[Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#)],
    idempotent_delete: true,
    ..KindFacts::of::<OpenIDConnectProvider>()
};

const SAML_PROVIDER: KindFacts = KindFacts {
    examples: &[
        saml_provider!("one", ""),
        saml_provider!("two", r#", "Tags": [{"Key": "team", "Value": "web"}]"#),
    ],
    never_changed: &[("AssertionEncryptionMode", "needs a private key, which is given beside the model")],
    listed_at_once: true,
    page_items: &[Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#)],
    ..KindFacts::of::<SAMLProvider>()
};

const SERVER_CERTIFICATE: KindFacts = KindFacts {
    examples: &[
        server_certificate!("one", ""),
        server_certificate!("two", r#", "Path": "/web/", "Tags": [{"Key": "team", "Value": "web"}]"#),
    ],
    not_returned: &["PrivateKey"],
    page_items: &[Step::last("tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#)],
    never_created: &[("CertificateChain", "needs certificates that sign each other: cases upload a chain")],
    ..KindFacts::of::<ServerCertificate>()
};

const SERVICE_SPECIFIC_CREDENTIAL: KindFacts = KindFacts {
    examples: &[
        r#"{"UserName": "ann", "ServiceName": "codecommit.amazonaws.com"}"#,
        r#"{"UserName": "bea", "ServiceName": "bedrock.amazonaws.com", "CredentialAgeDays": 36600}"#,
    ],
    duplicate: Duplicate::Allowed,
    list_parameters: &[("UserName", "UserName")],
    never_created: &[("Status", "a new credential is active")],
    ..KindFacts::of::<ServiceSpecificCredential>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unchecked_references: &[
        (
            &[
                "User put_policy PolicyName",
                "User delete_policy PolicyName",
                "Group put_inline_policy PolicyName",
                "Group remove_inline_policy PolicyName",
                "Group put_policy PolicyName",
                "Group delete_policy PolicyName",
                "Role put_policy PolicyName",
                "Role delete_policy PolicyName",
            ],
            "it names an inline policy",
        ),
        (
            &["User add_to_group GroupName", "Group add_user UserName"],
            "memberships are listed by calls of their own",
        ),
        (&["InstanceProfile remove_role RoleName"], "profiles of examples have no roles"),
        (
            &[
                "VirtualMFADevice enable UserName",
                "VirtualMFADevice deactivate UserName",
                "VirtualMFADevice resync UserName",
            ],
            "needs codes of the device",
        ),
    ],
    kinds: &[
        USER,
        GROUP,
        ROLE,
        INSTANCE_PROFILE,
        ACCESS_KEY,
        POLICY,
        POLICY_VERSION,
        VIRTUAL_MFA_DEVICE,
        OPEN_ID_CONNECT_PROVIDER,
        SAML_PROVIDER,
        SERVER_CERTIFICATE,
        SERVICE_SPECIFIC_CREDENTIAL,
        KindFacts::excluded::<LoginProfile>("the provider does not list them"),
        KindFacts::excluded::<SigningCertificate>(
            "each certificate of a user must be another, and none can be made from a number",
        ),
        KindFacts::excluded::<SSHPublicKey>(
            "each key of a user must be another, and none can be made from a number",
        ),
        KindFacts::excluded::<PasswordPolicy>("an account has at most one, and it has no identity"),
        KindFacts::excluded::<AccountSummary>(
            "there is one for each account, and nothing creates or deletes it",
        ),
    ],
    values: &[
        ("AWSServiceName", "ecs.amazonaws.com"),
        ("PermissionsBoundary", "arn:aws:iam::aws:policy/ReadOnlyAccess"),
        ("PolicySourceArn", "arn:aws:iam::123456789012:user/ann"),
        ("CallerArn", "arn:aws:iam::123456789012:user/ann"),
        ("ResourceOwner", "arn:aws:iam::123456789012:root"),
        ("ActionName", "logs:GetLogEvents"),
        ("PolicyInputList", r#"{"Statement": {"Effect": "Allow", "Action": "logs:*", "Resource": "*"}}"#),
        (
            "PermissionsBoundaryPolicyInputList",
            r#"{"Statement": {"Effect": "Allow", "Action": "logs:*", "Resource": "*"}}"#,
        ),
        (
            "ServiceControlPolicyInputList",
            r#"{"Statement": {"Effect": "Allow", "Action": "logs:*", "Resource": "*"}}"#,
        ),
        ("OpenIDConnectProviderArn", "arn:aws:iam::123456789012:oidc-provider/one.example"),
        ("SAMLProviderArn", "arn:aws:iam::123456789012:saml-provider/one"),
        (
            "SSHPublicKeyBody",
            "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDUTxj8uGmh5+0HFLaVyagbkeJlklAnTDbN7SRcddU1DxkfUm7KqLHRpw3nkUSeqKueMJRNqmaYOUv46ujecbzaQiZyBY/GMkGWQhz50ros+iJlpW8XGTkfkE8l+YTTHLA82bAQJmB3NvdFq6+GglwkKaREKTpC0xgfOCRx9YuRHMJQ9m0duQufGRGktExLOupGPVb7ObbMesnNSDhiMfo2P4ovC8n5A+ybBbJYEiCyXKTpUGvkA2jdlVa2juHfKmCIaOV48zdY2dgT8P3II25cPODJTsKqBCZ/rPpX/wVBGjsJVFcxoD/Pqdm0iQ860K+53+EjuMFa5JSvUdy4M3Ld",
        ),
        ("Password", "correct-Horse-7"),
    ],
    texts: &["arn:aws:iam::123456789012:role/out"],
    unreachable: &[
        (
            &["ServerCertificate create", "iam UploadServerCertificate"],
            "needs a certificate and its private key",
        ),
        (&["SigningCertificate update", "iam UpdateSigningCertificate"], "needs the ID of a certificate"),
        (&["SigningCertificate delete", "iam DeleteSigningCertificate"], "needs the ID of a certificate"),
        (&["SSHPublicKey get", "iam GetSSHPublicKey"], "needs the ID of a key"),
        (&["SSHPublicKey update", "iam UpdateSSHPublicKey"], "needs the ID of a key"),
        (&["SSHPublicKey delete", "iam DeleteSSHPublicKey"], "needs the ID of a key"),
        (&["iam GetServiceLastAccessedDetails"], "needs the ID of a report"),
        (&["iam GetServiceLastAccessedDetailsWithEntities"], "needs the ID of a report"),
    ],
    unpaged: &[
        ("GetAccountAuthorizationDetails", "a page has items in several lists"),
        ("ListAccountAliases", "an account has at most one alias"),
        ("ListMFADevices", "a device is enabled by codes of its seed"),
        ("ListSigningCertificates", "each certificate of a user must be another"),
        ("ListSSHPublicKeys", "each key of a user must be another"),
        ("GetServiceLastAccessedDetails", "it needs the ID of a report"),
        ("GetServiceLastAccessedDetailsWithEntities", "it needs the ID of a report"),
    ],
    page_parameters: &[
        (
            "SimulateCustomPolicy",
            r#"{"ActionNames": ["logs:GetLogEvents", "logs:PutLogEvents"], "PolicyInputList": ["{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"]}"#,
        ),
        (
            "SimulatePrincipalPolicy",
            r#"{"ActionNames": ["logs:GetLogEvents", "logs:PutLogEvents"], "PolicySourceArn": "arn:aws:iam::123456789012:user/ann"}"#,
        ),
        ("ListAccessKeys", r#"{"UserName": "bea"}"#),
        ("ListServiceSpecificCredentials", r#"{"AllUsers": true}"#),
        ("ListOpenIDConnectProviderTags", r#"{"OpenIDConnectProviderArn": "$OpenIDConnectProvider.Arn"}"#),
        ("ListSAMLProviderTags", r#"{"SAMLProviderArn": "$SAMLProvider.Arn"}"#),
    ],
    remaining_rows: &[(
        RemainingRows::Table("iam/credential-report"),
        "the last report is replaced, not deleted",
    )],
    clean_up: clean_up::clean_up,
    ..LawFacts::of(&nephos_iam::SERVICE)
};
