//! A generator of legal Sources, and a model of what their documents say.

pub mod faults;
pub mod forecast;
pub mod habits;
pub mod history;
pub mod model;
pub mod publisher;
pub mod random;
pub mod rest;
pub mod tally;
pub mod verdict;
pub mod wider;
pub mod world;
