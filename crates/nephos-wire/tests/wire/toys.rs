//! A toy service of trees in every protocol: all types of fields, with names and formats that differ on the wire.

use nephos_core::{
    Blob, Choice, Extra, Map, Operation, Record, Registry, Secret, Text, Timestamp, Value, operation,
    shape::{OperationShape, Protocol, ServiceShape},
};

nephos_core::codes! {
    /// The tree does not exist.
    NOT_FOUND = "TreeNotFound", 404, NotFound;
    /// The tree already exists.
    EXISTS = "TreeAlreadyExists", 409, AlreadyExists;
    /// A parameter is invalid.
    INVALID = "ValidationError", 400, Invalid;
    /// The service is unavailable.
    DOWN = "ServiceUnavailable", 503, Internal;
}

pub static REGISTRY: Registry = Registry {
    services: &[
        &by_target::SERVICE,
        &by_path::SERVICE,
        &by_form::SERVICE,
        &by_newer_form::SERVICE,
        &by_twin_form::SERVICE,
        &by_ec2_form::SERVICE,
    ],
};

/// The colour of a leaf.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum Colour {
    /// Green.
    #[choice("GREEN")]
    Green,
    /// A value with the provider's name.
    #[choice("PROVIDER_RED", wire = "AWS_RED")]
    ProviderRed,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

const STAGES: &[(&str, &str)] = &[("PROVIDERCURRENT", "AWSCURRENT"), ("PROVIDERPENDING", "AWSPENDING")];

/// A leaf: all scalar types.
#[derive(Record)]
pub struct Leaf {
    /// Text.
    pub name: Option<Text>,
    /// Text under another name.
    #[field(wire = "KmsKeyId")]
    pub crypto_key_id: Option<Text>,
    /// A whole number.
    pub count: Option<i64>,
    /// A number.
    pub size: Option<f64>,
    /// A boolean.
    pub on: Option<bool>,
    /// An enum.
    pub colour: Option<Colour>,
    /// Enums.
    pub colours: Option<Vec<Colour>>,
    /// Text with another spelling on the wire.
    #[field(spellings = STAGES)]
    pub stage: Option<Text>,
    /// Texts with another spelling on the wire.
    #[field(spellings = STAGES)]
    pub stages: Option<Vec<Text>>,
    /// A timestamp.
    pub grown: Option<Timestamp>,
    /// A timestamp in seconds.
    #[field(time = "epoch_seconds")]
    pub in_seconds: Option<Timestamp>,
    /// A timestamp in milliseconds.
    #[field(time = "epoch_millis")]
    pub in_millis: Option<Timestamp>,
    /// Timestamps in milliseconds.
    #[field(time = "epoch_millis")]
    pub all_millis: Option<Vec<Timestamp>>,
    /// A timestamp in ISO 8601.
    #[field(time = "iso8601")]
    pub in_iso: Option<Timestamp>,
    /// A timestamp in the format of headers.
    #[field(time = "http")]
    pub in_http: Option<Timestamp>,
    /// Bytes.
    pub data: Option<Blob>,
    /// A secret.
    pub password: Option<Secret>,
    /// Text that must not be printed.
    #[field(sensitive)]
    pub note: Option<Text>,
}

/// A tree: all ways to hold leaves.
#[derive(Record)]
pub struct Tree {
    /// Name of the tree.
    pub name: Option<Text>,
    /// A record.
    pub leaf: Option<Leaf>,
    /// Records with an item name of their own.
    #[field(item = "Leaf")]
    pub leaves: Option<Vec<Leaf>>,
    /// Records.
    pub rows: Option<Vec<Leaf>>,
    /// Texts in a flat list.
    #[field(flat)]
    pub twigs: Option<Vec<Text>>,
    /// Records in a flat list, with an item name of their own.
    #[field(flat, item = "Root")]
    pub roots: Option<Vec<Leaf>>,
    /// Records by name.
    pub by_name: Option<Map<Leaf>>,
    /// Numbers by name, in a flat mapping.
    #[field(flat)]
    pub sizes: Option<Map<f64>>,
    /// Lists by name.
    pub labels: Option<Map<Vec<Text>>>,
    /// Lists of lists.
    pub grid: Option<Vec<Vec<i64>>>,
    /// Anything.
    pub anything: Option<Value>,
    /// Text under a name in lower case.
    #[field(wire = "bark")]
    pub bark: Option<Text>,
    /// A field that is not on the wire.
    #[field(not_on_wire)]
    pub local: Option<Text>,
}

/// A bush with unknown fields.
#[derive(Record)]
#[record(extras)]
pub struct Bush {
    /// Height of the bush.
    pub height: Option<i64>,
    pub extra: Extra,
}

/// Trees.
#[derive(Record)]
pub struct Trees {
    /// One tree.
    pub tree: Option<Tree>,
    /// Several trees.
    #[field(item = "Tree")]
    pub trees: Option<Vec<Tree>>,
    /// A bush.
    pub bush: Option<Bush>,
    /// Pagination token of the next page.
    pub next_token: Option<Text>,
}

/// An empty answer.
#[derive(Record)]
pub struct Empty {}

const fn service(
    name: &'static str,
    signing: &'static str,
    api_version: &'static str,
    protocol: Protocol,
    operations: &'static [&'static OperationShape],
) -> ServiceShape {
    ServiceShape {
        docs: "Trees.",
        api_version,
        protocol,
        endpoint: signing,
        signing,
        operations,
        codes: ALL,
        invalid: &INVALID,
        ..ServiceShape::named(name)
    }
}

