//! Permissions and rules of security groups.

use super::{World, ask, create_group, create_vpc, default_vpc, refused, summarize, tcp};
use nephos_core::{Result, Text};
use nephos_ec2::{
    AuthorizeSecurityGroupEgress, AuthorizeSecurityGroupIngress, CreateTags, DeleteTags, DescribeTags,
    IpPermission, IpRange, Ipv6Range, PrefixListId, RevokeSecurityGroupEgress, RevokeSecurityGroupIngress,
    SecurityGroup, Tag, TagSpecification, UserIdGroupPair, errors,
};

/// Creates a security group in the default VPC.
fn create_in_default_vpc(world: &World, name: &str) -> Result<Text> {
    let session = world.session();
    create_group(&session, default_vpc(&session)?.vpc_id().unwrap(), name)
}

fn permission(protocol: &str, from: Option<i64>, to: Option<i64>) -> IpPermission {
    let ranges = vec![IpRange::builder().cidr_ip("10.0.0.0/8").build().unwrap()];
    IpPermission::builder()
        .ip_protocol(protocol)
        .from_port(from)
        .to_port(to)
        .ip_ranges(ranges)
        .build()
        .unwrap()
}

pub(super) fn rules_are_authorized_and_revoked(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let objects = SecurityGroup::objects(&session);
    let ssh = IpRange::builder().cidr_ip("10.0.0.0/8").description("from inside").build()?;
    let ssh = IpPermission::builder().ip_protocol("tcp").from_port(22).to_port(22).ip_ranges(vec![ssh]);
    let http = IpPermission::builder().ip_protocol("tcp").from_port(80).to_port(80);
    let http = http.ipv6_ranges(vec![Ipv6Range::builder().cidr_ipv6("::/0").build()?]).build()?;
    let found =
        objects.authorize_ingress(id.clone(), vec![tcp(80, &["0.0.0.0/0"]), ssh.build()?, http]).wait()?;
    let expected = [
        ("tcp".to_owned(), Some(80), vec!["0.0.0.0/0".to_owned(), "::/0".to_owned()]),
        ("tcp".to_owned(), Some(22), vec!["10.0.0.0/8".to_owned()]),
    ];
    assert_eq!(summarize(found.ip_permissions().unwrap()), expected);
    let description = found.ip_permissions().unwrap()[1].ip_ranges().unwrap()[0].description();
    assert_eq!(description, Some("from inside"));
    assert_eq!(found, objects.get(id.clone()).wait()?.unwrap());

    let duplicate =
        || objects.authorize_ingress(id.clone(), vec![tcp(22, &["1.2.3.4/32", "10.0.0.0/8"])]).wait();
    refused(world, &errors::RULE_EXISTS, "IpPermissions", duplicate);
    let twice = || {
        objects.authorize_ingress(id.clone(), vec![tcp(1, &["1.2.3.4/32"]), tcp(1, &["1.2.3.4/32"])]).wait()
    };
    refused(world, &errors::INVALID, "IpPermissions[1]", twice);
    // The same traffic in the other direction is another rule.
    objects.authorize_egress(id.clone(), vec![tcp(22, &["10.0.0.0/8"])]).wait()?;

    let left =
        objects.revoke_ingress(id.clone(), vec![tcp(22, &["10.0.0.0/8"]), tcp(80, &["0.0.0.0/0"])]).wait()?;
    assert_eq!(
        summarize(left.ip_permissions().unwrap()),
        [("tcp".to_owned(), Some(80), vec!["::/0".to_owned()])]
    );
    // Permissions can be revoked in the form in which they were described.
    let left = objects.revoke_ingress(id.clone(), left.ip_permissions().unwrap().to_vec()).wait()?;
    let left = objects.revoke_egress(id, left.ip_permissions_egress().unwrap().to_vec()).wait()?;
    assert_eq!(summarize(left.ip_permissions().unwrap_or_default()), []);
    assert_eq!(summarize(left.ip_permissions_egress().unwrap_or_default()), []);
    Ok(())
}

