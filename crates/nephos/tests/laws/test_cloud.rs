//! Clouds with the resources that the laws check.

#[cfg(feature = "postgres")]
use crate::database;
use crate::{examples::create_examples, generic::options, test_resource::TestResource, wire};
use nephos::{Cloud, CloudOptions, Session, SignedDuration, Transitions, Value};

/// A cloud and the resources that were created in it.
pub(crate) struct TestCloud {
    pub(crate) cloud: Cloud,
    pub(crate) resources: Vec<TestResource>,
    /// True if sessions encode each call as a request on the wire.
    pub(crate) over_wire: bool,
}

impl TestCloud {
    /// Creates the examples in `cloud`.
    pub(crate) fn new(cloud: Cloud) -> Self {
        Self::with_resources(cloud.clone(), create_examples(&cloud.session()))
    }

    pub(crate) fn with_resources(cloud: Cloud, resources: Vec<TestResource>) -> Self {
        Self { cloud, resources, over_wire: false }
    }

    pub(crate) fn session(&self) -> Session {
        if self.over_wire { wire::session(&self.cloud) } else { self.cloud.session() }
    }

    /// Forks the cloud, without knowledge of its resources.
    pub(crate) fn fork(&self) -> Self {
        Self { cloud: self.cloud.fork().unwrap(), resources: Vec::new(), over_wire: self.over_wire }
    }

    /// Advances the clock by an hour, so that all transitions complete.
    pub(crate) fn settle(&self) {
        self.cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
        assert_eq!(self.cloud.failed_work().unwrap(), []);
    }

    /// Deletes the resources in reverse order. Kinds without `delete` are deleted with their parents.
    pub(crate) fn delete_all(&self) {
        for resource in self.resources.iter().rev().filter(|resource| resource.kind.call("delete").is_some())
        {
            resource.call(&self.session(), "delete").unwrap_or_else(|error| panic!("{resource:?}: {error}"));
            // Some resources block their parents until a transition ends.
            self.cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
        }
        // Some deleted resources can be restored for a month.
        self.cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
        assert_eq!(self.cloud.failed_work().unwrap(), []);
    }
}

pub(crate) fn realistic() -> CloudOptions {
    options().transitions(Transitions::Realistic)
}

/// Creates a cloud: in memory, or, with NEPHOS_POSTGRES_CASES=all, in a database.
pub(crate) fn new_cloud(options: CloudOptions) -> Cloud {
    #[cfg(feature = "postgres")]
    if database::is_wanted() {
        return database::new_cloud(options);
    }
    options.in_memory()
}

/// Returns clouds with instant and realistic transitions.
pub(crate) fn test_clouds() -> [TestCloud; 2] {
    [options(), realistic()].map(|options| TestCloud::new(new_cloud(options)))
}

/// Returns the clouds of [`test_clouds`], and one that is reached over the wire.
pub(crate) fn test_clouds_and_wire() -> [TestCloud; 3] {
    let [instant, realistic] = test_clouds();
    let served = TestCloud { over_wire: true, ..TestCloud::new(new_cloud(options())) };
    [instant, realistic, served]
}

/// Returns the clouds of [`test_clouds_and_wire`], and, if there is a PostgreSQL, one in a database.
pub(crate) fn all_test_clouds() -> Vec<TestCloud> {
    let clouds = test_clouds_and_wire().into_iter();
    #[cfg(feature = "postgres")]
    let clouds = clouds.chain(database::test_cloud());
    clouds.collect()
}

/// True if `found` equals `value`, apart from fields that the service adds to nested records.
pub(crate) fn contains_value(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::Map(found), Value::Map(value)) => {
            value.iter().all(|(key, value)| found.get(key).is_some_and(|found| contains_value(found, value)))
        }
        (Value::List(found), Value::List(value)) => {
            found.len() == value.len()
                && found.iter().zip(value).all(|(found, value)| contains_value(found, value))
        }
        _ => found == value,
    }
}
