//! The exported functions of cuFFT: transforms of one to three dimensions in f32 and f64, alone or in batches, with the caller's strides.
use crate::device::{Kernels, enter, module};
use crate::failure::{Failure, Outcome, exports};
use crate::handle::out;
use crate::layout::Raw;
use plan::{Kind, Plan, Strides};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_longlong};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod plan;

/// `cufftHandle`: a number that stands for a plan.
type Handle = c_int;

struct Known {
    /// Absent until a call says what is transformed.
    plan: Option<Plan>,
    stream: usize,
    /// The library allocates the work area itself.
    is_own: bool,
    own: u64,
    given: u64,
}

const NEW: Known = Known { plan: None, stream: 0, is_own: true, own: 0, given: 0 };

fn plans() -> MutexGuard<'static, (Handle, BTreeMap<Handle, Known>)> {
    static PLANS: Mutex<(Handle, BTreeMap<Handle, Known>)> = Mutex::new((0, BTreeMap::new()));
    PLANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with a plan.
fn with<T>(handle: Handle, what: impl FnOnce(&mut Known) -> Result<T, Failure>) -> Result<T, Failure> {
    what(plans().1.get_mut(&handle).ok_or(Failure::NotInitialized)?)
}

fn create() -> Handle {
    let mut plans = plans();
    plans.0 += 1;
    let handle = plans.0;
    plans.1.insert(handle, NEW);
    handle
}

fn free(own: u64) -> Outcome {
    let (driver, _) = enter()?;
    if own != 0 {
        // SAFETY: memory of a plan, to which no call leads any more. After a reset of the device it is gone already.
        let _ = unsafe { driver.cuMemFree_v2(own) };
    }
    Ok(())
}

fn destroy(handle: Handle) -> Outcome {
    let gone = plans().1.remove(&handle).ok_or(Failure::NotInitialized)?;
    free(gone.own)
}

/// Says what a plan transforms, and writes the bytes of its work area, unless nobody asks.
unsafe fn make(handle: Handle, plan: Result<Plan, Failure>, bytes: *mut usize) -> Outcome {
    module(Kernels::Fourier)?;
    let (driver, _) = enter()?;
    with(handle, |known| {
        refuse_if!(known.plan.is_some(), Failure::NotInitialized);
        let plan = plan?;
        if known.is_own {
            // SAFETY: a place for an address.
            unsafe { driver.cuMemAlloc_v2(&mut known.own, plan.work_bytes()) }.map_err(|_| Failure::Memory)?;
        }
        if !bytes.is_null() {
            unsafe { out(bytes, plan.work_bytes())? };
        }
        known.plan = Some(plan);
        Ok(())
    })
}

/// Creates a plan and says what it transforms.
unsafe fn made(to: *mut Handle, plan: Result<Plan, Failure>) -> Outcome {
    let handle = create();
    unsafe { make(handle, plan, std::ptr::null_mut()).and_then(|()| out(to, handle)) }.inspect_err(|_| {
        let _ = destroy(handle);
    })
}

fn simple(lengths: &[c_int], kind: c_int, batch: c_int) -> Result<Plan, Failure> {
    let lengths: Vec<i64> = lengths.iter().map(|length| i64::from(*length)).collect();
    Plan::new(Kind::of(kind)?, &lengths, batch.into(), None)
}

/// The caller's lengths, and the physical ones, strides and distances of both sides, as `cufftPlanMany` and `cufftMakePlanMany64` have them.
type Side<T> = (*mut T, T, T);

unsafe fn many<T: Copy + Into<i64>>(
    rank: c_int,
    n: *mut T,
    sides: [Side<T>; 2],
    kind: c_int,
    batch: T,
) -> Result<Plan, Failure> {
    let rank = usize::try_from(rank).ok().filter(|rank| (1..=3).contains(rank)).ok_or(Failure::Invalid)?;
    refuse_if!(n.is_null(), Failure::Invalid);
    // SAFETY: by the interface each list has as many numbers as there are dimensions.
    let list = |at: *mut T| unsafe { (0..rank).map(|i| (*at.add(i)).into()).collect::<Vec<i64>>() };
    let side = |(embed, step, distance): Side<T>| {
        (!embed.is_null()).then(|| {
            let mut all = [1; 3];
            all[3 - rank..].copy_from_slice(&list(embed));
            Strides { embed: all, step: step.into(), distance: distance.into() }
        })
    };
    let [input, output] = sides.map(side);
    let strides = input.zip(output).map(|(input, output)| [input, output]);
    Plan::new(Kind::of(kind)?, &list(n), batch.into(), strides)
}

/// Runs a plan; `sign` where the kind leaves a choice.
unsafe fn run(handle: Handle, kind: Kind, from: Raw, to: Raw, sign: c_int) -> Outcome {
    let sign = kind.direction().unwrap_or(sign);
    refuse_if!(sign != 1 && sign != -1, Failure::Invalid);
    with(handle, |known| {
        let plan = known.plan.as_ref().ok_or(Failure::NotInitialized)?;
        let work = if known.given == 0 { known.own } else { known.given };
        refuse_if!(work == 0, Failure::Invalid);
        unsafe { plan.run(kind, from, to, sign, work, known.stream as Raw) }
    })
}

/// Whose memory the work area is.
fn allocate(handle: Handle, is_own: bool) -> Outcome {
    with(handle, |known| {
        known.is_own = is_own;
        if is_own || known.own == 0 { Ok(()) } else { free(std::mem::take(&mut known.own)) }
    })
}

/// Sets the work area, in whose place an own one is no longer needed.
fn give(handle: Handle, area: Raw) -> Outcome {
    with(handle, |known| {
        known.given = area as u64;
        free(std::mem::take(&mut known.own))
    })
}

fn size(handle: Handle) -> Result<usize, Failure> {
    with(handle, |known| Ok(known.plan.as_ref().ok_or(Failure::NotInitialized)?.work_bytes()))
}

/// The version: 11.4.1, which is that of CUDA 12.9.
const VERSION: [c_int; 3] = [11, 4, 1];

cuda::cufft!(exports; of_cufft);
