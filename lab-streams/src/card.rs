//! One device's part of a batch: its streams, buffers and events, and how a step of a schedule becomes a call.
//!
//! Copies and waits are made with the driver's plain calls and not with cudarc's slices, which keep events of their own and would order
//! what a schedule means to leave unordered.

use crate::schedule::{Action, Lane, Part, Schedule, Step};
use crate::workload::Workload;
use common::call::Function;
use common::element::Element;
use common::matrix::{allocate_device, poison};
use cudarc::driver::result::stream::StreamKind;
use cudarc::driver::sys::{self, CUdeviceptr, CUevent_flags};
use cudarc::driver::{CudaContext, CudaEvent, CudaGraph, CudaSlice, CudaStream, DevicePtr, DriverError, result};
use std::ops::Range;
use std::sync::Arc;

/// Where one item lies on the host. Good for as long as the buffers that it was taken from.
#[derive(Clone, Copy, Debug)]
pub struct ItemMemory<T> {
    /// As many elements as the item's input has.
    pub input: *const T,
    /// As many as its output has.
    pub output: *mut T,
    /// The same as kernels reach them; 0 where they cannot.
    pub on_device: [CUdeviceptr; 2],
}

/// A device that works on some items of a batch.
#[derive(Debug)]
pub struct Card<T: Element> {
    /// Its context.
    pub context: Arc<CudaContext>,
    /// Its schedule; items count from 0 here.
    pub schedule: Schedule,
    /// The batch's number of each of them.
    pub items: Vec<usize>,
    /// A stream on which nothing else runs: an event recorded there is passed at once and so tells when the host recorded it.
    pub host_lane: Arc<CudaStream>,
    lanes: Vec<LaneStream>,
    slots: Vec<Slot<T>>,
    marks: Vec<CudaEvent>,
    function: Function,
    workload: Workload,
}

/// Device buffers for one item at a time.
#[derive(Debug)]
struct Slot<T> {
    input: CudaSlice<T>,
    output: CudaSlice<T>,
    input_address: CUdeviceptr,
    output_address: CUdeviceptr,
}

impl<T: Element> Card<T> {
    /// Streams, buffers and events for a schedule.
    pub fn new(
        context: &Arc<CudaContext>,
        function: Function,
        workload: &Workload,
        schedule: Schedule,
        items: Vec<usize>,
    ) -> anyhow::Result<Self> {
        context.bind_to_thread()?;
        let (_, greatest_priority) = result::stream::get_priority_range()?;
        // Streams of another priority have queues of their own on the device, so that no lane's work delays the stamps.
        let host_lane = context.new_stream_with_priority(greatest_priority)?;
        let lanes = schedule.lanes.iter().map(|&lane| LaneStream::new(context, lane)).collect::<Result<_, _>>()?;
        let stream = context.default_stream();
        let slot = |_| -> Result<Slot<T>, DriverError> {
            let input = allocate_device::<T>(&stream, workload.input_len())?;
            let output = allocate_device::<T>(&stream, workload.output_len())?;
            let (input_address, output_address) = (input.device_ptr(&stream).0, output.device_ptr(&stream).0);
            Ok(Slot { input, output, input_address, output_address })
        };
        let slots = (0..schedule.slots).map(slot).collect::<Result<_, _>>()?;
        let marks = (0..schedule.marks).map(|_| context.new_event(None)).collect::<Result<_, _>>()?;
        // Memory from the default stream's pool is everyone's from here on.
        context.synchronize()?;
        Ok(Card {
            context: context.clone(),
            schedule,
            items,
            host_lane,
            lanes,
            slots,
            marks,
            function,
            workload: workload.clone(),
        })
    }

    /// The stream of a lane.
    pub fn lane(&self, lane: usize) -> &Arc<CudaStream> {
        &self.lanes[lane].stream
    }

    /// The streams of all lanes.
    pub fn streams(&self) -> impl Iterator<Item = &Arc<CudaStream>> {
        self.lanes.iter().map(|lane| &lane.stream)
    }

    /// Overwrites all buffers with NaN, and waits for that.
    pub fn poison(&mut self) -> Result<(), DriverError> {
        let stream = self.context.default_stream();
        for slot in &mut self.slots {
            poison(&stream, &mut slot.input)?;
            poison(&stream, &mut slot.output)?;
        }
        self.context.synchronize()
    }

    /// Overwrites one element of each output with NaN, and waits for that.
    pub fn poison_element(&mut self, place: usize) -> Result<(), DriverError> {
        let stream = self.context.default_stream();
        for slot in &mut self.slots {
            poison(&stream, &mut slot.output.slice_mut(place..=place))?;
        }
        self.context.synchronize()
    }

    /// One element of the output in each slot.
    pub fn elements(&self, place: usize) -> Result<Vec<T>, DriverError> {
        let stream = self.context.default_stream();
        let mut elements = Vec::new();
        for slot in &self.slots {
            elements.extend(stream.clone_dtoh(&slot.output.slice(place..=place))?);
        }
        Ok(elements)
    }

    /// The schedule's steps in their order, cut wherever the next one is for another item.
    pub fn turns(&self) -> impl Iterator<Item = &[Step]> {
        self.schedule.steps.chunk_by(|step, next| step.item == next.item)
    }

