//! Exact forms and XML documents.

use crate::{
    any,
    toys::{self, Colour, Empty, Leaf, Tree, Trees, by_ec2_form, by_form},
};
use nephos_core::{Error, Operation as _, Record as _, Request, Value, record, shape::ServiceShape};
use nephos_wire::{
    HttpRequest, HttpResponse, Route, decode_answer, decode_request, encode_answer, encode_error,
    encode_request, route,
};

fn post(form: &str) -> HttpRequest {
    http::Request::post("/")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.to_owned().into())
        .unwrap()
}

fn decode_form(service: &'static ServiceShape, form: &str) -> Result<Request, Error> {
    let form = format!("Action=GrowTree&Version={}&Name=oak&{form}", service.api_version);
    let message = post(&form);
    decode_request(route(&toys::REGISTRY, &message, None)?, &message)
}

/// Returns the value at a path that the server decodes from a form.
fn decoded_value(service: &'static ServiceShape, form: &str, path: &str) -> Value {
    record::get(&*decode_form(service, form).unwrap().params, path).unwrap()
}

fn refusal(service: &'static ServiceShape, form: &str) -> String {
    decode_form(service, form).map(|request| format!("{request:?}")).unwrap_err().to_string()
}

fn body(message: &HttpResponse) -> &str {
    std::str::from_utf8(message.body()).unwrap()
}

fn tree() -> Tree {
    let leaf = Leaf::builder().name("a&b").crypto_key_id("k").colour(Colour::ProviderRed).on(true);
    let leaf = leaf.stages(["PROVIDERCURRENT"]).build().unwrap();
    let tree = Tree::builder().name("oak").leaves([leaf.clone()]).rows(Vec::<Leaf>::new());
    tree.twigs(["x", "y"]).roots([leaf]).grid([vec![1, 2]]).local("here").build().unwrap()
}

fn encoded_form(service: &'static ServiceShape) -> String {
    let params = Value::Map(
        [("Name".into(), "oak".into()), ("Tree".into(), nephos_core::Ref::Record(&tree()).to_value())]
            .into_iter()
            .collect(),
    );
    let request = any::request(any::operation(service, "GrowTree"), &params);
    let message = encode_request(&request).unwrap();
    assert_eq!((message.method().as_str(), message.uri().path()), ("POST", "/"));
    assert_eq!(message.headers()["content-type"], "application/x-www-form-urlencoded; charset=utf-8");
    std::str::from_utf8(message.body()).unwrap().replace('&', "\n")
}

#[test]
fn query_request_is_a_form() {
    assert_eq!(
        encoded_form(&by_form::SERVICE),
        "Action=GrowTree\nVersion=2012-06-01\nName=oak\nTree.Name=oak\n\
         Tree.Leaves.Leaf.1.Name=a%26b\nTree.Leaves.Leaf.1.KmsKeyId=k\nTree.Leaves.Leaf.1.On=true\n\
         Tree.Leaves.Leaf.1.Colour=AWS_RED\nTree.Leaves.Leaf.1.Stages.member.1=AWSCURRENT\nTree.Rows=\n\
         Tree.Twigs.1=x\nTree.Twigs.2=y\n\
         Tree.Root.1.Name=a%26b\nTree.Root.1.KmsKeyId=k\nTree.Root.1.On=true\nTree.Root.1.Colour=AWS_RED\n\
         Tree.Root.1.Stages.member.1=AWSCURRENT\nTree.Grid.member.1.member.1=1\nTree.Grid.member.1.member.2=2"
    );
}

#[test]
fn ec2_request_has_flat_lists() {
    assert_eq!(
        encoded_form(&by_ec2_form::SERVICE),
        "Action=GrowTree\nVersion=2016-11-15\nName=oak\nTree.Name=oak\n\
         Tree.Leaves.1.Name=a%26b\nTree.Leaves.1.KmsKeyId=k\nTree.Leaves.1.On=true\n\
         Tree.Leaves.1.Colour=AWS_RED\nTree.Leaves.1.Stages.1=AWSCURRENT\n\
         Tree.Twigs.1=x\nTree.Twigs.2=y\n\
         Tree.Roots.1.Name=a%26b\nTree.Roots.1.KmsKeyId=k\nTree.Roots.1.On=true\nTree.Roots.1.Colour=AWS_RED\n\
         Tree.Roots.1.Stages.1=AWSCURRENT\nTree.Grid.1.1=1\nTree.Grid.1.2=2"
    );
}

