//! Managed data identifiers: those that can be detected, with their rules, and those that cannot.

use super::{
    checks,
    keywords::{self as near, Keywords},
};

/// A managed data identifier, or one of the formats of its values.
pub struct Identifier {
    /// Name of the identifier.
    pub name: &'static str,
    /// Regular expression of a value.
    pub(super) value: &'static str,
    /// Keywords of which at least one must be near a value; empty if no keyword is required.
    pub keywords: Keywords,
    /// Additional check of a value, such as its check digit.
    pub(super) check: fn(&str) -> bool,
    /// True if the value must not be preceded or followed by a letter or digit.
    pub(super) bounded: bool,
}

const fn form(name: &'static str, value: &'static str) -> Identifier {
    Identifier { name, value, keywords: &[], check: |_| true, bounded: true }
}

impl Identifier {
    const fn near(self, keywords: Keywords) -> Self {
        Self { keywords, ..self }
    }

    const fn passing(self, check: fn(&str) -> bool) -> Self {
        Self { check, ..self }
    }

    const fn anywhere(self) -> Self {
        Self { bounded: false, ..self }
    }
}

/// Identifiers that can be detected. A name has a row for each format of its values.
#[rustfmt::skip]
pub static DETECTABLE: &[Identifier] = &[
    form("AwsSecretKey", r"[0-9A-Za-z/+]{40,}").near(near::SECRET_KEY).passing(checks::secret_key),
    form("BankAccountNumber-DE", r"DE[0-9]{2}(?: ?[0-9]){18}").near(near::ACCOUNT_DE).passing(checks::iban),
    form("BankAccountNumber-ES", r"ES[0-9]{2}(?: ?[0-9]){20}").near(near::ACCOUNT_ES).passing(checks::iban),
    form("BankAccountNumber-FR", r"FR[0-9]{2}(?: ?[0-9A-Z]){23}").near(near::ACCOUNT_FR).passing(checks::iban),
    form("BankAccountNumber-GB", r"GB[0-9]{2}(?: ?[0-9A-Z]){18}").near(near::ACCOUNT_GB).passing(checks::iban),
    form("BankAccountNumber-IT", r"IT[0-9]{2}(?: ?[0-9A-Z]){23}").near(near::ACCOUNT_IT).passing(checks::iban),
    form("CepCode-BR", r"[0-9]{5}-?[0-9]{3}").near(near::CEP),
    form("Cnpj-BR", r"[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}/?[0-9]{4}-?[0-9]{2}").near(near::CNPJ).passing(checks::cnpj),
    form("CpfCode-BR", r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}").near(near::CPF).passing(checks::cpf),
    form("CreditCardExpiration", r"(?:0?[1-9]|1[0-2])[/-](?:20)?[0-9]{2}").near(near::EXPIRATION),
    form("CreditCardNumber", r"[0-9]{13,19}").near(near::CARD).passing(checks::card),
    form("CreditCardNumber", r"[0-9]{4}(?:[ -][0-9]{4}){3}").near(near::CARD).passing(checks::card),
    form("CreditCardNumber", r"[0-9]{4}(?:[ -][0-9]{4}){3}[ -][0-9]{3}").near(near::CARD).passing(checks::card),
    form("CreditCardNumber", r"[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}").near(near::CARD).passing(checks::card),
    form("CreditCardSecurityCode", r"[0-9]{3,4}").near(near::SECURITY_CODE),
    form("DateOfBirth", r"[0-9]{1,2}[ /-][0-9]{1,2}[ /-](?:[0-9]{4}|[0-9]{2})").near(near::BIRTH),
    form("DateOfBirth", r"[0-9]{4}[ /-][0-9]{1,2}[ /-][0-9]{1,2}|(?:19|20)[0-9]{6}").near(near::BIRTH),
    form("DateOfBirth", r"[0-9]{1,2}[ /-][A-Za-z]{3,9}[ ,/-]{1,2}[0-9]{4}").near(near::BIRTH).passing(checks::month),
    form("DateOfBirth", r"[A-Za-z]{3,9}[ /-][0-9]{1,2}[ ,/-]{1,2}[0-9]{4}").near(near::BIRTH).passing(checks::month),
    form("DrugEnforcementAgencyNumber-US", r"[A-Za-z][A-Za-z9][0-9]{7}").near(near::DEA).passing(checks::dea),
    form("EmailAddress", r"[0-9A-Za-z_][0-9A-Za-z._%+-]*@(?:[0-9A-Za-z-]+\.)+[A-Za-z]{2,}"),
    form("IndividualTaxIdentificationNumber-US", r"9[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{4}")
        .near(near::ITIN).passing(checks::itin),
    form("InseeCode-FR", r"[12][ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[0-9][0-9AB][ ]?[0-9]{3}[ ]?[0-9]{3}[ ]?[0-9]{2}")
        .near(near::INSEE).passing(checks::insee),
    form("IpAddress", r"[0-9]{1,3}(?:\.[0-9]{1,3}){3,}").passing(checks::ip_address),
    form("IpAddress", r"(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4})")
        .passing(checks::ip_address),
    form("LatLong", r"[+-]?[0-9]{1,2}\.[0-9]+ ?, ?[+-]?[0-9]{1,3}\.[0-9]+")
        .near(near::PLACE).passing(checks::coordinates),
    form("MedicareBeneficiaryNumber-US", r"[1-9][A-Z][0-9A-Z][0-9]-?[A-Z][0-9A-Z][0-9]-?[A-Z]{2}[0-9]{2}")
        .near(near::MEDICARE).passing(checks::medicare),
    form("NationalIdentificationNumber-ES", r"[0-9]{8}-?[A-Za-z]")
        .near(near::IDENTITY_ES).passing(checks::spanish_letter),
    form("NationalInsuranceNumber-GB", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]")
        .near(near::NINO).passing(checks::national_insurance),
    form("NationalProviderId-US", r"[12][0-9]{9}").near(near::PROVIDER).passing(checks::national_provider),
    form("NhsNumber-GB", r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}").near(near::NHS).passing(checks::nhs),
    form("NieNumber-ES", r"[XYZxyz]-?[0-9]{7}-?[A-Za-z]").near(near::TAX_ES).passing(checks::spanish_letter),
    form("NifNumber-ES", r"[0-9]{8}-?[A-Za-z]").near(near::TAX_ES).passing(checks::spanish_letter),
    form("OpenSshPrivateKey", r"-----BEGIN OPENSSH PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END OPENSSH PRIVATE KEY-----)?")
        .anywhere(),
    form("PgpPrivateKey", r"-----BEGIN PGP PRIVATE KEY BLOCK-----(?:[^-]|-[^-])*(?:-----END PGP PRIVATE KEY BLOCK-----)?")
        .anywhere(),
    form("PhoneNumber-BR", r"(?:\+|00)55[ .-]?\(?[1-9][0-9]\)?[ .-]?9?[0-9]{4}[ .-]?[0-9]{4}"),
    form("PhoneNumber-BR", r"\(?[1-9][0-9]\)?[ .-]?9?[0-9]{4}[ .-]?[0-9]{4}").near(near::PHONE_BR),
    form("PhoneNumber-DE", r"(?:\+|00)49[ /.-]?(?:\(0\) ?)?[1-9](?:[ /.-]?[0-9]){6,11}"),
    form("PhoneNumber-DE", r"\(?0[1-9](?:[ /.)-]{0,2}[0-9]){6,11}").near(near::PHONE),
    form("PhoneNumber-ES", r"(?:\+|00)34[ .-]?[6-9](?:[ .-]?[0-9]){8}"),
    form("PhoneNumber-ES", r"[6-9](?:[ .-]?[0-9]){8}").near(near::PHONE),
    form("PhoneNumber-FR", r"(?:\+|00)33[ .-]?(?:\(0\) ?)?[1-9](?:[ .-]?[0-9]{2}){4}"),
    form("PhoneNumber-FR", r"0[1-9](?:[ .-]?[0-9]{2}){4}").near(near::PHONE),
    form("PhoneNumber-GB", r"(?:\+|00)44[ -]?(?:\(0\) ?)?[1-9](?:[ -]?[0-9]){8,9}"),
    form("PhoneNumber-GB", r"\(?0[1-9](?:[ )-]{0,2}[0-9]){8,9}").near(near::PHONE),
    form("PhoneNumber-IT", r"(?:\+|00)39[ .-]?[03](?:[ .-]?[0-9]){7,10}"),
    form("PhoneNumber-IT", r"[03](?:[ .-]?[0-9]){7,10}").near(near::PHONE),
    form("PhoneNumber-US", r"(?:\+|00)1[ .-]?\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-]?[0-9]{4}"),
    form("PhoneNumber-US", r"(?:1[ .-])?\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-]?[0-9]{4}").near(near::PHONE),
    form("PkcsPrivateKey",
        r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END (?:[A-Z]+ )?PRIVATE KEY-----)?")
        .anywhere().passing(checks::not_open_ssh),
    form("PostalCode-CA", r"[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z][ -]?[0-9][ABCEGHJ-NPRSTV-Z][0-9]"),
    form("PuttyPrivateKey", r"Private-Lines: ?[0-9]+[0-9A-Za-z+/=\s\\]*Private-MAC: ?[0-9A-Fa-f]+").anywhere(),
    form("SocialInsuranceNumber-CA", r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}").near(near::SIN).passing(checks::luhn),
    form("Ssn-US", r"[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3} [0-9]{2} [0-9]{4}|[0-9]{9}")
        .near(near::SSN_US).passing(checks::social_security),
    form("VehicleIdentificationNumber", r"[0-9A-HJ-NPR-Za-hj-npr-z]{17}")
        .near(near::VEHICLE).passing(checks::vehicle),
    form("ZipCode-US", r"[0-9]{5}(?:-[0-9]{4})?").near(near::ZIP),
];

