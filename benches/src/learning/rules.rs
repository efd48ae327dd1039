//! The rules that are compared: ours by the product's own code, and those that are published.

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The most similar.
    Similarity,
    /// The blend of similarity and a moving average with a constant step: the seeds' rule, by the product's code.
    Constant,
    /// The blend of similarity and `(passes + 1) / (runs + 2)`.
    Ratio,
    /// Of the most similar, those with the highest sum of z-scores of similarity and of a moving average (MemRL).
    MemRl,
    /// The blend of similarity and a draw from what counts leave open (Thompson).
    Thompson,
    /// What a lesson adds, by the product's code, without trials.
    Worth,
    /// The same with the trial slot: the product's default.
    WorthWithTrials,
}

impl Rule {
    pub(super) const ALL: [Self; 7] = [
        Self::Similarity,
        Self::Constant,
        Self::Ratio,
        Self::MemRl,
        Self::Thompson,
        Self::Worth,
        Self::WorthWithTrials,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Similarity => "similarity",
            Self::Constant => "constant",
            Self::Ratio => "ratio",
            Self::MemRl => "MemRL",
            Self::Thompson => "Thompson",
            Self::Worth => "worth",
            Self::WorthWithTrials => "worth+trial",
        }
    }

    /// Whether it needs to know what is usual for a task.
    pub(super) const fn has_baseline(self) -> bool {
        matches!(self, Self::Worth | Self::WorthWithTrials)
    }
}
