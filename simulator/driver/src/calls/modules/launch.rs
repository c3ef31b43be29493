//! Launches: checked against the card's limits when they are called, run when something needs them.
use crate::executor::{finish, make_room};
use crate::interface::{Cause, Outcome, forward};
use crate::objects::graphs::{Step, Work};
use crate::objects::modules::function::{Attributes, ClusterAttributes, Function};
use crate::objects::modules::launch::Launch;
use crate::objects::modules::loaded::Loaded;
use crate::state::host_time::{self, Call};
use crate::state::logs::refusals;
use crate::state::{self, Driver};
use clock::cards::Device;
use cuda::layout::{KernelNode, LaunchConfig, Raw};
use machine::exec::device_launch::{DeviceKernel, DeviceLaunch};
use std::ffi::c_void;
use std::sync::Arc;

/// A launch as a caller asks for it.
#[derive(Clone, Copy, Default)]
pub struct LaunchRequest {
    pub function: Raw,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
    /// True if it may begin before the launch before it has ended.
    pub overlaps: bool,
    /// Blocks of a cluster, where the launch says so.
    pub cluster: Option<[u32; 3]>,
    pub parameters: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

impl Driver {
    /// Checks a launch and copies its parameters.
    ///
    /// # Safety
    /// The parameters are as the interface defines them for this kernel.
    pub unsafe fn check_launch(&mut self, request: &LaunchRequest, context: usize) -> Result<Launch, Cause> {
        let found = self.functions.get(request.function as usize)?;
        refuse_if!(self.modules.get(found.module)?.context != context, Cause::NoHandle("function of this context"));
        let card = self.devices[self.contexts.get(context)?.device].card;
        // SAFETY: the parameters are as the interface defines them for this kernel.
        let parameters = || unsafe { read_parameters(found, request) };
        checked(&found.loaded, found.index, found.attributes, request, card, parameters)
    }

    /// Checks a launch that a kernel has asked for.
    pub fn check_device_launch(&self, parent: &Launch, asked: DeviceLaunch, card: &Device) -> Result<Launch, Cause> {
        let DeviceKernel { function, grid, block, dynamic_shared_bytes } = asked.kernel;
        let (loaded, index) = (&parent.loaded, function.0 as usize);
        // Settings of the host at the kernel hold for all launches of it.
        let is_it = |f: &&Function| Arc::ptr_eq(&f.loaded, loaded) && f.index == index;
        let attributes = match self.functions.iter().map(|(_, f)| f).find(is_it) {
            Some(known) => known.attributes,
            None => Attributes::of(loaded, index)?,
        };
        let request = LaunchRequest { grid, block, dynamic_shared_bytes, ..LaunchRequest::default() };
        checked(loaded, index, attributes, &request, card, || Ok(asked.parameters))
    }
}

/// A launch of a kernel that is possible on a card.
fn checked(
    loaded: &Arc<Loaded>,
    index: usize,
    attributes: Attributes,
    request: &LaunchRequest,
    card: &Device,
    parameters: impl FnOnce() -> Result<Vec<u8>, Cause>,
) -> Result<Launch, Cause> {
    let cluster = check_shape(request, &attributes, card)?;
    let LaunchRequest { grid, block, dynamic_shared_bytes, cooperative, overlaps, .. } = *request;
    let (loaded, parameters) = (loaded.clone(), parameters()?);
    let launch = Launch {
        loaded,
        index,
        grid,
        block,
        cluster,
        dynamic_shared_bytes,
        cooperative,
        overlaps,
        parameters,
        attributes,
    };
    check_room(&launch, card)?;
    Ok(launch)
}

/// Checks a launch's extents against the kernel and the card, and answers the blocks of a cluster.
fn check_shape(request: &LaunchRequest, a: &Attributes, card: &Device) -> Result<[u32; 3], Cause> {
    check_extents(request, card)?;
    let threads: u64 = request.block.iter().map(|&extent| u64::from(extent)).product();
    let limit = 1024;
    if threads > limit {
        let why = "a block may have at most";
        return Err(Cause::BlockTooLarge { threads, limit: limit as u32, why });
    }
    if a.required_threads.is_some_and(|required| required != request.block) {
        return Err(Cause::WrongBlock { got: request.block, required: a.required_threads.unwrap_or_default() });
    }
    if threads > u64::from(a.max_threads) {
        return Err(Cause::BlockTooLarge { threads, limit: a.max_threads, why: "the kernel is compiled for at most" });
    }
    let asked = u64::from(a.static_shared_bytes) + u64::from(request.dynamic_shared_bytes);
    let shared_limit = card.architecture.shared_bytes_per_block.max(a.static_shared_bytes + a.max_dynamic_shared_bytes);
    if asked > u64::from(shared_limit) {
        let more = asked <= u64::from(card.architecture.shared_bytes_per_block_opt_in);
        let hint = if more { "; set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES to use more" } else { "" };
        return Err(Cause::SharedTooLarge { asked, fixed: a.static_shared_bytes, limit: shared_limit, hint });
    }
    check_cluster(request, &a.cluster, card)
}

/// Checks that a block fits on a multiprocessor, and of a cooperative launch that all do on the card.
fn check_room(launch: &Launch, card: &Device) -> Outcome {
    let resident = launch.occupancy(card).blocks_per_multiprocessor;
    if resident == 0 {
        let limit = card.architecture.registers_per_multiprocessor;
        let registers = launch.attributes.fewest_registers;
        return Err(Cause::TooManyRegisters { registers, threads: launch.threads(), limit });
    }
    if launch.cooperative {
        refuse_if!(!card.architecture.cooperative_launch, Cause::DeviceLacks(card.name, "cooperative launch"));
        let resident = u64::from(resident) * u64::from(card.multiprocessors);
        refuse_if!(launch.blocks() > resident, Cause::TooManyCooperative { blocks: launch.blocks(), resident });
    }
    Ok(())
}

fn check_extents(request: &LaunchRequest, card: &Device) -> Outcome {
    let grid_limits = [card.architecture.max_grid_x, 65535, 65535];
    for (what, extents, limits) in [("grid", request.grid, grid_limits), ("block", request.block, [1024, 1024, 64])] {
        for ((axis, got), limit) in ['x', 'y', 'z'].into_iter().zip(extents).zip(limits) {
            refuse_if!(got == 0 || got > limit, Cause::BadExtent { what, axis, got, limit });
        }
    }
    Ok(())
}

/// The blocks of a cluster that a launch means.
fn check_cluster(request: &LaunchRequest, kernel: &ClusterAttributes, card: &Device) -> Result<[u32; 3], Cause> {
    let Some(got) = request.cluster.or(kernel.required) else {
        return match kernel.must_be_set {
            false => Ok([1; 3]),
            true => {
                let why = "the kernel is compiled for clusters (.explicitcluster), and the launch gives no dimension";
                Err(Cause::BadCluster { got: [0; 3], why: why.into() })
            }
        };
    };
    let bad = |why: String| Err(Cause::BadCluster { got, why });
    let blocks = got.iter().try_fold(1u32, |blocks, &extent| blocks.checked_mul(extent));
    if got != [1; 3] && card.architecture.compute_capability < (9, 0) {
        return Err(Cause::DeviceLacks(card.name, "clusters of blocks"));
    }
    if let Some(required) = kernel.required.filter(|required| *required != got) {
        return bad(format!("the kernel is compiled for clusters of exactly {required:?} (__cluster_dims__)"));
    }
    let limit = kernel.limit();
    if !blocks.is_some_and(|blocks| (1..=limit).contains(&blocks)) {
        return bad(format!("this kernel may have 1 to {limit}"));
    }
    if request.grid.iter().zip(got).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
        return bad(format!("the grid {:?} is no multiple of that", request.grid));
    }
    Ok(got)
}

