//! A web handler that pages: one page of a listing per request, with the token of the next page in the answer.
//!
//! `list_groups` is what a handler of any web framework would call; `main` plays the browser.
//!
//! `cargo run -p nephos-examples --example web_handler`

use nephos::{Cloud, LogGroup, Result, Session, Value, prelude::*};

/// Handles `GET /groups?token=…`: at most 20 groups, and where to go on.
async fn list_groups(session: &Session, token: Option<&str>) -> Result<Value> {
    let page = LogGroup::objects(session).list().limit(20).page(token).await?;
    let names = page.items.iter().map(|group| group.name().map(Value::from)).collect::<Result<Vec<_>>>()?;
    Ok([("groups", Value::List(names)), ("next", page.next_token.into())].into_iter().collect())
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let session = Cloud::in_memory().session();
    for number in 0..50 {
        let group = LogGroup::builder().log_group_name(format!("/web/{number:02}")).build()?;
        LogGroup::objects(&session).create(&group).wait()?;
    }
    let mut token: Option<String> = None;
    loop {
        // In a handler this is `.await`; `nephos::wait` needs no runtime.
        let answer = nephos::wait(list_groups(&session, token.as_deref()))?;
        println!("{} groups on this page", answer["groups"].as_list().map_or(0, <[Value]>::len));
        match answer["next"].as_text() {
            Some(next) => token = Some(next.to_owned()),
            None => return Ok(()),
        }
    }
}
