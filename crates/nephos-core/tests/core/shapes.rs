//! Shapes: the static descriptions that everything else is made from.

use crate::toys::{
    REGISTRY,
    attic::{Lock, Material, Trunk},
    garden::{self, Bed, Fence, Light, Plant, Weather},
    shelf::{self, Book},
};
use nephos_core::{
    Choice as _, ErrorKind, Operation as _, Record, Resource as _, Type,
    fill::{self, Reader},
    rules,
    shape::{
        Effect, FieldShape, Http, Identity, Literal, Location, OperationShape, Presence, Protocol,
        RecordShape, Rule,
    },
};
use std::collections::HashSet;

fn field<R: Record>(name: &str) -> &'static FieldShape {
    R::SHAPE.field(name).expect("the field exists").1
}

/// Returns all records that can be reached from the registry, and the toys that are not in it.
fn records() -> Vec<&'static RecordShape> {
    let mut all = vec![Trunk::SHAPE];
    all.extend(REGISTRY.kinds().map(|kind| kind.record));
    all.extend(operations().iter().map(|operation| operation.params));
    let mut at = 0;
    while at < all.len() {
        for field in all[at].fields {
            let mut ty = field.ty;
            while let Type::List(inner) | Type::Map(inner) = ty {
                ty = *inner;
            }
            if let Type::Record(inner) = ty
                && !all.iter().any(|known| std::ptr::eq(*known, inner))
            {
                all.push(inner);
            }
        }
        at += 1;
    }
    all
}

fn operations() -> Vec<&'static OperationShape> {
    let wire = REGISTRY.services.iter().flat_map(|service| service.operations);
    let calls = REGISTRY.kinds().flat_map(|kind| kind.calls());
    wire.copied().chain(calls).collect()
}

#[test]
fn services_and_kinds_are_found_by_name() {
    assert_eq!(REGISTRY.service("shelf").unwrap().docs, "Books.");
    assert!(REGISTRY.service("Shelf").is_none());
    for (spelling, kind) in [
        ("Book", "Book"),
        ("book", "Book"),
        ("BOOK", "Book"),
        ("we-ather", "Weather"),
        ("wea_ther", "Weather"),
        ("weat her", "Weather"),
    ] {
        assert_eq!(REGISTRY.kind(spelling).unwrap().name, kind, "{spelling}");
    }
    for unknown in ["", "Books", "Tag", "shelf"] {
        assert!(REGISTRY.kind(unknown).is_none(), "{unknown}");
    }
    let names: Vec<_> = REGISTRY.kinds().map(|kind| format!("{kind:?}")).collect();
    assert_eq!(names, ["shelf.Book", "garden.Bed", "garden.Weather"]);
}

#[test]
fn service_shapes_have_protocol_and_kinds() {
    let (shelf, garden) = (&shelf::SERVICE, &garden::SERVICE);
    assert_eq!(shelf.protocol, Protocol::AwsJson { target: "Shelf.", version: "1.1", message: "message" });
    assert_eq!((shelf.global, garden.global), (false, true));
    assert_eq!(garden.protocol, Protocol::AwsQuery { namespace: "http://garden.example/2026-01-02/" });
    assert!(REGISTRY.kinds().all(|kind| (kind.service)().kinds.iter().any(|own| std::ptr::eq(*own, kind))));
}

#[test]
fn error_codes_are_a_table() {
    let rows: Vec<_> =
        shelf::SERVICE.codes.iter().map(|code| (code.code, code.status, code.kind, code.meaning)).collect();
    assert_eq!(
        rows,
        [
            ("BookNotFoundException", 404, ErrorKind::NotFound, "The book does not exist."),
            ("BookExistsException", 409, ErrorKind::AlreadyExists, "The book exists already."),
            ("InvalidBookException", 400, ErrorKind::Invalid, "A parameter is invalid."),
        ]
    );
    let error = shelf::NOT_FOUND.with_message("rust is not there");
    assert_eq!(
        (error.kind(), error.code(), error.status()),
        (ErrorKind::NotFound, "BookNotFoundException", 404)
    );
    for service in REGISTRY.services {
        assert!(service.codes.contains(&service.invalid), "{}", service.name);
    }
}

