//! How lessons and verdicts are written and read, beside the reference and within their budgets.

mod budgets;
mod costs;
mod lessons;
mod reference_behaviour;
mod reference_parsing;
mod vectors;
mod verdicts;