const LEAF: &str = "<Name>a&amp;b</Name><KmsKeyId>k</KmsKeyId><On>true</On><Colour>AWS_RED</Colour>";

fn encoded_answer(service: &'static ServiceShape) -> String {
    let route = Route { service, operation: any::operation(service, "GrowTree") };
    let answer = Trees::builder().tree(tree()).trees(Vec::<Tree>::new()).build().unwrap();
    let message = encode_answer(route, &answer, "id-1");
    assert_eq!(message.status(), 200);
    assert!(message.headers()["content-type"].to_str().unwrap().starts_with("text/xml"));
    body(&message).to_owned()
}

#[test]
fn query_answer_is_xml() {
    let expected = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <GrowTreeResponse xmlns=\"http://grove.example/2012-06-01/\"><GrowTreeResult><Tree><Name>oak</Name>\
         <Leaves><Leaf>{LEAF}<Stages><member>AWSCURRENT</member></Stages></Leaf></Leaves><Rows></Rows>\
         <Twigs>x</Twigs><Twigs>y</Twigs>\
         <Root>{LEAF}<Stages><member>AWSCURRENT</member></Stages></Root>\
         <Grid><member><member>1</member><member>2</member></member></Grid></Tree><Trees></Trees>\
         </GrowTreeResult><ResponseMetadata><RequestId>id-1</RequestId></ResponseMetadata></GrowTreeResponse>"
    );
    assert_eq!(encoded_answer(&by_form::SERVICE), expected);
}

#[test]
fn ec2_answer_has_no_result_element() {
    let expected = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <GrowTreeResponse xmlns=\"http://ec2grove.example/2016-11-15/\"><requestId>id-1</requestId>\
         <Tree><Name>oak</Name>\
         <Leaves><Leaf>{LEAF}<Stages><item>AWSCURRENT</item></Stages></Leaf></Leaves><Rows></Rows>\
         <Twigs>x</Twigs><Twigs>y</Twigs>\
         <Root>{LEAF}<Stages><item>AWSCURRENT</item></Stages></Root>\
         <Grid><item><item>1</item><item>2</item></item></Grid></Tree><Trees></Trees></GrowTreeResponse>"
    );
    assert_eq!(encoded_answer(&by_ec2_form::SERVICE), expected);
}

#[test]
fn empty_answer_has_an_empty_result() {
    let route = Route { service: &by_form::SERVICE, operation: by_form::FellTree::OPERATION };
    let message = encode_answer(route, &Empty {}, "id-1");
    assert!(body(&message).contains("<FellTreeResult></FellTreeResult><ResponseMetadata>"), "{message:?}");
}

#[test]
fn error_is_xml_of_the_dialect() {
    let refused = toys::NOT_FOUND.with_message("no <oak>");
    let message = encode_error(by_form::SERVICE.protocol, &refused, "id-2");
    assert_eq!(message.status(), 404);
    assert_eq!(
        body(&message),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <ErrorResponse xmlns=\"http://grove.example/2012-06-01/\"><Error><Type>Sender</Type>\
         <Code>TreeNotFound</Code><Message>no &lt;oak&gt;</Message></Error><RequestId>id-2</RequestId></ErrorResponse>"
    );
    let down = encode_error(by_form::SERVICE.protocol, &toys::DOWN.with_message("fire"), "id-2");
    assert!(body(&down).contains("<Type>Receiver</Type>"));
    let message = encode_error(by_ec2_form::SERVICE.protocol, &refused, "id-2");
    assert_eq!(
        body(&message),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <Response><Errors><Error><Code>TreeNotFound</Code><Message>no &lt;oak&gt;</Message></Error></Errors>\
         <RequestID>id-2</RequestID></Response>"
    );
}

