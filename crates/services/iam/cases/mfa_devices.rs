//! Virtual MFA devices.

use super::{World, ask, errors};
use crate::mfa_code;
use nephos_core::{Blob, Resource, Result, Tag, Tagged};
use nephos_iam::{
    AssignmentStatus, CreateVirtualMFADevice, DeactivateMFADevice, DeleteVirtualMFADevice, EnableMFADevice,
    GetMFADevice, ListVirtualMFADevices, ResyncMFADevice, User, VirtualMFADevice,
};
use nephos_testing::{HOUR, SECOND};

const ARN: &str = "arn:aws:iam::123456789012:mfa/phone";

fn seed(device: &VirtualMFADevice) -> Blob {
    device.base32_string_seed().cloned().expect("the creation returns the seed")
}

/// Returns two consecutive codes of a device, whose clock is this many milliseconds ahead.
fn codes(world: &World, seed: &Blob, ahead: i64) -> [String; 2] {
    [0, 30 * SECOND].map(|later| mfa_code(seed, world.now() + ahead + later))
}

fn enable(world: &World, device: &VirtualMFADevice, user: &str) -> Result<()> {
    let [first, second] = codes(world, &seed(device), 0);
    device.enable(user, first, second).wait()
}

pub(super) fn seed_is_returned_only_at_creation(world: &World) -> Result<()> {
    let device = world.create_device("phone")?;
    assert_eq!((device.require_arn()?, device.name()?), (ARN, Some("phone")));
    assert_eq!((device.path(), device.user_name(), device.enable_date()), (Some("/"), None, None));
    let seed = String::from_utf8(seed(&device).into_bytes()).expect("the seed is a text");
    assert_eq!(seed.len(), 64);
    assert!(!format!("{device:?}").contains(&seed));
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains(&seed));
    }
    let objects = VirtualMFADevice::objects(&world.session());
    let found = objects.get(ARN).wait()?.expect("it exists");
    assert_eq!((found.base32_string_seed(), found.name()?), (None, Some("phone")));
    let image = device.qr_code_png().expect("the creation returns the image");
    assert!(image.0.starts_with(b"\x89PNG\r\n\x1a\n"), "{:?}", &image.0[..8]);
    assert_eq!(found.qr_code_png(), None);
    let error = world.refused(&errors::EXISTS, None, || world.create_device("phone"));
    assert_eq!(error.message(), "MFA device already exists.");
    let create = |path: &str| ask(&world.session(), CreateVirtualMFADevice::new("phone").path(path));
    let other = create("/team/web/")?;
    let serial = other.virtual_mfa_device().and_then(|device| device.serial_number());
    assert_eq!(serial, Some("arn:aws:iam::123456789012:mfa/team/web/phone"));
    let found = objects.get(serial.unwrap_or_default()).wait()?.expect("it exists");
    assert_eq!((found.path(), found.name()?), (Some("/team/web/"), Some("phone")));
    world.refused(&errors::INVALID, "Path", || create("team"));
    world.refused(&errors::INVALID, "VirtualMFADeviceName", || {
        ask(&world.session(), CreateVirtualMFADevice::new("a b"))
    });
    Ok(())
}

pub(super) fn device_is_enabled_by_two_consecutive_codes(world: &World) -> Result<()> {
    let session = world.session();
    let ann = world.create_user("Ann")?;
    let device = world.create_device("phone")?;
    let [first, second] = codes(world, &seed(&device), 0);
    let enable = |user: &str, serial: &str, first: &str, second: &str| {
        ask(&session, EnableMFADevice::new(serial, user, first, second))
    };
    world.refused(&errors::NOT_FOUND, None, || enable("bea", ARN, &first, &second));
    let error = world.refused(&errors::NOT_FOUND, None, || enable("ann", "GAHT12345678", &first, &second));
    assert_eq!(error.message(), "MFA Device with serial number GAHT12345678 does not exist.");
    for (first, second) in [(&second, &first), (&first, &first), (&"000000".to_owned(), &second)] {
        let error = world.refused(&errors::INVALID_CODE, None, || enable("ann", ARN, first, second));
        assert_eq!(error.message(), "Authentication code for device is not valid.");
    }
    world.refused(&errors::INVALID, "AuthenticationCode1", || enable("ann", ARN, "12345", &second));
    world.refused(&errors::INVALID, "AuthenticationCode2", || enable("ann", ARN, &first, "12345a"));
    enable("ann", ARN, &first, &second)?;
    let found = VirtualMFADevice::objects(&session).get(ARN).wait()?.expect("it exists");
    assert_eq!(
        (found.user_name(), found.enable_date().map(|time| time.as_millisecond())),
        (Some("Ann"), Some(world.now()))
    );
    let error = world.refused(&errors::EXISTS, None, || enable("ann", ARN, &first, &second));
    assert_eq!(error.message(), "MFA Device for user Ann already exists.");
    let listed = VirtualMFADevice::objects(&session).list_for_user().user_name("ANN").wait()?;
    assert_eq!((listed.len(), listed[0].serial_number(), listed[0].user_name()), (1, Some(ARN), Some("Ann")));
    assert!(VirtualMFADevice::objects(&session).list_for_user().wait()?.is_empty());
    let get = |user: &str| ask(&session, GetMFADevice::new(ARN).user_name(user));
    assert_eq!(get("ann")?.user_name(), Some("Ann"));
    world.create_user("bea")?;
    let error = world.refused(&errors::EXISTS, None, || enable("bea", ARN, &first, &second));
    assert_eq!(error.message(), "MFA Device is already in use.");
    world.refused(&errors::NOT_FOUND, None, || get("bea"));
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must remove tokens from principal first.");
    Ok(())
}

