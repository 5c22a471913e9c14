from __future__ import annotations

import json

import nephos
import pytest
from checks import invalid, refused
from nephos import AccessKey, Group, Policy, Role, User

DOCUMENT = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}]})
TRUST = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}]})


def test_created_group_is_returned_by_get(world: nephos.Cloud) -> None:
    group = Group.objects.create(Group(GroupName="Web", Path="/team/"))
    assert group.arn == "arn:aws:iam::123456789012:group/team/Web"
    assert group.GroupId.startswith("AGPA") and len(group.GroupId) == 21
    assert group.CreateDate == world.clock.now()
    assert Group.objects.get("wEB") == group
    for name in ("", "a b", "a" * 129):
        invalid("GroupName", lambda: Group.objects.create(GroupName=name))


def test_group_name_is_unique_ignoring_case(world: nephos.Cloud) -> None:
    web = Group.objects.create(GroupName="Web")
    error = refused("EntityAlreadyExists", lambda: Group.objects.create(GroupName="web"))
    assert "Group with name web already exists." in str(error)
    Group.objects.create(GroupName="api")
    refused("EntityAlreadyExists", lambda: Group.objects.update(web, NewGroupName="API"))


def test_missing_group_is_not_found(world: nephos.Cloud) -> None:
    User.objects.create(UserName="ann")
    assert Group.objects.get("web") is None
    for call in (Group.objects.delete, Group.objects.users):
        refused("NoSuchEntity", lambda: call("web"))
    for call in (Group.objects.add_user, Group.objects.remove_user):
        refused("NoSuchEntity", lambda: call("web", "ann"))


def test_models_add_and_remove_users(world: nephos.Cloud) -> None:
    ann, web = User.objects.create(UserName="ann"), Group.objects.create(GroupName="web")
    web.add_user("ann")
    ann.add_to_group("web")
    assert web.users() == [User.objects.get("ann")] and ann.list_groups() == [web]
    web.remove_user("ann")
    web.remove_user("ann")
    assert web.users() == [] and ann.list_groups() == []


def test_users_of_group_are_sorted_by_name(world: nephos.Cloud) -> None:
    group = Group.objects.create(GroupName="web")
    for name in ("cid", "Bea", "ann", "Dan"):
        User.objects.create(UserName=name)
        group.add_user(name)
    assert [user.name for user in group.users()] == ["ann", "Bea", "cid", "Dan"]


def test_group_with_users_cannot_be_deleted(world: nephos.Cloud) -> None:
    group = Group.objects.create(GroupName="web")
    User.objects.create(UserName="ann")
    group.add_user("ann")
    refused("DeleteConflict", group.delete)
    group.remove_user("ann")
    group.delete()
    assert Group.objects.get("web") is None


def test_manager_has_calls_for_policies(world: nephos.Cloud) -> None:
    group = Group.objects.create(GroupName="web")
    group.put_inline_policy("one", DOCUMENT)
    assert group.inline_policies() == ["one"] == Group.objects.inline_policies("web")
    group.remove_inline_policy("one")
    assert group.inline_policies() == []
    policy = Policy.objects.create(Policy(PolicyName="logs"), PolicyDocument=DOCUMENT)
    group.attach_policy(policy.arn)
    assert [attached.PolicyName for attached in group.attached_policies()] == ["logs"]
    group.detach_policy(policy.arn)
    assert group.attached_policies() == []


def test_created_user_is_returned_by_get(world: nephos.Cloud) -> None:
    user = User.objects.create(UserName="ann", Path="/team/", Tags=[{"Key": "a", "Value": "b"}])
    assert user == User.objects.get("ann") and user.arn == "arn:aws:iam::123456789012:user/team/ann"
    assert user.tags == {"a": "b"} and user.UserId.startswith("AIDA")


def test_missing_user_is_not_found(world: nephos.Cloud) -> None:
    assert User.objects.get("ann") is None
    refused("NoSuchEntity", lambda: User.objects.delete("ann"))


def test_save_creates_then_updates_user(world: nephos.Cloud) -> None:
    user = User(UserName="ann")
    user.save()
    identity = user.UserId
    user.tags["team"] = "web"
    user.save()
    assert User.objects.get("ann").UserId == identity and User.objects.get("ann").tags == {"team": "web"}


def test_secret_is_returned_only_at_creation(world: nephos.Cloud) -> None:
    User.objects.create(UserName="ann")
    key = AccessKey.objects.create(UserName="ann")
    assert len(key.SecretAccessKey.get_secret_value()) == 40 and key.Status == "Active"
    assert key.name == key.pk == key.AccessKeyId
    listed = AccessKey.objects.list(UserName="ann").first()
    assert listed.AccessKeyId == key.AccessKeyId and listed.SecretAccessKey is None


def test_user_can_have_two_access_keys(world: nephos.Cloud) -> None:
    User.objects.create(UserName="ann")
    for _ in range(2):
        AccessKey.objects.create(UserName="ann")
    error = refused("LimitExceeded", lambda: AccessKey.objects.create(UserName="ann"))
    assert isinstance(error, nephos.errors.LimitExceeded)


def test_access_key_leads_to_its_user(world: nephos.Cloud) -> None:
    user = User.objects.create(UserName="ann")
    key = AccessKey.objects.create(UserName="ann")
    assert key.user == user and key.last_used().UserName == "ann"


def test_created_role_is_returned_by_get(world: nephos.Cloud) -> None:
    role = Role.objects.create(RoleName="web", AssumeRolePolicyDocument=TRUST)
    assert Role.objects.get("web").RoleId == role.RoleId and role.arn == "arn:aws:iam::123456789012:role/web"


def test_trust_policy_is_checked(world: nephos.Cloud) -> None:
    with pytest.raises(ValueError):
        Role.objects.create(RoleName="web", AssumeRolePolicyDocument="{}")
    assert Role.objects.get("web") is None


def test_policy_can_have_five_versions(world: nephos.Cloud) -> None:
    policy = Policy.objects.create(Policy(PolicyName="logs"), PolicyDocument=DOCUMENT)
    for _ in range(4):
        nephos.PolicyVersion.objects.create(PolicyArn=policy.arn, PolicyDocument=DOCUMENT)
    refused("LimitExceeded", lambda: nephos.PolicyVersion.objects.create(PolicyArn=policy.arn, PolicyDocument=DOCUMENT))


def test_accounts_are_isolated_and_regions_share_users(world: nephos.Cloud) -> None:
    User.objects.create(UserName="ann")
    assert User.objects.using(world.session(account="210987654321")).get("ann") is None
    assert User.objects.using(world.session(region="eu-west-1")).get("ann") is not None
