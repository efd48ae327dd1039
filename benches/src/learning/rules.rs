//! The rules that are compared: the product's own, and those that are published.

use reflect_core::worth::{LearningRule, SittingOut, WorthConstants};
use reflect_engine::EngineSettings;

/// The product's default.
pub(super) const OURS: &str = "worth";

/// A rule with its name in the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) how: How,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum How {
    Published(Published),
    Product(ProductRule),
}

/// A published rule, ranked by plain cosines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Published {
    /// The most similar.
    Similarity,
    /// The blend of similarity and `(passes + 1) / (runs + 2)`.
    Ratio,
    /// Of the most similar, those with the highest sum of z-scores of similarity and of a moving average (MemRL).
    MemRl,
    /// The blend of similarity and a draw from what counts leave open (Thompson).
    Thompson,
}

/// What a project of the product can be set to, and the constants behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ProductRule {
    pub(super) learning: LearningRule,
    pub(super) trial_share: f64,
    pub(super) sitting_out: SittingOut,
    pub(super) mmr_lambda: f64,
    pub(super) constants: WorthConstants,
}

impl ProductRule {
    /// The server's defaults.
    pub(super) fn usual() -> Self {
        let EngineSettings { learning, trial_share, sitting_out: most, mmr_lambda, .. } = EngineSettings::default();
        let sitting_out = SittingOut { most, ..SittingOut::default() };
        Self { learning, trial_share, sitting_out, mmr_lambda, constants: WorthConstants::default() }
    }

    fn constant() -> Self {
        Self { learning: LearningRule::Constant, ..Self::usual() }
    }

    fn with(constants: WorthConstants) -> Self {
        Self { constants, ..Self::usual() }
    }
}

/// The rules of one table, and the one that ours is held against world by world.
pub(super) struct Field {
    pub(super) rules: Vec<Rule>,
    pub(super) rival: &'static str,
}

/// Every published rule beside the product's two.
pub(super) fn all_rules() -> Field {
    let published = |name, published| Rule { name, how: How::Published(published) };
    let rules = vec![
        published("similarity", Published::Similarity),
        product("constant step", ProductRule::constant()),
        published("success ratio", Published::Ratio),
        published("MemRL", Published::MemRl),
        published("Thompson", Published::Thompson),
        product("worth, all shown", ProductRule { sitting_out: SittingOut::NEVER, ..ProductRule::usual() }),
        product(OURS, ProductRule::usual()),
    ];
    Field { rules, rival: "constant step" }
}

/// The product's rule with other constants.
pub(super) fn variants() -> Field {
    let usual = WorthConstants::default();
    let retiring = |retire_deviations, retire_below| {
        ProductRule::with(WorthConstants { retire_deviations, retire_below, ..usual })
    };
    let within = |largest_unit| ProductRule::with(WorthConstants { largest_unit, ..usual });
    let rules = vec![
        product("nothing left out", retiring(0.0, f64::NEG_INFINITY)),
        product("left out at half a deviation", retiring(0.5, 0.0)),
        product("left out below −0.02", retiring(0.0, -0.02)),
        product("unit up to 0.2", within(0.2)),
        product("unit up to 0.3", within(0.3)),
        product("unit up to 0.6", within(0.6)),
        product("any unit", within(2.0)),
        product("less diversity", ProductRule { mmr_lambda: 0.85, ..ProductRule::usual() }),
        product("no diversity", ProductRule { mmr_lambda: 1.0, ..ProductRule::usual() }),
        product("all shown", ProductRule { sitting_out: SittingOut::NEVER, ..ProductRule::usual() }),
        product("unit as small as may be", ProductRule::with(WorthConstants { smallest_unit: 0.0, ..usual })),
        product("constant step", ProductRule::constant()),
        product("constant step, no diversity", ProductRule { mmr_lambda: 1.0, ..ProductRule::constant() }),
        Rule { name: "success ratio", how: How::Published(Published::Ratio) },
        product(OURS, ProductRule::usual()),
    ];
    Field { rules, rival: "constant step" }
}

/// The product's rules, and what doubt is worth in them.
pub(super) fn kinds_rules() -> Vec<Rule> {
    let usual = ProductRule::usual();
    let up_to = |most| ProductRule { sitting_out: SittingOut { most, ..usual.sitting_out }, ..usual };
    let prior = |prior_runs, retire_deviations| {
        ProductRule::with(WorthConstants { prior_runs, retire_deviations, ..usual.constants })
    };
    vec![
        product("constant step", ProductRule::constant()),
        product("all shown", ProductRule { sitting_out: SittingOut::NEVER, ..usual }),
        product("out of one answer in ten at most", up_to(0.1)),
        product("out of one in five at most", up_to(0.2)),
        product("30 prior runs", prior(30.0, 1.0)),
        product("20 prior runs", prior(20.0, 1.0)),
        product("20 prior runs, retired at 2 deviations", prior(20.0, 2.0)),
        product(OURS, usual),
    ]
}

const fn product(name: &'static str, rule: ProductRule) -> Rule {
    Rule { name, how: How::Product(rule) }
}
