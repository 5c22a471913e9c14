//! The example of docs/describing-a-kind.md: a small service with one kind, described word by word.
//!
//! The page shows the parts between `// part: NAME` and `// end`.

use nephos_cloud::{Addressed, Cloud, Handler, Quota, Stored, TagRules, TaggedKind, Tx, own_arn};
use nephos_core::{
    Empty, ErrorKind, Record, Resource, Result, SignedDuration, Slot, Tag, Tagged as _, Text, Timestamp,
    choices, operation, record_of, shape::Protocol, with_tags,
};

/// Error codes of the service.
pub mod errors {
    // part: errors
    nephos_core::codes! {
        /// A parameter breaks a rule.
        VALIDATION = "ValidationException", 400, Invalid {
            invalid_next_token = "The token is not valid.";
            invalid_tag(key) = "The tag {key} is not valid.";
            reserved_tag(key) = "The tag {key} is reserved.";
            duplicate_tag(key) = "The tag {key} is given twice.";
            resource_arn_invalid(arn) = "{arn} is not the ARN of a garage.";
        }
        /// A quota is reached.
        LIMIT = "LimitExceededException", 400, LimitExceeded {
            too_many_garages = "There are too many garages.";
            too_many_tags = "There are too many tags.";
        }
        /// The resource does not exist.
        NOT_FOUND = "ResourceNotFoundException", 404, NotFound {
            garage_not_found(name) = "Garage {name} does not exist.";
        }
        /// The resource exists already.
        EXISTS = "ResourceAlreadyExistsException", 409, AlreadyExists {
            garage_exists(name) = "Garage {name} already exists.";
        }
    }
    // end
}

// part: kind
choices! {
    /// State of a garage.
    #[derive(Eq)]
    pub enum GarageState {
        /// The garage is being built.
        Creating = "CREATING",
        /// Cars can park.
        Open = "OPEN",
        /// The garage is being removed.
        Deleting = "DELETING",
    }
}

/// A garage.
#[derive(Resource)]
#[resource(
    arn("Arn", "garage/{Name}"), name = "Name", pk = "Name", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::garage_not_found(name)
)]
pub struct Garage {
    /// Name of the garage, unique within account and Region.
    #[field(fixed, length(1..=64), pattern = "[a-z0-9-]+")]
    name: Option<Text>,
    /// ARN of the garage.
    #[field(service_set)]
    arn: Option<Text>,
    /// Number of parking spaces.
    #[field(required, range(1..=9999))]
    spaces: Option<i64>,
    /// Text for the sign at the entrance.
    #[field(length(..=80), clear = "")]
    sign: Option<Text>,
    /// State of the garage.
    #[field(service_set)]
    state: Option<GarageState>,
    /// Time of creation.
    #[field(service_set, not_in_list)]
    created: Option<Timestamp>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}
// end

// part: rows
nephos_cloud::stored! {
    Garage in "parking/garage" by name;
    arn arn;
    states("State": "CREATING" => "OPEN" 60, "DELETING" => removed 30)
}
// end

// part: create
/// Quota of an account in a Region.
const GARAGES: Quota = Quota { counter: "parking/garage", max: 20, what: "garages" };

/// Builds a garage.
#[operation(
    of = Garage, call = "create", model, read_back, needs(name, spaces), takes(settable), answers(arn, state), effect = write
)]
pub struct CreateGarage {}

impl Handler for CreateGarage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = TAG_RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if Garage::find_by(cx, &[&self.name])?.is_some() {
            return Err(errors::garage_exists(&self.name));
        }
        GARAGES.add_one(cx, errors::too_many_garages)?;
        let mut garage = Garage::from_given(self);
        garage.arn = own_arn(&garage, cx.scope());
        garage.tags = nephos_cloud::tags::to_list(tags);
        garage.state = Some(GarageState::Creating);
        garage.created = Some(cx.now());
        cx.put_and_schedule_transition(garage.clone())?;
        Ok(garage.into())
    }
}
// end

// part: get
/// Describes a garage.
#[operation(
    of = Garage, call = "get", none_if_missing, with = with_tags, needs(name), wraps(garage), effect = read
)]
pub struct DescribeGarage {}

impl Handler for DescribeGarage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(Garage::require(cx, &self.name, "Name")?.into())
    }
}
// end

// part: list
/// Pagination of listings.
#[derive(Record)]
#[record(shared)]
pub struct Paged {
    /// Maximum number of results on a page.
    #[field(page_size = 50, range(1..=100))]
    limit: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    next_token: Option<Text>,
}

/// Lists garages, in order of their names.
#[operation(
    of = Garage, call = "list", page(garages, next_token), include(Paged), pushdown(name_prefix = "Name"), effect = read
)]
pub struct ListGarages {
    /// Prefix of the names.
    #[field(like = Garage::name)]
    pub name_prefix: Option<Text>,
}

impl Handler for ListGarages {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let rows = Garage::table(cx.scope()).text_prefix(prefix);
        Ok(cx.page_rows(&self, &rows, |garage: Garage| Ok(Some(garage)))?.into())
    }
}
// end

// part: update
/// Changes a garage. What is not given stays; an empty sign is removed.
#[operation(
    of = Garage, call = "update", changes, needs(name), takes(changeable), except(tags), effect = write
)]
pub struct UpdateGarage {}

impl Handler for UpdateGarage {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut garage = Garage::require(cx, &self.name, "Name")?;
        garage.take_given(&mut self);
        cx.put(garage)?;
        Ok(Empty {})
    }
}
// end