pub(super) fn unknown_rules_are_refused_or_returned(world: &World) -> Result<()> {
    let session = world.session();
    let own = create_vpc(&session, "10.0.0.0/16")?;
    let own = create_group(&session, own.vpc_id().unwrap(), "web")?;
    let default = create_in_default_vpc(world, "web")?;
    for id in [&own, &default] {
        let call = AuthorizeSecurityGroupIngress::new().group_id(id.clone());
        ask(&session, call.ip_permissions(vec![tcp(22, &["10.0.0.0/8"])]))?;
    }
    let both = || vec![tcp(22, &["10.0.0.0/8"]), tcp(23, &["10.0.0.0/8"])];
    let revoke = |id: &Text| {
        ask(&session, RevokeSecurityGroupIngress::new().group_id(id.clone()).ip_permissions(both()))
    };
    refused(world, &errors::RULE_NOT_FOUND, "IpPermissions", || revoke(&own));
    let answer = revoke(&default)?;
    let expected = [("tcp".to_owned(), Some(23), vec!["10.0.0.0/8".to_owned()])];
    assert_eq!(summarize(answer.unknown_ip_permissions().unwrap()), expected);
    assert_eq!(answer.revoked_security_group_rules().unwrap().len(), 1);
    let nothing = world.state()?;
    let answer = revoke(&default)?;
    assert_eq!(answer.unknown_ip_permissions().unwrap().len(), 2);
    world.assert_unchanged(&nothing)
}

pub(super) fn single_rules_are_for_inbound_traffic(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let source = create_in_default_vpc(world, "api")?;
    let authorize = || AuthorizeSecurityGroupIngress::new().group_id(id.clone());
    let added = ask(&session, authorize().source_security_group_name("api"))?;
    let rules: Vec<_> = added.security_group_rules().unwrap().iter().collect();
    let traffic: Vec<_> =
        rules.iter().map(|rule| (rule.ip_protocol().unwrap(), rule.from_port(), rule.to_port())).collect();
    let all = (Some(0), Some(65535));
    assert_eq!(
        traffic,
        [("tcp", all.0, all.1), ("udp", all.0, all.1), ("icmp", Some(-1), Some(-1))],
        "the group may send all TCP, UDP and ICMP traffic"
    );
    let info = rules[0].referenced_group_info().unwrap();
    assert_eq!((info.group_id(), info.user_id()), (Some(source.as_str()), Some("123456789012")));
    let revoke = RevokeSecurityGroupIngress::new().group_id(id.clone()).source_security_group_name("api");
    let revoked = ask(&session, revoke.source_security_group_owner_id("123456789012"))?;
    assert_eq!(revoked.revoked_security_group_rules().unwrap().len(), 3);

    let other = || ask(&session, authorize().source_security_group_name("api").cidr_ip("10.0.0.0/8"));
    refused(world, &errors::COMBINATION, "SourceSecurityGroupName", other);
    let owner = || ask(&session, authorize().source_security_group_owner_id("123456789012"));
    refused(world, &errors::MISSING, "SourceSecurityGroupName", owner);
    let absent = || ask(&session, authorize().source_security_group_name("absent"));
    refused(world, &errors::GROUP_NOT_FOUND, "IpPermissions[0].UserIdGroupPairs", absent);

    let egress = || AuthorizeSecurityGroupEgress::new(id.clone());
    for (field, call) in [
        ("CidrIp", egress().cidr_ip("10.0.0.0/8")),
        ("FromPort", egress().from_port(80)),
        ("IpProtocol", egress().ip_protocol("tcp")),
        ("SourceSecurityGroupName", egress().source_security_group_name("api")),
        ("SourceSecurityGroupOwnerId", egress().source_security_group_owner_id("123456789012")),
        ("ToPort", egress().to_port(80)),
    ] {
        let error = refused(world, &errors::UNKNOWN_PARAMETER, field, || ask(&session, call));
        assert_eq!(error.message(), format!("The parameter {field} is not recognized"));
    }
    let revoke = || ask(&session, RevokeSecurityGroupEgress::new(id.clone()).cidr_ip("0.0.0.0/0"));
    refused(world, &errors::UNKNOWN_PARAMETER, "CidrIp", revoke);
    Ok(())
}

