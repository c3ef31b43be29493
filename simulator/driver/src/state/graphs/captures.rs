//! Stream capture: what is called on a capturing stream becomes a node of a graph instead of work.
use crate::interface::{Cause, Outcome};
use crate::objects::event::EventState;
use crate::objects::graphs::{Capture, Step};
use crate::state::Driver;
use std::cell::Cell;

pub const GLOBAL: u32 = 0;
pub const RELAXED: u32 = 2;

thread_local! {
    /// See `cuThreadExchangeStreamCaptureMode`.
    pub static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

impl Driver {
    /// Adds a node after what the stream has.
    pub fn capture_work(&mut self, stream: usize, step: Step) -> Outcome {
        let capture = self.capture_of(stream)?;
        let after = capture.streams.get(&stream).cloned().unwrap_or_default();
        let graph = capture.graph;
        let node = self.graphs.get_mut(graph)?.add(step, after);
        self.name_nodes(graph)?;
        self.capture_of(stream)?.streams.insert(stream, vec![node]);
        Ok(())
    }

    /// An event marks the stream's place in the graph.
    pub fn capture_record(&mut self, stream: usize, event: usize) -> Outcome {
        let handle = self.streams.get(stream)?.capture.ok_or(Cause::NotCapturing)?;
        let capture = self.capture_of(stream)?;
        let place = capture.streams.get(&stream).cloned().unwrap_or_default();
        capture.events.insert(event, place);
        self.events.get_mut(event)?.state = EventState::Captured(handle);
        Ok(())
    }

    /// A wait for a captured event draws the stream into the capture.
    pub fn capture_wait(&mut self, stream: usize, event: usize, capture: usize) -> Outcome {
        refuse_if!(self.captures.get(capture).is_err(), Cause::CapturedEvent);
        match self.streams.get(stream)?.capture {
            Some(own) if own != capture => {
                self.spoil(own);
                self.spoil(capture);
                return Err(Cause::CaptureMerge);
            }
            Some(_) => {}
            None if self.streams.get(stream)?.is_legacy => {
                self.spoil(capture);
                return Err(Cause::CaptureImplicit);
            }
            None => self.streams.get_mut(stream)?.capture = Some(capture),
        }
        let found = self.capture_of(stream)?;
        let place = found.events.get(&event).cloned().unwrap_or_default();
        let after = found.streams.entry(stream).or_default();
        after.extend(place);
        after.sort_unstable();
        after.dedup();
        Ok(())
    }

    pub fn capture_of(&mut self, stream: usize) -> Result<&mut Capture, Cause> {
        let handle = self.streams.get(stream)?.capture.ok_or(Cause::NotCapturing)?;
        let capture = self.captures.get_mut(handle)?;
        if capture.spoiled { Err(Cause::CaptureInvalidated) } else { Ok(capture) }
    }

    /// Makes a capture worthless: its end will say so.
    pub fn spoil(&mut self, capture: usize) {
        if let Ok(capture) = self.captures.get_mut(capture) {
            capture.spoiled = true;
        }
    }

    /// A call that a capturing stream does not take.
    pub fn spoil_capture(&mut self, stream: usize, call: &'static str) -> Outcome {
        if let Some(capture) = self.streams.get(stream)?.capture {
            self.spoil(capture);
        }
        Err(Cause::NotWhileCapturing(call))
    }

    /// Refuses a call that could wait for captured work, as the modes of the captures and of this thread have it.
    pub fn refuse_in_capture(&mut self, call: &'static str) -> Outcome {
        let mode = MODE.get();
        if mode == RELAXED {
            return Ok(());
        }
        let thread = std::thread::current().id();
        let hinders = |capture: &Capture| match capture.mode {
            RELAXED => false,
            GLOBAL if mode == GLOBAL => true,
            _ => capture.thread == thread,
        };
        let Some(handle) = self.captures.iter().find(|(_, capture)| hinders(capture)).map(|(handle, _)| handle) else {
            return Ok(());
        };
        self.spoil(handle);
        Err(Cause::NotWhileCapturing(call))
    }
}
