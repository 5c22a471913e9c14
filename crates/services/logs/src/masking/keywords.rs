//! Keywords that must be near a value, and the maximum distance.

use std::ops::Range;

/// Maximum number of characters between a keyword and a value.
const MAX_DISTANCE: usize = 30;

/// Byte positions of keywords in a message.
pub struct KeywordPositions {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl KeywordPositions {
    /// Finds the keywords in a message.
    pub fn new(keywords: &[&str], message: &str) -> Self {
        let matches = message.char_indices().flat_map(|(start, _)| {
            keywords
                .iter()
                .filter_map(move |keyword| Some(start..start + match_length(&message[start..], keyword)?))
        });
        let (starts, mut ends): (Vec<_>, Vec<_>) = matches
            .filter(|keyword| is_word(message, keyword))
            .map(|keyword| (keyword.start, keyword.end))
            .unzip();
        ends.sort_unstable();
        Self { starts, ends }
    }

    /// True if a keyword is near the value, before or after it.
    pub fn is_near(&self, message: &str, value: &Range<usize>) -> bool {
        let before = self.ends.partition_point(|end| *end <= value.start).checked_sub(1);
        let before = before.and_then(|n| self.ends.get(n)).map(|end| *end..value.start);
        let after = self.starts.get(self.starts.partition_point(|start| *start < value.end));
        let after = after.map(|start| value.end..*start);
        [before, after].into_iter().flatten().any(|gap| message[gap].chars().nth(MAX_DISTANCE).is_none())
    }
}

/// Returns the length of the keyword at the start of the text, ignoring case; `None` if the text does not start with it.
/// A space in the keyword also matches nothing, an underscore or a hyphen.
fn match_length(text: &str, keyword: &str) -> Option<usize> {
    let mut rest = text;
    for wanted in keyword.chars() {
        if wanted == ' ' {
            rest = rest.strip_prefix([' ', '_', '-']).unwrap_or(rest);
        } else {
            let mut chars = rest.chars();
            chars.next().filter(|char| char.to_lowercase().eq([wanted]))?;
            rest = chars.as_str();
        }
    }
    Some(text.len() - rest.len())
}

/// True if the keyword is not part of another word; `cardNumber` is two words.
fn is_word(message: &str, keyword: &Range<usize>) -> bool {
    let is_boundary = |left: Option<char>, right: Option<char>| match (left, right) {
        (Some(left), Some(right)) if left.is_alphanumeric() && right.is_alphanumeric() => {
            left.is_lowercase() && right.is_uppercase()
        }
        _ => true,
    };
    let (before, rest) = message.split_at(keyword.start);
    let (word, after) = rest.split_at(keyword.end - keyword.start);
    is_boundary(before.chars().next_back(), word.chars().next())
        && is_boundary(word.chars().next_back(), after.chars().next())
}

/// Keywords, as comma-separated lists.
pub(super) type Keywords = &'static [&'static str];

const ACCOUNT: &str = "account code, account number, accountno#, accountnumber#, bban, customer account id, \
     customer account number, customer bank account id, iban";
const TELEPHONE: &str =
    "cell, contact, fax, fax number, mobile, phone, phone number, tel, telephone, telephone number";
pub(super) const SECRET_KEY: Keywords =
    &["aws_secret_access_key, credentials, secret access key, secret key, set-awscredential"];
pub(super) const CARD: Keywords = &[
    "account number, american express, amex, bank card, card, card number, card num, cc #, ccn, check card, \
     credit, credit card#, dankort, debit, debit card, diners club, discover, electron, \
     japanese card bureau, jcb, mastercard, mc, pan, payment account number, payment card number, pcn, \
     union pay, visa",
];
pub(super) const EXPIRATION: Keywords = &["exp d, exp m, exp y, expiration, expiry"];
pub(super) const SECURITY_CODE: Keywords =
    &["card id, card identification code, card identification number, card security code, \
     card validation code, card validation number, card verification data, card verification value, cvc, \
     cvc2, cvv, cvv2, elo verification code"];
