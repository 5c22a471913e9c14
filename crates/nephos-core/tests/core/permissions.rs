//! Actions, access levels, resources and condition keys of operations.

use crate::toys::garden;
use nephos_core::{
    Empty, Map, Operation, Place, Record, Secret, Tag, Text, operation,
    permission::{AccessLevel, Permission},
    record::Fields,
    shape::{OperationShape, ServiceShape},
};

static SERVICE: ServiceShape = ServiceShape {
    global: false,
    shows_values: true,
    shows_unknown_values: true,
    resource_keys: &[
        ("*", &["garden:Region", "garden:CallerAccount"]),
        ("bed/", &["aws:ResourceTag/${TagKey}"]),
    ],
    ..garden::SHAPE
};

/// A place in the garden.
#[derive(Record)]
pub struct Spot {
    /// Row in the garden.
    #[field(condition = "garden:Row")]
    row: Option<i64>,
}

/// Plants a bed.
#[operation(
    service = SERVICE, effect = write, output = Empty,
    subject = "bed/* + GardenId? plot/{GardenId} + ::seed/{Seed}",
    also_requires("CreateTags" = "Tags? bed/*", "iam:PassRole" = "RoleArn? {RoleArn}", "Water" = "Spots?")
)]
pub struct PlantBed {
    /// Seed to plant.
    #[field(condition = "garden:Seed")]
    pub seed: Text,
    /// Garden of the bed.
    pub garden_id: Option<Text>,
    /// Spots to plant.
    pub spots: Option<Vec<Spot>>,
    /// Role of the gardener.
    pub role_arn: Option<Text>,
    /// True for a bed in the shade.
    #[field(condition = "garden:Shade")]
    pub shade: Option<bool>,
    /// Tags of the bed.
    pub tags: Option<Vec<Tag>>,
}

/// Removes tags.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "{BedArn: bed/=label/}/*")]
pub struct UntagBed {
    /// ARN or name of the bed.
    pub bed_arn: Text,
    /// Keys of the tags.
    pub tag_keys: Option<Vec<Text>>,
}

/// Marks a bed.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "bed/{Bed}")]
pub struct MarkBed {
    /// Name of the bed.
    pub bed: Text,
    /// Marks by name.
    #[field(condition = "garden:Mark:${MarkName} + garden:MarkNames")]
    pub marks: Option<Map<Text>>,
    /// Place of the marks.
    #[field(condition = "garden:SpotMembers")]
    pub spot: Option<Spot>,
}

/// Puts a fence around a bed.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "bed/{Bed}")]
pub struct FenceBed {
    /// Name of the bed.
    pub bed: Text,
    /// Code of the lock.
    #[field(sensitive, condition = "garden:Locked is given = false")]
    pub lock: Option<Secret>,
    /// Height of the fence.
    #[field(condition = "garden:High is tall")]
    pub height: Option<Text>,
    /// Colour of the fence.
    #[field(condition = "garden:Colour = green")]
    pub colour: Option<Text>,
}

/// Waters beds.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "bed/{Beds}")]
pub struct WaterBeds {
    /// Names or ARNs of the beds.
    pub beds: Vec<Text>,
}

/// Looks around.
#[operation(service = SERVICE, effect = read, output = Empty, subject = "*", access = list, action = "Look")]
pub struct LookAround {}

/// Says hello.
#[operation(service = SERVICE, effect = read, output = Empty, subject = "*", no_permission)]
pub struct ListGreetings {}

fn place() -> Place {
    Place::new("eu-west-1", "123456789012")
}

fn permissions<O: Operation>(params: &O) -> Vec<(String, Vec<String>)> {
    let needed = O::OPERATION.permissions(&SERVICE, params as &dyn Fields, &place());
    let texts = |permission: Permission| {
        (permission.action.to_string(), permission.resources.iter().map(ToString::to_string).collect())
    };
    needed.into_iter().map(texts).collect()
}

fn arn(resource: &str) -> String {
    format!("arn:aws:garden:eu-west-1:123456789012:{resource}")
}

