"""Crypto keys through boto3, the AWS CLI and the provider's encryption SDK; Python's `cryptography` and OpenSSL on the other side."""

import base64
import hashlib
import hmac
import subprocess

import aws_encryption_sdk
import pytest
from aws_encryption_sdk.exceptions import AWSEncryptionSDKClientError
from aws_encryption_sdk.identifiers import CommitmentPolicy
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

MESSAGE = b"the message"
HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}
CURVES = {
    "ECC_NIST_P256": (ec.SECP256R1, "ECDSA_SHA_256"),
    "ECC_NIST_P384": (ec.SECP384R1, "ECDSA_SHA_384"),
    "ECC_NIST_P521": (ec.SECP521R1, "ECDSA_SHA_512"),
    "ECC_SECG_P256K1": (ec.SECP256K1, "ECDSA_SHA_256"),
}
RSA_ALGORITHMS = [f"RSASSA_{scheme}_SHA_{size}" for scheme in ("PSS", "PKCS1_V1_5") for size in HASHES]


@pytest.fixture
def kms(client):
    return client("kms")


def create(kms, spec="SYMMETRIC_DEFAULT", usage="ENCRYPT_DECRYPT"):
    """Creates a key; returns its ARN."""
    return kms.create_key(KeySpec=spec, KeyUsage=usage)["KeyMetadata"]["Arn"]


def public_key(kms, key):
    """Returns the public key of a key, parsed by `cryptography`."""
    return serialization.load_der_public_key(kms.get_public_key(KeyId=key)["PublicKey"])


def hash_of(algorithm):
    return HASHES[algorithm.rsplit("_", 1)[1]]


def digest_of(algorithm, message=MESSAGE):
    computed = hashes.Hash(hash_of(algorithm))
    computed.update(message)
    return computed.finalize()


def rsa_padding(algorithm):
    if "PSS" not in algorithm:
        return padding.PKCS1v15()
    used = hash_of(algorithm)
    return padding.PSS(padding.MGF1(used), used.digest_size)


def test_symmetric_round_trip(kms):
    key = create(kms)
    context = {"team": "web"}
    encrypted = kms.encrypt(KeyId=key, Plaintext=b"plain", EncryptionContext=context)
    assert (encrypted["KeyId"], encrypted["EncryptionAlgorithm"]) == (key, "SYMMETRIC_DEFAULT")
    decrypted = kms.decrypt(CiphertextBlob=encrypted["CiphertextBlob"], EncryptionContext=context)
    assert (decrypted["Plaintext"], decrypted["KeyId"]) == (b"plain", key)
    assert len(decrypted["KeyMaterialId"]) == 64
    with pytest.raises(kms.exceptions.InvalidCiphertextException) as caught:
        kms.decrypt(CiphertextBlob=encrypted["CiphertextBlob"], EncryptionContext={"team": "data"})
    assert caught.value.response["Error"]["Message"] == ""
    with pytest.raises(kms.exceptions.IncorrectKeyException):
        kms.decrypt(CiphertextBlob=encrypted["CiphertextBlob"], KeyId=create(kms), EncryptionContext=context)
    data_key = kms.generate_data_key(KeyId=key, KeySpec="AES_256")
    assert len(data_key["Plaintext"]) == 32
    assert kms.decrypt(CiphertextBlob=data_key["CiphertextBlob"])["Plaintext"] == data_key["Plaintext"]
    with pytest.raises(kms.exceptions.DryRunOperationException):
        kms.encrypt(KeyId=key, Plaintext=b"plain", DryRun=True)
    assert len(kms.generate_random(NumberOfBytes=24)["Plaintext"]) == 24


@pytest.mark.parametrize("spec", ["RSA_2048", "RSA_3072", "RSA_4096"])
def test_rsa_signatures_are_verified_by_cryptography(kms, spec):
    key = create(kms, spec, "SIGN_VERIFY")
    public = public_key(kms, key)
    assert isinstance(public, rsa.RSAPublicKey) and public.key_size == int(spec.removeprefix("RSA_"))
    for algorithm in RSA_ALGORITHMS:
        digest = digest_of(algorithm)
        for message, form in [(MESSAGE, "RAW"), (digest, "DIGEST")]:
            made = kms.sign(KeyId=key, Message=message, MessageType=form, SigningAlgorithm=algorithm)["Signature"]
            public.verify(made, MESSAGE, rsa_padding(algorithm), hash_of(algorithm))
            with pytest.raises(InvalidSignature):
                public.verify(made, b"another", rsa_padding(algorithm), hash_of(algorithm))


