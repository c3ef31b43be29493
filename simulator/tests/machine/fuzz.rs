//! Mangled PTX must end in a module or in a message, never in a panic, and in time that its length bounds. What is lowered
//! must run to its end or to a fault.
//!
//! Real NVRTC output is cut, repeated, spliced and misspelt. What once broke stays in `tests/mangled/`, one file each;
//! `PROPTEST_CASES=100000 cargo test -p simulator --test machine fuzz` looks for more.
use proptest::prelude::*;
use simulator::counters::Counters;
use simulator::exec::context::Facts;
use simulator::exec::launch::{Request, Settings, run};
use simulator::exec::op::Level;
use simulator::lower::{Options, Tier, lower};
use simulator::memory::{Kind, Memory};
use simulator::probe::Probe;
use simulator::program::FunctionId;
use simulator::ptx;
use std::path::Path;

/// The PTX of every file of a folder, packed or not, by name.
fn texts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is committed") {
        let path = entry.expect("readable").path();
        let name = path.display().to_string();
        if name.ends_with(".ptx.z") {
            texts.push((name, kernels::read_ptx(&path).expect("whole")));
        } else if name.ends_with(".ptx") {
            let bytes = std::fs::read(&path).expect("readable");
            texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    texts.sort();
    texts
}

/// Parses and lowers, which both may refuse, and runs what was not refused.
fn digest(text: &str) {
    let Ok(module) = ptx::parse(text) else { return };
    let memory = Memory::new(1 << 26).expect("address space");
    let data = memory.allocate(1 << 16, Kind::Device, "data").expect("memory");
    for tier in [Tier::Bare, Tier::Probed] {
        let options = Options { addresses: &|_| Some(data), tier, level: Level::detect() };
        let Ok(program) = lower(&module, &options) else { continue };
        let probe =
            || -> Option<Box<dyn Probe>> { (tier == Tier::Probed).then(|| Box::new(Counters::new(4, 32)) as _) };
        for (index, function) in program.functions.iter().enumerate().filter(|(_, function)| function.is_entry) {
            // Whatever is as wide as a pointer is one, the rest are small numbers.
            let mut parameters = vec![0; function.parameter_bytes.min(1 << 12) as usize];
            for slot in &function.parameters {
                let value = if slot.bytes == 8 { data } else { 5 };
                let start = (slot.offset as usize).min(parameters.len());
                let place = &mut parameters[start..];
                let bytes = value.to_le_bytes();
                let length = place.len().min(bytes.len()).min(slot.bytes as usize);
                place[..length].copy_from_slice(&bytes[..length]);
            }
            let settings = Settings { budget: 3_000, threads: 1, heap_bytes: 1 << 16, ..Settings::default() };
            let request = Request {
                function: FunctionId(index as u32),
                dynamic_shared_bytes: 256,
                cooperative: function.reads_envreg,
                settings,
                resident_blocks: 2,
                facts: Facts { multiprocessors: 2, warps_per_multiprocessor: 48, ..Facts::default() },
                ..Request::new(&program, &memory, ([2, 1, 1], [40, 1, 1]), &parameters)
            };
            // As the driver does: more shared memory than a device has is refused before a launch.
            if function.shared_bytes <= 1 << 18 && function.parameter_bytes <= 1 << 12 {
                let _ = run(&request, probe());
            }
        }
    }
}

