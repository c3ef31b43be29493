//! Linking modules, `cuLink…`, and the options that it shares with loading.
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted, text};
use crate::objects::images::archive::Found;
use crate::objects::images::facts::ImageFacts;
use crate::objects::images::image::read_image;
use crate::objects::images::linking::{self, JitOptions, Linking, LogBuffer};
use crate::objects::images::{archive, assembler, fat_binary, image};
use crate::state;
use crate::state::logs::refusals;
use cuda::layout::Raw;
use std::ffi::{c_char, c_uint, c_void};
use std::sync::Arc;

/// `CUjitInputType`
const CUBIN: c_uint = 0;
const PTX: c_uint = 1;
const FAT_BINARY: c_uint = 2;
const OBJECT: c_uint = 3;
const LIBRARY: c_uint = 4;
const NVVM: c_uint = 5;

/// Reads the options of the just-in-time compiler. Those that choose how code is made (optimisation, caching, the target)
/// change nothing here: there is no machine code.
///
/// # Safety
/// The arrays hold `count` elements, or `count` is 0.
pub unsafe fn jit_options(count: c_uint, options: *const c_uint, values: *mut Raw) -> Result<JitOptions, Cause> {
    if count == 0 {
        return Ok(JitOptions::default());
    }
    refuse_if!(options.is_null() || values.is_null(), Cause::Null("options"));
    // SAFETY: the arrays hold `count` elements.
    let option = |i: usize| unsafe { options.add(i).read_unaligned() };
    let slot = |wanted: c_uint| (0..count as usize).find(|&i| option(i) == wanted).map(|i| values.wrapping_add(i));
    // SAFETY: a place in the array.
    let value = |wanted: c_uint| slot(wanted).map(|slot| unsafe { slot.read_unaligned() } as usize);
    if let Some(unknown) = (0..count as usize).map(option).find(|&option| option > LAST_OPTION) {
        return Err(Cause::NoSuchValue("options", unknown.into()));
    }
    let log = |buffer: c_uint, size: c_uint| {
        Some(LogBuffer { text: value(buffer)?, room: value(size)? as u32 as usize, size_slot: slot(size)? as usize })
    };
    let max_registers = value(0).map(|most| most as u32).filter(|&most| most > 0);
    Ok(JitOptions { max_registers, info: log(3, 4), error: log(5, 6) })
}

/// The largest number of `CUjit_option`.
const LAST_OPTION: c_uint = 35;

/// Writes words into a log, cut where they do not fit, and how many bytes they take.
///
/// # Safety
/// The buffer is one that the caller gave, and lives still.
pub unsafe fn write_log(log: Option<LogBuffer>, words: &str) {
    let Some(log) = log.filter(|log| log.room > 0 && log.text != 0) else { return };
    let fits = words.len().min(log.room - 1);
    // SAFETY: the buffer has as many bytes as the size option says; the size's slot takes what was written.
    unsafe {
        let text = log.text as *mut u8;
        text.copy_from_nonoverlapping(words.as_ptr(), fits);
        text.add(fits).write(0);
        (log.size_slot as *mut usize).write_unaligned(fits);
    }
}

pub unsafe fn cuLinkCreate_v2(count: c_uint, options: *const c_uint, values: *mut Raw, link: *mut Raw) -> Outcome {
    let options = unsafe { jit_options(count, options, values)? };
    let mut driver = state::lock();
    driver.current()?;
    let handle = driver.links.insert(Linking { options, ..Linking::default() });
    unsafe { out("stateOut", link, handle as Raw) }
}

/// `cuLinkAddData`
pub unsafe fn add_data(link: Raw, kind: c_uint, data: *const c_void, bytes: usize, name: *const c_char) -> Outcome {
    refuse_if!(data.is_null(), Cause::Null("data"));
    let name = if name.is_null() {
        let driver = state::lock();
        format!("input {}", driver.links.get(link as usize)?.modules.len() + 1)
    } else {
        // SAFETY: not null, and the caller's text.
        unsafe { text("name", name)? }
    };
    // SAFETY: the caller's bytes, as many as it says.
    add(link, kind, &name, unsafe { std::slice::from_raw_parts(data.cast(), bytes) })
}

/// `cuLinkAddFile`
pub unsafe fn add_file(link: Raw, kind: c_uint, path: *const c_char) -> Outcome {
    let path = unsafe { text("path", path)? };
    state::lock().links.get(link as usize)?;
    let bytes = std::fs::read(&path).map_err(|error| Cause::NoFile(path.clone(), error.to_string()))?;
    add(link, kind, &path, &bytes)
}