#[test]
fn resources_of_parameters_count_if_given() {
    let seed = "arn:aws:garden:eu-west-1::seed/oak".to_owned();
    let own = |resources: Vec<String>| vec![("garden:PlantBed".to_owned(), resources)];
    assert_eq!(permissions(&PlantBed::new("oak")), own(vec![arn("bed/*"), seed.clone()]));
    let params = PlantBed::new("oak").garden_id("g-1");
    assert_eq!(permissions(&params), own(vec![arn("bed/*"), arn("plot/g-1"), seed.clone()]));
    // A garden of another service is not the garden's business.
    let params = PlantBed::new("oak").garden_id("arn:aws:park:eu-west-1:1:park/x");
    assert_eq!(permissions(&params), own(vec![arn("bed/*"), seed]));
}

#[test]
fn arn_is_continued_and_replaced() {
    let params = UntagBed::new("arn:aws:garden:us-east-1:1:bed/rose");
    assert_eq!(permissions(&params)[0].1, ["arn:aws:garden:us-east-1:1:label/rose/*"]);
    assert_eq!(permissions(&UntagBed::new("rose"))[0].1, [arn("rose/*")]);
}

#[test]
fn names_and_arns_of_a_list_all_count() {
    let rose = "arn:aws:garden:us-east-1:1:bed/rose";
    let params = WaterBeds::new(["lily", rose, "tulip"]);
    assert_eq!(permissions(&params)[0].1, [rose, &arn("bed/lily"), &arn("bed/tulip")]);
}

#[test]
fn further_actions_are_needed_with_their_parameters() {
    let role = "arn:aws:iam::123456789012:role/gardener";
    let params = PlantBed::new("oak")
        .tags(vec![Tag::new("a", "1")])
        .role_arn(role)
        .spots(vec![Spot::builder().row(1).build().unwrap()]);
    let needed = PlantBed::OPERATION.permissions(&SERVICE, &params, &place());
    let actions: Vec<_> = needed.iter().map(|one| (one.action.as_str(), one.resources.clone())).collect();
    let own = needed[0].resources.clone();
    assert_eq!(
        actions[1..],
        [
            ("garden:CreateTags", vec![Text::from(arn("bed/*"))]),
            ("iam:PassRole", vec![role.into()]),
            ("garden:Water", own),
        ]
    );
    assert_eq!(needed[1].context, [("garden:CreateAction".into(), "PlantBed".into())]);
    assert_eq!(needed[2].context, [("iam:PassedToService".into(), "garden.amazonaws.com".into())]);
    assert!(needed[3].context.is_empty());
    // An empty list is as good as none.
    assert_eq!(permissions(&PlantBed::new("oak").tags(Vec::<Tag>::new())).len(), 1);
}

#[test]
fn operations_without_resources_or_permissions() {
    assert_eq!(permissions(&LookAround::new()), [("garden:Look".to_owned(), vec!["*".to_owned()])]);
    assert_eq!(permissions(&ListGreetings::new()), []);
    let global = ServiceShape { global: true, ..garden::SHAPE };
    let arns = PlantBed::OPERATION.subjects(&global, &PlantBed::new("oak"), &place());
    assert_eq!(arns[0].as_str(), "arn:aws:garden::123456789012:bed/*");
}

#[test]
fn access_level_follows_from_effect_and_name() {
    let level = |shape: &OperationShape| shape.access_level(&SERVICE);
    assert_eq!(level(PlantBed::OPERATION), AccessLevel::Write);
    assert_eq!(level(UntagBed::OPERATION), AccessLevel::Tagging);
    assert_eq!(level(LookAround::OPERATION), AccessLevel::List);
    assert_eq!(level(ListGreetings::OPERATION), AccessLevel::List);
    assert_eq!(AccessLevel::PermissionsManagement.to_string(), "Permissions management");
}

