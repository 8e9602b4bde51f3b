//! What travels between the stages, and what all of them call by the same name.
//!
//! The cache hands [`PageOp`]s to the FTL. The FTL leaves [`Txn`]s in its [`Outbox`]. The controller turns
//! each into [`Phase`]s on a die. Nothing here decides anything.

mod block;
mod completion;
mod health;
mod mode;
mod notice;
mod outbox;
mod page_ages;
mod page_op;
mod phase;
mod priority;
mod speed;
mod stream;
mod txn;

pub use block::{Block, BlockState, BlockTable};
pub use completion::{Completion, Failure, STATUSES, Status};
pub use health::BlockHealth;
pub use mode::{BlockMode, BlockModes, ModeId};
pub use notice::Notice;
pub use outbox::{Outbox, UrgentPlanes};
pub use page_ages::PageAges;
pub use page_op::{PageOp, PageOpKind, SectorMask, Writer, WrittenPage, full_page};
pub use phase::{Phase, Phases};
pub use priority::{PRIORITIES, Priority};
pub use speed::Speed;
pub use stream::{Purpose, Stream, StreamId, StreamTable};
pub use txn::{CLASSES, Carried, Class, Handling, Owner, Txn, TxnOp, Txns};