@pytest.mark.parametrize("spec", CURVES)
def test_ecdsa_signatures_are_verified_by_cryptography(kms, spec):
    curve, algorithm = CURVES[spec]
    key = create(kms, spec, "SIGN_VERIFY")
    public = public_key(kms, key)
    assert isinstance(public.curve, curve)
    digest = digest_of(algorithm)
    for message, form in [(MESSAGE, "RAW"), (digest, "DIGEST")]:
        made = kms.sign(KeyId=key, Message=message, MessageType=form, SigningAlgorithm=algorithm)["Signature"]
        public.verify(made, MESSAGE, ec.ECDSA(hash_of(algorithm)))
        public.verify(made, digest, ec.ECDSA(Prehashed(hash_of(algorithm))))
        checked = kms.verify(KeyId=key, Message=message, MessageType=form, Signature=made, SigningAlgorithm=algorithm)
        assert checked["SignatureValid"] is True
    with pytest.raises(kms.exceptions.KMSInvalidSignatureException) as caught:
        kms.verify(KeyId=key, Message=b"another", Signature=made, SigningAlgorithm=algorithm)
    assert caught.value.response["Error"]["Message"] == ""


@pytest.mark.parametrize("spec", ["RSA_2048", *CURVES, "ECC_NIST_EDWARDS25519"])
def test_data_key_pairs_are_read_by_cryptography(kms, spec):
    pair = kms.generate_data_key_pair(KeyId=create(kms), KeyPairSpec=spec)
    private = serialization.load_der_private_key(pair["PrivateKeyPlaintext"], None)
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    assert private.public_key().public_bytes(serialization.Encoding.DER, spki) == pair["PublicKey"]
    opened = kms.decrypt(CiphertextBlob=pair["PrivateKeyCiphertextBlob"])["Plaintext"]
    assert opened == pair["PrivateKeyPlaintext"]


def test_ed25519_signatures_are_verified_by_cryptography(kms):
    key = create(kms, "ECC_NIST_EDWARDS25519", "SIGN_VERIFY")
    public = public_key(kms, key)
    assert isinstance(public, ed25519.Ed25519PublicKey)
    made = kms.sign(KeyId=key, Message=MESSAGE, SigningAlgorithm="ED25519_SHA_512")["Signature"]
    public.verify(made, MESSAGE)
    digest = hashlib.sha512(MESSAGE).digest()
    prehashed = {"KeyId": key, "Message": digest, "MessageType": "DIGEST", "SigningAlgorithm": "ED25519_PH_SHA_512"}
    made = kms.sign(**prehashed)["Signature"]
    assert len(made) == 64
    assert kms.verify(**prehashed, Signature=made)["SignatureValid"] is True


@pytest.mark.parametrize("algorithm", ["RSAES_OAEP_SHA_1", "RSAES_OAEP_SHA_256"])
def test_oaep_both_ways(kms, algorithm):
    key = create(kms, "RSA_2048")
    used = hashes.SHA1() if algorithm.endswith("_1") else hashes.SHA256()
    oaep = padding.OAEP(padding.MGF1(used), used, None)
    ciphertext = public_key(kms, key).encrypt(b"plain", oaep)
    decrypted = kms.decrypt(KeyId=key, CiphertextBlob=ciphertext, EncryptionAlgorithm=algorithm)
    assert (decrypted["Plaintext"], decrypted["EncryptionAlgorithm"]) == (b"plain", algorithm)
    encrypted = kms.encrypt(KeyId=key, Plaintext=b"plain", EncryptionAlgorithm=algorithm)
    assert len(encrypted["CiphertextBlob"]) == 256
    moved = kms.re_encrypt(
        CiphertextBlob=encrypted["CiphertextBlob"],
        SourceKeyId=key,
        SourceEncryptionAlgorithm=algorithm,
        DestinationKeyId=create(kms),
    )
    assert kms.decrypt(CiphertextBlob=moved["CiphertextBlob"])["Plaintext"] == b"plain"
    with pytest.raises(kms.exceptions.InvalidCiphertextException):
        kms.decrypt(KeyId=key, CiphertextBlob=b"\x01" * 256, EncryptionAlgorithm=algorithm)


