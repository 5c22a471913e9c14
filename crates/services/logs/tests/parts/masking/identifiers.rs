//! Tests of `masking::identifiers`.

use super::policy;
use nephos_logs::masking::{finder::Finder, identifiers::*};
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
