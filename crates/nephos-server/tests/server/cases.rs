//! Every case through a server: the session reaches the cloud by its address.

use crate::served::serve;
use nephos::{
    Cloud, Health, Result, Session, SignedDuration, Timestamp,
    cases::{self, Bench, State, World},
    prelude::*,
};
use nephos_server::Server;

/// A cloud that is served; sessions on it go over the wire, everything else goes straight to it.
struct Served {
    cloud: Cloud,
    endpoint: String,
}

impl Served {
    fn new() -> Self {
        let cloud = Cloud::options().clock(cases::clock()).seed(7).in_memory();
        let endpoint = format!("http://{}", serve(Server::new(cloud.clone())));
        Self { cloud, endpoint }
    }
}

fn over_the_wire(case: cases::Case) {
    case(&World::new(Served::new())).unwrap();
}

impl Bench for Served {
    fn session_in(&self, account: &str, region: &str) -> Session {
        let session = Session::remote().endpoint(self.endpoint.as_str()).region(region).account(account);
        session.keys(account, "secret").build().unwrap()
    }

    fn now(&self) -> Timestamp {
        self.cloud.clock().now()
    }

    fn advance(&self, by: SignedDuration) -> Result<()> {
        self.cloud.clock().advance(by).map(drop)
    }

    fn state(&self) -> Result<State> {
        self.cloud.rows()
    }

    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()> {
        self.cloud.link_accounts(monitoring, source)
    }

    fn target_health(&self, target_group_arn: &str, target: &str, health: Health) -> Result<()> {
        self.cloud.target_health(target_group_arn, target, health)
    }
}

macro_rules! tests {
    ($service:ident { $($theme:ident: $($case:ident)*;)* } here { $($own:ident: $($only:ident)*;)* }) => {
        mod $service {
            $(mod $theme {
                $(#[test] fn $case() { crate::cases::over_the_wire(nephos::cases::$service::$theme::$case); })*
            })*
        }
    };
}
nephos::cases!(tests);