#[test]
fn kind_shapes_have_fields() {
    let rows: Vec<_> = Book::SHAPE
        .fields
        .iter()
        .map(|field| (field.name, field.rust_name, field.wire, field.ty.to_string(), field.presence))
        .collect();
    use Presence::{Optional, Required, ServiceSet};
    assert_eq!(
        rows,
        [
            ("Arn", "arn", "bookArn", "str".into(), ServiceSet),
            ("title", "title", "title", "str".into(), Required),
            ("pages", "pages", "pages", "int".into(), Optional),
            ("price", "price", "price", "number".into(), Optional),
            ("lendable", "lendable", "lendable", "bool".into(), Optional),
            ("days", "days", "days", "int".into(), Optional),
            ("shelvedAt", "shelved_at", "shelvedAt", "datetime".into(), ServiceSet),
            ("authors", "authors", "authors", "list[str]".into(), Optional),
            ("note", "note", "note", "str".into(), Optional),
            ("Tags", "tags", "Tags", "list[Tag]".into(), Optional),
        ]
    );
    assert_eq!(field::<Book>("Arn").details.aliases, ["arn"]);
    assert_eq!(field::<Book>("Arn").docs, "ARN of the book.");
    assert_eq!(field::<Book>("lendable").default, Some(Literal::Bool(true)));
    assert_eq!(
        (field::<Book>("Tags").location, field::<Book>("title").location),
        (Location::NotOnWire, Location::Body)
    );
    assert!(field::<Book>("note").sensitive && !field::<Book>("title").sensitive);
    assert!(field::<Bed>("GateCode").sensitive);
    assert_eq!(
        (field::<Bed>("Plants").details.item, field::<Book>("authors").details.item),
        ("Plant", "member")
    );
    assert_eq!(field::<Trunk>("type").rust_name, "type");
    assert_eq!(field::<Trunk>("type").details.aliases, ["use", "purpose"]);
    assert_eq!(field::<Trunk>("things").default, Some(Literal::EmptyList));
    assert_eq!(field::<Trunk>("layers").default, Some(Literal::EmptyMap));
    assert_eq!(field::<Lock>("maker").name, "madeBy");
}

#[test]
fn types_print_in_the_notation_of_the_specification() {
    let types: Vec<_> = Bed::SHAPE.fields.iter().map(|field| field.ty.to_string()).collect();
    assert_eq!(
        types,
        [
            "str",
            "str",
            "list[Plant]",
            "Light",
            "Fence",
            "Owner",
            "dict[str,number]",
            "dict[str,Plant]",
            "dict[str,list[str]]",
            "secret",
            "bytes",
            "object",
            "int",
            "dict[str,str]"
        ]
    );
    assert_eq!(field::<Trunk>("lock").ty.to_string(), "TrunkLock");
    assert_eq!(field::<Trunk>("materials").ty.to_string(), "list[TrunkMaterial]");
}

#[test]
fn field_shapes_have_rules() {
    let rules = |field: &FieldShape| format!("{:?}", field.rules);
    assert_eq!(rules(field::<Book>("title")), "[Length { min: 1, max: 20 }, Pattern([a-z][a-z0-9/-]*)]");
    assert_eq!(rules(field::<Book>("pages")), "[Range { min: 1, max: 5000 }]");
    assert_eq!(rules(field::<Book>("days")), "[OneOf([Int(7), Int(14), Int(30)])]");
    assert_eq!(
        rules(field::<Book>("authors")),
        "[Length { min: 1, max: 3 }, Each([Length { min: 1, max: 10 }])]"
    );
    assert!(matches!(field::<Lock>("combination").rules[0], Rule::Length { min: 4, max: usize::MAX }));
    assert!(matches!(field::<Lock>("turns").rules[0], Rule::Range { min: i64::MIN, max: 9 }));
    assert!(field::<Book>("price").rules.is_empty());
}

