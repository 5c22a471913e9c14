//! Every case on every backend: memory, and a file.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

use nephos::{
    Cloud,
    cases::{self, World},
};

/// The options of a cloud under test.
fn options() -> nephos::CloudOptions {
    Cloud::options().clock(cases::clock()).seed(7)
}

fn in_memory(case: cases::Case) {
    case(&World::new(options().in_memory())).unwrap();
}

fn in_a_file(case: cases::Case) {
    let folder = tempfile::tempdir().unwrap();
    // What a power cut would take is not what these are about, and a sync costs more than a case.
    let cloud = options().durable(false).open(folder.path().join("cloud")).unwrap();
    case(&World::new(cloud.clone())).unwrap();
    cloud.check().unwrap();
    cloud.close().unwrap();
}

macro_rules! tests {
    ($service:ident { $($theme:ident: $($case:ident)*;)* } here { $($own:ident: $($only:ident)*;)* }) => {
        mod $service {
            mod memory {
                $(mod $theme {
                    $(#[test] fn $case() { crate::in_memory(crate::cases::$service::$theme::$case); })*
                })*

                mod here {
                    $($(#[test] fn $only() { crate::in_memory(crate::cases::$service::$own::$only); })*)*
                }
            }

            mod file {
                $(mod $theme {
                    $(#[test] fn $case() { crate::in_a_file(crate::cases::$service::$theme::$case); })*
                })*

                mod here {
                    $($(#[test] fn $only() { crate::in_a_file(crate::cases::$service::$own::$only); })*)*
                }
            }
        }
    };
}
nephos::cases!(tests);
