"""Capacity reservations, IPAM pools, and the files and sharing of trust stores, through boto3."""

import pytest
from test_elbv2 import create_balancer, elb, net, refused_as

__all__ = ["elb", "net"]


@pytest.fixture
def store(elb):
    """Returns the ARN of a trust store."""
    bundle = {"CaCertificatesBundleS3Bucket": "trust", "CaCertificatesBundleS3Key": "ca.pem"}
    return elb.create_trust_store(Name="web", **bundle)["TrustStores"][0]["TrustStoreArn"]


def test_capacity_reservation(elb, net):
    arn = create_balancer(elb, net)
    assert elb.describe_capacity_reservation(LoadBalancerArn=arn)["DecreaseRequestsRemaining"] == 2
    capacity = {"MinimumLoadBalancerCapacity": {"CapacityUnits": 100}}
    made = elb.modify_capacity_reservation(LoadBalancerArn=arn, **capacity)
    assert [zone["State"] for zone in made["CapacityReservationState"]] == [{"Code": "pending"}] * 2
    found = elb.describe_capacity_reservation(LoadBalancerArn=arn)
    assert found["MinimumLoadBalancerCapacity"] == {"CapacityUnits": 100}
    assert found["CapacityReservationState"][0] == {
        "State": {"Code": "provisioned"},
        "AvailabilityZone": "us-east-1a",
        "EffectiveCapacityUnits": 50.0,
    }
    assert found["LastModifiedTime"].tzinfo is not None
    with refused_as(elb, "CapacityUnitsLimitExceeded"):
        elb.modify_capacity_reservation(LoadBalancerArn=arn, MinimumLoadBalancerCapacity={"CapacityUnits": 20000})
    reset = elb.modify_capacity_reservation(LoadBalancerArn=arn, ResetCapacityReservation=True)
    assert "MinimumLoadBalancerCapacity" not in reset
    elb.delete_load_balancer(LoadBalancerArn=arn)
    with refused_as(elb, "LoadBalancerNotFound"):
        elb.describe_capacity_reservation(LoadBalancerArn=arn)


def test_ip_pools(elb, net):
    arn = create_balancer(elb, net)
    pools = {"Ipv4IpamPoolId": "ipam-pool-0123"}
    assert elb.modify_ip_pools(LoadBalancerArn=arn, IpamPools=pools)["IpamPools"] == pools
    [found] = elb.describe_load_balancers(LoadBalancerArns=[arn])["LoadBalancers"]
    assert found["IpamPools"] == pools
    assert "IpamPools" not in elb.modify_ip_pools(LoadBalancerArn=arn, RemoveIpamPools=["ipv4"])


def test_revocation_files(elb, store):
    contents = [{"S3Bucket": "trust", "S3Key": f"{n}.crl", "RevocationType": "CRL"} for n in range(3)]
    made = elb.add_trust_store_revocations(TrustStoreArn=store, RevocationContents=contents)["TrustStoreRevocations"]
    assert made[0] == {"TrustStoreArn": store, "RevocationId": 1, "RevocationType": "CRL"}
    pages = elb.get_paginator("describe_trust_store_revocations").paginate(
        TrustStoreArn=store, PaginationConfig={"PageSize": 2}
    )
    assert [one["RevocationId"] for one in pages.search("TrustStoreRevocations[]")] == [1, 2, 3]
    assert elb.describe_trust_store_revocations(TrustStoreArn=store, RevocationIds=[2])["TrustStoreRevocations"] == made[1:2]
    found = elb.get_trust_store_revocation_content(TrustStoreArn=store, RevocationId=3)
    assert found["Location"] == "https://trust.s3.us-east-1.amazonaws.com/2.crl"
    elb.remove_trust_store_revocations(TrustStoreArn=store, RevocationIds=[1, 2])
    with refused_as(elb, "RevocationIdNotFound"):
        elb.remove_trust_store_revocations(TrustStoreArn=store, RevocationIds=[1])
    with refused_as(elb, "RevocationContentNotFound"):
        elb.add_trust_store_revocations(TrustStoreArn=store, RevocationContents=[{"S3Bucket": "No_Bucket", "S3Key": "a"}])
    [described] = elb.describe_trust_stores(TrustStoreArns=[store])["TrustStores"]
    assert "TotalRevokedEntries" not in described


def test_bundle_and_sharing(elb, store):
    found = elb.get_trust_store_ca_certificates_bundle(TrustStoreArn=store)
    assert found["Location"] == "https://trust.s3.us-east-1.amazonaws.com/ca.pem"
    with refused_as(elb, "CaCertificatesBundleNotFound"):
        elb.modify_trust_store(TrustStoreArn=store, CaCertificatesBundleS3Bucket="No_Bucket", CaCertificatesBundleS3Key="a")
    assert "Policy" not in elb.get_resource_policy(ResourceArn=store)
    with refused_as(elb, "ResourceNotFound"):
        elb.get_resource_policy(ResourceArn=store.replace("/web/", "/gone/"))
    with pytest.raises(elb.exceptions.TrustStoreAssociationNotFoundException):
        elb.delete_shared_trust_store_association(TrustStoreArn=store, ResourceArn=store)
