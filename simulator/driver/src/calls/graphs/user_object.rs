//! User objects: `cuUserObject*`, and the graphs that hold them.
use crate::interface::{Cause, Outcome, out};
use crate::objects::graphs::{HostFunction, UserObject};
use crate::state::{self, Driver, Guard};
use cuda::layout::Raw;
use std::ffi::{c_uint, c_void};

/// The flag that must be set: nobody waits for the destructor.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
/// A flag of `cuGraphRetainUserObject`: the caller's references become the graph's.
const MOVE: c_uint = 1;
/// More references than any call may ask for.
const MOST: c_uint = i32::MAX as c_uint;

pub unsafe fn cuUserObjectCreate(
    object: *mut Raw,
    pointer: *mut c_void,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    references: c_uint,
    flags: c_uint,
) -> Outcome {
    let function = destroy.ok_or(Cause::Null("destroy"))?;
    refuse_if!(flags != NO_DESTRUCTOR_SYNC, Cause::NoSuchValue("flags", flags.into()));
    check(references)?;
    let mut driver = state::started()?;
    let end = HostFunction { function, data: pointer as usize };
    let handle = driver.user_objects.insert(UserObject { end, references });
    unsafe { out("object_out", object, handle as Raw) }
}

pub fn cuUserObjectRetain(object: Raw, count: c_uint) -> Outcome {
    check(count)?;
    let mut driver = state::lock();
    driver.retain_object(object as usize, count)
}

pub fn cuUserObjectRelease(object: Raw, count: c_uint) -> Outcome {
    check(count)?;
    let mut driver = state::lock();
    let ended = driver.release_objects(&[(object as usize, count)])?;
    end(driver, &ended);
    Ok(())
}

pub fn cuGraphRetainUserObject(graph: Raw, object: Raw, count: c_uint, flags: c_uint) -> Outcome {
    check(count)?;
    refuse_if!(flags & !MOVE != 0, Cause::NoSuchValue("flags", flags.into()));
    let mut driver = state::lock();
    driver.graphs.get(graph as usize)?;
    let known = driver.user_objects.get(object as usize).map_err(Cause::into_argument)?.references;
    if flags & MOVE == 0 {
        driver.retain_object(object as usize, count)?;
    } else if known < count {
        return Err(Cause::OutOfRange("count", count.into(), format!("1 to {known}, the references that there are")));
    }
    driver.graphs.get_mut(graph as usize)?.objects.push((object as usize, count));
    Ok(())
}

pub fn cuGraphReleaseUserObject(graph: Raw, object: Raw, count: c_uint) -> Outcome {
    check(count)?;
    let mut driver = state::lock();
    driver.user_objects.get(object as usize).map_err(Cause::into_argument)?;
    let objects = &mut driver.graphs.get_mut(graph as usize)?.objects;
    let held: u32 = objects.iter().filter(|(held, _)| *held == object as usize).map(|(_, count)| count).sum();
    if held < count {
        return Err(Cause::OutOfRange("count", count.into(), format!("1 to {held}, the references of this graph")));
    }
    objects.retain(|(held, _)| *held != object as usize);
    if held > count {
        objects.push((object as usize, held - count));
    }
    let ended = driver.release_objects(&[(object as usize, count)])?;
    end(driver, &ended);
    Ok(())
}

fn check(count: c_uint) -> Outcome {
    if (1..=MOST).contains(&count) {
        Ok(())
    } else {
        Err(Cause::OutOfRange("count", count.into(), format!("1 to {MOST}")))
    }
}

/// Calls the functions of objects that nobody holds any more, without the lock.
pub fn end(driver: Guard, ended: &[HostFunction]) {
    drop(driver);
    for HostFunction { function, data } in ended {
        // SAFETY: the application's function with its own pointer, called once, as `cuUserObjectCreate` was told.
        unsafe { function(*data as *mut c_void) };
    }
}

impl Driver {
    /// Adds references to an object.
    fn retain_object(&mut self, object: usize, count: u32) -> Outcome {
        let found = self.user_objects.get_mut(object).map_err(Cause::into_argument)?;
        let allowed = || format!("1 to {}, up to which references are counted", u32::MAX - found.references);
        let sum = found.references.checked_add(count);
        found.references = sum.ok_or_else(|| Cause::OutOfRange("count", count.into(), allowed()))?;
        Ok(())
    }

    /// Adds a graph's references once more, for a copy of it.
    pub fn retain_objects(&mut self, objects: &[(usize, u32)]) -> Outcome {
        objects.iter().try_for_each(|&(object, count)| self.retain_object(object, count))
    }

    /// Takes references away, and answers the ends of objects that have none left.
    pub fn release_objects(&mut self, objects: &[(usize, u32)]) -> Result<Vec<HostFunction>, Cause> {
        let mut ended = Vec::new();
        for &(object, count) in objects {
            let found = self.user_objects.get_mut(object).map_err(Cause::into_argument)?;
            if found.references < count {
                let allowed = format!("1 to {}, the references that there are", found.references);
                return Err(Cause::OutOfRange("count", count.into(), allowed));
            }
            found.references -= count;
            if found.references == 0 {
                ended.push(self.user_objects.remove(object)?.end);
            }
        }
        Ok(ended)
    }
}
