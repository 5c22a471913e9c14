//! The resource part of the ARNs of a kind: a template over its fields.
//!
//! `archive/{ArchiveName}` is text with the values of fields in braces. `{}` is a part that no field has, such as an ID at the
//! end; `{*}` is such a part that identifies the resource. Neither contains a slash. `{Path: /=/}` is a field with the value `/`
//! if it is null. A field that another one follows ends with a slash.

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Text(&'static str),
    /// A field, and its value if it is null.
    Field(&'static str, &'static str),
}

/// The template of the resource part of ARNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourcePath(pub &'static str);

impl ResourcePath {
    fn parts(self) -> impl Iterator<Item = Part> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if let Some(after) = rest.strip_prefix('{') {
                let (placeholder, behind) = after.split_once('}').unwrap_or((after, ""));
                rest = behind;
                let (name, default) = placeholder.split_once(':').unwrap_or((placeholder, ""));
                let default = default.split_once('=').map_or("", |(_, default)| default.trim());
                return Some(Part::Field(name, default));
            }
            let text;
            (text, rest) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
            (!text.is_empty()).then_some(Part::Text(text))
        })
    }

    /// Type of resource: the text before the first slash or brace.
    pub const fn resource_type(self) -> &'static str {
        let bytes = self.0.as_bytes();
        let mut end = 0;
        while end < bytes.len() && bytes[end] != b'/' && bytes[end] != b'{' {
            end += 1;
        }
        self.0.split_at(end).0
    }

    /// Number of parts: of two templates that an ARN has the form of, the one with more of them is meant.
    pub fn count_parts(self) -> usize {
        self.parts().count()
    }

    /// True if resources of the kind have no such ARN.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the resource part of an ARN with these values, in order of the template. Those that are missing are empty.
    pub fn with<'v>(self, values: impl IntoIterator<Item = &'v str>) -> String {
        let mut resource = String::with_capacity(64);
        let mut values = values.into_iter();
        for part in self.parts() {
            resource.push_str(match part {
                Part::Text(text) => text,
                Part::Field(..) => values.next().unwrap_or_default(),
            });
        }
        resource
    }

    /// Returns the resource part of an ARN with the values that `value` returns for the fields of the template; none if one of
    /// them is null.
    pub fn fill<'v>(self, value: impl Fn(&'static str) -> Option<&'v str>) -> Option<String> {
        let mut resource = String::with_capacity(64);
        for part in self.parts() {
            match part {
                Part::Text(text) => resource.push_str(text),
                Part::Field(name, "") => resource.push_str(value(name)?),
                Part::Field(name, default) => resource.push_str(value(name).unwrap_or(default)),
            }
        }
        Some(resource)
    }

    /// Returns the values of all parts in braces of the resource part of an ARN; none if it does not have this form.
    pub fn read(self, resource: &str) -> Option<Vec<&str>> {
        self.read_named(resource).map(|read| read.into_iter().map(|(_, value)| value).collect())
    }

    /// Returns the parts of the resource part of an ARN that identify the resource; none if it does not have this form.
    pub fn read_identity(self, resource: &str) -> Option<Vec<&str>> {
        let read = self.read_named(resource)?;
        Some(read.into_iter().filter(|(name, _)| !name.is_empty()).map(|(_, value)| value).collect())
    }

    /// Returns the names and values in the braces of the template for the resource part of an ARN; none if it does not have this
    /// form.
    pub fn read_named(self, resource: &str) -> Option<Vec<(&'static str, &str)>> {
        let mut found = Vec::with_capacity(4);
        let mut rest = resource;
        let mut parts = self.parts().peekable();
        while let Some(part) = parts.next() {
            let name = match part {
                Part::Text(text) => {
                    rest = rest.strip_prefix(text)?;
                    continue;
                }
                Part::Field(name, _) => name,
            };
            let end = match parts.peek() {
                None => rest.len(),
                Some(Part::Text(text)) => rest.find(text)?,
                Some(Part::Field(..)) => rest.rfind('/')? + 1,
            };
            let value;
            (value, rest) = rest.split_at(end);
            if value.is_empty() || (["", "*"].contains(&name) && value.contains('/')) {
                return None;
            }
            found.push((name, value));
        }
        rest.is_empty().then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::ResourcePath;

    #[test]
    fn values_are_read_from_the_resource_part_of_an_arn() {
        let read = |template, resource| ResourcePath(template).read_identity(resource);
        assert_eq!(read("archive/{ArchiveName}", "archive/a"), Some(vec!["a"]));
        assert_eq!(read("archive/{ArchiveName}", "archive/"), None);
        assert_eq!(read("archive/{ArchiveName}", "replay/a"), None);
        assert_eq!(read("schema/{Registry}/{Name}", "schema/a/b/c"), Some(vec!["a", "b/c"]));
        assert_eq!(read("log-group:{Name}:*", "log-group:/a/b:*"), Some(vec!["/a/b"]));
        assert_eq!(read("log-group:{Name}:*", "log-group:/a/b"), None);
        assert_eq!(read("user{Path: /=/}{UserName}", "user/a/b/ann"), Some(vec!["/a/b/", "ann"]));
        assert_eq!(read("user{Path: /=/}{UserName}", "user/ann"), Some(vec!["/", "ann"]));
        assert_eq!(read("target/{Name}/{}", "target/a/1"), Some(vec!["a"]));
        assert_eq!(read("target/{Name}/{}", "target/a/1/2"), None);
        assert_eq!(read("listener/{}/{*}/{*}", "listener/app/a/1"), Some(vec!["a", "1"]));
        assert_eq!(ResourcePath("target/{Name}/{}").read("target/a/1"), Some(vec!["a", "1"]));
        let resource_type = |template| ResourcePath(template).resource_type();
        assert_eq!(["vpc/{VpcId}", "user{Path: /=/}{UserName}"].map(resource_type), ["vpc", "user"]);
    }

    #[test]
    fn the_resource_part_of_an_arn_is_built_from_values() {
        assert_eq!(ResourcePath("target/{Name}/{}").with(["a", "1"]), "target/a/1");
        let value = |name| (name == "UserName").then_some("ann");
        assert_eq!(ResourcePath("user{Path: /=/}{UserName}").fill(value).as_deref(), Some("user/ann"));
        assert_eq!(ResourcePath("group/{GroupName}").fill(value), None);
    }
}
