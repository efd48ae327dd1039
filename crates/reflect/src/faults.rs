//! A reflector that fails on purpose, so that tests can see a whole server deal with it. Release builds do not have it.

use std::str::FromStr;

use async_trait::async_trait;
use reflect_core::WrittenBy;
use reflection::{ReflectError, Reflected, ReviewedRun, RunReflector};

/// How lessons fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Every attempt fails for good.
    Permanent,
    /// Every attempt fails, and asks to be repeated.
    Temporary,
    /// No attempt ever ends.
    Hang,
}

impl FromStr for Fault {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "permanent" => Ok(Self::Permanent),
            "temporary" => Ok(Self::Temporary),
            "hang" => Ok(Self::Hang),
            other => anyhow::bail!("`fault_reflector` is `{other}`, it must be one of permanent, temporary, hang"),
        }
    }
}

#[async_trait]
impl RunReflector for Fault {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new("faulty", "1")
    }

    async fn reflect_run(&self, _: &ReviewedRun) -> Result<Reflected, ReflectError> {
        match self {
            Self::Permanent => Err(ReflectError::Permanent("fault injected".into())),
            Self::Temporary => Err(ReflectError::Temporary("fault injected".into())),
            Self::Hang => std::future::pending().await,
        }
    }
}