pub(super) fn deactivated_device_can_be_enabled_or_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let ann = world.create_user("ann")?;
    world.create_user("bea")?;
    let before = world.state()?.len();
    let device = world.create_device("phone")?;
    enable(world, &device, "ann")?;
    let delete = || ask(&session, DeleteVirtualMFADevice::new(ARN));
    let error = world.refused(&errors::DELETE_CONFLICT, None, delete);
    assert_eq!(error.message(), "MFA VirtualDevice in use. Must deactivate first.");
    let deactivate = |user: &str| ask(&session, DeactivateMFADevice::new(ARN).user_name(user));
    let error = world.refused(&errors::NOT_FOUND, None, || deactivate("bea"));
    assert_eq!(error.message(), "MFA Device invalid for user.");
    world.refused(&errors::NOT_FOUND, None, || ask(&session, DeactivateMFADevice::new(ARN)));
    User::objects(&session).update(&ann).new_user_name("ann2").wait()?;
    VirtualMFADevice::objects(&session).get(ARN).wait()?.expect("it exists").deactivate().wait()?;
    world.refused(&errors::NOT_FOUND, None, || deactivate("ann2"));
    let seed = seed(&device);
    let again = |ahead: i64| {
        let [first, second] = codes(world, &seed, ahead);
        device.enable("bea", first, second).wait()
    };
    // The codes were used.
    world.refused(&errors::INVALID_CODE, None, || again(0));
    world.advance(60 * SECOND)?;
    again(0)?;
    deactivate("bea")?;
    delete()?;
    world.refused(&errors::NOT_FOUND, None, delete);
    // The row that identifies the key of the cloud stays.
    assert_eq!(world.state()?.len(), before + 1);
    Ok(())
}

pub(super) fn resynchronization_corrects_the_time_of_a_device(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let device = world.create_device("phone")?;
    let seed = seed(&device);
    let [first, second] = codes(world, &seed, HOUR);
    world.refused(&errors::INVALID_CODE, None, || device.enable("ann", first.clone(), second.clone()).wait());
    enable(world, &device, "ann")?;
    let resync = |user: &str, [first, second]: [String; 2]| {
        ask(&world.session(), ResyncMFADevice::new(ARN, user, first, second))
    };
    world.refused(&errors::INVALID_CODE, None, || resync("ann", ["000000".into(), "000000".into()]));
    world.refused(&errors::INVALID_CODE, None, || resync("ann", codes(world, &seed, 25 * HOUR)));
    resync("ann", codes(world, &seed, HOUR))?;
    world.create_user("bea")?;
    let error = world.refused(&errors::NOT_FOUND, None, || resync("bea", codes(world, &seed, HOUR)));
    assert_eq!(error.message(), "MFA Device invalid for user.");
    Ok(())
}

pub(super) fn user_can_have_eight_devices(world: &World) -> Result<()> {
    world.create_user("ann")?;
    for n in 0..8 {
        enable(world, &world.create_device(&format!("device-{n}"))?, "ann")?;
    }
    let device = world.create_device("more")?;
    let error = world.refused(&errors::LIMIT_EXCEEDED, None, || enable(world, &device, "ann"));
    assert_eq!(error.message(), "Cannot exceed quota for MfaDevicesPerUser: 8");
    let listed = VirtualMFADevice::objects(&world.session()).list_for_user().user_name("ann");
    assert_eq!(listed.max_items(3).wait()?.len(), 8);
    Ok(())
}

pub(super) fn virtual_devices_are_listed_by_assignment(world: &World) -> Result<()> {
    world.create_user("ann")?;
    for n in 0..5 {
        let device = world.create_device(&format!("device-{n}"))?;
        if n % 2 == 0 {
            enable(world, &device, "ann")?;
        }
    }
    let list = || VirtualMFADevice::objects(&world.session()).list();
    let cases = [
        (AssignmentStatus::Assigned, vec!["device-0", "device-2", "device-4"]),
        (AssignmentStatus::Unassigned, vec!["device-1", "device-3"]),
        (AssignmentStatus::Any, vec!["device-0", "device-1", "device-2", "device-3", "device-4"]),
    ];
    for (status, expected) in cases {
        for size in [1, 2, 100] {
            let found = list().assignment_status(status.clone()).max_items(size).results().all().wait()?;
            assert_eq!(super::names(&found)?, expected, "{status} {size}");
        }
    }
    let first = list().results().first().wait()?.expect("there are devices");
    assert_eq!((first.user_name(), first.user().and_then(User::user_name)), (Some("ann"), Some("ann")));
    assert_eq!((first.base32_string_seed(), first.tags()), (None, None));
    world.refused(&errors::INVALID, "Marker", || {
        ask(&world.session(), ListVirtualMFADevices::new().marker("x"))
    });
    Ok(())
}

pub(super) fn device_has_tags(world: &World) -> Result<()> {
    let objects = VirtualMFADevice::objects(&world.session());
    let model = VirtualMFADevice::builder()
        .virtual_mfa_device_name("phone")
        .tags(vec![Tag::new("a", "1")])
        .build()?;
    let mut device = objects.create(&model).wait()?;
    device.tags_mut().wait()?.insert("b", "2")?;
    device.save().wait()?;
    objects.untag(ARN, vec!["A".into()]).wait()?;
    assert_eq!(objects.list_tags(ARN).wait()?, [Tag::new("b", "2")]);
    assert_eq!(objects.get(ARN).wait()?.and_then(|device| device.tags().map(<[_]>::len)), Some(1));
    world.refused(&errors::NOT_FOUND, None, || objects.list_tags("arn:aws:iam::123456789012:mfa/x").wait());
    Ok(())
}
