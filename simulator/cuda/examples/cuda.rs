//! Lists the functions of the driver with an argument of some type: `cargo run -p cuda --example cuda -- AllocationProperties`.
//! Shows how rows become data: a macro takes them, and gives the arguments of each to another.
use cuda::result::{driver_words, runtime_words};

/// One function of the table.
struct Function {
    name: &'static str,
    arguments: &'static [(&'static str, &'static str)],
    others: &'static [&'static str],
}

macro_rules! list {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            arguments: arguments!($arguments),
            others: &[$($(stringify!($other)),*)?],
        }),*];
    };
}
macro_rules! arguments {
    (($($argument:ident: $type:ty),*)) => { &[$((stringify!($argument), stringify!($type))),*] };
}
cuda::functions!(list);

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "MemoryLocation".to_owned());
    for function in FUNCTIONS {
        if function.arguments.iter().any(|(_, of)| of.contains(&wanted)) {
            let arguments: Vec<_> = function.arguments.iter().map(|(name, of)| format!("{name}: {of}")).collect();
            println!("{}({})", function.name, arguments.join(", "));
            function.others.iter().for_each(|other| println!("    also {other}"));
        }
    }
    let code = cuda::CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32;
    let names = [driver_words(code), runtime_words(code)].map(|found| found.expect("a number of both").0);
    println!("of {} functions; {code} is {names:?}", FUNCTIONS.len());
}
