//! Operations that the host computes in the card's memory, which is the process's own under `sim`: those of cuSOLVER and cuSPARSE. Numbers are
//! computed as complex `f64` and rounded to their type at the end. An answer is work of its stream, and the driver is told what it touched.
use crate::device::enter;
use crate::failure::{Failure, Outcome, call};
use crate::handle::{Handle, kind, scalar, state};
use cuda::extension::Range;
use nalgebra::{Complex, DMatrix};
use std::ffi::{CString, c_int, c_void};
use std::io::Write;

/// A number of any type.
pub type C = Complex<f64>;
/// A matrix of them.
pub type Numbers = DMatrix<C>;

/// One call that is answered.
pub struct Answer {
    name: &'static str,
    /// The caller's handle: the first argument, whatever it is.
    pub handle: Handle,
    /// The `cudaDataType` of elements.
    pub kind: c_int,
    /// True where an element may be unwritten: those of a triangle that nobody reads.
    pub is_triangle: bool,
    touched: Vec<Range>,
    multiply_adds: u64,
    has_begun: bool,
}

/// Answers the function of that name.
pub fn answer(
    name: &'static str,
    kind: c_int,
    handle: Handle,
    number: fn(&Failure) -> c_int,
    body: impl FnOnce(&mut Answer) -> Outcome,
) -> c_int {
    let mut own =
        Answer { name, handle, kind, is_triangle: false, touched: Vec::new(), multiply_adds: 0, has_begun: false };
    call(name, number, || body(&mut own).and_then(|()| own.end()))
}

impl Answer {
    /// Does what the stream holds, before anything is read.
    pub fn begin(&mut self) -> Outcome {
        let (driver, _) = enter()?;
        if !self.has_begun {
            // SAFETY: the stream that the caller gave.
            unsafe { driver.labs_sim_before_answer(state(self.handle)?.stream())? };
            self.has_begun = true;
        }
        Ok(())
    }

