//! Facts that races need of an access beyond itself: it may update, end a copy, or be a transfer's.
use super::updates::Updates;
use crate::sanitizer::order::proxy_fences::KnownFence;
use crate::sanitizer::order::transfer_party::TransferParty;
use crate::sanitizer::order::vector_clock::VectorClock;

/// Facts of an access that the access itself does not say.
#[derive(Clone, Copy, Default)]
pub struct AccessDetails<'a> {
    pub updates: Updates,
    /// It is the end of an asynchronous copy: the clock of its beginning.
    pub copy: Option<&'a VectorClock>,
    /// It is a transfer of the asynchronous proxy, whose thread knew of these proxy fences.
    pub transfer: Option<TransferParty>,
    pub fences: &'a [KnownFence],
}