#[test]
fn enum_shapes_have_values_in_both_spellings() {
    let rows: Vec<_> = Light::SHAPE.values.iter().map(|value| (value.name, value.wire, value.docs)).collect();
    assert_eq!(rows, [("FULL_SUN", "FULL_SUN", "Sun all day."), ("PROVIDER_SHADE", "AWS_SHADE", "No sun.")]);
    assert_eq!((Light::SHAPE.name, Light::SHAPE.docs), ("Light", "Amount of sun."));
    assert_eq!(Material::SHAPE.name, "TrunkMaterial");
    assert_eq!((Material::Oak.as_str(), Material::Tin.to_string()), ("Oak", "tin".to_owned()));
    assert_eq!((Material::SHAPE.find("METAL"), Material::SHAPE.find_wire("tin")), (Some(1), None));
}

#[test]
fn kind_shapes_have_identities_and_relations() {
    assert!(matches!(Book::KIND.arn, Identity::Path(["Arn"])));
    assert!(matches!(Book::KIND.name_identity, Identity::Path(["title"])));
    assert!(matches!(Bed::KIND.arn, Identity::Path(["Owner", "OwnerARN"])));
    assert!(matches!(Bed::KIND.pk, Identity::Mapping([["Name"], ["Owner"]])));
    assert!(matches!(Bed::KIND.name_identity, Identity::None));
    let at = |index: Option<usize>, record: &RecordShape| index.map(|index| record.fields[index].name);
    assert_eq!(at(Book::KIND.exists_if, Book::SHAPE), Some("shelvedAt"));
    assert_eq!(at(Bed::KIND.tags, Bed::SHAPE), Some("Tags"));
    assert_eq!((Weather::KIND.exists_if, Weather::KIND.tags), (None, None));
    assert!(Weather::KIND.frozen && Weather::SHAPE.extras && !Book::KIND.frozen && !Book::SHAPE.extras);
    assert!(Fence::SHAPE.extras && !Plant::SHAPE.extras);
    let relations: Vec<_> = Bed::KIND
        .relations
        .iter()
        .map(|relation| (relation.name, relation.kind.name, relation.many))
        .collect();
    assert_eq!(relations, [("books", "Book", true), ("owner_bed", "Bed", false)]);
}

#[test]
fn operation_shapes_have_parameters_and_output() {
    let create = garden::CreateBed::OPERATION;
    assert_eq!((create.name, create.docs, create.effect), ("CreateBed", "Creates a bed.", Effect::Write));
    assert_eq!(create.http, Some(Http { method: "POST", path: "/beds/{Name}", status: 201 }));
    assert_eq!(create.output.unwrap().to_string(), "BedAnswer");
    let places: Vec<_> = create
        .params
        .fields
        .iter()
        .map(|param| (param.name, param.location, param.presence == Presence::Required, param.details.token))
        .collect();
    assert_eq!(
        places,
        [
            ("Name", Location::Path, true, false),
            ("Bed", Location::Body, true, false),
            ("ClientToken", Location::Query, false, true)
        ]
    );

    let calls: Vec<_> = Book::KIND.calls().into_iter().map(|call| call.name).collect();
    assert_eq!(calls, ["create", "get", "list", "update", "delete"]);
    let call = |name: &str| Book::KIND.call(name).expect("the call exists");
    assert!(call("list").pages && !call("get").pages);
    assert!(call("delete").instance && !call("create").instance);
    assert_eq!((call("get").effect, call("update").effect), (Effect::Read, Effect::Write));
    assert_eq!(call("list").output.unwrap().to_string(), "list[Book]");
    assert_eq!(call("get").output.unwrap().to_string(), "Book");
    assert!(call("delete").output.is_none() && call("create").output.is_none());
    assert!(Book::KIND.call("Create").is_none());
    assert_eq!(Bed::KIND.call("relocate").unwrap().params.fields[0].details.from, "BedId");
    assert!(std::ptr::eq(shelf::BookGet::service(), &shelf::SERVICE));
}

