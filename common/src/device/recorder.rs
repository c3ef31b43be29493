//! The record of a process' work on a GPU, timed by the process itself, because a GPU's driver shows no record of its own.
//!
//! Driver calls that the labs make through [`traced`] are timed on the host's clock, and the work that they queue by events around it.
//! There is one record for the life of the process, as there is one driver. Until [`start`] nothing is timed and nothing is added.

use crate::call::Call;
use crate::observations::Activity;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, LaunchConfig, sys::CUevent_flags};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Work that a call queues on a stream.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// As [`Activity::kind`] has it: `kernel`, `memcpy HtoD`, `memcpy DtoH`, `memcpy DtoD` or `memset`.
    pub kind: &'static str,
    /// The kernel's symbol, empty for other work.
    pub name: &'a str,
    /// Bytes moved or set.
    pub bytes: usize,
}

impl<'a> Work<'a> {
    /// A kernel.
    pub fn kernel(name: &'a str) -> Self {
        Work { kind: "kernel", name, bytes: 0 }
    }

    /// A copy or a memset.
    pub fn transfer(kind: &'static str, bytes: usize) -> Self {
        Work { kind, name: "", bytes }
    }
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

struct Recorder {
    host_origin: Instant,
    device_origin: CudaEvent,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    calls: Vec<Activity>,
    works: Vec<Queued>,
}

/// Work between two events.
struct Queued {
    activity: Activity,
    start: CudaEvent,
    end: CudaEvent,
}

/// From now on every traced call is recorded. Both clocks start here.
pub fn start(stream: &Arc<CudaStream>) -> Result<(), DriverError> {
    let device_origin = event(stream)?;
    let host_origin = Instant::now();
    RECORDER.get_or_init(|| Recorder { host_origin, device_origin, record: Mutex::default() });
    Ok(())
}

/// Makes a driver call, `name` in the driver's own spelling, that queues `work` on `stream`.
pub fn traced<R, E: From<DriverError>>(
    stream: &Arc<CudaStream>,
    name: &'static str,
    work: Option<Work<'_>>,
    call: impl FnOnce() -> Result<R, E>,
) -> Result<R, E> {
    let Some(recorder) = RECORDER.get() else {
        return call();
    };
    let start = work.map(|_| event(stream)).transpose()?;
    let call_start = recorder.host_origin.elapsed();
    let result = call()?;
    let call_end = recorder.host_origin.elapsed();
    let end = work.map(|_| event(stream)).transpose()?;
    let mut record = recorder.record.lock().expect("no holder panics");
    record.calls.push(Activity {
        kind: "api".to_owned(),
        name: name.to_owned(),
        stream: 0,
        start_ns: call_start.as_nanos() as f64,
        end_ns: call_end.as_nanos() as f64,
        bytes: 0,
    });
    if let (Some(work), Some(start), Some(end)) = (work, start, end) {
        let activity = Activity {
            kind: work.kind.to_owned(),
            name: work.name.to_owned(),
            stream: stream.cu_stream() as u64,
            start_ns: 0.0,
            end_ns: 0.0,
            bytes: work.bytes as u64,
        };
        record.works.push(Queued { activity, start, end });
    }
    Ok(result)
}

/// Launches a kernel, traced under its symbol.
///
/// # Errors
/// As of [`Call::launch`].
///
/// # Safety
/// As of [`Call::launch`].
#[allow(unsafe_code)]
pub unsafe fn launch(stream: &Arc<CudaStream>, call: &mut Call<'_>, config: LaunchConfig) -> anyhow::Result<()> {
    let work = Some(Work::kernel(call.symbol()));
    // SAFETY: the arguments fit the kernel's parameters and outlive the launch, as the caller of this function promises by its `# Safety`.
    traced(stream, "cuLaunchKernel", work, || unsafe { call.launch(config) })
}

/// Launches a kernel cooperatively, traced under its symbol.
///
/// # Errors
/// As of [`Call::launch`].
///
/// # Safety
/// As of [`Call::launch_cooperative`].
#[allow(unsafe_code)]
pub unsafe fn launch_cooperative(
    stream: &Arc<CudaStream>,
    call: &mut Call<'_>,
    config: LaunchConfig,
) -> anyhow::Result<()> {
    let work = Some(Work::kernel(call.symbol()));
    // SAFETY: the arguments fit the kernel's parameters and outlive the launch, as the caller of this function promises by its `# Safety`.
    traced(stream, "cuLaunchCooperativeKernel", work, || unsafe { call.launch_cooperative(config) })
}

/// The activities that were recorded since the last call, by start on either clock. Waits for the work.
pub fn take() -> Result<Vec<Activity>, DriverError> {
    let Some(recorder) = RECORDER.get() else {
        return Ok(Vec::new());
    };
    let Record { mut calls, works } = std::mem::take(&mut *recorder.record.lock().expect("no holder panics"));
    for Queued { mut activity, start, end } in works {
        end.synchronize()?;
        let nanoseconds = |event: &CudaEvent| Ok(f64::from(recorder.device_origin.elapsed_ms(event)?) * 1e6);
        activity.start_ns = nanoseconds(&start)?;
        // By their difference: a float of milliseconds since the origin is too coarse for a short kernel.
        activity.end_ns = activity.start_ns + f64::from(start.elapsed_ms(&end)?) * 1e6;
        calls.push(activity);
    }
    calls.sort_by(|a, b| a.start_ns.total_cmp(&b.start_ns));
    Ok(calls)
}

fn event(stream: &Arc<CudaStream>) -> Result<CudaEvent, DriverError> {
    stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::matrix::{allocate_device, poison};

    #[test]
    fn calls_and_the_work_that_they_queue_are_recorded_once_it_has_started() {
        let device = Device::for_tests().unwrap();
        let stream = &device.stream;
        let mut early = allocate_device::<f32>(stream, 10).unwrap();
        assert!(take().unwrap().is_empty(), "nothing is recorded before the start");
        start(stream).unwrap();
        poison(stream, &mut early).unwrap();
        let failed = traced(stream, "cuStreamSynchronize", None, || {
            Err::<(), _>(DriverError(cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_VALUE))
        });
        assert!(failed.is_err(), "a call's error is passed on");
        let activities = take().unwrap();
        let of = |kind: &str| activities.iter().filter(|activity| activity.kind == kind).collect::<Vec<_>>();
        let (calls, works) = (of("api"), of("memset"));
        assert_eq!((calls.len(), works.len()), (1, 1), "{activities:?}");
        assert_eq!(calls[0].name, "cuMemsetD8Async");
        assert_eq!(works[0].bytes, 40);
        assert!(works[0].end_ns > works[0].start_ns && calls[0].end_ns >= calls[0].start_ns);
        assert!(take().unwrap().is_empty(), "what was taken is forgotten");
    }
}
