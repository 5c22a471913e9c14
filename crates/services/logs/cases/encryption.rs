//! Log groups with a crypto key.

use super::World;
use nephos_core::Result;
use nephos_logs::{AssociateKmsKey, DisassociateKmsKey, FilterLogEvents, GetLogEvents, LogGroup};
use nephos_testing::ask;

/// Creates a log group with the stream `s`.
fn create(world: &World, group: &LogGroup) -> Result<()> {
    world.create(group)?;
    world.create_stream("/web", "s")
}

/// Puts events with these messages.
fn put(world: &World, messages: &[&str]) -> Result<()> {
    let events: Vec<_> = messages.iter().map(|message| (world.now(), *message)).collect();
    world.put_events("/web", "s", &events).map(drop)
}

/// Returns the messages of the stream, and checks that a search across streams finds the same.
fn messages(world: &World) -> Result<Vec<String>> {
    let get = GetLogEvents::new("s").log_group_name("/web").start_from_head(true);
    let found = ask(&world.session(), get)?;
    let found: Vec<_> =
        found.events().unwrap_or_default().iter().filter_map(|event| event.message()).collect();
    assert_eq!(world.messages("/web")?, found);
    Ok(found.into_iter().map(str::to_owned).collect())
}

/// Events keep the key that they were written with.
pub(super) fn messages_are_found_and_counted_as_written(world: &World) -> Result<()> {
    let key = world.crypto_key("one");
    create(world, &LogGroup::builder().log_group_name("/web").kms_key_id(key.as_str()).build()?)?;
    put(world, &["order 1 paid", "order 2 failed"])?;
    let rows = world.state()?;
    let contains =
        |text: &str| rows.iter().any(|(_, row)| row.windows(text.len()).any(|part| part == text.as_bytes()));
    assert!(!contains("failed"), "the message is stored in the clear");
    ask(&world.session(), DisassociateKmsKey::new().log_group_name("/web"))?;
    put(world, &["order 3 failed"])?;
    ask(&world.session(), AssociateKmsKey::new(world.crypto_key("two")).log_group_name("/web"))?;
    put(world, &["order 4 failed"])?;
    assert_eq!(messages(world)?, ["order 1 paid", "order 2 failed", "order 3 failed", "order 4 failed"]);
    let filter = FilterLogEvents::new().log_group_name("/web").filter_pattern("failed");
    assert_eq!(ask(&world.session(), filter)?.events().map_or(0, <[_]>::len), 3);
    let written = ["order 1 paid", "order 2 failed", "order 3 failed", "order 4 failed"];
    let bytes: usize = written.iter().map(|message| message.len() + 26).sum();
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(bytes as i64));
    Ok(())
}

/// The first character of stored messages tells whether they are sealed.
pub(super) fn marked_messages_are_returned_as_written(world: &World) -> Result<()> {
    create(world, &LogGroup::builder().log_group_name("/web").build()?)?;
    let written = ["\u{1F}s1:AAAA", "\u{1F}pplain", "\u{1F}", "plain"];
    put(world, &written)?;
    assert_eq!(messages(world)?, written);
    Ok(())
}