#[test]
fn every_shape_has_docs() {
    for record in records() {
        assert!(!record.docs.is_empty(), "{}", record.name);
        for field in record.fields {
            assert!(!field.docs.is_empty(), "{}.{}", record.name, field.name);
            assert!(!field.docs.starts_with(' ') && !field.docs.ends_with('\n'), "{:?}", field.docs);
        }
    }
    assert!(operations().iter().all(|operation| !operation.docs.is_empty()));
}

#[test]
fn field_names_and_aliases_are_unique() {
    for record in records() {
        let mut names = HashSet::new();
        for field in record.fields {
            let own: HashSet<_> = [field.name, field.rust_name]
                .into_iter()
                .chain(field.details.aliases.iter().copied())
                .collect();
            for name in own {
                assert!(names.insert(name), "{}.{name}", record.name);
                let found = record.field(name).unwrap().1;
                assert_eq!(found.name, field.name, "{}.{name}", record.name);
            }
        }
    }
}

#[test]
fn paths_of_identities_exist() {
    for kind in REGISTRY.kinds() {
        let paths =
            [&kind.arn, &kind.name_identity, &kind.pk].into_iter().flat_map(|identity| match identity {
                Identity::None => vec![],
                Identity::Path(path) => vec![*path],
                Identity::Mapping(paths) => paths.to_vec(),
            });
        for path in paths {
            let mut ty = Type::Record(kind.record);
            for step in path {
                let Type::Record(record) = ty else {
                    panic!("{kind:?}: {step} of {path:?} is not in a record")
                };
                ty = record.field(step).unwrap_or_else(|| panic!("{kind:?}: no field {path:?}")).1.ty;
            }
        }
    }
}

#[test]
fn defaults_satisfy_the_rules_of_their_fields() {
    for (record, blank) in [
        (
            Book::SHAPE,
            Box::new(<Book as nephos_core::field_value::FieldType>::blank())
                as Box<dyn nephos_core::record::Fields>,
        ),
        (Bed::SHAPE, Box::new(<Bed as nephos_core::field_value::FieldType>::blank())),
        (Plant::SHAPE, Box::new(<Plant as nephos_core::field_value::FieldType>::blank())),
        (Trunk::SHAPE, Box::new(<Trunk as nephos_core::field_value::FieldType>::blank())),
        (Lock::SHAPE, Box::new(<Lock as nephos_core::field_value::FieldType>::blank())),
    ] {
        for (index, field) in record.fields.iter().enumerate() {
            let Some(default) = field.default else { continue };
            let mut value = blank.field(index).fresh();
            fill::fill(&mut *value, default.to_value().view(), &Reader::STRICT).unwrap();
            rules::check(field, value.view()).unwrap();
        }
    }
}

/// A parcel of books.
#[derive(Record)]
struct Parcel {
    /// Title of the first book in it.
    #[field(like = shelf::Book::title, name = "First")]
    first: Option<nephos_core::Text>,
    /// Days until it arrives.
    #[field(like = Book::days)]
    days: Option<i64>,
    /// Titles of all books in it.
    #[field(length(..=2), each(like = shelf::Book::title))]
    titles: Option<Vec<nephos_core::Text>>,
}

#[test]
fn like_takes_over_the_rules_of_another_field() {
    for (own, other) in [("First", "title"), ("Days", "days")] {
        let (own, other) = (field::<Parcel>(own), field::<Book>(other));
        assert_eq!(format!("{:?}", own.rules), format!("{:?}", other.rules));
        assert!(!own.rules.is_empty());
        assert_eq!(own.presence, Presence::Optional, "the presence is not taken over");
    }
    Parcel::builder().first("rust").days(14).build().unwrap();
    let error = Parcel::builder().first("RUST").build().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("First")));
    assert_eq!(Parcel::builder().days(15).build().unwrap_err().field(), Some("Days"));
    Parcel::builder().titles(["rust"]).build().unwrap();
    assert_eq!(Parcel::builder().titles(["rust", "RUST"]).build().unwrap_err().field(), Some("Titles[1]"));
}
