//! Links the program at a fixed address where that is the platform's choice to make (decision 33).

#![expect(clippy::disallowed_methods, reason = "Cargo names the target in the environment of build scripts")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bin=nephos=-no-pie");
    }
}