pub(super) fn rules_have_tags(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let specification = |kind: &str| {
        let tags = vec![Tag::from(("team", "web"))];
        vec![TagSpecification::builder().resource_type(kind).tags(tags).build().unwrap()]
    };
    let call =
        || AuthorizeSecurityGroupEgress::new(id.clone()).ip_permissions(vec![tcp(22, &["10.0.0.0/8"])]);
    let wrong = || ask(&session, call().tag_specifications(specification("security-group")));
    refused(world, &errors::INVALID, "TagSpecifications[0].ResourceType", wrong);
    let added = ask(&session, call().tag_specifications(specification("security-group-rule")))?;
    let [rule] = added.security_group_rules().unwrap() else { panic!("expected one rule") };
    assert_eq!(rule.tags().unwrap(), [Tag::from(("team", "web"))]);
    let rule = rule.security_group_rule_id().unwrap();
    ask(&session, CreateTags::new([rule], vec![Tag::from(("cost", "1"))]))?;
    let described = ask(&session, DescribeTags::new())?;
    let described: Vec<_> = described
        .tags()
        .unwrap()
        .iter()
        .map(|tag| [tag.resource_id(), tag.resource_type(), tag.key()].map(Option::unwrap))
        .collect();
    assert_eq!(described, [[rule, "security-group-rule", "cost"], [rule, "security-group-rule", "team"]]);
    ask(&session, DeleteTags::new([rule]).tags(vec![Tag::from(("team", "web"))]))?;
    assert_eq!(ask(&session, DescribeTags::new())?.tags().unwrap().len(), 1);
    for (code, id) in [(&errors::RULE_ID_NOT_FOUND, "sgr-12345678"), (&errors::RULE_ID_MALFORMED, "sgr-x")] {
        refused(world, code, "Resources", || ask(&session, DeleteTags::new([id])));
    }
    let revoke = RevokeSecurityGroupEgress::new(id.clone()).security_group_rule_ids([rule]);
    ask(&session, revoke)?;
    assert_eq!(ask(&session, DescribeTags::new())?.tags().unwrap_or_default(), []);
    Ok(())
}

