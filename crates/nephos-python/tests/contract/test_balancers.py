from __future__ import annotations

import nephos
import pytest
from checks import invalid, refused
from nephos import Listener, LoadBalancer, Rule, Subnet, TargetGroup
from nephos.elbv2 import Action, FixedResponseConfig

CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/one"
NOT_FOUND = Action(Type="fixed-response", FixedResponseConfig=FixedResponseConfig(StatusCode="404"))


def create_balancer(name: str = "web", **fields: object) -> LoadBalancer:
    subnets = [subnet.SubnetId for subnet in Subnet.objects.list()][:2]
    return LoadBalancer.objects.create(LoadBalancer(LoadBalancerName=name, Subnets=subnets, **fields))[0]


def create_listener(balancer: LoadBalancer, port: int, **fields: object) -> Listener:
    values = {"Protocol": "HTTP", "DefaultActions": [NOT_FOUND], **fields}
    return Listener.objects.create(Listener(LoadBalancerArn=balancer.arn, Port=port, **values))[0]


def create_group(name: str = "web") -> TargetGroup:
    model = TargetGroup(TargetGroupName=name, Port=80, Protocol="HTTP", VpcId=nephos.Vpc.objects.list()[0].VpcId)
    return TargetGroup.objects.create(model, name)[0]


def test_create_then_get_returns_listener(world: nephos.Cloud) -> None:
    web, group = create_balancer(), create_group()
    model = Listener(
        LoadBalancerArn=web.arn,
        Port=443,
        Certificates=[{"CertificateArn": CERTIFICATE}],
        DefaultActions=[{"Type": "forward", "TargetGroupArn": group.arn}],
        Tags=[{"Key": "team", "Value": "web"}],
    )
    assert model.Protocol == "HTTPS"
    [created] = Listener.objects.create(model)
    assert ":listener/app/web/" in created.arn and len(created.arn.split("/")) == 5
    found = Listener.objects.get(created.arn)
    assert found == created and found.LoadBalancerArn == web.arn and found.SslPolicy == "ELBSecurityPolicy-2016-08"
    assert found.MutualAuthentication.Mode == "off" and found.Certificates[0].CertificateArn == CERTIFICATE
    assert found.DefaultActions[0].TargetGroupArn == group.arn
    assert found.DefaultActions[0].ForwardConfig.TargetGroups[0].Weight == 1
    assert len(found.tags) == 1 and found.pk == created.arn
    invalid("name", lambda: found.name)
    assert TargetGroup.objects.get(Name="web").LoadBalancerArns == [web.arn]
    assert Listener.objects.get(created.arn.replace("/web/", "/gone/")) is None


def test_duplicate_listener_port_is_refused(world: nephos.Cloud) -> None:
    web = create_balancer()
    created = create_listener(web, 80)
    assert create_listener(web, 80).arn == created.arn
    other = Action(Type="fixed-response", FixedResponseConfig={"StatusCode": "503"})
    refused("DuplicateListener", lambda: create_listener(web, 80, DefaultActions=[other]))


def test_listener_model_saves_and_deletes(world: nephos.Cloud) -> None:
    listener = create_listener(create_balancer(), 80)
    listener.Port = 81
    listener.DefaultActions[0].FixedResponseConfig.StatusCode = "503"
    listener.save()
    found = Listener.objects.get(listener.arn)
    assert found.Port == 81 and found.DefaultActions[0].FixedResponseConfig.StatusCode == "503"
    listener.delete()
    assert Listener.objects.get(listener.arn) is None


def test_list_listeners_by_load_balancer_or_arn(world: nephos.Cloud) -> None:
    web = create_balancer()
    listeners = [create_listener(web, port) for port in (80, 81, 82)]
    assert {found.Port for found in Listener.objects.list(LoadBalancerArn=web.arn)} == {80, 81, 82}
    assert [found.arn for found in Listener.objects.list(ListenerArns=[listeners[1].arn])] == [listeners[1].arn]
    with pytest.raises(ValueError):
        Listener.objects.list().all()


def test_create_then_get_returns_load_balancer(world: nephos.Cloud) -> None:
    web = create_balancer(Tags=[{"Key": "a", "Value": "b"}])
    found = LoadBalancer.objects.list(Names=["web"]).first()
    assert found.arn == web.arn and found.name == "web" and found.Type == "application" and found.tags == {"a": "b"}


def test_deletion_protection_prevents_delete(world: nephos.Cloud) -> None:
    web = create_balancer()
    LoadBalancer.objects.set_attributes(web.arn, [{"Key": "deletion_protection.enabled", "Value": "true"}])
    error = refused("OperationNotPermitted", web.delete)
    assert isinstance(error, nephos.errors.Protected)


def test_relations_return_related_models(world: nephos.Cloud) -> None:
    web, group = create_balancer(), create_group()
    listener = create_listener(web, 80, DefaultActions=[{"Type": "forward", "TargetGroupArn": group.arn}])
    group = TargetGroup.objects.get(Name="web")
    assert [balancer.name for balancer in group.load_balancers] == ["web"]
    assert group.vpc.VpcId == group.VpcId and isinstance(group.vpc, nephos.Vpc)
    assert listener.load_balancer.arn == web.arn
    assert group.targets() == []


def test_create_then_get_returns_rule(world: nephos.Cloud) -> None:
    listener = create_listener(create_balancer(), 80)
    conditions = [{"Field": "path-pattern", "Values": ["/api/*"]}]
    [rule] = Rule.objects.create(Rule(Priority="5", Conditions=conditions, Actions=[NOT_FOUND]), listener.arn)
    found = Rule.objects.get(rule.arn)
    assert found.arn == rule.arn and found.Conditions[0].PathPatternConfig.Values == ["/api/*"]
    assert Rule.objects.list(ListenerArn=listener.arn).count() == 2


def test_target_group_model_saves_and_deletes(world: nephos.Cloud) -> None:
    group = create_group()
    group.UnhealthyThresholdCount = 5
    group.save()
    assert TargetGroup.objects.get(Name="web").UnhealthyThresholdCount == 5
    group.delete()
    assert TargetGroup.objects.get(Name="web") is None
