"""Ansible's modules on the server. A second run of a playbook changes nothing: the modules find what they asked for."""

import json
import pathlib
import subprocess

import pytest
from asserting import HANG
from installing import install_python

HERE = pathlib.Path(__file__).resolve().parent / "ansible"


@pytest.fixture(scope="module")
def programs():
    return install_python("ansible", HERE / "requirements.txt")


@pytest.fixture
def play(programs, environment, server):
    """Runs a playbook, in which every task must succeed; returns the names of the tasks that changed something."""
    variables = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ACCESS_KEY_ID": "123456789012",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
        "ANSIBLE_DEPRECATION_WARNINGS": "false",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_PIPELINING": "true",
        # Ansible refuses to start in another encoding.
        "LC_ALL": "C.UTF-8",
    }

    def run(playbook):
        command = [programs / "ansible-playbook", HERE / playbook]
        ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=HANG)
        # Warnings may stand before the report.
        report = json.loads(ended.stdout[ended.stdout.find("{\n") :]) if "{\n" in ended.stdout else {"plays": []}
        tasks = [task for played in report["plays"] for task in played["tasks"]]
        results = [(task["task"]["name"], task["hosts"]["localhost"]) for task in tasks]
        failed = [f"{playbook}: {name}: {messages(result)}" for name, result in results if result.get("failed")]
        assert not failed, "\n".join(failed)
        assert ended.returncode == 0 and results, f"{playbook}: {ended.stdout}{ended.stderr}"
        return [name for name, result in results if result["changed"]]

    return run


def messages(result):
    """Returns the messages of a task, or those of the rounds of its loop that failed."""
    rounds = [item["msg"] for item in result.get("results", []) if item.get("failed")]
    return "; ".join(rounds) or result["msg"]


def test_playbook_settles_and_is_removed(play, client):
    assert len(play("playbook.yml")) == 22
    assert play("playbook.yml") == []
    [vpc] = client("ec2").describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["app"]}])["Vpcs"]
    rules = rules_of_load_balancer(client("elbv2"))
    assert [rule["Priority"] for rule in rules] == ["1", "2", "3", "default"]
    play("remove.yml")
    assert play("remove.yml") == []
    assert remaining(client, vpc["VpcId"]) == []


def rules_of_load_balancer(elb):
    [balancer] = elb.describe_load_balancers(Names=["app"])["LoadBalancers"]
    listeners = elb.describe_listeners(LoadBalancerArn=balancer["LoadBalancerArn"])["Listeners"]
    [listener] = [listener for listener in listeners if listener["Port"] == 80]
    return elb.describe_rules(ListenerArn=listener["ListenerArn"])["Rules"]


def remaining(client, vpc):
    """Returns the resources that are left, except keys that are scheduled for deletion, and those of AWS."""
    iam, ec2, elb, kms = client("iam"), client("ec2"), client("elbv2"), client("kms")
    in_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
    keys = [kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"] for key in kms.list_keys()["Keys"]]
    return [
        *iam.list_users()["Users"],
        *iam.list_groups()["Groups"],
        *iam.list_roles()["Roles"],
        *iam.list_policies(Scope="Local")["Policies"],
        *iam.list_instance_profiles()["InstanceProfiles"],
        *(key for key in keys if key["KeyState"] != "PendingDeletion" and key["KeyManager"] == "CUSTOMER"),
        *client("secretsmanager").list_secrets(IncludePlannedDeletion=True)["SecretList"],
        *client("logs").describe_log_groups()["logGroups"],
        *client("events").list_rules()["Rules"],
        *ec2.describe_vpcs(Filters=in_vpc)["Vpcs"],
        *ec2.describe_subnets(Filters=in_vpc)["Subnets"],
        *ec2.describe_security_groups(Filters=in_vpc)["SecurityGroups"],
        *elb.describe_load_balancers()["LoadBalancers"],
        *elb.describe_target_groups()["TargetGroups"],
    ]
