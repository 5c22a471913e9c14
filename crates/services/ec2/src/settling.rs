//! States that change by themselves: from pending to available, from stopping to stopped.

use super::{
    instance::{self, Instance},
    network::{self, Member},
    subnet::{Subnet, SubnetState},
    vpc::{Vpc, VpcState},
};
use nephos_cloud::{Tx, Work};
use nephos_core::{Record, Result, Text};

/// Takes a resource on from a state to the one that follows.
#[derive(Record)]
pub struct Settle {
    /// Its id.
    id: Option<Text>,
    /// The state that it was in.
    from: Option<Text>,
}

impl Settle {
    pub(super) fn of(id: &str, from: &str) -> Self {
        Self { id: Some(id.into()), from: Some(from.into()) }
    }
}

impl Work for Settle {
    const NAME: &'static str = "ec2/settle";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (id, from) = (self.id.unwrap_or_default(), self.from.unwrap_or_default());
        // It may be gone, or in another state by now.
        match id.rsplit_once('-').map(|(word, _)| word) {
            Some(Vpc::WORD) => match network::find::<Vpc>(cx, &id)? {
                Some(mut vpc) if vpc.state == Some(VpcState::Pending) => {
                    vpc.state = Some(VpcState::Available);
                    cx.put(vpc)
                }
                _ => Ok(()),
            },
            Some(Subnet::WORD) => match network::find::<Subnet>(cx, &id)? {
                Some(mut subnet) if subnet.state == Some(SubnetState::Pending) => {
                    subnet.state = Some(SubnetState::Available);
                    cx.put(subnet)
                }
                _ => Ok(()),
            },
            Some(Instance::WORD) => instance::go_on(cx, &id, &from),
            _ => Ok(()),
        }
    }
}

/// Forgets an instance that was terminated a while ago.
#[derive(Record)]
pub struct Forget {
    /// Its id.
    instance_id: Option<Text>,
}

impl Forget {
    pub(super) fn of(id: &str) -> Self {
        Self { instance_id: Some(id.into()) }
    }
}

impl Work for Forget {
    const NAME: &'static str = "ec2/forget";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        instance::forget(cx, &self.instance_id.unwrap_or_default())
    }
}
