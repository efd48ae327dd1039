//! Which vector instructions the model and the index compute with.

use std::sync::OnceLock;

/// A set of vector instructions. Every one of them gives the same answers to the bit; they differ in speed alone.
///
/// To add one, give it a variant, its name and how it is found here, then its loops in the `kernels` folders of the embedder and of
/// the index; their tests hold whatever [`Kernel::available`] names against [`Kernel::Plain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// AVX-512 with its dot product of bytes.
    Avx512Vnni,
    /// AVX2 with the same dot product on 256 bits.
    AvxVnni,
    /// AVX-512 without it.
    Avx512,
    /// AVX2.
    Avx2,
    /// NEON with products of small matrices of bytes.
    NeonI8mm,
    /// NEON with its dot product of bytes.
    NeonDotprod,
    /// NEON, which every 64-bit ARM has.
    Neon,
    /// Whatever the compiler makes of plain loops.
    Plain,
}

static CHOSEN: OnceLock<Kernel> = OnceLock::new();

impl Kernel {
    /// All there are, best first.
    pub const ALL: [Self; 8] = [
        Self::Avx512Vnni,
        Self::AvxVnni,
        Self::Avx512,
        Self::Avx2,
        Self::NeonI8mm,
        Self::NeonDotprod,
        Self::Neon,
        Self::Plain,
    ];

    /// Those that this processor can run, best first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available())
    }

    /// The one that this process computes with: the one that was chosen, else the best.
    pub fn in_use() -> Self {
        *CHOSEN.get_or_init(|| Self::available().next().unwrap_or(Self::Plain))
    }

    /// Has this process compute with it. `false` if this processor cannot run it, or another is in use already.
    pub fn choose(self) -> bool {
        self.is_available() && *CHOSEN.get_or_init(|| self) == self
    }

    /// What settings, logs and reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512Vnni => "avx512-vnni",
            Self::AvxVnni => "avx-vnni",
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::NeonI8mm => "neon-i8mm",
            Self::NeonDotprod => "neon-dotprod",
            Self::Neon => "neon",
            Self::Plain => "plain",
        }
    }

    /// Whether this processor can run it.
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        // Whatever has the one has the other, but a machine that is emulated.
        let avx2 = || has!("avx2") && has!("fma");
        let avx512 = || has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        match self {
            Self::Avx512Vnni => avx2() && avx512() && has!("avx512vnni"),
            Self::AvxVnni => avx2() && has!("avxvnni"),
            Self::Avx512 => avx2() && avx512(),
            Self::Avx2 => avx2(),
            Self::Plain => true,
            Self::NeonI8mm | Self::NeonDotprod | Self::Neon => false,
        }
    }

    /// Whether this processor can run it.
    #[cfg(target_arch = "aarch64")]
    pub fn is_available(self) -> bool {
        use std::arch::is_aarch64_feature_detected as has;
        match self {
            Self::NeonI8mm => has!("dotprod") && has!("i8mm"),
            Self::NeonDotprod => has!("dotprod"),
            Self::Neon | Self::Plain => true,
            Self::Avx512Vnni | Self::AvxVnni | Self::Avx512 | Self::Avx2 => false,
        }
    }

    /// Whether this processor can run it.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn is_available(self) -> bool {
        self == Self::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_chosen_once_and_only_where_it_can_run() {
        let missing = Kernel::ALL.into_iter().find(|kernel| !kernel.is_available());
        assert!(missing.is_some_and(|kernel| !kernel.choose()), "no machine has all of them");
        assert!(Kernel::Plain.choose() && Kernel::Plain.choose());
        assert_eq!(Kernel::in_use(), Kernel::Plain);
        let others = Kernel::available().filter(|kernel| *kernel != Kernel::Plain);
        assert_eq!(others.filter(|kernel| kernel.choose()).collect::<Vec<_>>(), []);
    }
}
