//! Trees, in every protocol: what a record can hold, under names and in forms that differ on the wire.

use nephos_core::{
    Blob, Choice, Extra, Map, Operation, Record, Registry, Secret, Text, Timestamp, Value, operation,
    shape::{OperationShape, Protocol, ServiceShape},
};

nephos_core::codes! {
    /// There is no such tree.
    NOT_FOUND = "TreeNotFound", 404, NotFound;
    /// The tree is there already.
    EXISTS = "TreeAlreadyExists", 409, AlreadyExists;
    /// A parameter is wrong.
    INVALID = "ValidationError", 400, Invalid;
    /// The forest burns.
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
    /// The provider's own.
    #[choice("PROVIDER_RED", wire = "AWS_RED")]
    ProviderRed,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

const STAGES: &[(&str, &str)] = &[("PROVIDERCURRENT", "AWSCURRENT"), ("PROVIDERPENDING", "AWSPENDING")];

/// A leaf: every scalar.
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
    /// Yes or no.
    pub on: Option<bool>,
    /// An enum.
    pub colour: Option<Colour>,
    /// Enums.
    pub colours: Option<Vec<Colour>>,
    /// Text that the wire spells otherwise.
    #[field(spellings = STAGES)]
    pub stage: Option<Text>,
    /// Texts that the wire spells otherwise.
    #[field(spellings = STAGES)]
    pub stages: Option<Vec<Text>>,
    /// An instant.
    pub grown: Option<Timestamp>,
    /// An instant in seconds.
    #[field(time = "epoch_seconds")]
    pub in_seconds: Option<Timestamp>,
    /// An instant in milliseconds.
    #[field(time = "epoch_millis")]
    pub in_millis: Option<Timestamp>,
    /// Instants in milliseconds.
    #[field(time = "epoch_millis")]
    pub all_millis: Option<Vec<Timestamp>>,
    /// An instant in ISO 8601.
    #[field(time = "iso8601")]
    pub in_iso: Option<Timestamp>,
    /// An instant as in headers.
    #[field(time = "http")]
    pub in_http: Option<Timestamp>,
    /// Bytes.
    pub data: Option<Blob>,
    /// A secret.
    pub password: Option<Secret>,
    /// Text not to be printed.
    #[field(sensitive)]
    pub note: Option<Text>,
}

/// A tree: every way to hold leaves.
#[derive(Record)]
pub struct Tree {
    /// Its name.
    pub name: Option<Text>,
    /// A record.
    pub leaf: Option<Leaf>,
    /// Records under a name of their own.
    #[field(item = "Leaf")]
    pub leaves: Option<Vec<Leaf>>,
    /// Records.
    pub rows: Option<Vec<Leaf>>,
    /// Texts without a list around them.
    #[field(flat)]
    pub twigs: Option<Vec<Text>>,
    /// Records without a list around them, under a name of their own.
    #[field(flat, item = "Root")]
    pub roots: Option<Vec<Leaf>>,
    /// Records by name.
    pub by_name: Option<Map<Leaf>>,
    /// Numbers by name, without a mapping around them.
    #[field(flat)]
    pub sizes: Option<Map<f64>>,
    /// Lists by name.
    pub labels: Option<Map<Vec<Text>>>,
    /// Lists of lists.
    pub grid: Option<Vec<Vec<i64>>>,
    /// Anything.
    pub anything: Option<Value>,
    /// Text under a name in small letters.
    #[field(wire = "bark")]
    pub bark: Option<Text>,
    /// What the wire does not have.
    #[field(not_on_wire)]
    pub local: Option<Text>,
}

/// A bush, of whatever else it has.
#[derive(Record)]
#[record(extras)]
pub struct Bush {
    /// How high it is.
    pub height: Option<i64>,
    pub extra: Extra,
}

/// Trees.
#[derive(Record)]
pub struct Trees {
    /// One.
    pub tree: Option<Tree>,
    /// Many.
    #[field(item = "Tree")]
    pub trees: Option<Vec<Tree>>,
    /// A bush.
    pub bush: Option<Bush>,
    /// Where to go on.
    pub next_token: Option<Text>,
}

/// Nothing.
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
        name,
        docs: "Trees.",
        api_version,
        protocol,
        endpoint: signing,
        signing,
        global: false,
        kinds: &[],
        operations,
        codes: ALL,
        invalid: &INVALID,
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
                /// Its name.
                pub name: Text,
                /// The tree.
                pub tree: Option<Tree>,
                /// Its neighbours.
                pub names: Option<Vec<Text>>,
                /// How many rings it may have at most.
                pub max_rings: Option<i64>,
                /// So that it is grown once.
                #[field(token)]
                pub client_token: Option<Text>,
            }

            /// Fells a tree.
            #[operation(service = SERVICE, effect = write, output = Empty)]
            pub struct FellTree {
                /// Its name.
                pub name: Text,
            }
        }
    };
}

trees!(
    by_target,
    "grove-json",
    "2014-03-28",
    Protocol::AwsJson { target: "Grove_20140328.", version: "1.1" }
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
        /// Their name.
        pub name: Text,
    }

    /// Shows trees.
    #[operation(service = SERVICE, effect = read, output = Trees)]
    pub struct DescribeTrees {
        /// Their names.
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
        /// Their names.
        pub names: Option<Vec<Text>>,
        /// Their species.
        pub species: Option<Text>,
    }
}

/// Trees by method and path, with members everywhere.
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
        /// Its name.
        #[field(in_path)]
        pub name: Text,
        /// The tree.
        pub tree: Option<Tree>,
        /// Its neighbours.
        #[field(in_query, wire = "name")]
        pub names: Option<Vec<Text>>,
        /// When it was seen.
        #[field(in_query, wire = "seen", time = "epoch_millis")]
        pub seen: Option<Timestamp>,
        /// Its stage.
        #[field(in_query, wire = "stage", spellings = STAGES)]
        pub stage: Option<Text>,
        /// Whether it is guarded.
        #[field(in_header, wire = "x-guarded")]
        pub guarded: Option<bool>,
        /// When it was planted.
        #[field(in_header, wire = "x-planted")]
        pub planted: Option<Timestamp>,
        /// Its seal.
        #[field(in_header, wire = "x-seal")]
        pub seal: Option<Blob>,
    }

    /// Shows a tree.
    #[operation(service = SERVICE, effect = read, output = Shown, http("GET", "/v1/trees/{Name}/at/{Place+}", 200))]
    pub struct ShowTree {
        /// Its name.
        #[field(in_path)]
        pub name: Text,
        /// Where it stands.
        #[field(in_path)]
        pub place: Text,
    }

    /// A tree that is shown.
    #[derive(Record)]
    pub struct Shown {
        /// The tree.
        pub tree: Option<Tree>,
        /// When it was last seen.
        #[field(in_header, wire = "last-modified")]
        pub seen: Option<Timestamp>,
        /// How many rings it has.
        #[field(in_header, wire = "x-rings")]
        pub rings: Option<i64>,
    }

    /// Fells a tree.
    #[operation(service = SERVICE, effect = write, output = Empty, http("DELETE", "/v1/trees/{Name}", 204))]
    pub struct FellTree {
        /// Its name.
        #[field(in_path)]
        pub name: Text,
    }
}
