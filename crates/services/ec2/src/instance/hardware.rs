//! Hardware of instance types, as far as it follows from their names.

use nephos_core::choices;

choices! {
    /// Architecture of a processor.
    pub enum ArchitectureValues {
        /// 32-bit x86.
        I386 = "i386",
        /// 64-bit x86.
        X8664 = "x86_64",
        /// 64-bit ARM.
        Arm64 = "arm64",
        /// 64-bit x86 of a Mac.
        X8664Mac = "x86_64_mac",
        /// 64-bit ARM of a Mac.
        Arm64Mac = "arm64_mac",
    }
}

choices! {
    /// Hypervisor of an instance.
    pub enum HypervisorType {
        /// Of the first instance types.
        Ovm = "ovm",
        /// Of all others.
        Xen = "xen",
    }
}

choices! {
    /// Virtualization of an instance.
    pub enum VirtualizationType {
        /// Of the hardware.
        Hvm = "hvm",
        /// Of the operating system.
        Paravirtual = "paravirtual",
    }
}

choices! {
    /// Boot mode of an image.
    pub enum BootModeValues {
        /// BIOS.
        LegacyBios = "legacy-bios",
        /// UEFI.
        Uefi = "uefi",
        /// UEFI where the instance type supports it.
        UefiPreferred = "uefi-preferred",
    }
}

choices! {
    /// Boot mode of an instance.
    pub enum InstanceBootModeValues {
        /// BIOS.
        LegacyBios = "legacy-bios",
        /// UEFI.
        Uefi = "uefi",
    }
}

choices! {
    /// Platform of an instance, unless it is Linux.
    pub enum PlatformValues {
        /// Windows.
        Windows = "Windows",
    }
}

/// Family and size of an instance type.
fn parts(instance_type: &str) -> (&str, &str) {
    instance_type.split_once('.').unwrap_or((instance_type, ""))
}

/// True if a text has the form of an instance type: a family and a size.
pub(super) fn is_type(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_allowed);
    text.split_once('.').is_some_and(|(family, size)| is_part(family) && is_part(size))
}

/// Attributes of a family: the letters after its generation, as `gd` in `m6gd`.
fn attributes(family: &str) -> &str {
    let family = family.split('-').next().unwrap_or_default();
    let digits = |c: char| c.is_ascii_digit();
    family.trim_start_matches(|c: char| !digits(c)).trim_start_matches(digits)
}

/// Returns the architecture of an instance type.
pub fn architecture(instance_type: &str) -> ArchitectureValues {
    let (family, _) = parts(instance_type);
    match family {
        "a1" => ArchitectureValues::Arm64,
        "mac1" => ArchitectureValues::X8664Mac,
        family if family.starts_with("mac") => ArchitectureValues::Arm64Mac,
        family if attributes(family).contains('g') => ArchitectureValues::Arm64,
        _ => ArchitectureValues::X8664,
    }
}

/// Returns the number of cores, and of threads per core, of an instance type.
pub fn cores(instance_type: &str) -> (i64, i64) {
    let (family, size) = parts(instance_type);
    let single_threaded = architecture(instance_type) != ArchitectureValues::X8664
        || matches!(family, "t1" | "t2" | "m1" | "m2" | "m3" | "c1" | "m7a" | "c7a" | "r7a" | "hpc7a");
    let small = if single_threaded && matches!(family, "t1" | "t2" | "m1" | "m3" | "a1" | "m7a" | "c7a") {
        1
    } else {
        2
    };
    let threads = match size {
        "nano" | "micro" | "small" => small,
        "medium" => {
            if family == "t2" {
                2
            } else {
                small
            }
        }
        "large" => 2,
        "xlarge" => 4,
        size => {
            size.strip_suffix("xlarge").and_then(|n| n.parse().ok()).map_or(96, |n: i64| n.saturating_mul(4))
        }
    };
    if single_threaded { (threads, 1) } else { ((threads / 2).max(1), 2) }
}