    /// Makes the call of one step. The item's memory has to stay until its lane was waited for.
    pub fn issue(&self, step: &Step, memory: &ItemMemory<T>) -> anyhow::Result<()> {
        let stream = self.lane(step.lane);
        match step.action {
            Action::Mark(mark) => self.marks[mark].record(stream)?,
            Action::Await(mark) => stream.wait(&self.marks[mark])?,
            Action::Kernel => {
                let [input, output] = match step.slot {
                    Some(slot) => [self.slots[slot].input_address, self.slots[slot].output_address],
                    None => memory.on_device,
                };
                self.workload.launch::<T>(&self.function, stream, input, output, step.part)?;
            }
            Action::CopyIn | Action::CopyOut => {
                let slot = step.slot.expect("copies have a slot");
                self.copy(step.action, step.part, slot, stream, memory)?;
            }
        }
        Ok(())
    }

    /// Copies inputs of all items in before, or outputs out after, the clock runs. Needs a slot for each item.
    pub fn copy_all(&self, action: Action, memory: &[ItemMemory<T>]) -> anyhow::Result<()> {
        let stream = self.context.default_stream();
        for (slot, &item) in self.items.iter().enumerate() {
            self.copy(action, Part::WHOLE, slot, &stream, &memory[item])?;
        }
        Ok(self.context.synchronize()?)
    }

    fn copy(
        &self,
        action: Action,
        part: Part,
        slot: usize,
        stream: &CudaStream,
        memory: &ItemMemory<T>,
    ) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let ranges = match action {
            Action::CopyIn => self.workload.input_ranges(part),
            _ => [0..0, self.workload.output_range(part)],
        };
        let mut ranges = ranges.into_iter().filter(|range| !range.is_empty());
        ranges.try_for_each(|range| self.copy_range(action, range, slot, stream, memory))
    }

    #[allow(unsafe_code)]
    fn copy_range(
        &self,
        action: Action,
        range: Range<usize>,
        slot: usize,
        stream: &CudaStream,
        memory: &ItemMemory<T>,
    ) -> Result<(), DriverError> {
        let Slot { input_address, output_address, .. } = self.slots[slot];
        let offset = (range.start * T::DTYPE.bytes()) as u64;
        let (input_address, output_address) = (input_address + offset, output_address + offset);
        // SAFETY: the range lies within the input or the output of an item; both pointers are into live host buffers of these lengths,
        // which nobody else touches until the lane was waited for; the device buffers have the same lengths and live as long as this card.
        unsafe {
            let input = || std::slice::from_raw_parts(memory.input.add(range.start), range.len());
            let output = || std::slice::from_raw_parts_mut(memory.output.add(range.start), range.len());
            match (action, self.schedule.copies_block) {
                (Action::CopyIn, false) => result::memcpy_htod_async(input_address, input(), stream.cu_stream()),
                (Action::CopyIn, true) => result::memcpy_htod_sync(input_address, input()),
                (_, false) => result::memcpy_dtoh_async(output(), output_address, stream.cu_stream()),
                (_, true) => result::memcpy_dtoh_sync(output(), output_address),
            }
        }
    }

    /// Starts to capture what is put on any lane; the first one is the graph's root.
    pub fn begin_capture(&self) -> Result<(), DriverError> {
        let root = self.lane(0);
        root.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let fork = root.record_event(None)?;
        self.streams().skip(1).try_for_each(|stream| stream.wait(&fork))
    }

    /// Ends the capture: every lane joins the first.
    pub fn end_capture(&self) -> Result<CudaGraph, DriverError> {
        let root = self.lane(0);
        for stream in self.streams().skip(1) {
            root.wait(&stream.record_event(None)?)?;
        }
        let graph = root.end_capture(sys::CUgraphInstantiate_flags(0))?;
        graph.ok_or(DriverError(sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))
    }
}

/// An event with a time stamp, recorded now on a stream.
pub fn stamp(stream: &CudaStream) -> Result<CudaEvent, DriverError> {
    stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
}

/// The same on a stream that is being captured: a node of the graph, which stamps anew at each launch.
#[allow(unsafe_code)]
pub fn stamp_in_graph(stream: &CudaStream) -> Result<CudaEvent, DriverError> {
    let event = stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
    let external = sys::CUevent_record_flags_enum::CU_EVENT_RECORD_EXTERNAL as u32;
    // SAFETY: both handles are live and of one context.
    unsafe { sys::cuEventRecordWithFlags(event.cu_event(), stream.cu_stream(), external) }.result()?;
    Ok(event)
}

/// A lane's stream. cudarc makes non-blocking ones only; a blocking one is made and destroyed here.
#[derive(Debug)]
struct LaneStream {
    stream: Arc<CudaStream>,
    own: bool,
}

impl LaneStream {
    #[allow(unsafe_code)]
    fn new(context: &Arc<CudaContext>, lane: Lane) -> Result<Self, DriverError> {
        Ok(match lane {
            Lane::Default => LaneStream { stream: context.default_stream(), own: false },
            Lane::NonBlocking => LaneStream { stream: context.new_stream()?, own: false },
            Lane::Blocking => {
                context.bind_to_thread()?;
                let raw = result::stream::create(StreamKind::Default)?;
                // SAFETY: a stream of this context, destroyed when this value is dropped; no clone of the wrapper leaves the card.
                LaneStream { stream: unsafe { context.wrap_borrowed_stream(raw) }, own: true }
            }
        })
    }
}

impl Drop for LaneStream {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        if self.own {
            let context = self.stream.context().clone();
            context.record_err(self.stream.synchronize());
            // SAFETY: made in `new`, idle, and not used afterwards.
            context.record_err(unsafe { result::stream::destroy(self.stream.cu_stream()) });
        }
    }
}