macro_rules! trees {
    ($module:ident, $signing:literal, $version:literal, $protocol:expr) => {
        pub mod $module {
            use super::*;

            pub static SERVICE: ServiceShape = service(
                stringify!($module),
                $signing,
                $version,
                $protocol,
                &[GrowTree::OPERATION, FellTree::OPERATION],
            );

            /// Grows a tree.
            #[operation(service = SERVICE, effect = write, output = Trees)]
            pub struct GrowTree {
                /// Name of the tree.
                pub name: Text,
                /// Tree to grow.
                pub tree: Option<Tree>,
                /// Names of its neighbours.
                pub names: Option<Vec<Text>>,
                /// Maximum number of rings.
                pub max_rings: Option<i64>,
                /// Idempotency token.
                #[field(idempotency_token)]
                pub client_token: Option<Text>,
            }

            /// Fells a tree.
            #[operation(service = SERVICE, effect = write, output = Empty)]
            pub struct FellTree {
                /// Name of the tree.
                pub name: Text,
            }
        }
    };
}

trees!(
    by_target,
    "grove-json",
    "2014-03-28",
    Protocol::AwsJson { target: "Grove_20140328.", version: "1.1", message: "message" }
);
trees!(by_form, "grove", "2012-06-01", Protocol::AwsQuery { namespace: "http://grove.example/2012-06-01/" });
trees!(
    by_ec2_form,
    "ec2grove",
    "2016-11-15",
    Protocol::Ec2Query { namespace: "http://ec2grove.example/2016-11-15/" }
);

/// The same signing name as [`by_form`], in a newer version.
pub mod by_newer_form {
    use super::*;

    pub static SERVICE: ServiceShape = service(
        "by_newer_form",
        "grove",
        "2015-12-01",
        Protocol::AwsQuery { namespace: "http://grove.example/2015-12-01/" },
        &[GrowTree::OPERATION, DescribeTrees::OPERATION],
    );

    /// Grows trees.
    #[operation(service = SERVICE, effect = write, output = Trees)]
    pub struct GrowTree {
        /// Name of the trees.
        pub name: Text,
    }

    /// Shows trees.
    #[operation(service = SERVICE, effect = read, output = Trees)]
    pub struct DescribeTrees {
        /// Names of the trees.
        pub names: Option<Vec<Text>>,
    }
}

/// The same signing name, version and action as [`by_newer_form`], with other parameters.
pub mod by_twin_form {
    use super::*;

    pub static SERVICE: ServiceShape = service(
        "by_twin_form",
        "grove",
        "2015-12-01",
        Protocol::AwsQuery { namespace: "http://grove.example/2015-12-01/" },
        &[DescribeTrees::OPERATION],
    );

    /// Shows trees of a species.
    #[operation(service = SERVICE, effect = read, output = Trees)]
    pub struct DescribeTrees {
        /// Names of the trees.
        pub names: Option<Vec<Text>>,
        /// Species of the trees.
        pub species: Option<Text>,
    }
}

/// Trees by method and path, with parameters in all locations.
pub mod by_path {
    use super::*;

    pub static SERVICE: ServiceShape = service(
        "by_path",
        "grove-rest",
        "2019-12-02",
        Protocol::RestJson,
        &[GrowTree::OPERATION, ShowTree::OPERATION, FellTree::OPERATION],
    );

    /// Grows a tree.
    #[operation(service = SERVICE, effect = write, output = Trees, http("POST", "/v1/trees/{Name}", 201))]
    pub struct GrowTree {
        /// Name of the tree.
        #[field(in_path)]
        pub name: Text,
        /// Tree to grow.
        pub tree: Option<Tree>,
        /// Names of its neighbours.
        #[field(in_query, wire = "name")]
        pub names: Option<Vec<Text>>,
        /// Time when it was seen.
        #[field(in_query, wire = "seen", time = "epoch_millis")]
        pub seen: Option<Timestamp>,
        /// Stage of the tree.
        #[field(in_query, wire = "stage", spellings = STAGES)]
        pub stage: Option<Text>,
        /// True if it is guarded.
        #[field(in_header, wire = "x-guarded")]
        pub guarded: Option<bool>,
        /// Time when it was planted.
        #[field(in_header, wire = "x-planted")]
        pub planted: Option<Timestamp>,
        /// Seal of the tree.
        #[field(in_header, wire = "x-seal")]
        pub seal: Option<Blob>,
    }

    /// Shows a tree.
    #[operation(service = SERVICE, effect = read, output = Shown, http("GET", "/v1/trees/{Name}/at/{Place+}", 200))]
    pub struct ShowTree {
        /// Name of the tree.
        #[field(in_path)]
        pub name: Text,
        /// Place of the tree.
        #[field(in_path)]
        pub place: Text,
    }

    /// Answer of `ShowTree`.
    #[derive(Record)]
    pub struct Shown {
        /// Tree that is shown.
        pub tree: Option<Tree>,
        /// Time when it was last seen.
        #[field(in_header, wire = "last-modified")]
        pub seen: Option<Timestamp>,
        /// Number of rings.
        #[field(in_header, wire = "x-rings")]
        pub rings: Option<i64>,
    }

    /// Fells a tree.
    #[operation(service = SERVICE, effect = write, output = Empty, http("DELETE", "/v1/trees/{Name}", 204))]
    pub struct FellTree {
        /// Name of the tree.
        #[field(in_path)]
        pub name: Text,
    }
}
