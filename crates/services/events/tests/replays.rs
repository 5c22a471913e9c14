//! Time: replays with realistic transitions, and schedules that were missed.

use nephos_cloud::{Kernel, Transitions};
use nephos_core::{ErrorKind, Result, Session, SignedDuration, prelude::*};
use nephos_events::{
    Archive, EventBus, EventRule, ListRecentEvents, PutEventsRequestEntry, RemoveManagedRule, Replay,
    ReplayDestination, ReplayState,
};
use nephos_events_cases::Services;
use nephos_testing::{clock, options};

/// A cloud with a bus `shop`, an archive of it, and 250 events in it.
struct Shop {
    cloud: Kernel,
    session: Session,
    archive: Archive,
}

const BUS: &str = "arn:aws:events:us-east-1:123456789012:event-bus/shop";

impl Shop {
    fn new() -> Result<Self> {
        let cloud = options::<Services>().clock(clock()).transitions(Transitions::Realistic).in_memory();
        let session = cloud.session();
        EventBus::objects(&session).create(&EventBus::builder().name("shop").build()?).wait()?;
        let archive = Archive::builder().archive_name("a").event_source_arn(BUS).build()?;
        let archive = Archive::objects(&session).create(&archive).wait()?;
        let event = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}");
        let event = event.build()?;
        for _ in 0..25 {
            EventBus::objects(&session).put_events("shop", vec![event.clone(); 10]).strict(true).wait()?;
        }
        Ok(Self { cloud: cloud.into(), session, archive })
    }

    fn advance(&self, seconds: i64) -> Result<()> {
        self.cloud.clock().advance(SignedDuration::from_secs(seconds)).map(drop)
    }

    /// Starts a replay of all events.
    fn start(&self, name: &str) -> Result<Replay> {
        let now = self.cloud.clock().now();
        let hour = SignedDuration::from_hours(1);
        let replay = Replay::builder().replay_name(name).event_source_arn(self.archive.require_arn()?);
        let replay = replay.event_start_time(now - hour).event_end_time(now + hour);
        let replay = replay.destination(ReplayDestination::builder().arn(BUS).build()?).build()?;
        Replay::objects(&self.session).create(&replay).wait()
    }

    /// Returns a replay, and the number of events that it sent.
    fn read(&self, name: &str) -> Result<(Replay, usize)> {
        let mut list = ListRecentEvents::new();
        list.event_bus_name = Some("shop".into());
        list.event_pattern = Some(format!(r#"{{"replay-name": ["{name}"]}}"#).into());
        let sent = self.cloud.control(list)?.events().unwrap_or_default().len();
        Ok((Replay::objects(&self.session).get(name).wait()?.unwrap(), sent))
    }

    #[track_caller]
    fn expect(&self, name: &str, state: ReplayState, sent: usize) -> Result<()> {
        let (replay, count) = self.read(name)?;
        assert_eq!((replay.state(), count), (Some(&state), sent));
        let is_ended =
            !matches!(state, ReplayState::Starting | ReplayState::Running | ReplayState::Cancelling);
        assert_eq!(replay.replay_end_time().is_some(), is_ended);
        assert_eq!(replay.event_last_replayed_time().is_some(), sent > 0);
        Ok(())
    }
}

#[test]
fn replay_sends_its_events_in_batches() -> Result<()> {
    let shop = Shop::new()?;
    assert_eq!(shop.start("again")?.state(), Some(&ReplayState::Starting));
    shop.advance(9)?;
    shop.expect("again", ReplayState::Starting, 0)?;
    shop.advance(1)?;
    shop.expect("again", ReplayState::Running, 0)?;
    for sent in [100, 200] {
        shop.advance(1)?;
        shop.expect("again", ReplayState::Running, sent)?;
    }
    let refused = shop.archive.delete().wait().unwrap_err();
    assert_eq!((refused.code(), refused.kind()), ("ConcurrentModificationException", ErrorKind::Conflict));
    assert!(refused.hint().unwrap_or_default().contains("again"));
    shop.advance(1)?;
    shop.expect("again", ReplayState::Completed, 250)?;
    shop.archive.delete().wait()?;
    Ok(())
}

#[test]
fn cancelled_replay_sends_no_more_events() -> Result<()> {
    let shop = Shop::new()?;
    let replay = shop.start("again")?;
    shop.advance(11)?;
    assert_eq!(replay.cancel().wait()?.state(), Some(&ReplayState::Cancelling));
    shop.expect("again", ReplayState::Cancelling, 100)?;
    assert_eq!(replay.cancel().wait().unwrap_err().code(), "IllegalStatusException");
    shop.advance(1)?;
    shop.expect("again", ReplayState::Cancelled, 100)?;
    shop.advance(60)?;
    shop.expect("again", ReplayState::Cancelled, 100)?;
    let unstarted = shop.start("unstarted")?;
    unstarted.cancel().wait()?;
    shop.advance(60)?;
    shop.expect("unstarted", ReplayState::Cancelled, 0)
}

#[test]
fn replay_fails_without_its_bus() -> Result<()> {
    let shop = Shop::new()?;
    shop.start("again")?;
    shop.advance(11)?;
    let mut rule = RemoveManagedRule::new(format!("Events-Archive-{}", shop.archive.archive_name().unwrap()));
    rule.event_bus_name = Some("shop".into());
    shop.cloud.control(rule)?;
    EventBus::objects(&shop.session).delete("shop").wait()?;
    shop.advance(60)?;
    let replay = Replay::objects(&shop.session).get("again").wait()?.unwrap();
    assert_eq!(replay.state(), Some(&ReplayState::Failed));
    assert_eq!(replay.state_reason(), Some("The event bus does not exist."));
    assert_eq!(shop.cloud.failed_work()?, []);
    Ok(())
}

#[test]
fn number_of_active_replays_is_limited() -> Result<()> {
    let shop = Shop::new()?;
    for number in 0..10 {
        shop.start(&format!("replay-{number}"))?;
    }
    let refused = shop.start("more").unwrap_err();
    assert_eq!((refused.code(), refused.kind()), ("LimitExceededException", ErrorKind::LimitExceeded));
    shop.advance(60)?;
    shop.start("more")?;
    Ok(())
}

#[test]
fn schedule_makes_up_for_a_day() -> Result<()> {
    let wall = clock();
    let cloud = options::<Services>().clock(wall.clone()).in_memory();
    let rule = EventRule::builder().name("hourly").schedule_expression("rate(1 hour)").build()?;
    EventRule::objects(&cloud.session()).create(&rule).wait()?;
    let occurred = || Ok(cloud.control(ListRecentEvents::new())?.events().unwrap_or_default().len());
    let day = SignedDuration::from_hours(24);
    cloud.clock().advance(day * 3)?;
    assert_eq!(occurred()?, 72, "all occurrences, if the clock is advanced");
    // As if nobody had the cloud open meanwhile.
    wall.advance(day * 60);
    assert_eq!(occurred()?, 72 + 24, "those of the last day, if they were missed");
    cloud.clock().advance(day)?;
    assert_eq!(occurred()?, 72 + 24 + 24);
    Ok(())
}
