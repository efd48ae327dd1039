//! What a judge's closure may answer: a text or a failure, at once or to be awaited.

use std::{borrow::Cow, fmt::Display, future::Future, pin::Pin};

use crate::ReflectError;

/// A reply on its way.
pub(super) type PendingReply = Pin<Box<dyn Future<Output = Result<String, ReflectError>> + Send>>;

/// What a judge says in the end: a text, or a `Result` with a text.
pub trait JudgeText {
    /// The text. A failure becomes [`ReflectError::Temporary`], so that it may be tried again.
    fn into_text(self) -> Result<String, ReflectError>;
}

impl JudgeText for String {
    fn into_text(self) -> Result<String, ReflectError> {
        Ok(self)
    }
}

impl JudgeText for &str {
    fn into_text(self) -> Result<String, ReflectError> {
        Ok(self.to_owned())
    }
}

impl JudgeText for Cow<'_, str> {
    fn into_text(self) -> Result<String, ReflectError> {
        Ok(self.into_owned())
    }
}

impl<T: JudgeText, E: Display> JudgeText for Result<T, E> {
    fn into_text(self) -> Result<String, ReflectError> {
        match self {
            Ok(text) => text.into_text(),
            Err(error) => Err(ReflectError::Temporary(error.to_string())),
        }
    }
}

/// What a judge's closure answers: a [`JudgeText`], or a future of one. `When` tells the two apart and is always inferred; without
/// it one type could be both.
pub trait JudgeReply<When> {
    /// The reply, to be awaited.
    fn into_pending(self) -> Pin<Box<dyn Future<Output = Result<String, ReflectError>> + Send>>;
}

/// Says of a [`JudgeReply`] that it is there at once.
#[derive(Debug)]
pub enum AtOnce {}

/// Says of a [`JudgeReply`] that it has to be awaited.
#[derive(Debug)]
pub enum Awaited {}

impl<T: JudgeText> JudgeReply<AtOnce> for T {
    fn into_pending(self) -> PendingReply {
        Box::pin(std::future::ready(self.into_text()))
    }
}

impl<F: Future<Output: JudgeText> + Send + 'static> JudgeReply<Awaited> for F {
    fn into_pending(self) -> PendingReply {
        Box::pin(async move { self.await.into_text() })
    }
}

#[cfg(test)]
mod tests {
    use std::{io, sync::Arc};

    use crate::{Context, GeneralReflector, ReflectError, Reflector};

    const FULL: &str = r#"{"summary": "s"}"#;

    async fn summary_by(reflector: GeneralReflector) -> Result<String, ReflectError> {
        let reflected = reflector.reflect(&Context::new().with("input", "x")).await?;
        Ok(reflected.summary().to_owned())
    }

    fn plain_judge(_prompt: String) -> String {
        FULL.to_owned()
    }

    async fn async_judge(_prompt: String) -> io::Result<String> {
        Ok(FULL.to_owned())
    }

    #[tokio::test]
    async fn a_judge_is_any_closure_from_a_prompt_to_a_text() {
        let new = GeneralReflector::new;
        let kept = Arc::new(FULL.to_owned());
        for reflector in [
            new().with_judge(|_| FULL),
            new().with_judge(|prompt| format!("{FULL}{}", if prompt.is_empty() { "x" } else { "" })),
            new().with_judge(plain_judge),
            new().with_judge(|_| Ok::<_, String>(FULL.to_owned())),
            new().with_judge(|prompt| if prompt.is_empty() { Err("no prompt") } else { Ok(FULL) }),
            new().with_judge(|_| async { FULL }),
            new().with_judge(async |_: String| FULL.to_owned()),
            new().with_judge(|_| async { Ok::<_, String>(FULL.to_owned()) }),
            new().with_judge(async_judge),
            new().with_judge(move |_| {
                let kept = Arc::clone(&kept);
                async move { io::Result::Ok(kept.as_str().to_owned()) }
            }),
        ] {
            assert_eq!(summary_by(reflector).await, Ok("s".to_owned()));
        }
    }

    #[tokio::test]
    async fn what_a_judge_fails_with_is_the_error() {
        let now = GeneralReflector::new().with_judge(|_| Err::<String, _>("down"));
        assert_eq!(summary_by(now).await, Err(ReflectError::Temporary("down".into())));
        let later = GeneralReflector::new().with_judge(|_| async { Err::<String, _>(io::Error::other("down")) });
        assert_eq!(summary_by(later).await, Err(ReflectError::Temporary("down".into())));
    }
}
