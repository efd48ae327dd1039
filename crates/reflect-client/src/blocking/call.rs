//! A call that is sent by `send`.

use std::future::IntoFuture;

use crate::{CreateAndWait, CreateTrace, ListMemories, ListTraces, MemoryDetail, Page, Result, Trace};

use super::driver;

/// A call with its options, which are those of the async builder `B`. [`Call::send`] sends it.
///
/// ```no_run
/// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
/// let found = client.query("Refund order A-17").limit(5).lambda(0.3).send()?;
/// # let _ = found;
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a call is made by `send`"]
pub struct Call<B> {
    pub(super) builder: B,
}

impl<B> Call<B> {
    pub(super) fn map<C>(self, option: impl FnOnce(B) -> C) -> Call<C> {
        Call { builder: option(self.builder) }
    }
}

impl<B, T> Call<B>
where
    B: IntoFuture<Output = Result<T>, IntoFuture: Send + 'static>,
    T: Send + 'static,
{
    /// Sends the call and waits for its answer.
    pub fn send(self) -> Result<T> {
        driver::wait(self.builder.into_future())?
    }
}

impl Call<CreateTrace> {
    /// Waits, once sent, until the lesson is written.
    pub fn and_wait(self) -> Call<CreateAndWait> {
        self.map(CreateTrace::and_wait)
    }
}

/// Writes the reading of a list for both lists.
macro_rules! pages {
    ($builder:ident of $item:ident, $method:literal) => {
        impl Call<$builder> {
            /// One page: the first, or the one after `cursor`.
            pub fn page(&self, cursor: Option<String>) -> Result<Page<$item>> {
                let list = self.builder.clone();
                driver::wait(async move { list.page(cursor).await })?
            }

            /// One after the other, read a page at a time. Ends after an error.
            ///
            /// ```no_run
            /// # fn example(client: reflect_client::blocking::ReflectClient) -> Result<(), reflect_client::Error> {
            #[doc = concat!("for item in client.", $method, "().page_size(50).iter() {")]
            ///     println!("{}", item?.id);
            /// }
            /// # Ok(()) }
            /// ```
            pub fn iter(self) -> impl Iterator<Item = Result<$item>> + Send + use<> {
                let mut items = Vec::new().into_iter();
                // None once the last page is read.
                let mut next = Some(None);
                std::iter::from_fn(move || {
                    loop {
                        if let Some(item) = items.next() {
                            return Some(Ok(item));
                        }
                        match self.page(next.take()?) {
                            Ok(page) => {
                                next = page.next_cursor.map(Some);
                                items = page.items.into_iter();
                            }
                            Err(error) => return Some(Err(error)),
                        }
                    }
                })
            }
        }
    };
}

pages!(ListTraces of Trace, "list_traces");
pages!(ListMemories of MemoryDetail, "list_memories");
