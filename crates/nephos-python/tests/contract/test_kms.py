from __future__ import annotations

import pickle

import nephos
import pytest
from checks import refused
from nephos import CryptoKey, KeyAlias

PLAINTEXT = b"the plaintext"


def test_encrypted_data_is_decrypted_with_and_without_key(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    KeyAlias.objects.create(AliasName="alias/web", TargetKeyId=key.KeyId)
    for name in (key.KeyId, key.arn, "alias/web"):
        encrypted = CryptoKey.objects.encrypt(name, PLAINTEXT)
        assert encrypted.KeyId == key.arn and encrypted.EncryptionAlgorithm == "SYMMETRIC_DEFAULT"
        ciphertext = encrypted.CiphertextBlob
        assert isinstance(ciphertext, bytes)
        decrypted = CryptoKey.objects.decrypt(CiphertextBlob=ciphertext)
        assert plain(decrypted) == PLAINTEXT and decrypted.KeyId == key.arn
        assert plain(CryptoKey.objects.decrypt(CiphertextBlob=ciphertext, KeyId=name)) == PLAINTEXT
        assert plain(key.decrypt(CiphertextBlob=ciphertext)) == PLAINTEXT


def plain(answer: object) -> bytes:
    assert isinstance(answer.Plaintext, nephos.SecretBytes)  # type: ignore[attr-defined]
    return answer.Plaintext.get_secret_value()


def test_equal_plaintexts_have_different_ciphertexts(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    assert CryptoKey.objects.encrypt(key.KeyId, PLAINTEXT).CiphertextBlob != CryptoKey.objects.encrypt(key.KeyId, PLAINTEXT).CiphertextBlob


@pytest.mark.parametrize("length", [0, 4097])
def test_plaintext_has_1_to_4096_bytes(world: nephos.Cloud, length: int) -> None:
    key = CryptoKey.objects.create()
    assert plain(key.decrypt(CiphertextBlob=CryptoKey.objects.encrypt(key.KeyId, bytes(4096)).CiphertextBlob)) == bytes(4096)
    refused("ValidationException", lambda: CryptoKey.objects.encrypt(key.KeyId, bytes(length)), "Plaintext")


def test_encryption_context_must_be_the_same(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    ciphertext = CryptoKey.objects.encrypt(key.KeyId, PLAINTEXT, EncryptionContext={"a": "b"}).CiphertextBlob
    assert plain(key.decrypt(CiphertextBlob=ciphertext, EncryptionContext={"a": "b"})) == PLAINTEXT
    refused("InvalidCiphertextException", lambda: key.decrypt(CiphertextBlob=ciphertext))


def test_key_is_disabled_and_enabled(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    key.disable()
    assert CryptoKey.objects.get(key.KeyId).KeyState == "Disabled"
    refused("DisabledException", lambda: CryptoKey.objects.encrypt(key.KeyId, PLAINTEXT))
    key.enable()
    assert CryptoKey.objects.get(key.KeyId).KeyState == "Enabled"


def test_created_key_is_returned_by_get_and_list(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create(Description="one")
    assert CryptoKey.objects.get(key.KeyId) == key == CryptoKey.objects.get(key.arn)
    assert key.Description == "one" and key.Enabled and key.KeyManager == "CUSTOMER" and key.ProviderAccountId == "123456789012"
    assert [found.KeyId for found in CryptoKey.objects.list()] == [key.KeyId]


def test_missing_key_is_not_found(world: nephos.Cloud) -> None:
    assert CryptoKey.objects.get("00000000-0000-4000-8000-000000000000") is None
    refused("NotFoundException", lambda: CryptoKey.objects.disable("00000000-0000-4000-8000-000000000000"))


def test_description_is_updated_by_save(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create(Description="one")
    key.Description = "two"
    key.save()
    assert CryptoKey.objects.get(key.KeyId).Description == "two"


def test_key_is_deleted_after_waiting_period(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    key.delete(PendingWindowInDays=7)
    found = CryptoKey.objects.get(key.KeyId)
    assert found.KeyState == "PendingDeletion" and not found.Enabled and found.DeletionDate is not None
    world.clock.advance("8d")
    assert CryptoKey.objects.get(key.KeyId) is None


@pytest.mark.parametrize("days", [6, 31])
def test_waiting_period_is_7_to_30_days(world: nephos.Cloud, days: int) -> None:
    key = CryptoKey.objects.create()
    with pytest.raises(ValueError):
        key.delete(PendingWindowInDays=days)
    assert CryptoKey.objects.get(key.KeyId).Enabled


def test_secrets_are_not_printed(world: nephos.Cloud) -> None:
    key = CryptoKey.objects.create()
    answer = key.decrypt(CiphertextBlob=CryptoKey.objects.encrypt(key.KeyId, PLAINTEXT).CiphertextBlob)
    for shown in (repr(answer), str(answer.Plaintext), answer.model_dump_json(), repr(answer.model_dump()), repr(answer.model_dump(mode="json"))):
        assert "the plaintext" not in shown and "dGhl" not in shown
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert answer.model_copy() == answer
