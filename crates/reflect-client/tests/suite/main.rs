//! The client against servers that are real, in this process, or misbehave.

mod faults;
mod patterns;
mod worlds;