pub(super) const ACCOUNT_DE: Keywords =
    &[ACCOUNT, "bankleitzahl, geheimzahl, kartennummer, kontonummer, kreditkartennummer, sepa"];
pub(super) const ACCOUNT_ES: Keywords = &[
    ACCOUNT,
    "código cuenta, código cuenta bancaria, cuenta cliente id, número cuenta bancaria cliente, \
     número cuenta cliente",
];
pub(super) const ACCOUNT_FR: Keywords = &[ACCOUNT, "code bancaire, compte bancaire, numéro de compte"];
pub(super) const ACCOUNT_GB: Keywords = &[ACCOUNT, "sepa"];
pub(super) const ACCOUNT_IT: Keywords = &[ACCOUNT, "codice bancario, conto bancario, numero di conto"];
pub(super) const PHONE: Keywords = &[TELEPHONE];
pub(super) const PHONE_BR: Keywords =
    &[TELEPHONE, "cel, celular, fone, móvel, número residencial, numero residencial, telefone"];
pub(super) const VEHICLE: Keywords =
    &["fahrgestellnummer, niv, numarul de identificare, numarul seriei de sasiu, serie sasiu, numer vin, \
     número de identificação do veículo, número de identificación de automóviles, \
     numéro d'identification du véhicule, vehicle identification number, vin, vin numeris"];
pub(super) const PLACE: Keywords =
    &["coordinate, coordinates, lat long, latitude longitude, location, position"];
pub(super) const BIRTH: Keywords = &["dob, date of birth, birthdate, birth date, birthday, b-day, bday"];
pub(super) const SSN_US: Keywords = &["social security, ss#, ssn"];
pub(super) const ITIN: Keywords = &["individual taxpayer identification number, itin, i.t.i.n."];
pub(super) const ZIP: Keywords = &["zip code, zip+4"];
pub(super) const CEP: Keywords = &["cep, código de endereçamento postal, codigo de endereçamento postal"];
pub(super) const CNPJ: Keywords =
    &["cadastro nacional da pessoa jurídica, cadastro nacional da pessoa juridica, cnpj"];
pub(super) const CPF: Keywords =
    &["cadastro de pessoas fisicas, cadastro de pessoas físicas, cadastro de pessoa física, \
     cadastro de pessoa fisica, cpf"];
pub(super) const DEA: Keywords = &["dea number, dea registration"];
pub(super) const PROVIDER: Keywords = &["hipaa, n.p.i., national provider, npi"];
pub(super) const MEDICARE: Keywords = &["mbi, medicare beneficiary"];
pub(super) const NHS: Keywords = &["national health service, nhs"];
pub(super) const NINO: Keywords =
    &["insurance no., insurance number, insurance#, national insurance number, nationalinsurance#, \
     nationalinsurancenumber, nin, nino"];
pub(super) const SIN: Keywords = &["canadian id, numéro d'assurance sociale, social insurance number, sin"];
pub(super) const TAX_ES: Keywords =
    &["cif, cif número, cifnúmero#, nie, nif, número de contribuyente, número de identidad de extranjero, \
     número de identificación fiscal, número de impuesto corporativo, personal tax number, tax id, \
     tax identification number, tax number, tin, tin#"];
pub(super) const IDENTITY_ES: Keywords =
    &["dni, dni#, dninúmero#, documento nacional de identidad, identidad único, identidadúnico#, \
     insurance number, national identification number, national identity, nationalid#, nationalidno#, \
     número nacional identidad, personal identification number, personal identity no, \
     unique identity number, uniqueid#"];
pub(super) const INSEE: Keywords =
    &["assurance sociale, carte nationale d’identité, cni, code sécurité sociale, \
     french social security number, fssn#, insee, insurance number, national id number, nationalid#, \
     numéro d'assurance, sécurité sociale, sécurité sociale non., sécurité sociale numéro, social, \
     social security, social security number, socialsecuritynumber, ss#, ssn, ssn#"];