/// One change to a text, by positions in thousandths of its length.
#[derive(Clone, Debug)]
enum Change {
    Cut(u16, u8),
    Repeat(u16, u8),
    Byte(u16, u8),
    Insert(u16, &'static str),
    /// Copies a run from one place to another.
    Splice(u16, u16, u8),
    /// Replaces one number.
    Number(u16, u64),
    Truncate(u16),
    /// Drops a whole line, or exchanges it with another.
    DropLine(u16),
    SwapLines(u16, u16),
    /// Replaces the next type, register or modifier: the text stays well formed, and means something else.
    Type(u16, &'static str),
    Register(u16, &'static str),
    Opcode(u16, &'static str),
}

const TYPES: &str = ".pred .b8 .u8 .s16 .b16 .u32 .s32 .b64 .f16 .f16x2 .bf16 .f32 .f64 .b128 .v2.u32 .wide.s16 .v4.f32 .v8.b8 \
    .ftz.f32 .sat.s32 .rn.f64 .tf32 .e4m3x2 .u16x2";
const REGISTERS: &str = "%r1 | %rd1 | %rs1 | %f1 | %fd1 | %p1 | %tid.x | %clock64 | %envreg1 | _ | !%p1 | 12 | 0f3F800000 | {%r1, %r2} | \
    [%rd1] | %SP";
const OPCODES: &str = "add mul.wide mad.lo fma.rn setp.lt selp mov cvt cvt.rni ld.global ld.shared.v2 st.local st.param atom.global.add \
    atom.cas red.shared.max shfl.sync.bfly vote.sync.all match.any.sync bar.sync bar.red.popc \
    mma.sync.aligned.m16n8k16.row.col ldmatrix.sync.aligned.m8n8.x4.shared cp.async.ca.shared.global prmt lop3 bfi \
    brx.idx call ret isspacep.shared cvta.to.shared mbarrier.arrive.shared sin.approx dp4a shf.l.wrap elect.sync \
    redux.sync.add activemask div.full set.eq slct";

/// Pieces of text that open, close or count something, two spaces apart: they are worth inserting.
const PIECES: &str = "{  }  (  )  [  ]  <  >  ;  ,  :  @  !  |  _  %r1  %rd1  %p1  %tid.x  0f3F800000  0d  0x  -  +  1<<  ?  /*  \
    //  \"  \0  .  ..  ::  .reg .b32 %r<99999999>;  .reg .pred %p1;  .param .b8 x[4294967295];  \
    .local .align 8 .b8 y[524288];  bra L;  L:  call (x), y, (z);  bar.sync 0;  ret;  \
    shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;  wgmma.fence;  .align 3  é  .shared .b32 s[1073741824];  \
    ld.global.v4.f32 {_, _, _, _}, [%rd1+-8];  .branchtargets L;  .loc 1 1 1, function_name f, inlined_at 1 1 1\n  @!%p1 ";

fn words(text: &'static str, between: &str) -> prop::sample::Select<&'static str> {
    prop::sample::select(text.split(between).collect::<Vec<_>>())
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        1 => (0..1000u16, any::<u8>()).prop_map(|(at, length)| Change::Cut(at, length)),
        1 => (0..1000u16, any::<u8>()).prop_map(|(at, length)| Change::Repeat(at, length)),
        1 => (0..1000u16, 32..127u8).prop_map(|(at, byte)| Change::Byte(at, byte)),
        1 => (0..1000u16, words(PIECES, "  ")).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => (0..1000u16, 0..1000u16, any::<u8>()).prop_map(|(from, to, length)| Change::Splice(from, to, length)),
        1 => (0..1000u16, any::<u64>()).prop_map(|(at, number)| Change::Number(at, number)),
        1 => (0..1000u16).prop_map(Change::Truncate),
        1 => (0..1000u16).prop_map(Change::DropLine),
        1 => (0..1000u16, 0..1000u16).prop_map(|(one, other)| Change::SwapLines(one, other)),
        3 => (0..1000u16, words(TYPES, " ")).prop_map(|(at, ty)| Change::Type(at, ty)),
        3 => (0..1000u16, words(REGISTERS, " | ")).prop_map(|(at, register)| Change::Register(at, register)),
        3 => (0..1000u16, words(OPCODES, " ")).prop_map(|(at, opcode)| Change::Opcode(at, opcode)),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let place = |at: u16, length: usize| usize::from(at) * length / 1000;
    let run = |text: &[u8], at: u16, length: u8| {
        let start = place(at, text.len());
        start..(start + usize::from(length)).min(text.len())
    };
    match *change {
        Change::Cut(at, length) => drop(text.drain(run(text, at, length))),
        Change::Repeat(at, length) => {
            let range = run(text, at, length);
            let copy = text[range.clone()].to_vec();
            text.splice(range.start..range.start, copy);
        }
        Change::Byte(at, byte) => {
            let at = place(at, text.len());
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
        Change::Insert(at, piece) => {
            let at = place(at, text.len());
            text.splice(at..at, piece.bytes());
        }
        Change::Splice(from, to, length) => {
            let copy = text[run(text, from, length)].to_vec();
            let to = place(to, text.len());
            text.splice(to..to, copy);
        }
        Change::Number(at, number) => {
            let from = place(at, text.len());
            let start = text[from..].iter().position(u8::is_ascii_digit).map_or(text.len(), |skip| from + skip);
            let length = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            text.splice(start..start + length, number.to_string().into_bytes());
        }
        Change::Type(at, ty) => {
            replace(text, at, |rest| rest[0] == b'.' && rest[1..].iter().take(3).any(u8::is_ascii_digit), ty)
        }
        Change::Register(at, register) => replace(text, at, |rest| rest[0] == b'%', register),
        Change::Opcode(at, opcode) => {
            replace(text, at, |rest| rest[0].is_ascii_lowercase() && rest.contains(&b'.'), opcode)
        }
        Change::Truncate(at) => text.truncate(place(at, text.len())),
        Change::DropLine(at) => lines(text, |lines| drop(lines.remove(place(at, lines.len())))),
        Change::SwapLines(one, other) => lines(text, |lines| {
            let (one, other) = (place(one, lines.len()), place(other, lines.len()));
            lines.swap(one, other);
        }),
    }
}

/// Replaces the next word that begins as told, up to its end or its next dot.
fn replace(text: &mut Vec<u8>, at: u16, begins: impl Fn(&[u8]) -> bool, with: &str) {
    let from = usize::from(at) * text.len() / 1000;
    let Some(start) = (from..text.len().saturating_sub(16)).find(|&i| begins(&text[i..i + 16])) else { return };
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let length = 1 + text[start + 1..].iter().take_while(|b| word(b)).count();
    text.splice(start..start + length, with.bytes());
}

fn lines(text: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    *text = lines.join(&b'\n');
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mangled_modules_are_refused_or_lowered(which in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..8)) {
        let texts = texts("fixtures");
        let mut text = which.get(&texts).1.clone().into_bytes();
        for change in &changes {
            apply(&mut text, change);
        }
        digest(&String::from_utf8_lossy(&text));
    }

    #[test]
    fn pieces_in_any_order_are_refused(pieces in prop::collection::vec(words(PIECES, "  "), 0..60)) {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n";
        digest(&format!("{head}{}\n}}", pieces.join(" ")));
        digest(&pieces.join(" "));
    }
}

#[test]
fn what_once_broke_is_mended() {
    let texts = texts("mangled");
    assert!(!texts.is_empty());
    for (name, text) in texts {
        println!("{name}");
        digest(&text);
    }
}

/// Texts made to be slow: each must take time in proportion to its length, so a budget far beyond any machine's noise.
#[test]
fn time_is_bounded_by_the_length() {
    let body = |text: String| {
        format!(".version 8.0\n.target sm_80\n.visible .entry k() {{\n.reg .b32 %r<9>; .reg .pred %p<9>;\n{text}\n}}")
    };
    let many = 20_000;
    let hostile = [
        "{".repeat(many),
        body("{".repeat(many)),
        body("{ .reg .b32 x; ".repeat(200) + &"}".repeat(200)),
        body((0..many).map(|i| format!("L{i}: @%p1 bra L{};\n", (i * 7919) % many)).collect()),
        body((0..many).map(|i| format!("L{i}: @%p1 bra L0;\n")).collect()),
        body(
            (0..many).rev().map(|i| format!("@%p1 bra M{i};\n")).collect::<String>()
                + &(0..many).map(|i| format!("M{i}:\n")).collect::<String>(),
        ),
        body((0..many).map(|i| format!(".reg .b32 x{i}; mov.b32 x{i}, x{};\n", i / 2)).collect()),
        body(format!("mov.b32 %r1, {}1;", "(".repeat(many))),
        body(format!("mov.b32 %r1, {}1;", "1+".repeat(many))),
        body(format!("mov.b64 {{{}}}, %r1;", "%r1,".repeat(many))),
        format!(".version 8.0\n.target sm_80\n.global .b8 x[] = {};", "{".repeat(many)),
        format!(".version 8.0\n.target sm_80\n.global .b8 x[4000000000] = {{{}}};", "{1},".repeat(many)),
        ".version 8.0 ".to_string() + &"/*".repeat(many),
    ];
    for text in hostile {
        digest(&text);
    }
}