/// Identifiers that exist but cannot be detected by a format, with their countries.
static UNDETECTABLE: &[(&str, &str)] = &[
    ("Address", ""),
    ("BankAccountNumber", "US"),
    (
        "DriversLicense",
        "AT AU BE BG CA CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK US",
    ),
    ("ElectoralRollNumber", "GB"),
    ("HealthInsuranceCardNumber", "EU"),
    ("HealthInsuranceClaimNumber", "US"),
    ("HealthInsuranceNumber", "FR"),
    ("HealthcareProcedureCode", "US"),
    ("Name", ""),
    ("NationalDrugCode", "US"),
    ("NationalIdentificationNumber", "DE IT"),
    ("PassportNumber", "CA DE ES FR GB IT US"),
    ("PermanentResidenceNumber", "CA"),
    ("PersonalHealthNumber", "CA"),
    ("RgNumber", "BR"),
    ("Ssn", "ES"),
    ("TaxId", "DE ES FR GB"),
];

/// Returns the names of the identifiers that can be detected.
pub fn detectable() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    DETECTABLE.iter().map(|row| row.name).filter(move |name| std::mem::replace(&mut last, name) != *name)
}

/// Returns the names of the identifiers that exist but cannot be detected.
pub fn undetectable() -> impl Iterator<Item = String> {
    UNDETECTABLE.iter().flat_map(|(name, countries)| {
        countries.split(' ').map(move |country| match country {
            "" => (*name).to_owned(),
            country => format!("{name}-{country}"),
        })
    })
}
