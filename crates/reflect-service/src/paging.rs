//! Lists that are read a page at a time.

use std::str::FromStr;

use reflect_api::ErrorCode;

use crate::{Refusal, ServiceResult};

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page starts, if there is one.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// A page of at most `limit`, from a list that was asked for one more: whether that came tells of a next page.
    pub(crate) fn cut(mut items: Vec<T>, limit: usize, cursor_of: impl Fn(&T) -> String) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = items.last().filter(|_| more).map(cursor_of);
        Self { items, next_cursor }
    }

    pub(crate) fn map<U>(self, map: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(map).collect(), next_cursor: self.next_cursor }
    }
}

/// The size of a page, if one was asked for.
pub(crate) fn page_limit(limit: Option<u32>) -> ServiceResult<Option<usize>> {
    match limit {
        Some(limit) if !(1..=1_000).contains(&limit) => {
            let message = format!("`limit` is {limit}, it must be between 1 and 1000");
            Err(Refusal::new(ErrorCode::InvalidRequest, message).with_path("limit"))
        }
        limit => Ok(limit.and_then(|limit| usize::try_from(limit).ok())),
    }
}

/// A cursor is the id of the last thing on the page before.
pub(crate) fn parse_cursor<Id: FromStr>(cursor: Option<&String>) -> ServiceResult<Option<Id>> {
    let parsed = cursor.map(|cursor| {
        cursor.parse().map_err(|_| {
            let message = format!("`cursor` is `{cursor}`, it must come from the page before");
            Refusal::new(ErrorCode::InvalidRequest, message).with_path("cursor")
        })
    });
    parsed.transpose()
}