#[test]
fn condition_keys_have_the_values_of_parameters() {
    let spot = |row| Spot::builder().row(row).build().unwrap();
    let params = PlantBed::new("oak")
        .spots(vec![spot(1), spot(2)])
        .shade(false)
        .tags(vec![Tag::new("a", "1"), Tag::new("b", "")]);
    let values = PlantBed::OPERATION.condition_values(&params);
    let values: Vec<_> = values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(
        values,
        [
            ("garden:Seed", "oak"),
            ("garden:Row", "1"),
            ("garden:Row", "2"),
            ("garden:Shade", "false"),
            ("aws:RequestTag/a", "1"),
            ("aws:TagKeys", "a"),
            ("aws:RequestTag/b", ""),
            ("aws:TagKeys", "b"),
        ]
    );
    assert_eq!(PlantBed::OPERATION.condition_values(&PlantBed::new("oak")).len(), 1);
    let params = UntagBed::new("rose").tag_keys(["a"]);
    assert_eq!(UntagBed::OPERATION.condition_values(&params), [("aws:TagKeys".into(), "a".into())]);
}

#[test]
fn maps_have_a_key_per_entry_and_records_have_the_names_of_their_members() {
    let marks = Map::from_iter([("kind".into(), "rose".into()), ("age".into(), "3".into())]);
    let params = MarkBed::new("one").marks(marks).spot(Spot::builder().row(2).build().unwrap());
    let values = MarkBed::OPERATION.condition_values(&params);
    let values: Vec<_> = values.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(
        values,
        [
            ("garden:Mark:kind", "rose"),
            ("garden:MarkNames", "kind"),
            ("garden:Mark:age", "3"),
            ("garden:MarkNames", "age"),
            ("garden:SpotMembers", "Row"),
            ("garden:Row", "2"),
        ]
    );
    assert_eq!(MarkBed::OPERATION.condition_values(&MarkBed::new("one")), []);
    let listed = ["garden:Mark:${MarkName}", "garden:MarkNames", "garden:SpotMembers", "garden:Row"];
    assert_eq!(MarkBed::OPERATION.condition_keys(&SERVICE)[..4], listed);
}

#[test]
fn keys_say_whether_a_value_is_given_and_have_defaults() {
    let values = |params: &FenceBed| {
        let values = FenceBed::OPERATION.condition_values(params).into_iter();
        values.map(|(key, value)| format!("{key} {value}")).collect::<Vec<_>>()
    };
    let plain = ["garden:Locked false", "garden:Colour green"];
    assert_eq!(values(&FenceBed::new("one")), plain);
    assert_eq!(values(&FenceBed::new("one").lock("")), plain, "an empty lock is none");
    let fence = FenceBed::new("one").lock("1234").colour("red");
    let expected = ["garden:Locked true", "garden:High true", "garden:Colour red"];
    assert_eq!(values(&fence.clone().height("tall")), expected);
    assert_eq!(values(&fence.height("low"))[1], "garden:High false");
    let keys = FenceBed::OPERATION.condition_keys(&SERVICE);
    assert_eq!(keys[..3], ["garden:Locked", "garden:High", "garden:Colour"]);
}

#[test]
fn condition_keys_are_listed_with_those_of_resources() {
    let keys = |shape: &OperationShape| shape.condition_keys(&SERVICE);
    let tags = ["aws:RequestTag/${TagKey}", "aws:TagKeys"];
    let own = ["garden:Seed", "garden:Row", "garden:Shade"];
    let of_bed = ["garden:Region", "garden:CallerAccount", "aws:ResourceTag/${TagKey}"];
    assert_eq!(keys(PlantBed::OPERATION), [&own[..], &tags, &of_bed].concat());
    assert_eq!(keys(UntagBed::OPERATION), ["aws:TagKeys", "garden:Region", "garden:CallerAccount"]);
    assert_eq!(keys(LookAround::OPERATION), ["garden:Region", "garden:CallerAccount"]);
    let needed = LookAround::OPERATION.permissions(&SERVICE, &LookAround::new(), &place());
    let account = ("garden:CallerAccount".into(), "123456789012".into());
    assert_eq!(needed[0].context, [("garden:Region".into(), "eu-west-1".into()), account]);
}
