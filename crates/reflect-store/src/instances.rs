//! What instances over one database tell each other, and which of them leads. None of it is kept, and nothing relies on it.

use tokio::sync::mpsc;

use crate::{
    error::StoreResult,
    postgres::{Heard, Link},
    store::Store,
};

impl Store {
    /// Tells all instances over this database something, in less than 8,000 bytes. Those who do not listen just then never hear of it.
    pub async fn tell(&self, message: String) -> StoreResult<()> {
        match &self.link {
            Some(link) => link.get()?.tell(message).await,
            None => Ok(()),
        }
    }

    /// What instances tell from now on. Where there are no others, it ends at once.
    pub fn hear(&self) -> StoreResult<mpsc::UnboundedReceiver<Heard>> {
        match &self.link {
            Some(link) => Ok(link.get()?.hear()),
            None => Ok(mpsc::unbounded_channel().1),
        }
    }

    /// Whether this instance is the one that does what one of them has to do. A store without others always is.
    pub fn is_leading(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.get().is_ok_and(Link::leads))
    }
}
