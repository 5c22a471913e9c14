"""Sessions of roles through boto3, for SAML responses that signxml signs."""

import base64
import datetime

import pytest
from asserting import refused
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from lxml import etree
from signxml import CanonicalizationMethod, SignatureReference, XMLSigner, methods
from test_sts import ACCOUNT, ROLE, trust, with_credentials

ISSUER = "https://idp.example.com/metadata"
PROVIDER = f"arn:aws:iam::{ACCOUNT}:saml-provider/corp"
SIGN_IN = "https://signin.aws.amazon.com/saml"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"

# Formatted as identity providers do: declarations on the root, indentation, comments and types of values.
RESPONSE = """<?xml version="1.0" encoding="UTF-8"?>
<saml2p:Response xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    Destination="{sign_in}" ID="response" IssueInstant="{now}" Version="2.0">
  <saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion">{issuer}</saml2:Issuer>
  <saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></saml2p:Status>
{assertion}
</saml2p:Response>"""

ASSERTION = """<saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="http://www.w3.org/2001/XMLSchema"
      ID="assertion" IssueInstant="{now}" Version="2.0">
    <saml2:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">{issuer}</saml2:Issuer>
    <saml2:Subject><!-- Zoë &amp; others -->
      <saml2:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">Zo&#235; &lt;&amp;&gt; "B"</saml2:NameID>
      <saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
        <saml2:SubjectConfirmationData Recipient='{sign_in}' NotOnOrAfter="{end}"/>
      </saml2:SubjectConfirmation>
    </saml2:Subject>
    <saml2:Conditions NotOnOrAfter="{end}" NotBefore="{now}">
      <saml2:AudienceRestriction><saml2:Audience>urn:amazon:webservices</saml2:Audience></saml2:AudienceRestriction>
    </saml2:Conditions>
    <saml2:AuthnStatement AuthnInstant="{now}"/>
    <saml2:AttributeStatement>
      <saml2:Attribute Name="https://aws.amazon.com/SAML/Attributes/Role">
        <saml2:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">{role},{provider}</saml2:AttributeValue>
      </saml2:Attribute>
      <saml2:Attribute Name="https://aws.amazon.com/SAML/Attributes/RoleSessionName" FriendlyName="tab&#9;and&#10;line">
        <saml2:AttributeValue><![CDATA[zoe@example.com]]></saml2:AttributeValue>
      </saml2:Attribute>
    </saml2:AttributeStatement>
  </saml2:Assertion>"""


class LegacySigner(XMLSigner):
    """A signer that also signs with SHA-1."""

    def check_deprecated_methods(self):
        pass


class IdentityProvider:
    """A SAML identity provider with a key and a certificate."""

    def __init__(self, key):
        self.key = key
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "idp.example.com")])
        start = datetime.datetime(2020, 1, 1)
        builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start.replace(year=2040))
        self.certificate = builder.sign(key, hashes.SHA256())

    @property
    def metadata(self):
        lines = self.certificate.public_bytes(serialization.Encoding.PEM).decode().splitlines()
        certificate = "\n".join(lines[1:-1])
        return (
            f'<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{ISSUER}">'
            '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
            '<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>'
            f"<X509Certificate>\n{certificate}\n</X509Certificate></X509Data></KeyInfo></KeyDescriptor>"
            f'<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="{ISSUER}"/>'
            f"<!--{'metadata ' * 50}--></IDPSSODescriptor></EntityDescriptor>"
        )

    def sign(self, xml, name, algorithm, digest="sha256", c14n=EXCLUSIVE, prefixes=None):
        signer = LegacySigner(
            method=methods.enveloped, signature_algorithm=algorithm, digest_algorithm=digest, c14n_algorithm=c14n
        )
        root, key, cert = etree.fromstring(xml.encode()), self.key, [self.certificate]
        # Prefixes are those of the signature only: signxml does not write those of references.
        reference = SignatureReference(name, CanonicalizationMethod(c14n), inclusive_ns_prefixes=[])
        signed = signer.sign(root, key=key, cert=cert, reference_uri=[reference], inclusive_ns_prefixes=prefixes)
        return etree.tostring(signed, encoding="unicode")


@pytest.fixture(scope="module")
def rsa_provider():
    return IdentityProvider(rsa.generate_private_key(65537, 2048))


@pytest.fixture
def sts(client):
    return client("sts")


@pytest.fixture
def iam(client):
    return client("iam")


