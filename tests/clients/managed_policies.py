"""Writes the tables of the provider's managed policies that the program contains, from the collection in moto's package.

The index has a line for each policy: name, path, number of the default version, times of creation and of the last change, and description, if
we have one. Documents are in the same order, some in each block, so that one can be read without the others. Both are compressed.
"""

import json
import re
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "crates/services/iam/src/policy/managed"
DOCUMENTS_IN_BLOCK = 32
ORDER = ["Version", "Id", "Statement", "Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "NotResource", "Condition"]


def compress(text):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    return compressor.compress(text.encode()) + compressor.flush()


def in_order(value):
    """The members of a document and of its statements in the order in which people write them."""
    if isinstance(value, list):
        return [in_order(item) for item in value]
    if isinstance(value, dict) and "Effect" in value or isinstance(value, dict) and "Statement" in value:
        return {name: in_order(value[name]) for name in sorted(value, key=ORDER.index)}
    return value


def descriptions():
    lines = (FOLDER / "descriptions.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def main():
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    policies = sorted(json.loads(aws_managed_policies_data).items())
    described = descriptions()
    unknown = described.keys() - dict(policies).keys()
    if unknown:
        sys.exit(f"no policies: {sorted(unknown)}")

    def line(name, policy):
        times = [re.sub(r"\+00:00$", "Z", policy[field]) for field in ("CreateDate", "UpdateDate")]
        return "\t".join([name, policy["Path"], policy["DefaultVersionId"].removeprefix("v"), *times, described.get(name, "")])

    index = compress("".join(line(name, policy) + "\n" for name, policy in policies))
    documents = [json.dumps(in_order(policy["Document"]), separators=(",", ":")) for _, policy in policies]
    starts = range(0, len(documents), DOCUMENTS_IN_BLOCK)
    blocks = [compress("\n".join(documents[start : start + DOCUMENTS_IN_BLOCK])) for start in starts]
    (FOLDER / "index.deflate").write_bytes(index)
    # Each block follows its length.
    framed = b"".join(len(block).to_bytes(4, "little") + block for block in blocks)
    (FOLDER / "documents.deflate").write_bytes(framed)
    print(f"{len(policies)} policies, {len(index) + len(framed)} bytes")


if __name__ == "__main__":
    main()