#[test]
fn invalid_parameters_are_rejected_by_name() {
    for (form, expected) in [
        ("Names.member.x=1", "MalformedInput: Names.x: expected the number of an item"),
        ("Names.member.01=1", "MalformedInput: Names.01: expected the number of an item"),
        ("Names.member.-1=1", "MalformedInput: Names.-1: expected the number of an item"),
        ("Names.member.5000000000=1", "MalformedInput: Names.5000000000: expected the number of an item"),
        ("Names=x", "MalformedInput: Names: expected a list, found \"x\""),
        ("Names.member=x", "MalformedInput: Names: expected a number after the name, found \"x\""),
        ("Tree=x", "MalformedInput: Tree: expected a record, found \"x\""),
        ("Tree.ByName.entry.1.key=x", "MalformedInput: Tree.ByName: an entry requires `key` and `value`"),
        (
            "Tree.Sizes.1.key=a&Tree.Sizes.1.value=x",
            "MalformedInput: Tree.Sizes[a]: expected a number, found \"x\"",
        ),
        ("MaxRings=many", "MalformedInput: MaxRings: expected a whole number, found \"many\""),
        ("MaxRings.x=1", "MalformedInput: MaxRings.x: this parameter has no members"),
        ("Tree.Leaf.Note.x=hidden", "MalformedInput: Tree.Leaf.Note: has a value of the wrong type"),
        ("MaxRings=1&MaxRings=1", "MalformedInput: duplicate parameter \"MaxRings\""),
        ("MaxRings=%zz", "MalformedInput: the URI is not percent-encoded UTF-8"),
    ] {
        let refused = refusal(&by_form::SERVICE, form);
        assert!(refused.starts_with(expected), "{form}\n{refused}\n{expected}");
    }
    let refused = refusal(&by_ec2_form::SERVICE, "Names.member.1=x");
    assert!(
        refused.starts_with("ValidationError: Names.member: expected the number of an item"),
        "{refused}"
    );
}

#[test]
fn list_items_are_ordered_by_number() {
    let names = |form| decoded_value(&by_form::SERVICE, form, "Names");
    assert_eq!(names("Names.member.2=b&Names.member.1=a&Names.member.10=c"), ["a", "b", "c"].into());
    assert_eq!(names("Names.member.1000000000=b&Names.member.7=a"), ["a", "b"].into());
    assert_eq!(names("Names="), Value::List(Vec::new()));
    assert_eq!(names("MaxRings=1"), Value::Null);
    assert_eq!(names("Names.member.1="), [""].into());
    assert_eq!(decoded_value(&by_ec2_form::SERVICE, "Names.2=b&Names.1=a", "Names"), ["a", "b"].into());
    let roots =
        decoded_value(&by_form::SERVICE, "Tree.Root.2.Name=b&Tree.Root.1.Name=a", "Tree.Roots[1].Name");
    assert_eq!(roots, "b".into());
    assert_eq!(decoded_value(&by_form::SERVICE, "Tree.Roots=", "Tree.Roots"), Value::List(Vec::new()));
}

#[test]
fn ec2_parameter_names_are_capitalized() {
    assert_eq!(decoded_value(&by_ec2_form::SERVICE, "Tree.Bark=rough", "Tree.Bark"), "rough".into());
    assert_eq!(decoded_value(&by_ec2_form::SERVICE, "Tree.bark=rough", "Tree.Bark"), Value::Null);
    assert_eq!(decoded_value(&by_form::SERVICE, "Tree.bark=rough", "Tree.Bark"), "rough".into());
    assert_eq!(decoded_value(&by_form::SERVICE, "Tree.Bark=rough", "Tree.Bark"), Value::Null);
}

#[test]
fn nesting_depth_is_limited() {
    let deep = format!("{}x=1", "Tree.".repeat(20_000));
    assert_eq!(refusal(&by_form::SERVICE, &deep), "MalformedInput: a name can have at most 48 parts");
    let document = format!("{}{}", "<a>".repeat(20_000), "</a>".repeat(20_000));
    assert!(read(&document).err().unwrap().message().contains("nested at most 96 deep"));
}

