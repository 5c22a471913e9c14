//! Every case on every backend: memory, and a file.

use nephos::{Cloud, cases};

/// The options of a cloud under test.
fn options() -> nephos::CloudOptions {
    Cloud::options().clock(cases::clock()).seed(7)
}

macro_rules! tests {
    ($($theme:ident: $($case:ident)*;)*) => {
        mod memory {
            $($(
                #[test]
                fn $case() {
                    let cloud = super::options().in_memory();
                    super::cases::$case(&super::cases::World::new(cloud)).unwrap();
                }
            )*)*
        }

        mod file {
            $($(
                #[test]
                fn $case() {
                    let folder = tempfile::tempdir().unwrap();
                    // What a power cut would take is not what these are about, and a sync costs more than a case.
                    let cloud = super::options().durable(false).open(folder.path().join("cloud")).unwrap();
                    super::cases::$case(&super::cases::World::new(cloud.clone())).unwrap();
                    cloud.check().unwrap();
                    cloud.close().unwrap();
                }
            )*)*
        }
    };
}
nephos::cases!(tests);