pub(super) fn rules_are_revoked_by_id(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let single = || {
        let call = AuthorizeSecurityGroupIngress::new().group_name("web").ip_protocol("tcp");
        call.from_port(80).to_port(80).cidr_ip("10.0.0.0/8")
    };
    let created = ask(&session, single())?;
    let [rule] = created.security_group_rules().unwrap() else { panic!("expected one rule") };
    assert_eq!((created.r#return(), rule.group_id()), (Some(true), Some(id.as_str())));
    assert_eq!((rule.is_egress(), rule.cidr_ipv4()), (Some(false), Some("10.0.0.0/8")));
    let rule = Text::new(rule.security_group_rule_id().unwrap());
    let revoke = || RevokeSecurityGroupIngress::new().group_id(id.clone());
    let both = || {
        ask(
            &session,
            revoke().security_group_rule_ids([rule.as_str()]).ip_permissions(vec![tcp(80, &["10.0.0.0/8"])]),
        )
    };
    refused(world, &errors::COMBINATION, "", both);
    let other_direction =
        || ask(&session, RevokeSecurityGroupEgress::new(id.clone()).security_group_rule_ids([rule.as_str()]));
    refused(world, &errors::RULE_ID_NOT_FOUND, "SecurityGroupRuleIds", other_direction);
    let answer = ask(&session, revoke().security_group_rule_ids([rule.as_str()]))?;
    let [revoked] = answer.revoked_security_group_rules().unwrap() else { panic!("expected one rule") };
    assert_eq!(
        (revoked.security_group_rule_id(), revoked.group_id()),
        (Some(rule.as_str()), Some(id.as_str()))
    );
    refused(world, &errors::RULE_ID_NOT_FOUND, "SecurityGroupRuleIds", || {
        ask(&session, revoke().security_group_rule_ids([rule.as_str()]))
    });

    let list = || ask(&session, single().ip_permissions(vec![tcp(1, &["10.0.0.0/8"])]));
    refused(world, &errors::COMBINATION, "IpPermissions", list);
    let rangeless =
        || ask(&session, AuthorizeSecurityGroupIngress::new().group_name("web").ip_protocol("-1"));
    refused(world, &errors::MISSING, "CidrIp", rangeless);
    let nothing = || ask(&session, AuthorizeSecurityGroupEgress::new(id.clone()));
    refused(world, &errors::MISSING, "IpPermissions", nothing);
    refused(world, &errors::MISSING, "IpPermissions", || ask(&session, revoke()));
    Ok(())
}

pub(super) fn protocol_numbers_are_converted_to_names(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let objects = SecurityGroup::objects(&session);
    for (given, from, to, stored) in [
        ("6", Some(1), Some(2), ("tcp", Some(1))),
        ("UDP", Some(53), Some(53), ("udp", Some(53))),
        ("tcp", Some(-1), Some(-1), ("tcp", Some(0))),
        ("icmp", Some(8), Some(-1), ("icmp", Some(8))),
        ("58", None, None, ("icmpv6", Some(-1))),
        ("50", Some(7), Some(8), ("50", None)),
        ("-1", Some(7), Some(8), ("-1", None)),
    ] {
        let found = objects.authorize_ingress(id.clone(), vec![permission(given, from, to)]).wait()?;
        let described = summarize(found.ip_permissions().unwrap());
        let (protocol, port, _) = &described[0];
        assert_eq!((protocol.as_str(), *port), stored, "{given}");
        objects
            .revoke_ingress(
                id.clone(),
                vec![permission(
                    stored.0,
                    found.ip_permissions().unwrap()[0].from_port(),
                    found.ip_permissions().unwrap()[0].to_port(),
                )],
            )
            .wait()?;
    }
    Ok(())
}

pub(super) fn invalid_permissions_are_refused(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let objects = SecurityGroup::objects(&session);
    let authorize = |permission: IpPermission| objects.authorize_ingress(id.clone(), vec![permission]).wait();
    for protocol in ["tpc", "256", "-2", "06", "+6"] {
        let wrong = permission(protocol, Some(1), Some(1));
        refused(world, &errors::INVALID, "IpPermissions[0].IpProtocol", || authorize(wrong));
    }
    for (protocol, from, to) in [
        ("tcp", None, None),
        ("tcp", Some(80), None),
        ("tcp", Some(81), Some(80)),
        ("udp", Some(0), Some(65536)),
        ("udp", Some(-2), Some(2)),
        ("icmp", Some(-1), Some(3)),
        ("icmp", Some(256), Some(-1)),
    ] {
        let wrong = permission(protocol, from, to);
        refused(world, &errors::INVALID, "IpPermissions[0].FromPort", || authorize(wrong));
    }
    for range in ["10.0.0.0", "x/8", "::/0", ""] {
        refused(world, &errors::INVALID, "IpPermissions[0].IpRanges", || authorize(tcp(80, &[range])));
    }
    let v6 = Ipv6Range::builder().cidr_ipv6("10.0.0.0/8").build()?;
    let v6 = IpPermission::builder().ip_protocol("-1").ipv6_ranges(vec![v6]).build()?;
    refused(world, &errors::INVALID, "IpPermissions[0].Ipv6Ranges", || authorize(v6));
    let words = IpRange::builder().cidr_ip("10.0.0.0/8").description("é").build()?;
    let words = IpPermission::builder().ip_protocol("-1").ip_ranges(vec![words]).build()?;
    refused(world, &errors::INVALID, "IpPermissions[0].Description", || authorize(words));
    let list = PrefixListId::builder().prefix_list_id("pl-12345678").build()?;
    let list = IpPermission::builder().ip_protocol("-1").prefix_list_ids(vec![list]).build()?;
    refused(world, &errors::PREFIX_LIST_NOT_FOUND, "IpPermissions[0].PrefixListIds", || authorize(list));
    let nameless =
        IpPermission::builder().ip_ranges(vec![IpRange::builder().cidr_ip("10.0.0.0/8").build()?]).build()?;
    refused(world, &errors::MISSING, "IpPermissions[0].IpProtocol", || authorize(nameless));
    let empty = IpPermission::builder().ip_protocol("-1").build()?;
    refused(world, &errors::MISSING, "IpPermissions", || authorize(empty));
    let elsewhere = || objects.authorize_ingress("sg-12345678", vec![tcp(80, &["10.0.0.0/8"])]).wait();
    refused(world, &errors::GROUP_NOT_FOUND, "GroupId", elsewhere);
    Ok(())
}

pub(super) fn cidr_blocks_of_rules_are_normalized(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let objects = SecurityGroup::objects(&session);
    let found = objects.authorize_ingress(id.clone(), vec![tcp(80, &["100.68.0.18/18"])]).wait()?;
    let expected = [("tcp".to_owned(), Some(80), vec!["100.68.0.0/18".to_owned()])];
    assert_eq!(summarize(found.ip_permissions().unwrap()), expected);
    let same = || objects.authorize_ingress(id.clone(), vec![tcp(80, &["100.68.1.1/18"])]).wait();
    refused(world, &errors::RULE_EXISTS, "IpPermissions", same);
    objects.revoke_ingress(id.clone(), vec![tcp(80, &["100.68.2.2/18"])]).wait()?;
    Ok(())
}

pub(super) fn rules_can_refer_to_security_groups(world: &World) -> Result<()> {
    let session = world.session();
    let (id, other) = (create_in_default_vpc(world, "web")?, create_in_default_vpc(world, "api")?);
    let far = create_vpc(&session, "10.0.0.0/16")?;
    let far = create_group(&session, far.vpc_id().unwrap(), "far")?;
    let objects = SecurityGroup::objects(&session);
    let from = |pair: UserIdGroupPair| {
        let permission = IpPermission::builder().ip_protocol("-1").user_id_group_pairs(vec![pair]).build()?;
        objects.authorize_ingress(id.clone(), vec![permission]).wait()
    };
    let pair = UserIdGroupPair::builder;
    let found = from(pair().group_id(other.clone()).user_id("123456789012").build()?)?;
    assert_eq!(
        summarize(found.ip_permissions().unwrap()),
        [("-1".to_owned(), None, vec![other.to_string()])]
    );
    let account = found.ip_permissions().unwrap()[0].user_id_group_pairs().unwrap()[0].user_id();
    assert_eq!(account, Some("123456789012"));
    let same = pair().group_name("api").build()?;
    refused(world, &errors::RULE_EXISTS, "IpPermissions", || from(same));
    from(pair().group_name("web").build()?)?;
    for absent in [
        pair().group_id("sg-12345678"),
        pair().group_name("far"),
        pair().group_id(far),
        pair().group_id(other.clone()).user_id("210987654321"),
        pair().group_id(other.clone()).vpc_id("vpc-12345678"),
    ] {
        let absent = absent.build()?;
        refused(world, &errors::GROUP_NOT_FOUND, "IpPermissions[0].UserIdGroupPairs", || from(absent));
    }
    let peering = pair().group_id(other.clone()).vpc_peering_connection_id("pcx-12345678").build()?;
    refused(world, &errors::PEERING_NOT_FOUND, "IpPermissions[0].UserIdGroupPairs", || from(peering));
    let empty = pair().build()?;
    refused(world, &errors::MISSING, "IpPermissions[0].UserIdGroupPairs", || from(empty));
    Ok(())
}

pub(super) fn security_group_can_have_60_rules_per_direction(world: &World) -> Result<()> {
    let (session, id) = (world.session(), create_in_default_vpc(world, "web")?);
    let objects = SecurityGroup::objects(&session);
    let many = |from: i64, count: i64| {
        (from..from + count).map(|port| tcp(port, &["10.0.0.0/8"])).collect::<Vec<_>>()
    };
    objects.authorize_ingress(id.clone(), many(1, 60)).wait()?;
    let one_more = || objects.authorize_ingress(id.clone(), many(61, 1)).wait();
    refused(world, &errors::TOO_MANY_RULES, "IpPermissions", one_more);
    // Rules for IPv6, and rules of the other direction, are counted separately.
    let v6 = vec![Ipv6Range::builder().cidr_ipv6("::/0").build()?];
    let v6 = IpPermission::builder().ip_protocol("-1").ipv6_ranges(v6).build()?;
    objects.authorize_ingress(id.clone(), vec![v6]).wait()?;
    objects.authorize_egress(id.clone(), many(1, 59)).wait()?;
    let one_more = || objects.authorize_egress(id.clone(), many(60, 1)).wait();
    refused(world, &errors::TOO_MANY_RULES, "IpPermissions", one_more);
    Ok(())
}
