//! What a client must not send.

/// A breach of the protocol. The server closes the connection without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client has sent {0}")]
pub struct Violation(pub &'static str);