fn read(document: &str) -> Result<Trees, Error> {
    let params = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
    let request = any::request(by_form::GrowTree::OPERATION, &params);
    let answer: Box<dyn std::any::Any> =
        decode_answer(&request, &HttpResponse::new(document.to_owned().into()))?;
    Ok(*answer.downcast().unwrap())
}

#[test]
fn unknown_elements_of_an_answer_are_skipped() {
    let answer = read(
        "\u{feff}<?xml version='1.0'?><!DOCTYPE x><!-- hm --><g:GrowTreeResponse xmlns:g='urn:x' a='b'>
         <g:GrowTreeResult>
           <g:Unheard><Of>1</Of></g:Unheard>
           <g:Tree g:x='1'>
             <g:Name> a <![CDATA[<b>]]>&#x26;&lt;&amp;&quot;&apos; </g:Name>
             <Leaf><Count/><On></On><Colour>NEW</Colour><Grown/><Size> 1.5 </Size><Name/></Leaf>
             <Rows>\n<item><Name>x</Name></item>\n<other><Name>y</Name></other>\n</Rows>
             <Labels><entry><key>k</key><value><member>v</member></value></entry><entry><key>l</key></entry></Labels>
             <Twigs>1</Twigs><Unheard/><Twigs>2</Twigs>
           </g:Tree>
           <Bush><Height>3</Height><Soil><Kind>loam</Kind><Layers><member>a</member><member>b</member></Layers></Soil></Bush>
         </g:GrowTreeResult></g:GrowTreeResponse>",
    )
    .unwrap();
    let get = |path: &str| answer.get(path).unwrap();
    assert_eq!(get("Tree.Name"), " a <b>&<&\"' ".into());
    assert_eq!((get("Tree.Leaf.Count"), get("Tree.Leaf.On"), get("Tree.Leaf.Grown")), Default::default());
    assert_eq!((get("Tree.Leaf.Size"), get("Tree.Leaf.Name")), (1.5.into(), "".into()));
    assert_eq!(get("Tree.Leaf.Colour"), "NEW".into());
    assert_eq!((get("Tree.Rows[0].Name"), get("Tree.Rows[1].Name")), ("x".into(), "y".into()));
    assert_eq!((get("Tree.Labels[k][0]"), get("Tree.Labels[l]")), ("v".into(), Value::List(Vec::new())));
    assert_eq!(get("Tree.Twigs"), ["1", "2"].into());
    assert_eq!((get("Bush.Soil.Kind"), get("Bush.Soil.Layers")), ("loam".into(), ["a", "b"].into()));
    for broken in ["<a>", "<a></b>", "</a>", "<a/><b/>", "<a>&nope;</a>", "<a>&#0;</a>", "x", "<a", "\u{0}"] {
        assert!(read(broken).is_err(), "{broken}");
    }
    assert!(read("").unwrap().tree.is_none());
    assert!(read("<GrowTreeResponse/>").unwrap().tree.is_none());
}

#[test]
fn characters_invalid_in_xml_are_replaced() {
    let route = Route { service: &by_form::SERVICE, operation: by_form::GrowTree::OPERATION };
    let name = "a\u{0}b\u{1b}c\r\nd\u{ffff}";
    let answer = Trees::builder().next_token(name).build().unwrap();
    let message = encode_answer(route, &answer, "\u{1}id");
    let decoded = read(body(&message)).unwrap();
    assert_eq!(decoded.next_token.as_deref(), Some("a\u{fffd}b\u{fffd}c\r\nd\u{fffd}"));
}

#[test]
fn error_without_xml_has_the_status_as_code() {
    let params = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
    let request = any::request(by_form::FellTree::OPERATION, &params);
    let mut message = HttpResponse::new("Bad Gateway".into());
    *message.status_mut() = http::StatusCode::BAD_GATEWAY;
    let error = decode_answer(&request, &message).err().unwrap();
    assert_eq!((error.code(), error.status(), error.retryable()), ("HTTP502", 502, true));
}