@pytest.mark.parametrize("spec", ["ECC_NIST_P256", "ECC_NIST_P384", "ECC_NIST_P521"])
def test_shared_secret_is_the_one_of_cryptography(kms, spec):
    key = create(kms, spec, "KEY_AGREEMENT")
    private = ec.generate_private_key(CURVES[spec][0]())
    encoded = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    derived = kms.derive_shared_secret(KeyId=key, KeyAgreementAlgorithm="ECDH", PublicKey=encoded)
    assert derived["SharedSecret"] == private.exchange(ec.ECDH(), public_key(kms, key))
    assert (derived["KeyAgreementAlgorithm"], derived["KeyOrigin"]) == ("ECDH", "AWS_KMS")


@pytest.mark.parametrize("size", ["224", "256", "384", "512"])
def test_message_authentication_codes(kms, size):
    key, algorithm = create(kms, f"HMAC_{size}", "GENERATE_VERIFY_MAC"), f"HMAC_SHA_{size}"
    code = kms.generate_mac(KeyId=key, Message=MESSAGE, MacAlgorithm=algorithm)["Mac"]
    assert len(code) == hmac.new(b"key", MESSAGE, f"sha{size}").digest_size
    assert kms.verify_mac(KeyId=key, Message=MESSAGE, MacAlgorithm=algorithm, Mac=code)["MacValid"] is True
    with pytest.raises(kms.exceptions.KMSInvalidMacException):
        kms.verify_mac(KeyId=key, Message=b"another", MacAlgorithm=algorithm, Mac=code)


@pytest.mark.parametrize(
    "spec, algorithm", [("RSA_2048", "RSASSA_PKCS1_V1_5_SHA_256"), ("ECC_NIST_P256", "ECDSA_SHA_256")]
)
def test_openssl_verifies_signatures(kms, tmp_path, spec, algorithm):
    key = create(kms, spec, "SIGN_VERIFY")
    files = {
        "key.der": kms.get_public_key(KeyId=key)["PublicKey"],
        "message": MESSAGE,
        "signature": kms.sign(KeyId=key, Message=MESSAGE, SigningAlgorithm=algorithm)["Signature"],
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    command = ["openssl", "dgst", "-sha256", "-verify", "key.der", "-keyform", "DER", "-signature", "signature", "message"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "Verified OK\n"), done.stderr
    (tmp_path / "message").write_bytes(b"another")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 1


def test_encryption_sdk_encrypts_and_decrypts(kms):
    key = create(kms)
    sdk = aws_encryption_sdk.EncryptionSDKClient(commitment_policy=CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT)

    class Provider(aws_encryption_sdk.StrictAwsKmsMasterKeyProvider):
        """A provider of master keys that calls the server under test."""

        def _client(self, key_id):
            return kms

    provider = Provider(key_ids=[key])
    ciphertext, header = sdk.encrypt(
        source=b"plain" * 1000, key_provider=provider, encryption_context={"team": "web"}
    )
    assert header.encryption_context["team"] == "web"
    plaintext, header = sdk.decrypt(source=ciphertext, key_provider=provider)
    assert plaintext == b"plain" * 1000
    kms.disable_key(KeyId=key)
    with pytest.raises(AWSEncryptionSDKClientError):
        sdk.decrypt(source=ciphertext, key_provider=provider)


def test_cli_smoke(aws, tmp_path):
    key = aws("kms", "create-key", "--description", "web")["KeyMetadata"]["KeyId"]
    (tmp_path / "plain").write_bytes(b"plain")
    ciphertext = aws("kms", "encrypt", "--key-id", key, "--plaintext", f"fileb://{tmp_path}/plain")["CiphertextBlob"]
    (tmp_path / "cipher").write_bytes(base64.b64decode(ciphertext))
    decrypted = aws("kms", "decrypt", "--ciphertext-blob", f"fileb://{tmp_path}/cipher")
    assert base64.b64decode(decrypted["Plaintext"]) == b"plain"
    pair = aws("kms", "create-key", "--key-spec", "ECC_NIST_P256", "--key-usage", "SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    message = ["--key-id", pair, "--message", f"fileb://{tmp_path}/plain", "--signing-algorithm", "ECDSA_SHA_256"]
    signature = aws("kms", "sign", *message)["Signature"]
    (tmp_path / "signature").write_bytes(base64.b64decode(signature))
    assert aws("kms", "verify", *message, "--signature", f"fileb://{tmp_path}/signature")["SignatureValid"] is True
    refused = aws.refused("kms", "sign", "--key-id", key, *message[2:])
    assert (refused.code, refused.operation) == ("InvalidKeyUsageException", "Sign")
