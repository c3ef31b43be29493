//! The registers of a random PTX function: what they are called, what they begin with, and how they are left.
use super::{DOUBLES, HALVES, OWN_BYTES, PREDICATES, WORDS};
use crate::kernel::Twin;
use std::fmt::Write;

/// PTX's declarations.
pub fn registers() -> String {
    format!(
        ".reg .b16 %h<{HALVES}>, %zh;\n.reg .b32 %r<{WORDS}>, %n<3>, %c<3>, %zr, %t, %t2, %own, %full, %mask;\n.reg .b64 %d<{DOUBLES}>, %zd, %in, %out, %meet, %address, %base;\n.reg .pred %p<{PREDICATES}>, %pn, %pl;\n"
    )
}

/// The same in C++.
pub fn declarations() -> String {
    let list =
        |letter: char, count: usize| (0..count).map(|i| format!("{letter}{i} = 0")).collect::<Vec<_>>().join(", ");
    format!(
        "u16 {}, zh;\nu32 {}, {}, {}, zr, t = 0, full, mask;\nu64 {}, zd;\nbool {}, cc = false;\n",
        list('h', HALVES),
        list('r', WORDS),
        list('n', 3),
        list('c', 3),
        list('d', DOUBLES),
        list('p', PREDICATES)
    )
}

/// The first values of the other registers. `d0` to `d7`, or in a function `r0` and `d0`, hold values already.
pub fn fill(entry: bool) -> Twin {
    let mut twin = Twin::default();
    let mut both = |device: String, host: String| {
        twin.device.push_str(&device);
        twin.device.push('\n');
        twin.host.push_str(&host);
        twin.host.push('\n');
    };
    if !entry {
        for i in 1..DOUBLES {
            both(
                format!("mad.lo.u64 %d{i}, %d{}, 6364136223846793005, {i};", i - 1),
                format!("d{i} = d{} * 6364136223846793005ull + {i};", i - 1),
            );
        }
    }
    for i in usize::from(!entry)..WORDS {
        let (from, shift) = (i % DOUBLES, if i < DOUBLES { 0 } else { 32 });
        both(
            format!("shr.u64 %address, %d{from}, {shift};\ncvt.u32.u64 %r{i}, %address;"),
            format!("r{i} = (u32)(d{from} >> {shift});"),
        );
    }
    for i in 0..HALVES {
        both(format!("cvt.u16.u32 %h{i}, %r{i};"), format!("h{i} = (u16)r{i};"));
    }
    for (i, mask) in [31, 63, 127].into_iter().enumerate() {
        both(format!("and.b32 %n{i}, %r{i}, {mask};"), format!("n{i} = r{i} & {mask};"));
    }
    for i in 0..PREDICATES {
        both(format!("setp.lt.s32 %p{i}, %r{i}, %r{};", i + 1), format!("p{i} = (i32)r{i} < (i32)r{};", i + 1));
    }
    for i in 0..3 {
        both(format!("mov.b32 %c{i}, 0;"), format!("c{i} = 0;"));
    }
    both("and.b16 %zh, %h1, 32766;\nor.b16 %zh, %zh, 1;".into(), "zh = (u16)((h1 & 32766) | 1);".into());
    both("shr.u32 %zr, %r2, 1;\nor.b32 %zr, %zr, 1;".into(), "zr = r2 >> 1 | 1;".into());
    both("shr.u64 %zd, %d3, 1;\nor.b64 %zd, %zd, 1;".into(), "zd = d3 >> 1 | 1;".into());
    let zero = (0..OWN_BYTES / 8).map(|i| format!("st.local.b64 [own_local+{}], %d0;", 8 * i)).collect::<Vec<_>>();
    both(zero.join("\n"), format!("for (t = 0; t < {}; ++t) ((u64 *)own_local)[t] = d0;", OWN_BYTES / 8));
    if entry {
        let zero = (0..OWN_BYTES / 8).map(|i| format!("st.shared.b64 [%own+{}], %d1;", 8 * i)).collect::<Vec<_>>();
        both(zero.join("\n"), format!("for (t = 0; t < {}; ++t) ((u64 *)own_shared)[t] = d1;", OWN_BYTES / 8));
    }
    twin
}

/// Leaves all registers.
pub fn tail() -> Twin {
    let mut twin = Twin::default();
    let mut at = 0;
    let mut store = |letter: char, i: usize, bits: usize| {
        let _ = writeln!(twin.device, "st.global.b{bits} [%out+{at}], %{letter}{i};");
        let _ = writeln!(twin.host, "memcpy((u8 *)out + {at}, &{letter}{i}, {});", bits / 8);
        at += bits / 8;
    };
    (0..DOUBLES).for_each(|i| store('d', i, 64));
    (0..WORDS).for_each(|i| store('r', i, 32));
    (0..HALVES).for_each(|i| store('h', i, 16));
    let _ = writeln!(twin.device, "mov.b32 %t, 0;");
    let _ = writeln!(twin.host, "t = 0;");
    for i in 0..PREDICATES {
        let _ = writeln!(twin.device, "@%p{i} or.b32 %t, %t, {};", 1 << i);
        let _ = writeln!(twin.host, "if (p{i}) t |= {};", 1 << i);
    }
    let at = 8 * DOUBLES + 4 * WORDS + 2 * HALVES;
    let _ = writeln!(twin.device, "st.global.b32 [%out+{at}], %t;\nret;\n}}");
    let _ = writeln!(twin.host, "memcpy((u8 *)out + {at}, &t, 4);\n}}");
    twin
}

/// Another register of the same width. A number stays what it is.
pub fn other_register(name: &str) -> String {
    let Some((letter, number)) =
        name.split_at_checked(1).and_then(|(letter, n)| Some((letter, n.parse::<usize>().ok()?)))
    else {
        return name.to_owned();
    };
    let count = match letter {
        "h" => HALVES,
        "r" => WORDS,
        _ => DOUBLES,
    };
    format!("{letter}{}", (number + 1) % count)
}
