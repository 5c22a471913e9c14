//! Source files of a code binding.

use super::{
    CodeBindingLanguage, go, java,
    model::{Member, Model},
    names, python, typescript,
    zip::File,
};
use serde_json::Value;

/// The code of a schema: its types, and the directories that it is in.
pub(super) struct Package {
    pub(super) model: Model,
    pub(super) path: Vec<String>,
}

impl Package {
    /// Returns a file in the directory of the package.
    pub(super) fn file(&self, name: impl AsRef<str>, content: impl Into<String>) -> File {
        (format!("{}/{}", self.path.join("/"), name.as_ref()), content.into())
    }

    /// Returns the name of the package: the last directory.
    pub(super) fn name(&self) -> &str {
        self.path.last().map(String::as_str).unwrap_or_default()
    }
}

/// Generates the source files of a schema.
pub(super) fn generate(language: &CodeBindingLanguage, schema: &str, document: &Value) -> Vec<File> {
    let package = Package { model: Model::read(document, schema), path: names::package_path(schema) };
    let (mut files, needs) = match language {
        CodeBindingLanguage::Java => {
            (java::write(&package), "Jackson: `com.fasterxml.jackson.core:jackson-databind`")
        }
        CodeBindingLanguage::TypeScript => (typescript::write(&package), "nothing but TypeScript 3 or newer"),
        CodeBindingLanguage::Go => (go::write(&package), "the standard library of Go 1"),
        CodeBindingLanguage::Python | CodeBindingLanguage::Unknown(_) => {
            (python::write(&package), "the standard library of Python 3.6 or newer")
        }
    };
    let readme = format!("# Code binding of {schema}\n\nThe code needs {needs}.\n");
    files.push(("README.md".to_owned(), readme));
    files
}

/// Returns members with their names in code, which are unique.
pub(super) fn with_names(members: &[Member], name: impl Fn(&str) -> String) -> Vec<(String, &Member)> {
    let mut used = names::UsedNames::new();
    members.iter().map(|member| (names::unique(&mut used, name(&member.wire)), member)).collect()
}

/// Returns the values of an enum with their names in code, which are unique.
pub(super) fn with_constants(values: &[String], name: impl Fn(&str) -> String) -> Vec<(String, &String)> {
    let mut used = names::UsedNames::new();
    values.iter().map(|value| (names::unique(&mut used, name(value)), value)).collect()
}

/// Joins lines, each with a newline at its end.
pub(super) fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}
