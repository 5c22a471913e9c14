//! Managed data identifiers: those that can be detected, with their rules, and those that cannot.

use super::{
    checks,
    keywords::{self as near, Keywords},
};

/// A managed data identifier, or one of the formats of its values.
pub(super) struct Identifier {
    /// Name of the identifier.
    pub(super) name: &'static str,
    /// Regular expression of a value.
    pub(super) value: &'static str,
    /// Keywords of which at least one must be near a value; empty if no keyword is required.
    pub(super) keywords: Keywords,
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
pub(super) static DETECTABLE: &[Identifier] = &[
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
pub(super) fn detectable() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    DETECTABLE.iter().map(|row| row.name).filter(move |name| std::mem::replace(&mut last, name) != *name)
}

/// Returns the names of the identifiers that exist but cannot be detected.
pub(super) fn undetectable() -> impl Iterator<Item = String> {
    UNDETECTABLE.iter().flat_map(|(name, countries)| {
        countries.split(' ').map(move |country| match country {
            "" => (*name).to_owned(),
            country => format!("{name}-{country}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{finder::Finder, tests::policy},
        *,
    };
    use std::collections::BTreeSet;

    /// An identifier, and a message with braces around the values to detect.
    #[rustfmt::skip]
    const EXAMPLES: &[(&str, &str)] = &[
        ("AwsSecretKey", "aws_secret_access_key={wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY}"),
        ("AwsSecretKey", "\"SecretKey\": \"{wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY}\""),
        ("AwsSecretKey", "commit wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("AwsSecretKey", "secret key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY/abc"),
        ("BankAccountNumber-DE", "IBAN {DE89 3704 0044 0532 0130 00} noted"),
        ("BankAccountNumber-DE", "DE89370400440532013000"),
        ("BankAccountNumber-DE", "IBAN DE88370400440532013000, IBAN GB82WEST12345698765432"),
        ("BankAccountNumber-ES", "iban:{ES9121000418450200051332}"),
        ("BankAccountNumber-FR", "numéro de compte {FR14 2004 1010 0505 0001 3M02 606}"),
        ("BankAccountNumber-GB", "account_number {GB82WEST12345698765432}"),
        ("BankAccountNumber-IT", "conto bancario {IT60X0542811101000000123456}"),
        ("CepCode-BR", "CEP {01310-100}, 01310-1000"),
        ("Cnpj-BR", "CNPJ {11.222.333/0001-81}"),
        ("CpfCode-BR", "cpf={52998224725} and 52998224726"),
        ("CreditCardExpiration", "expiry: {12/2027} or {03-28}"),
        ("CreditCardExpiration", "released 12/2027"),
        ("CreditCardNumber", "card {4539 1488 0343 6467} 124, visa {4539 1488 0343 6468 121}, pan={378282246310013}"),
        ("CreditCardNumber", "\"creditCardNumber\":\"{4539148803436467}\""),
        ("CreditCardNumber", "order 4539148803436467"),
        ("CreditCardNumber", "card 4539148803436468, test card 4111111111111111, visa 45391488034364670000"),
        ("CreditCardSecurityCode", "CVV2 {123} and {4567}, not 12 or 12345"),
        ("CreditCardSecurityCode", "status 404"),
        ("DateOfBirth", "dob {1980-02-29}, birthday: {3 March 1980}; dateOfBirth={19800229}"),
        ("DateOfBirth", "b-day {Mar 3, 1980} or {3/3/80}, dob 3 foo 1980"),
        ("DateOfBirth", "on 1980-02-29"),
        ("DrugEnforcementAgencyNumber-US", "DEA number {AB1234563}, DEA number AB1234564"),
        ("EmailAddress", "{a@x.io} {b@x.io},{c@x.io}"),
        ("EmailAddress", "<{john.doe+tag@mail.example.co.uk}>, {a_b@x.io}."),
        ("EmailAddress", "user@localhost, @example.com, a@b.c"),
        ("IndividualTaxIdentificationNumber-US", "ITIN {912-70-1234} ITIN 912-69-1234"),
        ("InseeCode-FR", "insee {2 55 08 14 168 025 38}"),
        ("IpAddress", "from {10.0.0.1}:8080 to [{2001:db8::ff00:42:8329}] and {::1}"),
        ("IpAddress", "v1.2.3 at 12:30:45, 300.1.1.1, 1.2.3.4.5, Vec::new, a std::io::Error"),
        ("LatLong", "location {41.948614,-87.655311} {-41.5, 0.25}"),
        ("LatLong", "41.948614,-87.655311"),
        ("LatLong", "location 41°56'55.0104\"N, 91.5,10.5"),
        ("MedicareBeneficiaryNumber-US", "MBI {1EG4-TE5-MK73} or {1EG4TE5MK72}, MBI 1EG4TE5MO72"),
        ("NationalIdentificationNumber-ES", "DNI {12345678Z} DNI 12345678A"),
        ("NationalInsuranceNumber-GB", "NINO {AB 12 34 56 C} NINO BG123456C"),
        ("NationalProviderId-US", "npi {1234567893} npi 1234567890"),
        ("NhsNumber-GB", "NHS {943 476 5919} NHS 943 476 5918"),
        ("NieNumber-ES", "nie {X1234567L}"),
        ("NifNumber-ES", "NIF: {12345678-Z}"),
        ("OpenSshPrivateKey",
         "key {-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nc2g=\n-----END OPENSSH PRIVATE KEY-----} end"),
        ("OpenSshPrivateKey", "n{-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNz}"),
        ("PgpPrivateKey",
         "{-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X\n\nlQ==\n-----END PGP PRIVATE KEY BLOCK-----}"),
        ("PhoneNumber-BR", "{+55 11 91234-5678}, celular {(11) 91234-5678}"),
        ("PhoneNumber-DE", "{+49 30 1234567} {0049301234567} tel. {030 1234567} 2026-01-01"),
        ("PhoneNumber-DE", "order 030 1234567"),
        ("PhoneNumber-ES", "{+34 612 345 678} móvil phone {612345678}"),
        ("PhoneNumber-FR", "{+33 6 12 34 56 78} phone: {06.12.34.56.78}"),
        ("PhoneNumber-GB", "{+44 20 7946 0018} Tel {020 7946 0018}"),
        ("PhoneNumber-IT", "{+39 06 1234 5678} fax {0612345678}"),
        ("PhoneNumber-US", "{+1 (212) 555-0123}, phone {212-555-0123}, {2125550123}"),
        ("PhoneNumber-US", "id 2125550123 and 112-555-0123"),
        ("PkcsPrivateKey",
         "{-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIE\n-----END RSA PRIVATE KEY-----}."),
        ("PkcsPrivateKey",
         "{-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----} -----BEGIN PUBLIC KEY-----"),
        ("PkcsPrivateKey", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----"),
        ("PostalCode-CA", "Ottawa {K1A 0B1} {K1A0B1} Z1A 0B1"),
        ("PuttyPrivateKey", "PuTTY-User-Key-File-2: ssh-rsa\n{Private-Lines: 2\nAAAB\nCCCD==\nPrivate-MAC: 0a1b} x"),
        ("SocialInsuranceNumber-CA", "SIN {046 454 286} SIN 046 454 287"),
        ("Ssn-US", "SSN {078-05-1120} ssn={078051120} ssn 666-05-1120"),
        ("Ssn-US", "078-05-1120"),
        ("VehicleIdentificationNumber", "VIN {1HGCM82633A004352} VIN 1HGCM82633A004353"),
        ("ZipCode-US", "zip code {94105} or {94105-1234}"),
        ("ZipCode-US", "took 94105 ms"),
    ];

    #[test]
    fn only_values_of_the_identifier_are_masked() {
        for (name, marked) in EXAMPLES {
            let message = marked.replace(['{', '}'], "");
            let mut inside = false;
            let mut expected = String::new();
            for char in marked.chars() {
                match char {
                    '{' | '}' => inside = char == '{',
                    _ => expected.push(if inside { '*' } else { char }),
                }
            }
            assert_eq!(policy(&[name]).mask(&message), expected, "{name}");
        }
    }

    #[test]
    fn every_identifier_compiles_and_has_an_example() {
        for row in DETECTABLE {
            assert!(Finder::managed(row).is_ok(), "{}", row.name);
            assert!(EXAMPLES.iter().any(|(name, _)| *name == row.name), "{} has no example", row.name);
        }
    }

    #[test]
    fn keywords_are_lower_case() {
        let keywords = DETECTABLE.iter().flat_map(|row| row.keywords);
        keywords.for_each(|keyword| assert_eq!(keyword.to_lowercase(), *keyword));
    }

    #[test]
    fn every_name_is_listed_once() {
        let names: Vec<_> = detectable().map(str::to_owned).chain(undetectable()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
