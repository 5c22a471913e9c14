//! Every case through a server: the session reaches the cloud by its address.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

use nephos::{
    Cloud, Health, Result, Session, SignedDuration, Timestamp,
    cases::{self, Bench, State, World},
    prelude::*,
};
use nephos_server::Server;
use std::{future::pending, sync::mpsc, thread};

/// A cloud that is served; sessions on it go over the wire, everything else goes straight to it.
struct Served {
    cloud: Cloud,
    endpoint: String,
}

impl Served {
    fn new() -> Self {
        let cloud = Cloud::options().clock(cases::clock()).seed(7).in_memory();
        let (tell, told) = mpsc::channel();
        let server = Server::new(cloud.clone());
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let bound = server.bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
                tell.send(bound.address()).unwrap();
                bound.run(pending()).await;
            });
        });
        Self { cloud, endpoint: format!("http://{}", told.recv().unwrap()) }
    }
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
                $(
                    #[test]
                    fn $case() {
                        crate::cases::$service::$theme::$case(&crate::World::new(crate::Served::new())).unwrap();
                    }
                )*
            })*
        }
    };
}
nephos::cases!(tests);
