//! The states of a read command, from its first phase until its pages are decoded or lost, and the table of what follows from
//! each event: [`ReadState::reaction`]. `read.rs` reports the events, and does what follows.

use serde::{Deserialize, Serialize};

/// What a read command is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ReadState {
    /// The array works for it: it senses, checks what it has sensed, or changes its parameters before.
    #[default]
    Sensing,
    /// A sense has ended. Its pages wait for the page register, which holds others: of this command, or of the one before.
    Sensed,
    /// The array rests. Pages wait for the channel, cross it, or are being decoded.
    Leaving,
    /// All pages are decoded or lost. The array does what is left: RESET, SET FEATURE.
    Closing,
}

/// What happens to a read command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadEvent {
    /// A sense has ended.
    SenseEnded { register_is_free: bool },
    /// The check of a sense on the die has ended.
    CheckEnded,
    /// Another phase has ended.
    PhaseEnded { is_last: bool },
    /// The command before it has left the page register.
    RegisterFreed,
    /// It is known of a page whether it decodes.
    PageJudged(Rest),
}

/// The pages that are not decoded yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// There are none.
    None,
    /// Some are in the page register, or on the channel.
    InRegister,
    /// None is there, but some are in the ECC engine.
    InEcc,
    /// All have failed to decode.
    Failed,
}

/// What follows for a read command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reaction {
    /// Nothing.
    Nothing,
    /// Its pages wait for the page register.
    Wait,
    /// The page register takes its pages. The policy says whether they cross the channel, and what the array does meanwhile.
    Take,
    /// Pages that the die takes for doomed are sensed again, the others cross the channel.
    Sort,
    /// The array begins the next phase.
    NextPhase,
    /// The policy says how the pages that failed are read again.
    Retry,
    /// The policy says what the array still has to do.
    Close,
    /// Its place is free.
    Release,
}

impl ReadState {
    /// The table: what follows when something happens to a command in this state.
    #[inline(always)]
    pub fn reaction(self, event: ReadEvent) -> Reaction {
        use {Reaction::*, ReadEvent::*, ReadState::*};
        match (self, event) {
            (Sensing, SenseEnded { register_is_free: true }) => Take,
            (Sensing, SenseEnded { register_is_free: false }) => Wait,
            (Sensing, CheckEnded) => Sort,
            (Sensing, PhaseEnded { .. }) => NextPhase,
            (Sensed, RegisterFreed | PageJudged(Rest::InEcc | Rest::Failed)) => Take,
            (Leaving, PageJudged(Rest::Failed)) => Retry,
            (Sensing | Sensed | Leaving, PageJudged(Rest::None)) => Close,
            (Closing, PhaseEnded { is_last: false }) => NextPhase,
            (Closing, PhaseEnded { is_last: true }) => Release,
            // One page more or less makes no difference while the array works, or while others are on their way.
            _ => Nothing,
        }
    }
}

/// What has become of a read command: its state, and its pages, a bit for each plane.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ReadCommand {
    pub state: ReadState,
    /// Pages that have not been decoded.
    pub pending: u8,
    /// Pages in the page register that wait for the channel or are on it.
    pub to_ship: u8,
    /// Those of them, and of pages that were there, that will decode.
    good: u8,
    /// Number of pages in the ECC engine that the command waits for.
    in_ecc: u8,
}

impl ReadCommand {
    /// Of a command for one page.
    #[inline(always)]
    pub fn of_one_page() -> ReadCommand {
        ReadCommand { pending: 1, ..ReadCommand::default() }
    }

    /// The command is for a page more.
    #[inline]
    pub fn add_page(&mut self) {
        self.pending = self.pending << 1 | 1;
    }

    /// Pages that have not been decoded.
    #[inline]
    pub fn pending(&self) -> u8 {
        self.pending
    }

    /// True while a page waits for the channel or is on it.
    #[inline(always)]
    pub fn ships(&self, plane: u8) -> bool {
        self.to_ship >> plane & 1 == 1
    }

    /// True where a page that ships will decode.
    #[inline(always)]
    pub fn will_decode(&self, plane: u8) -> bool {
        self.good >> plane & 1 == 1
    }

    /// Pages are in the page register, some of them good. True if all that are not decoded are there, and good.
    #[inline(always)]
    pub fn take(&mut self, pages: u8, good: u8) -> bool {
        self.to_ship |= pages;
        self.good = self.good & !pages | good & pages;
        self.pending & !(pages & good) == 0
    }

    /// A page has crossed the channel. True if it will decode.
    #[inline(always)]
    pub fn arrived(&mut self, plane: u8) -> bool {
        self.to_ship &= !(1 << plane);
        self.will_decode(plane)
    }

    /// The command waits until a page has been decoded.
    #[inline(always)]
    pub fn enters_ecc(&mut self) {
        self.in_ecc += 1;
    }

    /// The ECC engine is done with a page for which the command has waited. True if it was not decoded before: one that a
    /// pipelined read has decoded already may come once more.
    #[inline(always)]
    pub fn leaves_ecc(&mut self, plane: u8) -> bool {
        self.in_ecc -= 1;
        self.pending >> plane & 1 == 1
    }

    /// A page is decoded, or is known to be: no other sense of it is needed.
    #[inline(always)]
    pub fn decoded(&mut self, plane: u8) {
        self.pending &= !(1 << plane);
        self.to_ship &= !(1 << plane);
    }

    /// The command is over: what still waits for the channel is not needed.
    #[inline(always)]
    pub fn end(&mut self) {
        self.to_ship = 0;
    }

    /// See [`Rest`].
    pub fn rest(&self) -> Rest {
        match (self.pending, self.to_ship, self.in_ecc) {
            (0, ..) => Rest::None,
            (_, 0, 0) => Rest::Failed,
            (_, 0, _) => Rest::InEcc,
            _ => Rest::InRegister,
        }
    }
}
