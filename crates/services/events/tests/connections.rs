//! Connections with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, SignedDuration, Timestamp};
use nephos_events::{
    Connection, ConnectionAuthParameters, ConnectionAuthorizationType, ConnectionOAuthClientParameters,
    ConnectionOAuthHttpMethod, ConnectionOAuthParameters, ConnectionState,
};
use nephos_events_cases::Services;
use nephos_testing::{clock, options};

/// A connection that waits for a token is not authorized yet. One that loses its authorization has its secret until it has lost it.
#[test]
fn authorization_and_its_removal_take_time() -> Result<()> {
    let cloud = options::<Services>().clock(clock()).transitions(Transitions::Realistic).in_memory();
    let connections = Connection::objects(&cloud.session());
    let client =
        ConnectionOAuthClientParameters::builder().client_id("shop").client_secret("hush").build()?;
    let oauth = ConnectionOAuthParameters::builder()
        .client_parameters(client)
        .authorization_endpoint("https://example.com/token")
        .http_method(ConnectionOAuthHttpMethod::Post)
        .build()?;
    let parameters = ConnectionAuthParameters::builder().o_auth_parameters(oauth).build()?;
    let model = Connection::builder()
        .name("a")
        .authorization_type(ConnectionAuthorizationType::OAuth)
        .auth_parameters(parameters)
        .build()?;
    let created = connections.create(&model).wait()?;
    assert_eq!(created.connection_state(), Some(&ConnectionState::Authorizing));
    assert_eq!(created.last_authorized_time(), Some(Timestamp::UNIX_EPOCH));
    let after = |seconds| -> Result<Connection> {
        cloud.clock().advance(SignedDuration::from_secs(seconds))?;
        Ok(connections.get("a").wait()?.unwrap())
    };
    let authorized = after(10)?;
    assert_eq!(authorized.connection_state(), Some(&ConnectionState::Authorized));
    assert_eq!(authorized.last_authorized_time(), Some(cloud.clock().now()));
    for _ in 0..2 {
        let answer = authorized.deauthorize().wait()?;
        assert_eq!(answer.connection_state(), Some(&ConnectionState::Deauthorizing));
    }
    let losing = after(1)?;
    assert_eq!(losing.secret_arn(), authorized.secret_arn());
    assert_eq!(losing.auth_parameters(), Some(&ConnectionAuthParameters::builder().build()?));
    let lost = after(10)?;
    assert_eq!((lost.connection_state(), lost.secret_arn()), (Some(&ConnectionState::Deauthorized), None));
    Ok(())
}
