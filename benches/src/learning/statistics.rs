//! Means with their standard errors.

/// A mean of figures that were drawn independently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub(super) value: f64,
    /// The standard error; 0 of a single figure.
    pub(super) error: f64,
}

impl Mean {
    pub(super) fn of(figures: &[f64]) -> Self {
        let count = figures.len().max(1) as f64;
        let value = figures.iter().sum::<f64>() / count;
        let squares: f64 = figures.iter().map(|figure| (figure - value).powi(2)).sum();
        Self { value, error: (squares / (count - 1.0).max(1.0) / count).sqrt() }
    }

    /// In points, with a sign.
    pub(super) fn points(self) -> String {
        format!("{:+.1} ± {:.1}", 100.0 * self.value, 100.0 * self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_the_error_of_its_figures() {
        let mean = Mean::of(&[1.0, 2.0, 3.0, 4.0]);
        assert!((mean.value - 2.5).abs() < 1e-12 && (mean.error - (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert_eq!(Mean::of(&[0.1]).error, 0.0);
        assert_eq!(Mean { value: 0.051, error: 0.008 }.points(), "+5.1 ± 0.8");
    }
}