// part: delete
/// Removes a garage.
#[operation(of = Garage, call = "delete", on_model, needs(name), effect = write)]
pub struct DeleteGarage {}

impl Handler for DeleteGarage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut garage = Garage::require(cx, &self.name, "Name")?;
        GARAGES.remove_one(cx)?;
        garage.state = Some(GarageState::Deleting);
        cx.put_and_schedule_transition(garage)?;
        Ok(Empty {})
    }
}
// end

// part: part of a kind
/// A garage as the city's map shows it.
#[record_of(of = Garage, takes(name, spaces as places), answer)]
pub struct MapEntry {
    /// True if cars can park.
    is_open: Option<bool>,
}

/// Returns the map.
#[operation(of = Garage, call = "map", wraps(entries: Vec<MapEntry>), effect = read, subject = "*")]
pub struct DescribeMap {}

impl Handler for DescribeMap {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let all: Vec<Garage> = cx.all(&Garage::table(cx.scope()))?;
        let entry = |garage: Garage| {
            let is_open = garage.state == Some(GarageState::Open);
            MapEntry { is_open: Some(is_open), ..MapEntry::from(garage) }
        };
        Ok(all.into_iter().map(entry).collect::<Vec<_>>().into())
    }
}
// end

// part: tags
/// Rules for tags, with the errors of the service.
const TAG_RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::reserved_tag(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

impl TaggedKind for Garage {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        Self::require_tagged(cx, arn)
    }
}

/// Adds tags to a garage.
#[operation(effect = write, subject = "{ResourceArn}")]
pub struct TagResource {
    /// ARN of the garage.
    pub resource_arn: Text,
    /// Tags to add.
    pub tags: Vec<Tag>,
}

/// Removes tags from a garage.
#[operation(effect = write, subject = "{ResourceArn}")]
pub struct UntagResource {
    /// ARN of the garage.
    pub resource_arn: Text,
    /// Keys of the tags to remove.
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a garage.
#[operation(wraps(tags: Vec<Tag>), effect = read, subject = "{ResourceArn}")]
pub struct ListTagsForResource {
    /// ARN of the garage.
    pub resource_arn: Text,
}

nephos_cloud::tagging! {
    rules: TAG_RULES, unknown: |arn| errors::resource_arn_invalid(arn).with_field("ResourceArn");
    TagResource(resource_arn, tags: Vec<Tag>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Vec<Tag>;
    Garage, by "Arn": GarageTag, GarageUntag, GarageListTags;
}
// end

// part: service
nephos_cloud::service! {
    PARKING = "parking", "Garages.";
    shape {
        api_version: "2026-01-31",
        protocol: Protocol::AwsJson { target: "Parking.", version: "1.1", message: "message" },
        invalid: &errors::VALIDATION,
        invalid_token: errors::invalid_next_token,
    }
    kinds { Garage }
    operations {
        CreateGarage, DescribeGarage, ListGarages, UpdateGarage, DeleteGarage, DescribeMap,
        TagResource, UntagResource, ListTagsForResource,
    }
    calls { GarageTag, GarageUntag, GarageListTags }
    tables { Garage }
    access { find_resource: Some(find_resource), }
}
// end

/// The services of the test.
struct OneService;

impl nephos_cloud::ServiceSet for OneService {
    const SERVICES: &'static [&'static nephos_cloud::Service] = &[&PARKING];
}

#[test]
fn described_kind_has_a_whole_life() -> Result<()> {
    // part: use
    let cloud: Cloud<OneService> = Cloud::in_memory();
    let garages = Garage::objects(&cloud.session());
    let plan = Garage::builder().name("west").spaces(120).sign("West").tags(vec![Tag::new("zone", "1")]);
    let mut west = garages.create(&plan.build()?).wait()?;
    assert_eq!(west.arn()?, Some("arn:aws:parking:us-east-1:123456789012:garage/west"));
    west.clear_sign()?;
    west.tags_mut().wait()?.insert("zone", "2")?;
    west.save().wait()?;
    let found = garages.get("west").wait()?.unwrap();
    assert_eq!((found.sign(), found.spaces()), (None, Some(120)));
    assert_eq!(found.tags_map().wait()?.get("zone").map(Text::as_str), Some("2"));
    // end
    let map = garages.map().wait()?;
    assert_eq!((map[0].name(), map[0].places()), (Some("west"), Some(120)));
    assert_eq!(garages.list().results().all().wait()?.len(), 1);
    let refused = garages.create(&Garage::builder().name("west").spaces(1).build()?).wait().unwrap_err();
    assert_eq!(
        (refused.kind(), refused.code()),
        (ErrorKind::AlreadyExists, "ResourceAlreadyExistsException")
    );
    found.delete().wait()?;
    cloud.clock().advance(SignedDuration::from_mins(1))?;
    assert!(garages.get("west").wait()?.is_none());
    let missing = garages.update(&found).wait().unwrap_err();
    assert_eq!(missing.message(), "Garage west does not exist.");
    Ok(())
}

#[test]
fn subjects_follow_from_the_template_of_arns() {
    let subject =
        |name: &str| SERVICE.operations.iter().find(|operation| operation.name == name).unwrap().subject;
    assert_eq!(subject("CreateGarage"), "garage/{Name}");
    assert_eq!(subject("DeleteGarage"), "garage/{Name}");
    assert_eq!(subject("ListGarages"), "*");
}
