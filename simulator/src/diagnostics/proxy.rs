//! The words for what the sanitizer finds between threads and the asynchronous proxy.
use super::finding::element_name;
use super::names::who;
use super::{Draft, Family, Scene};
use crate::probe::AccessKind;
use crate::sanitizer::finding::Kind;

/// What to wait for before a place is touched that a transfer reads or writes.
pub(super) fn wait_for(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => {
            "wait before the place is written: cp.async.bulk.wait_group.read for a bulk copy, wgmma.wait_group for a product, and then a barrier"
        }
        _ => "wait for the phase of the mbarrier that the copy reports to, with acquire, before the place is touched",
    }
}

pub(super) fn word<'a>(kind: &'a Kind, scene: &Scene, kernel: &str) -> Draft<'a> {
    let draft = |kind, title, at, what: Vec<String>, next: &str| Draft {
        family: Family::Kernel,
        kind,
        title,
        at: Some(at),
        other: None,
        who: Some(who(at)),
        what,
        next: next.into(),
    };
    match kind {
        Kind::NoProxyFence { at, first, barrier: true, .. } => Draft {
            other: Some(("the barrier is made here".into(), first)),
            ..draft(
                "proxy fence",
                format!(
                    "`{kernel}` begins a transfer that reports to an mbarrier which the asynchronous proxy may not know"
                ),
                at,
                Vec::new(),
                "put fence.mbarrier_init.release.cluster, or fence.proxy.async, behind mbarrier.init and before the barrier that the others pass",
            )
        },
        Kind::NoProxyFence { at, first, space, address, .. } => Draft {
            other: Some(("a thread writes it here".into(), first)),
            ..draft(
                "proxy fence",
                format!(
                    "`{kernel}` hands {} to the asynchronous proxy without a proxy fence",
                    element_name(scene, at, *space, *address, 4)
                ),
                at,
                vec![format!(
                    "{} wrote it through the generic proxy; the other proxy may see what was there before",
                    who(first)
                )],
                "put fence.proxy.async behind the stores, before the barrier that the issuing thread passes",
            )
        },
        Kind::TooFewBytes { at } => draft(
            "transaction count",
            format!("a transfer of `{kernel}` comes when the phase of its mbarrier is over"),
            at,
            vec![
                "fewer bytes were announced than the transfers of the phase bring, so it ended without this one".into(),
            ],
            "announce with expect_tx the bytes of all copies that report to this mbarrier in this phase",
        ),
        Kind::Unwaited { at, product: false } => draft(
            "not waited for",
            format!("a block of `{kernel}` ends while a transfer that touches its shared memory is under way"),
            at,
            Vec::new(),
            "wait before the end: cp.async.bulk.wait_group for what belongs to a group, the phase of the mbarrier for what reports to one",
        ),
        Kind::Unwaited { at, .. } => draft(
            "not waited for",
            format!("a block of `{kernel}` ends while a wgmma is under way"),
            at,
            Vec::new(),
            "close the group with wgmma.commit_group and wait for it with wgmma.wait_group 0",
        ),
        Kind::LeavesTooEarly { at } => draft(
            "block left",
            format!("a block of `{kernel}` may end before another block of its cluster has used its shared memory"),
            at,
            vec!["nothing makes the block wait for this access".into()],
            "put a cluster.sync() between the last access to another block's shared memory and the end of the kernel",
        ),
        Kind::NoProductFence { at } => draft(
            "wgmma fence",
            format!("`{kernel}` starts a wgmma on registers that were written since the last wgmma.fence"),
            at,
            Vec::new(),
            "put wgmma.fence.sync.aligned between the writes to the registers and the first wgmma that uses them",
        ),
        Kind::ProductNotWaitedFor { at } => draft(
            "wgmma wait",
            format!("`{kernel}` uses the result of a wgmma that it has not waited for"),
            at,
            Vec::new(),
            "put wgmma.commit_group and wgmma.wait_group 0 before the registers are used",
        ),
        _ => draft("defect", format!("`{kernel}`"), kind.at(), Vec::new(), ""),
    }
}
