//! Behaviour cases of findings. Those of images are cases of the service `ecr`.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod findings;
mod laws;

pub use laws::LAWS;

nephos_testing::world!(nephos_inspector2::INSPECTOR2);

nephos_testing::cases! {
    "inspector2", World;
    findings {
        parameters_are_checked,
    }
}
