//! Cost of cryptographic operations beside the library, and of other writes while keys are generated.

use super::{
    Sizes, create,
    measure::{Figure, Table, Target, alone, cpu_each},
};
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SystemRandom, fill},
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair},
};
use nephos::{
    Cloud, CryptoKey, Session,
    services::kms::{KeySpec, KeyUsage, SigningAlgorithm},
};
use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Instant,
};

/// Length of the plaintext.
const LENGTH: usize = 4096;

fn create_key(session: &Session, spec: KeySpec, usage: KeyUsage) -> String {
    let key = CryptoKey::builder().key_spec(spec).key_usage(usage).build().expect("the key is valid");
    let key = CryptoKey::objects(session).create(&key).wait().expect("the cloud answers");
    key.key_id().expect("a key has an ID").to_owned()
}

/// Compares calls with the same work of the library alone.
pub(crate) fn operations(table: &mut Table, sizes: &Sizes) {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let keys = CryptoKey::objects(&session);
    let symmetric = create_key(&session, KeySpec::SymmetricDefault, KeyUsage::EncryptDecrypt);
    let signing = create_key(&session, KeySpec::EccNistP256, KeyUsage::SignVerify);
    let (plaintext, message) = (vec![7; LENGTH], vec![7; 32]);
    let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &[7; 32]).expect("the key has 32 bytes"));
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("the library has entropy");
    let random = SystemRandom::new();

    let seal = || {
        let (mut nonce, mut bytes) = ([0; NONCE_LEN], plaintext.clone());
        fill(&mut nonce).expect("the library has entropy");
        let nonce = Nonce::assume_unique_for_key(nonce);
        cipher.seal_in_place_append_tag(nonce, Aad::empty(), &mut bytes).expect("the plaintext is short");
        bytes
    };
    let encrypt = || keys.encrypt(symmetric.as_str(), plaintext.clone()).wait().expect("the cloud answers");
    let over = || beside(sizes, || drop(black_box(encrypt())), || drop(black_box(seal())));
    table.alone("encrypt 4 KB, over the library (CPU)", alone(sizes.rounds, over), Target::Below(20e-6));

    let ciphertext = encrypt().ciphertext_blob().expect("it is encrypted").clone();
    let mut sealed = plaintext.clone();
    let tag =
        cipher.seal_in_place_append_tag(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut sealed);
    tag.expect("the plaintext is short");
    let open = || {
        let mut bytes = sealed.clone();
        let opened = cipher.open_in_place(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut bytes);
        opened.expect("it was sealed with this key").len()
    };
    let decrypt =
        || keys.decrypt().ciphertext_blob(ciphertext.clone()).wait().expect("it was encrypted by this cloud");
    let over = || beside(sizes, || drop(black_box(decrypt())), || _ = black_box(open()));
    table.alone("decrypt 4 KB, over the library (CPU)", alone(sizes.rounds, over), Target::Below(20e-6));

    let sign = || {
        let call = keys.sign(signing.as_str(), message.clone(), SigningAlgorithm::EcdsaSha256);
        call.wait().expect("the cloud answers")
    };
    let bare = || pair.sign(&random, &message).expect("the library has entropy");
    let over = || beside(sizes, || drop(black_box(sign())), || _ = black_box(bare()));
    table.alone("sign with P-256, over the library (CPU)", alone(sizes.rounds, over), Target::Below(20e-6));
}

/// Returns the time that `ours` takes longer than `library`.
fn beside(sizes: &Sizes, ours: impl Fn(), library: impl Fn()) -> Figure {
    let calls = sizes.calls / 4;
    let (ours, library) = (cpu_each(calls, |_| ours()), cpu_each(calls, |_| library()));
    match (ours, library) {
        (Figure::Seconds(ours), Figure::Seconds(library)) => Figure::Seconds(ours - library),
        (other, _) => other,
    }
}

/// Measures the 99th percentile of a write, alone and while another thread creates RSA keys.
pub(crate) fn writers(table: &mut Table, sizes: &Sizes) {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let writes = |name: &str| {
        let mut times: Vec<_> = (0..sizes.calls)
            .map(|n| {
                let start = Instant::now();
                create(&session, &format!("/{name}/{n}"));
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        Figure::Seconds(times[times.len() * 99 / 100])
    };
    table.alone("p99 of a create in memory", writes("alone"), Target::Information);
    let stop = AtomicBool::new(false);
    let beside = thread::scope(|scope| {
        let generator = scope.spawn(|| {
            let session = cloud.session();
            while !stop.load(Ordering::Relaxed) {
                create_key(&session, KeySpec::Rsa4096, KeyUsage::SignVerify);
            }
        });
        let measured = writes("beside");
        stop.store(true, Ordering::Relaxed);
        generator.join().expect("keys can be created");
        measured
    });
    table.alone("p99 of a create in memory, while RSA-4096 keys are created", beside, Target::Information);
}
