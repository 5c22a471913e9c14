//! Rows with a mapping for each resource, by ARN.

/// Declares a table of such rows; an empty mapping has no row.
macro_rules! map_by_arn {
    ($(#[$about:meta])* $vis:vis struct $name:ident { $map:ident } in $table:literal) => {
        $(#[$about])*
        #[derive(nephos_core::Record)]
        $vis struct $name {
            /// ARN of the resource.
            resource_arn: Option<nephos_core::Text>,
            /// Mapping of keys to values.
            $map: Option<nephos_core::Map<nephos_core::Text>>,
        }

        nephos_cloud::stored!($name in $table by resource_arn);

        impl $name {
            /// Returns the mapping of the resource.
            pub(crate) fn get(cx: &Tx<'_>, arn: &str) -> Result<Map<Text>> {
                let row: Option<Self> = cx.get(&<Self as nephos_cloud::Stored>::table(cx.scope()).text(arn))?;
                Ok(row.and_then(|row| row.$map).unwrap_or_default())
            }

            /// Replaces the mapping of the resource.
            pub(crate) fn put(cx: &mut Tx<'_>, arn: &str, map: Map<Text>) -> Result<()> {
                let is_empty = map.is_empty();
                let row = Self { resource_arn: Some(arn.into()), $map: Some(map) };
                if is_empty { cx.remove(&row) } else { cx.put(row) }
            }

            /// Removes the mapping of the resource.
            pub(crate) fn remove(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
                Self::put(cx, arn, Map::default())
            }
        }
    };
}
pub(crate) use map_by_arn;