/// Adds what is PTX in some bytes.
fn add(link: Raw, kind: c_uint, name: &str, bytes: &[u8]) -> Outcome {
    let (card, mut modules, options) = {
        let driver = state::lock();
        let found = driver.links.get(link as usize)?;
        refuse_if!(found.image.is_some(), Cause::LinkComplete);
        (driver.current_device()?.1, found.modules.clone(), found.options)
    };
    let added = texts(kind, name, bytes, assembler::capability(card)).and_then(|found| {
        let mut without_ptx = Vec::new();
        for (name, text) in found {
            let text = match text {
                Ok(text) => text,
                Err(why) => {
                    without_ptx.push((name, why));
                    continue;
                }
            };
            let module = ptx::parse(&text).map_err(linking::bad_ptx)?;
            assembler::check_module(&module, card, false)?;
            modules.push((name, Arc::from(text)));
        }
        linking::check(&modules)?;
        Ok((modules, without_ptx))
    });
    match added {
        Ok((modules, without_ptx)) => {
            let mut driver = state::lock();
            let found = driver.links.get_mut(link as usize)?;
            found.modules = modules;
            found.without_ptx.extend(without_ptx);
            Ok(())
        }
        Err(cause) => {
            // SAFETY: the interface has the caller keep its buffers as long as the link lives.
            unsafe { write_log(options.error, &format!("error   : {cause}")) };
            refusals::of_image(ImageFacts::of_bytes(bytes));
            Err(cause)
        }
    }
}

/// Links inputs, each with its kind and name, at once and for a card that need not be there.
pub fn all(inputs: &[(c_uint, String, &[u8])], capability: u32, max_registers: Option<u32>) -> Result<String, Cause> {
    let (mut modules, mut without_ptx) = (Vec::new(), Vec::new());
    for (kind, name, bytes) in inputs {
        for (name, text) in texts(*kind, name, bytes, capability)? {
            match text {
                Ok(text) => modules.push((name, Arc::from(text))),
                Err(why) => without_ptx.push((name, why)),
            }
        }
    }
    linking::link(&modules, &without_ptx, &JitOptions { max_registers, ..JitOptions::default() })
}

/// The modules in some bytes, by name.
fn texts(kind: c_uint, name: &str, bytes: &[u8], capability: u32) -> Result<Vec<Found>, Cause> {
    let one = |text: String| vec![(name.to_owned(), Ok(text))];
    match kind {
        CUBIN | OBJECT if is_machine_code(kind, bytes) => Err(Cause::NotPtx(image::MACHINE_CODE.to_owned())),
        // A front of a compiler answers PTX where machine code was asked for.
        CUBIN | PTX => Ok(one(fat_binary::utf8(bytes)?)),
        FAT_BINARY if bytes.starts_with(&fat_binary::CONTAINER) => {
            Ok(vec![archive::fat_binary(name, bytes.as_ptr() as u64, capability)?])
        }
        FAT_BINARY if bytes.starts_with(&fat_binary::WRAPPER) => {
            // SAFETY: it begins with a wrapper, which is read where it lies.
            Ok(one(unsafe { read_image(bytes.as_ptr().cast(), capability)? }))
        }
        FAT_BINARY => Err(Cause::BadImage("it does not begin as one")),
        OBJECT | LIBRARY => archive::modules(name, bytes, capability),
        NVVM => Err(Cause::NotPtx("NVVM's intermediate code".to_owned())),
        other => Err(Cause::NoSuchValue("type", other.into())),
    }
}

/// True if bytes are a CUBIN: an ELF file where one is said to come, or one for `EM_CUDA`.
fn is_machine_code(kind: c_uint, bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && (kind == CUBIN || bytes.get(18..20) == Some(&[190, 0]))
}

/// The image is PTX again, and lives as long as the link.
pub unsafe fn cuLinkComplete(link: Raw, image: *mut Raw, bytes: *mut usize) -> Outcome {
    let (modules, without_ptx, options) = {
        let driver = state::lock();
        driver.current()?;
        let found = driver.links.get(link as usize)?;
        (found.modules.clone(), found.without_ptx.clone(), found.options)
    };
    let text = linking::link(&modules, &without_ptx, &options).inspect_err(|cause| {
        // SAFETY: the interface has the caller keep its buffers as long as the link lives.
        unsafe { write_log(options.error, &format!("error   : {cause}")) };
    })?;
    // SAFETY: as above.
    unsafe { write_log(options.info, &format!("info    : simulator: {} modules linked as PTX", modules.len())) };
    let mut driver = state::lock();
    let found = driver.links.get_mut(link as usize)?;
    let kept = found.image.insert(format!("{text}\0").into_bytes().into_boxed_slice());
    let (at, length) = (kept.as_mut_ptr(), kept.len());
    // SAFETY: the caller's pointers; the second may be null.
    unsafe {
        out_if_wanted(bytes, length);
        out("cubinOut", image, at.cast())
    }
}

pub fn cuLinkDestroy(link: Raw) -> Outcome {
    let mut driver = state::started()?;
    driver.links.remove(link as usize).map(|_| ())
}

forward! {
    cuLinkAddData_v2(link, kind, data, bytes, name, _, _, _) => add_data(link, kind, data, bytes, name);
    cuLinkAddFile_v2(link, kind, path, _, _, _) => add_file(link, kind, path);
}
