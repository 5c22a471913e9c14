//! Executions of pipelines.

pub mod plan;