    /// Hands the answer to the stream, and counts it for `sim`.
    fn end(&self) -> Outcome {
        if !self.has_begun {
            return Ok(());
        }
        let (driver, _) = enter()?;
        let name = CString::new(self.name).map_err(|_| Failure::Invalid)?;
        let (ranges, count) = (self.touched.as_ptr(), self.touched.len() as u64);
        // SAFETY: the caller's stream, a text that ends in NUL, and as many ranges.
        unsafe {
            driver.labs_sim_answered(state(self.handle)?.stream(), name.as_ptr(), ranges, count, self.multiply_adds)?;
        }
        if let Some(folder) = std::env::var_os("LABS_SIM_REFUSALS") {
            let path = std::path::Path::new(&folder).join(format!("answered-{}", std::process::id()));
            // Where the folder is gone, so is its reader.
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let _ = file.and_then(|mut file| writeln!(file, r#"{{"answered": ["{}", 1]}}"#, self.name));
        }
        Ok(())
    }

    /// Notes the columns of a matrix, which lie in an allocation as a whole.
    fn touch(&mut self, at: i64, kind: c_int, ld: i64, [rows, columns]: [i64; 2], is_written: bool) -> Outcome {
        refuse_if!(rows < 0 || columns < 0 || ld < rows.max(1), Failure::Invalid);
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        self.begin()?;
        let (bytes, (mut base, mut size)) = (kind::bytes(kind) as i64, (0, 0));
        let all = ((columns - 1) * ld + rows) * bytes;
        // SAFETY: places for two numbers.
        let found = unsafe { enter()?.0.cuMemGetAddressRange_v2(&mut base, &mut size, at as u64) };
        if found.is_err() || (at + all) as u64 > base + size as u64 {
            return Err(Failure::Lacking(format!("for {all} bytes at {at:#x}, which are in no allocation")));
        }
        let (run, runs) = if ld == rows { (rows * columns, 1) } else { (rows, columns) };
        let is_checked = u32::from(!is_written && !self.is_triangle);
        self.touched.extend((0..runs).map(|column| Range {
            address: (at + column * ld * bytes) as u64,
            bytes: (run * bytes) as u64,
            is_written: is_written.into(),
            is_checked,
        }));
        self.multiply_adds += (rows * columns * rows.min(columns)) as u64;
        Ok(())
    }

    /// A matrix of the card, column by column.
    pub fn matrix(&mut self, at: i64, ld: i64, size: [i64; 2]) -> Result<Numbers, Failure> {
        self.of_kind(self.kind, at, ld, size)
    }

    /// One of elements of that type.
    pub fn of_kind(&mut self, kind: c_int, at: i64, ld: i64, size: [i64; 2]) -> Result<Numbers, Failure> {
        self.touch(at, kind, ld, size, false)?;
        let element = |row: usize, column: usize| at as usize + (column * ld as usize + row) * kind::bytes(kind);
        let mut read = Numbers::zeros(size[0] as usize, size[1] as usize);
        for column in 0..read.ncols() {
            for row in 0..read.nrows() {
                // SAFETY: within an allocation of the simulated card, which is memory of this process.
                read[(row, column)] = unsafe { number(element(row, column) as *const c_void, kind)? };
            }
        }
        Ok(read)
    }

    /// Writes one.
    pub fn put(&mut self, at: i64, ld: i64, values: &Numbers) -> Outcome {
        self.put_kind(self.kind, at, ld, values)
    }

    /// Writes one of elements of that type.
    pub fn put_kind(&mut self, kind: c_int, at: i64, ld: i64, values: &Numbers) -> Outcome {
        self.touch(at, kind, ld, [values.nrows() as i64, values.ncols() as i64], true)?;
        for (place, value) in values.iter().enumerate() {
            let (row, column) = (place % values.nrows(), place / values.nrows());
            let to = (at as usize + (column * ld as usize + row) * kind::bytes(kind)) as *mut c_void;
            // SAFETY: as for reading.
            unsafe {
                match kind {
                    kind::F32 => to.cast::<f32>().write_unaligned(value.re as f32),
                    kind::F64 => to.cast::<f64>().write_unaligned(value.re),
                    kind::C32 => to.cast::<[f32; 2]>().write_unaligned([value.re as f32, value.im as f32]),
                    kind::C64 => to.cast::<[f64; 2]>().write_unaligned([value.re, value.im]),
                    kind::S32 => to.cast::<i32>().write_unaligned(value.re as i32),
                    kind::S64 => to.cast::<i64>().write_unaligned(value.re as i64),
                    _ => return Err(Failure::Lacking(format!("for elements of cudaDataType {kind}"))),
                }
            }
        }
        Ok(())
    }

    /// Numbers in a row.
    pub fn row(&mut self, kind: c_int, at: i64, count: i64) -> Result<Vec<C>, Failure> {
        Ok(self.of_kind(kind, at, count.max(1), [count, 1])?.as_slice().to_vec())
    }

    /// Whole numbers in a row.
    pub fn integers(&mut self, kind: c_int, at: i64, count: i64) -> Result<Vec<i64>, Failure> {
        Ok(self.row(kind, at, count)?.iter().map(|number| number.re as i64).collect())
    }

    /// Writes numbers in a row.
    pub fn put_row(&mut self, kind: c_int, at: i64, values: impl IntoIterator<Item = C>) -> Outcome {
        let values: Vec<C> = values.into_iter().collect();
        self.put_kind(kind, at, values.len().max(1) as i64, &Numbers::from_vec(values.len(), 1, values))
    }

    /// Writes whole numbers in a row.
    pub fn put_integers(&mut self, kind: c_int, at: i64, values: impl IntoIterator<Item = i64>) -> Outcome {
        self.put_row(kind, at, values.into_iter().map(|value| C::new(value as f64, 0.0)))
    }

    /// The type of a size.
    pub fn real(&self) -> c_int {
        match self.kind {
            kind::C32 => kind::F32,
            kind::C64 => kind::F64,
            own => own,
        }
    }
}

/// A number of that type.
///
/// # Safety
/// One is there.
pub unsafe fn number(at: *const c_void, kind: c_int) -> Result<C, Failure> {
    let read = unsafe { scalar(at, kind, false)? };
    Ok(C::new(read.value, read.imaginary))
}

/// Exports the functions of a table that are answered; after the rows, how their names begin and the method that numbers their failures.
macro_rules! answers {
    ($({ $($kind:ident $name:ident),* } $arguments:tt => $body:expr;)* ; $before:literal $number:ident) => {
        $($($crate::answer::export! { [$before $name] $kind $number $arguments $body })*)*
    };
}

macro_rules! export {
    ([$before:literal $name:ident] $kind:ident $number:ident ($own:ident $(, $argument:ident: $type:ident)*) $body:expr) => {
        const _: () = {
            #[unsafe(export_name = concat!($before, stringify!($name)))]
            unsafe extern "C" fn exported(handle: Handle, $($argument: $type),*) -> c_int {
                let name = concat!($before, stringify!($name));
                $crate::answer::answer(name, $crate::handle::kind::$kind, handle, Failure::$number, |$own| {
                    $(let $argument = i64::from($argument);)*
                    let _ = (&$own, $($argument,)*);
                    // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                    #[allow(unused_unsafe, clippy::macro_metavars_in_unsafe)]
                    unsafe { $body }
                })
            }
        };
    };
}

/// Exports the functions that ask for the size of a work area: none is needed, and a program may not like 0.
macro_rules! sizes {
    ($({ $($kind:ident $name:ident),* } $arguments:tt $sizes:tt;)* ; $before:literal) => {
        $($($crate::answer::size! { [$before $name] $arguments $sizes })*)*
    };
}

macro_rules! size {
    ([$before:literal $name:ident] ($($argument:ident: $type:ident),*) [$size:ident $(, $host:ident)?]) => {
        const _: () = {
            #[unsafe(export_name = concat!($before, stringify!($name)))]
            unsafe extern "C" fn exported(_handle: Handle, $($argument: $type,)* to: *mut $size $(, host: *mut $host)?) -> c_int {
                $(let _: $type = $argument;)*
                $(unsafe { host.write(1 as $host) };)?
                unsafe { to.write(1) };
                0
            }
        };
    };
}
pub(crate) use {answers, export, size, sizes};