/// The parameter buffer, from an array of pointers or from a packed buffer.
unsafe fn read_parameters(
    function: &crate::objects::modules::function::Function,
    request: &LaunchRequest,
) -> Result<Vec<u8>, Cause> {
    let kernel = || function.name.to_string_lossy().into_owned();
    let (slots, bytes) =
        function.loaded.facts(function.index, |f| (f.parameters.clone(), f.parameter_bytes as usize))?;
    let mut buffer = vec![0; bytes];
    if slots.is_empty() {
        return Ok(buffer);
    }
    if !request.parameters.is_null() {
        for (i, slot) in slots.iter().enumerate() {
            // SAFETY: one pointer per parameter, as the interface defines it; each to as many bytes as declared.
            unsafe {
                let from = request.parameters.add(i).read_unaligned().cast::<u8>();
                if from.is_null() {
                    let got = format!("the pointer to number {i} is null");
                    return Err(Cause::Parameters { kernel: kernel(), wanted: slots.len(), got });
                }
                let to = buffer[slot.offset as usize..].as_mut_ptr();
                to.copy_from_nonoverlapping(from, slot.bytes as usize);
            }
        }
        return Ok(buffer);
    }
    // SAFETY: `extra` is null or a list of names and values that ends in 0.
    let (packed, length) = unsafe { read_extra(request.extra)? };
    if packed.is_null() {
        return Err(Cause::Parameters { kernel: kernel(), wanted: slots.len(), got: "none were given".into() });
    }
    if length < bytes {
        let got = format!("the packed buffer has {length} of {bytes} bytes");
        return Err(Cause::Parameters { kernel: kernel(), wanted: slots.len(), got });
    }
    // SAFETY: the caller said that it holds `length` bytes.
    unsafe { buffer.as_mut_ptr().copy_from_nonoverlapping(packed, bytes) };
    Ok(buffer)
}