@pytest.fixture
def texts(server):
    """Returns the texts of a response and an assertion that are valid now."""
    now = datetime.datetime.fromtimestamp(server.now() // 1000, datetime.timezone.utc)
    stamps = {name: f"{time:%Y-%m-%dT%H:%M:%SZ}" for name, time in [("now", now), ("end", now + datetime.timedelta(minutes=2))]}
    values = stamps | {"issuer": ISSUER, "sign_in": SIGN_IN, "role": ROLE, "provider": PROVIDER}
    return RESPONSE.format(assertion="{}", **values), ASSERTION.format(**values)


def prepare(iam, provider, **condition):
    arn = iam.create_saml_provider(SAMLMetadataDocument=provider.metadata, Name="corp")["SAMLProviderArn"]
    assert arn == PROVIDER
    document = trust({"Federated": arn}, ["sts:AssumeRoleWithSAML"], **condition)
    iam.create_role(RoleName="web", AssumeRolePolicyDocument=document)


def assume(sts, xml, **given):
    encoded = base64.b64encode(xml.encode()).decode()
    return sts.assume_role_with_saml(RoleArn=ROLE, PrincipalArn=PROVIDER, SAMLAssertion=encoded, **given)


def test_saml(server, sts, iam, rsa_provider, texts):
    prepare(iam, rsa_provider, StringEquals={"SAML:aud": SIGN_IN, "saml:sub_type": "transient"})
    response, assertion = texts
    signed = response.replace("{}", rsa_provider.sign(assertion, "assertion", "rsa-sha256"))
    answer = assume(sts, signed, DurationSeconds=900)
    arn = f"arn:aws:sts::{ACCOUNT}:assumed-role/web/zoe@example.com"
    assert answer["AssumedRoleUser"]["Arn"] == arn
    assert (answer["Subject"], answer["SubjectType"]) == ('Zoë <&> "B"', "transient")
    assert (answer["Issuer"], answer["Audience"]) == (ISSUER, SIGN_IN)
    assert answer["NameQualifier"] == "BDIXzcvjxw+r6FT3NFjtWlHOzxY="
    assert with_credentials(server, answer["Credentials"]).get_caller_identity()["Arn"] == arn
    for xml, code, status, modeled in [
        (signed.replace("zoe@", "ann@"), "InvalidIdentityToken", 400, "InvalidIdentityTokenException"),
        (response.replace("{}", assertion), "InvalidIdentityToken", 400, "InvalidIdentityTokenException"),
        (signed.replace("status:Success", "status:Responder"), "IDPRejectedClaim", 403, "IDPRejectedClaimException"),
    ]:
        with refused(sts, code, status, modeled):
            assume(sts, xml)
    with refused(sts, "ValidationError", modeled=False):
        assume(sts, signed, DurationSeconds=7200)
    server.advance("2m")
    with refused(sts, "ExpiredTokenException"):
        assume(sts, signed)


@pytest.mark.parametrize("algorithm", ["rsa-sha1", "rsa-sha256", "rsa-sha384", "rsa-sha512"])
def test_rsa_signatures(sts, iam, rsa_provider, texts, algorithm):
    prepare(iam, rsa_provider)
    response, assertion = texts
    signed = rsa_provider.sign(assertion, "assertion", algorithm, algorithm.removeprefix("rsa-"))
    assert assume(sts, response.replace("{}", signed))["Issuer"] == ISSUER


@pytest.mark.parametrize("curve", [ec.SECP256R1(), ec.SECP384R1(), ec.SECP521R1()], ids=lambda curve: curve.name)
def test_ecdsa_signatures(sts, iam, texts, curve):
    provider = IdentityProvider(ec.generate_private_key(curve))
    prepare(iam, provider)
    size = {256: 256, 384: 384, 521: 512}[curve.key_size]
    response, assertion = texts
    signed = provider.sign(assertion, "assertion", f"ecdsa-sha{size}", f"sha{size}")
    assert assume(sts, response.replace("{}", signed))["Issuer"] == ISSUER


@pytest.mark.parametrize("c14n", [EXCLUSIVE, EXCLUSIVE + "WithComments", INCLUSIVE, INCLUSIVE + "#WithComments"])
def test_signed_responses(sts, iam, rsa_provider, texts, c14n):
    prepare(iam, rsa_provider)
    response, assertion = texts
    signed = rsa_provider.sign(response.replace("{}", assertion), "response", "rsa-sha256", c14n=c14n)
    assert assume(sts, signed)["Subject"] == 'Zoë <&> "B"'
    with refused(sts, "InvalidIdentityToken", modeled="InvalidIdentityTokenException"):
        assume(sts, signed.replace("zoe@", "ann@"))


def test_inclusive_namespaces(sts, iam, rsa_provider, texts):
    prepare(iam, rsa_provider)
    response, assertion = texts
    signed = rsa_provider.sign(assertion, "assertion", "rsa-sha256", prefixes=["xs"])
    assert 'PrefixList="xs"' in signed
    assert assume(sts, response.replace("{}", signed))["Issuer"] == ISSUER
