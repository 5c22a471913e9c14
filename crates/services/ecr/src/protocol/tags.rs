//! Listings: tags, and images that are about another one.

use super::{Exchange, json_reply, refusal::Refusal};
use crate::image::{ImageTagRow, links, manifest::Manifest, rows};
use nephos_cloud::{BlobDigest, Direction, FrontReply, Stored};
use nephos_core::{
    Map, Result, Text, Value,
    json::{self, Writing},
    shape::Effect,
};
use std::ops::ControlFlow;

/// Maximum number of tags on a page.
const MAX_TAGS: usize = 1_000;

impl Exchange {
    pub(super) fn list_tags(&self, name: &str) -> Result<FrontReply, Refusal> {
        let limit = self.request.parameter("n").and_then(|n| n.parse::<usize>().ok()).unwrap_or(MAX_TAGS);
        let limit = limit.min(MAX_TAGS);
        let last = self.request.parameter("last");
        let repository = Text::from(name);
        let mut tags = self.run(Effect::Read, "ListImages", name, move |cx| {
            let rows = ImageTagRow::table(cx.scope()).text(&repository);
            let mut range = rows.prefix_range();
            if let Some(last) = &last {
                range = range.after(rows.clone().text(last).as_bytes(), Direction::Ascending);
            }
            let mut tags = Vec::new();
            cx.scan(cx.scope(), &range, Direction::Ascending, |row: ImageTagRow| {
                tags.extend(row.image_tag);
                if tags.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            Ok(tags)
        })?;
        let has_more = tags.len() > limit;
        tags.truncate(limit);
        let next = tags.last().filter(|_| has_more).cloned();
        let listed = Map::from_iter([
            ("name".into(), Value::from(name)),
            ("tags".into(), Value::List(tags.into_iter().map(Value::Text).collect())),
        ]);
        let mut reply = json_reply(200, json::write(Value::Map(listed).view(), Writing::EXPOSED));
        if let Some(next) = next {
            let link = format!(r#"</v2/{name}/tags/list?n={limit}&last={next}>; rel="next""#);
            reply = reply.header("Link", link);
        }
        Ok(reply)
    }

    pub(super) fn list_referrers(&self, name: &str, digest: &str) -> Result<FrontReply, Refusal> {
        if BlobDigest::parse(digest).is_none() {
            return Err(Refusal::new(400, "DIGEST_INVALID", format!("{digest:?} is not a sha256 digest.")));
        }
        let (repository, subject) = (Text::from(name), Text::from(digest));
        let wanted = self.request.parameter("artifactType");
        let filter = wanted.clone();
        let manifests = self.run(Effect::Read, "BatchGetImage", name, move |cx| {
            let mut found = Vec::new();
            for digest in links::images_with(cx, &repository, links::SUBJECT, &subject)? {
                let Some(image) = rows::find(cx, &repository, &digest)? else { continue };
                let text = rows::manifest_of(cx, &image)?;
                let manifest = Manifest::parse(&text, image.image_manifest_media_type.as_deref())?;
                if filter.is_some() && filter != manifest.artifact_type {
                    continue;
                }
                let mut descriptor = Map::from_iter([
                    ("mediaType".into(), Value::Text(manifest.media_type)),
                    ("digest".into(), Value::Text(digest)),
                    ("size".into(), Value::Int(text.len() as i64)),
                ]);
                if let Some(artifact_type) = manifest.artifact_type {
                    descriptor.insert("artifactType".into(), Value::Text(artifact_type));
                }
                if !manifest.annotations.is_empty() {
                    descriptor.insert("annotations".into(), Value::Map(manifest.annotations));
                }
                found.push(Value::Map(descriptor));
            }
            Ok(found)
        })?;
        let index = Map::from_iter([
            ("schemaVersion".into(), Value::Int(2)),
            ("mediaType".into(), Value::from(INDEX)),
            ("manifests".into(), Value::List(manifests)),
        ]);
        let text = json::write(Value::Map(index).view(), Writing::EXPOSED);
        let mut reply = FrontReply::new(200).header("Content-Type", INDEX).bytes(text);
        if wanted.is_some() {
            reply = reply.header("OCI-Filters-Applied", "artifactType");
        }
        Ok(reply)
    }
}

/// Media type of the list of images.
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