/// The packed buffer of `extra`: name 1 is its address, name 2 the address of its length, name 0 the end.
unsafe fn read_extra(extra: *mut *mut c_void) -> Result<(*const u8, usize), Cause> {
    let (mut buffer, mut length) = (std::ptr::null(), 0);
    if extra.is_null() {
        return Ok((buffer, length));
    }
    for i in 0..8 {
        // SAFETY: the list goes on until its 0.
        unsafe {
            match extra.add(2 * i).read_unaligned() as usize {
                0 => break,
                1 => buffer = extra.add(2 * i + 1).read_unaligned().cast(),
                2 => length = extra.add(2 * i + 1).read_unaligned().cast::<usize>().read_unaligned(),
                other => return Err(Cause::NoSuchValue("extra", other as i64)),
            }
        }
    }
    Ok((buffer, length))
}

/// All launches come here.
///
/// # Safety
/// The parameters are as the interface defines them for this kernel.
pub unsafe fn launch(request: LaunchRequest, stream: Raw) -> Outcome {
    let mut driver = state::lock();
    let stream = driver.stream_of(stream)?;
    let context = driver.streams.get(stream)?.context;
    // SAFETY: the parameters are as the interface defines them for this kernel.
    let launch = unsafe { driver.check_launch(&request, context) };
    if let Ok(function) = driver.functions.get(request.function as usize) {
        refusals::note_launch(function.loaded.name_of(function.index), launch.as_ref().err());
    }
    let launch = launch?;
    host_time::spend(Call::Launch);
    if driver.streams.get(stream)?.capture.is_some() {
        return driver.capture_work(stream, Step::Launch(Box::new(launch)));
    }
    let submitted = driver.submit(stream, Work::Launch(Box::new(launch)), &[])?;
    let driver = make_room(driver);
    let Some(seq) = submitted.filter(|_| driver.settings.is_launch_blocking) else { return Ok(()) };
    let driver = finish(driver, &[seq]);
    host_time::wait_until_ns(driver.streams.get(stream)?.ended.at_ns);
    driver.healthy(context).map(|_| ())
}

/// Among the attributes, cooperation, clusters and overlap matter, priorities and the like do not.
pub unsafe fn cuLaunchKernelEx(
    config: *const LaunchConfig,
    function: Raw,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Outcome {
    let config = unsafe { config.as_ref() }.ok_or(Cause::Null("config"))?;
    let (mut cooperative, mut overlaps, mut cluster) = (false, false, None);
    for i in 0..config.attribute_count as usize {
        refuse_if!(config.attributes.is_null(), Cause::Null("attrs"));
        // SAFETY: the array holds `attribute_count`; the id is its first word, the value's first word is at 8.
        let (id, value) = unsafe {
            let attribute = config.attributes.add(i).cast::<u32>();
            (attribute.read_unaligned(), attribute.add(2).read_unaligned())
        };
        match id {
            2 => cooperative = value != 0,
            6 => overlaps = value != 0,
            // SAFETY: a cluster's dimension is three words.
            4 => cluster = Some(unsafe { cluster_dimension(config.attributes.add(i).cast()) }),
            // Ignore; access policy; a cluster's policy; a programmatic event; priority; memory synchronisation domains;
            // completion event; preferred cluster; device-updatable node; carve-out.
            0 | 1 | 5 | 7..=14 => {}
            other => return Err(Cause::NoSuchValue("attrs", other.into())),
        }
    }
    let request = LaunchRequest {
        function,
        grid: config.grid,
        block: config.block,
        dynamic_shared_bytes: config.shared_bytes,
        cooperative,
        overlaps,
        cluster,
        parameters,
        extra,
    };
    // SAFETY: the configuration holds the kernel's parameters, as `launch` asks.
    unsafe { launch(request, config.stream) }
}

/// The three words of an attribute's value.
unsafe fn cluster_dimension(attribute: *const u32) -> [u32; 3] {
    std::array::from_fn(|axis| unsafe { attribute.add(2 + axis).read_unaligned() })
}

/// The launch that a kernel node's parameters mean.
pub unsafe fn of_node(node: *const KernelNode) -> Result<Launch, Cause> {
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("nodeParams"))?;
    let request = LaunchRequest {
        function: if node.function.is_null() { node.kernel } else { node.function },
        grid: node.grid,
        block: node.block,
        dynamic_shared_bytes: node.shared_bytes,
        parameters: node.parameters,
        extra: node.extra,
        ..LaunchRequest::default()
    };
    let mut driver = state::lock();
    let module = driver.functions.get(request.function as usize)?.module;
    let context = driver.modules.get(module)?.context;
    // SAFETY: the node holds the kernel's parameters, as `check_launch` asks.
    unsafe { driver.check_launch(&request, context) }
}

forward! {
    cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra) => launch(LaunchRequest { function, grid: [gx, gy, gz], block: [bx, by, bz], dynamic_shared_bytes: shared, cooperative: false, overlaps: false, cluster: None, parameters, extra }, stream);
    cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters) => launch(LaunchRequest { function, grid: [gx, gy, gz], block: [bx, by, bz], dynamic_shared_bytes: shared, cooperative: true, overlaps: false, cluster: None, parameters, extra: std::ptr::null_mut() }, stream);
}
