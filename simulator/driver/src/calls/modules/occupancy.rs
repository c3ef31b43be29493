//! The occupancy functions: [`clock::occupancy`] with the attributes of a loaded kernel.
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::modules::function::Attributes;
use crate::state;
use clock::cards::Device;
use clock::occupancy::available_dynamic_shared_bytes;
use cuda::layout::{LaunchConfig, Raw};
use std::ffi::{c_int, c_uint};

/// `CUoccupancyB2DSize`: dynamic shared memory for a block size.
pub type SharedOf = extern "C" fn(c_int) -> usize;

fn kernel(function: Raw) -> Result<(Attributes, &'static Device), Cause> {
    let driver = state::started()?;
    let found = driver.functions.get(function as usize).map_err(Cause::into_argument)?;
    let device = driver.contexts.get(driver.modules.get(found.module)?.context)?.device;
    Ok((found.attributes, driver.devices[device].card))
}

fn blocks(a: &Attributes, card: &Device, threads: u32, dynamic: usize) -> u32 {
    let shared = a.static_shared_bytes.saturating_add(u32::try_from(dynamic).unwrap_or(u32::MAX));
    if threads > a.max_threads { 0 } else { a.occupancy(card, threads, shared).blocks_per_multiprocessor }
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`, also with flags: 1 turns off a caching that no card here has.
pub unsafe fn max_active_blocks(
    count: *mut c_int,
    function: Raw,
    threads: c_int,
    dynamic: usize,
    flags: c_uint,
) -> Outcome {
    refuse_if!(flags > 1, Cause::NoSuchValue("flags", flags.into()));
    let threads =
        u32::try_from(threads).ok().filter(|&t| t > 0).ok_or(Cause::NoSuchValue("blockSize", threads.into()))?;
    let (attributes, card) = kernel(function)?;
    unsafe { out("numBlocks", count, blocks(&attributes, card, threads, dynamic) as c_int) }
}

/// `cuOccupancyMaxPotentialBlockSize`, also with flags: the block size with the most resident threads, the larger of equals.
pub unsafe fn max_potential_block_size(
    min_grid: *mut c_int,
    block_size: *mut c_int,
    function: Raw,
    shared_of: Option<SharedOf>,
    dynamic: usize,
    limit: c_int,
    flags: c_uint,
) -> Outcome {
    refuse_if!(flags > 1, Cause::NoSuchValue("flags", flags.into()));
    let (attributes, card) = kernel(function)?;
    let limit = match limit {
        0 => attributes.max_threads,
        limit => u32::try_from(limit)
            .map_err(|_| Cause::NoSuchValue("blockSizeLimit", limit.into()))?
            .min(attributes.max_threads),
    };
    let mut best = (0, 0, 0);
    let mut threads = limit.next_multiple_of(32);
    while threads > 0 {
        let size = threads.min(limit);
        let dynamic = shared_of.map_or(dynamic, |shared_of| shared_of(size as c_int));
        let resident = blocks(&attributes, card, size, dynamic);
        if resident * size > best.0 {
            best = (resident * size, size, resident);
        }
        threads -= 32;
    }
    unsafe {
        out("minGridSize", min_grid, (best.2 * card.multiprocessors) as c_int)?;
        out("blockSize", block_size, best.1 as c_int)
    }
}

pub unsafe fn cuOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: Raw,
    count: c_int,
    threads: c_int,
) -> Outcome {
    let (attributes, card) = kernel(function)?;
    let count = u32::try_from(count).ok().filter(|&n| n > 0).ok_or(Cause::NoSuchValue("numBlocks", count.into()))?;
    let threads =
        u32::try_from(threads).ok().filter(|&t| t > 0).ok_or(Cause::NoSuchValue("blockSize", threads.into()))?;
    if blocks(&attributes, card, threads, 0) < count {
        return Err(Cause::OutOfRange(
            "numBlocks",
            count.into(),
            format!("0 to {}", blocks(&attributes, card, threads, 0)),
        ));
    }
    let room = available_dynamic_shared_bytes(card.architecture, count, attributes.static_shared_bytes)
        .min(attributes.max_dynamic_shared_bytes);
    unsafe { out("dynamicSmemSize", bytes, room as usize) }
}

/// The launch that a cluster's functions are asked about: its attributes, the card, and the blocks of a cluster.
unsafe fn launch(
    function: Raw,
    config: *const LaunchConfig,
) -> Result<(Attributes, &'static Device, u32, Option<u32>), Cause> {
    let config = unsafe { config.as_ref() }.ok_or(Cause::Null("config"))?;
    let (attributes, card) = kernel(function)?;
    refuse_if!(card.architecture.compute_capability.0 < 9, Cause::DeviceLacks(card.name, "clusters of blocks"));
    let threads = config.block.iter().try_fold(1u32, |all, &edge| all.checked_mul(edge)).filter(|&all| all > 0);
    let threads = threads.ok_or(Cause::OutOfRange("blockDim", 0, "1 and more".into()))?;
    let mut blocks = attributes.cluster.required;
    for at in 0..config.attribute_count as usize {
        // SAFETY: the caller's array holds as many; a cluster's dimension is three words.
        unsafe {
            let attribute = config.attributes.add(at);
            if (*attribute).id == CLUSTER_DIMENSION {
                blocks = Some((&raw const (*attribute).value).cast::<[u32; 3]>().read());
            }
        }
    }
    let resident = self::blocks(&attributes, card, threads, config.shared_bytes as usize);
    Ok((attributes, card, resident, blocks.map(|blocks| blocks.iter().product())))
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`
const CLUSTER_DIMENSION: u32 = 4;

/// Eight blocks, or sixteen where the kernel may have them; none that do not fit.
pub unsafe fn cuOccupancyMaxPotentialClusterSize(
    size: *mut c_int,
    function: Raw,
    config: *const LaunchConfig,
) -> Outcome {
    let (attributes, _, resident, _) = unsafe { launch(function, config)? };
    let most = if attributes.cluster.non_portable { 16 } else { 8 };
    let most = attributes.cluster.most.map_or(most, |limit| limit.min(most));
    unsafe { out("clusterSize", size, if resident == 0 { 0 } else { most as c_int }) }
}

/// As if any multiprocessors made a cluster. On a card they are of one group, so that a few
/// more stay empty.
pub unsafe fn cuOccupancyMaxActiveClusters(count: *mut c_int, function: Raw, config: *const LaunchConfig) -> Outcome {
    let (_, card, resident, cluster) = unsafe { launch(function, config)? };
    // A block by itself is a cluster of one.
    let cluster = cluster.unwrap_or(1);
    refuse_if!(cluster == 0, Cause::OutOfRange("clusterDim", 0, "1 and more".into()));
    unsafe { out("numClusters", count, (resident * card.multiprocessors / cluster) as c_int) }
}

cuda::forward_occupancy!(forward);
