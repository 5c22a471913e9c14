"""Identities through boto3."""

import struct
import zlib

import zxingcpp


def pixels(png):
    """Returns the pixels of an image with eight bits of gray, and checks its checksums."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        named = png[at + 4 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length) == (zlib.crc32(named),)
        chunks[named[:4]] = named[4:]
        at += 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    assert (chunks[b"IHDR"][8:], list(chunks)) == (bytes([8, 0, 0, 0, 0]), [b"IHDR", b"IDAT", b"IEND"])
    data = zlib.decompress(chunks[b"IDAT"])
    rows = [data[row : row + width + 1] for row in range(0, len(data), width + 1)]
    assert len(rows) == height and all(row[0] == 0 for row in rows)
    return memoryview(b"".join(row[1:] for row in rows)).cast("B", (height, width))


def test_qr_code_has_the_seed_of_the_device(client):
    iam = client("iam")
    create = lambda name: iam.create_virtual_mfa_device(VirtualMFADeviceName=name)["VirtualMFADevice"]
    for account, name in [("123456789012", "phone"), ("example", "x" * 128)]:
        if account == "example":
            iam.create_account_alias(AccountAlias=account)
        device = create(name)
        seed = device["Base32StringSeed"].decode()
        expected = f"Amazon%20Web%20Services:{name}@{account}?secret={seed}&issuer=Amazon%20Web%20Services"
        assert zxingcpp.read_barcode(pixels(device["QRCodePNG"])).text == f"otpauth://totp/{expected}"
    assert all("QRCodePNG" not in device for device in iam.list_virtual_mfa_devices()["VirtualMFADevices"])
