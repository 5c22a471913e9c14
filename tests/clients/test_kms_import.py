"""Key material that Python's cryptography wraps, imported through boto3."""

import datetime
import os

import pytest
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


@pytest.fixture
def kms(client):
    return client("kms")


def oaep(public, digest, material):
    return public.encrypt(material, padding.OAEP(padding.MGF1(digest), digest, None))


def wrap(public, algorithm, material):
    """Wraps material with a DER public key."""
    public = serialization.load_der_public_key(public)
    digest = hashes.SHA1() if algorithm.endswith("SHA_1") else hashes.SHA256()
    if algorithm.startswith("RSAES_OAEP"):
        return oaep(public, digest, material)
    key = AESGCM.generate_key(256)
    return oaep(public, digest, key) + keywrap.aes_key_wrap_with_padding(key, material)


def import_material(kms, key, algorithm, material, **parameters):
    found = kms.get_parameters_for_import(KeyId=key, WrappingAlgorithm=algorithm, WrappingKeySpec="RSA_2048")
    if "ExpirationModel" not in parameters and "ValidTo" not in parameters:
        parameters["ExpirationModel"] = "KEY_MATERIAL_DOES_NOT_EXPIRE"
    return kms.import_key_material(
        KeyId=key,
        ImportToken=found["ImportToken"],
        EncryptedKeyMaterial=wrap(found["PublicKey"], algorithm, material),
        **parameters,
    )


def pkcs8(key):
    return key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def spki(key):
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


@pytest.mark.parametrize(
    "algorithm", ["RSAES_OAEP_SHA_1", "RSAES_OAEP_SHA_256", "RSA_AES_KEY_WRAP_SHA_1", "RSA_AES_KEY_WRAP_SHA_256"]
)
def test_symmetric_material_encrypts_and_decrypts(kms, algorithm):
    key = kms.create_key(Origin="EXTERNAL")["KeyMetadata"]
    assert key["KeyState"] == "PendingImport"
    imported = import_material(kms, key["KeyId"], algorithm, os.urandom(32))
    described = kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]
    assert (described["KeyState"], described["CurrentKeyMaterialId"]) == ("Enabled", imported["KeyMaterialId"])
    encrypted = kms.encrypt(KeyId=key["KeyId"], Plaintext=b"plain")
    assert kms.decrypt(CiphertextBlob=encrypted["CiphertextBlob"])["Plaintext"] == b"plain"


def test_rsa_key_decrypts_what_its_public_key_encrypts(kms):
    private = rsa.generate_private_key(65537, 2048)
    key = kms.create_key(Origin="EXTERNAL", KeySpec="RSA_2048", KeyUsage="ENCRYPT_DECRYPT")["KeyMetadata"]["KeyId"]
    import_material(kms, key, "RSA_AES_KEY_WRAP_SHA_256", pkcs8(private))
    assert kms.get_public_key(KeyId=key)["PublicKey"] == spki(private)
    encrypted = oaep(private.public_key(), hashes.SHA256(), b"plain")
    found = kms.decrypt(KeyId=key, CiphertextBlob=encrypted, EncryptionAlgorithm="RSAES_OAEP_SHA_256")
    assert found["Plaintext"] == b"plain"


@pytest.mark.parametrize("algorithm", ["RSAES_OAEP_SHA_256", "RSA_AES_KEY_WRAP_SHA_1"])
def test_curve_key_signs_for_its_public_key(kms, algorithm):
    private = ec.generate_private_key(ec.SECP256R1())
    key = kms.create_key(Origin="EXTERNAL", KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    import_material(kms, key, algorithm, pkcs8(private))
    assert kms.get_public_key(KeyId=key)["PublicKey"] == spki(private)
    signed = kms.sign(KeyId=key, Message=b"message", SigningAlgorithm="ECDSA_SHA_256")
    private.public_key().verify(signed["Signature"], b"message", ec.ECDSA(hashes.SHA256()))


def test_other_material_is_refused(kms):
    key = kms.create_key(Origin="EXTERNAL")["KeyMetadata"]["KeyId"]
    import_material(kms, key, "RSAES_OAEP_SHA_256", b"1" * 32)
    # The provider sends no text with this error.
    with pytest.raises(kms.exceptions.IncorrectKeyMaterialException):
        import_material(kms, key, "RSAES_OAEP_SHA_256", b"2" * 32)


def test_material_expires(kms, server):
    key = kms.create_key(Origin="EXTERNAL")["KeyMetadata"]["KeyId"]
    end = datetime.datetime.fromtimestamp(server.now() // 1000 + 3600, datetime.timezone.utc)
    import_material(kms, key, "RSAES_OAEP_SHA_256", b"1" * 32, ValidTo=end)
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["ValidTo"] == end
    server.advance("1h")
    assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "PendingImport"


def test_automatic_rotation(kms, server):
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.enable_key_rotation(KeyId=key, RotationPeriodInDays=90)
    encrypted = kms.encrypt(KeyId=key, Plaintext=b"plain")["CiphertextBlob"]
    server.advance("4320h")
    rotations = kms.list_key_rotations(KeyId=key)["Rotations"]
    assert [rotation["RotationType"] for rotation in rotations] == ["AUTOMATIC", "AUTOMATIC"]
    assert kms.decrypt(CiphertextBlob=encrypted)["Plaintext"] == b"plain"


def test_replica_decrypts_what_primary_encrypts(kms, client):
    key = kms.create_key(MultiRegion=True)["KeyMetadata"]["KeyId"]
    replica = kms.replicate_key(KeyId=key, ReplicaRegion="eu-west-1")
    assert replica["ReplicaKeyMetadata"]["KeyState"] == "Creating"
    encrypted = kms.encrypt(KeyId=key, Plaintext=b"plain")["CiphertextBlob"]
    there = client("kms", region="eu-west-1")
    assert there.decrypt(CiphertextBlob=encrypted)["Plaintext"] == b"plain"
    configuration = there.describe_key(KeyId=key)["KeyMetadata"]["MultiRegionConfiguration"]
    assert configuration["MultiRegionKeyType"] == "REPLICA"
