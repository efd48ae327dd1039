//! A socket that says what its connection waits for.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::{
    connection::{Connection, Phase},
    heads::Heads,
};

/// A connection's socket.
pub(crate) struct Stream {
    socket: TcpStream,
    connection: Arc<Connection>,
    heads: Heads,
    /// What was read and is not yet due.
    ahead: BytesMut,
}

impl Stream {
    pub(crate) fn new(socket: TcpStream, connection: Arc<Connection>) -> Self {
        Self { socket, connection, heads: Heads::default(), ahead: BytesMut::new() }
    }

    /// How many of the next bytes are due.
    fn due(&mut self, bytes: &[u8]) -> usize {
        if let Some(length) = self.connection.take_body_length() {
            self.heads.expect_body(length);
        }
        if !self.connection.is_in_request() {
            self.heads.end_request();
        }
        if self.connection.phase() == Phase::Idle {
            self.connection.enter(Phase::Head);
        }
        let (due, head) = self.heads.take(bytes);
        if let Some(head) = head {
            self.connection.head_ended(head);
        }
        due
    }

    /// Notes whether the client takes what it is sent.
    fn sending<T>(&self, poll: Poll<T>) -> Poll<T> {
        match (poll.is_pending(), self.connection.phase()) {
            (true, Phase::Sending) => {}
            (true, _) => self.connection.enter(Phase::Sending),
            (false, Phase::Sending) => self.connection.resume(),
            (false, _) => {}
        }
        poll
    }

    /// Throws away what the client still sends, until it hangs up: closing before that resets the connection, and the answer
    /// is lost with it.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut thrown_away = [0; 16 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut thrown_away);
            ready!(Pin::new(&mut self.socket).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.ahead.is_empty() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.socket).poll_read(cx, buffer))?;
            let read = buffer.filled().get(before..).unwrap_or_default();
            if !read.is_empty() {
                let due = this.due(read);
                this.ahead.extend_from_slice(read.get(due..).unwrap_or_default());
                buffer.set_filled(before + due);
            }
        } else {
            let mut ahead = std::mem::take(&mut this.ahead);
            let (next, _) = ahead.split_at(ahead.len().min(buffer.remaining()));
            let due = this.due(next);
            buffer.put_slice(next.get(..due).unwrap_or_default());
            ahead.advance(due);
            this.ahead = ahead;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(cx, bytes);
        self.sending(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(cx, slices);
        self.sending(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.phase() == Phase::Lingering {
            return self.poll_linger(cx);
        }
        ready!(Pin::new(&mut self.socket).poll_shutdown(cx))?;
        if !self.connection.lingers() {
            return Poll::Ready(Ok(()));
        }
        self.connection.enter(Phase::Lingering);
        self.poll_linger(cx)
    }
}
