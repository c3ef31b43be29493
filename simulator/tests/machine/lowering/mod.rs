//! NVRTC's output for several architectures, through the parser and the lowerer.
//!
//! `tests/fixtures/NAME.cu` is the source, `NAME.sm_XX.ptx.z` what NVRTC 12.9 (13.0 for sm_100) makes of it, and `NAME.flat`
//! what the sm_90 text is lowered to. `LABS_WRITE=1` writes the last one anew.
mod pointers;
mod rows;
mod shared_arrays;
mod shared_layout;

use simulator::exec::executable::Executable;
use simulator::exec::op::Level;
use simulator::exec::op::Op;
use simulator::isa;
use simulator::lower::{Options, Reason, Refused, Tier, lower};
use simulator::program::{End, Function, Program};
use simulator::ptx::{self, tree::Statement};
use std::fmt::Write;
use std::path::PathBuf;

const SOURCES: &[&str] = &["control", "spaces", "warp"];
const ARCHITECTURES: &[&str] = &["50", "90", "100", "120"];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn text(name: &str, architecture: &str) -> String {
    let path = fixture(&format!("{name}.sm_{architecture}.ptx.z"));
    kernels::read_ptx(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// Parses a text, and lowers it with all variables at one address.
fn lowered(text: &str, tier: Tier) -> Result<Executable, Vec<Refused>> {
    let module = ptx::parse(text).unwrap_or_else(|error| panic!("{error}"));
    lower(&module, &Options { addresses: &|_| Some(VARIABLES), tier, level: Level::Base })
}

const VARIABLES: u64 = 0x1000;

fn refused(text: &str) -> Vec<Refused> {
    lowered(text, Tier::Bare).err().unwrap_or_default()
}

fn program(text: &str) -> Executable {
    lowered(text, Tier::Bare).unwrap_or_else(|refused| panic!("{refused:#?}"))
}

/// Blocks, their instructions and their ends, without rows: what a person checks against the source.
fn listing(program: &Program) -> String {
    let mut out = String::new();
    for function in program.functions.iter() {
        function_listing(&mut out, function);
    }
    out
}

fn function_listing(out: &mut String, function: &Function) {
    let kind = if function.is_entry { "entry" } else { "function" };
    let slots = |slots: &[simulator::program::Slot]| {
        slots.iter().map(|slot| format!("{}+{}", slot.offset, slot.bytes)).collect::<Vec<_>>().join(" ")
    };
    writeln!(
        out,
        "{kind} {} ({}) -> ({}) shared {} local {}{}{}",
        function.name,
        slots(&function.parameters),
        slots(&function.returns),
        function.shared_bytes,
        function.local_bytes,
        if function.order_matters { " ordered" } else { "" },
        if function.reads_envreg { " waits" } else { "" },
    )
    .unwrap();
    for (i, block) in function.blocks.iter().enumerate() {
        write!(out, "  b{i}").unwrap();
        for site in &function.sites[block.sites.start as usize..block.sites.end as usize] {
            let line = if site.at.inlined_at != 0 { site.at.inlined_at } else { site.at.line };
            write!(out, " {}:{}", line, site.text).unwrap();
        }
        let rejoin = block.rejoin.map_or(String::new(), |rejoin| format!(", meet b{}", rejoin.0));
        writeln!(out, "\n    {}{rejoin}", end(&block.end)).unwrap();
    }
}

fn end(end: &End) -> String {
    match end {
        End::Jump(next) => format!("-> b{}", next.0),
        End::Branch { taken, next, negated, .. } => {
            format!("{} b{} else b{}", if *negated { "unless" } else { "if" }, taken.0, next.0)
        }
        End::Switch { targets, .. } => {
            format!("switch {}", targets.iter().map(|target| format!("b{}", target.0)).collect::<Vec<_>>().join(" "))
        }
        End::Exit => "exit".into(),
        End::Return => "return".into(),
        End::Trap => "trap".into(),
        End::Fall => "end".into(),
        End::Call(call) => {
            format!("call {:?} {:?} {:?} -> b{}", call.target, call.arguments, call.returns, call.next.0)
        }
        End::Barrier(barrier) => format!("barrier {:?} -> b{}", barrier.kind, barrier.next.0),
        End::Cluster { waits, next, .. } => {
            format!("cluster {} -> b{}", if *waits { "wait" } else { "arrive" }, next.0)
        }
        End::Converge { members, next, .. } => {
            format!("converge {} -> b{}", if members.is_some() { "members" } else { "all" }, next.0)
        }
    }
}

#[test]
fn flat_code_is_as_committed() {
    for name in SOURCES {
        let got = listing(&program(&text(name, "90")));
        let path = fixture(&format!("{name}.flat"));
        if std::env::var_os("LABS_WRITE").is_some() {
            std::fs::write(&path, &got).unwrap();
        }
        let want = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(got, want, "{}: look at the difference; LABS_WRITE=1 accepts it", path.display());
    }
}

#[test]
fn every_architecture_is_lowered_and_numbered_consistently() {
    for name in SOURCES {
        for architecture in ARCHITECTURES {
            let program = program(&text(name, architecture));
            assert!(program.target.ends_with(architecture));
            let source = format!("simulator/tests/fixtures/{name}.cu");
            assert!(program.files.contains(&source), "{:?}", program.files);
            for (function, ops) in program.functions.iter().zip(&program.ops) {
                consistent(function, ops);
            }
        }
    }
}

/// The properties that the executor relies on without checking again.
fn consistent(function: &Function, ops: &[Op]) {
    assert_eq!(function.frame_bytes % 64, 0);
    let inside = |row: simulator::exec::op::Row| assert!(row.0 < function.frame_bytes, "{row:?}");
    let mut sites = 0;
    for block in &function.blocks {
        assert_eq!(block.sites.start, sites, "sites are numbered block after block");
        sites = block.sites.end;
        let successors = match &block.end {
            End::Jump(next) | End::Converge { next, .. } | End::Cluster { next, .. } => vec![*next],
            End::Branch { taken, next, when, .. } => {
                inside(*when);
                vec![*taken, *next]
            }
            End::Switch { targets, .. } => targets.clone(),
            End::Call(call) => vec![call.next],
            End::Barrier(barrier) => vec![barrier.next],
            End::Exit | End::Return | End::Trap | End::Fall => vec![],
        };
        assert!(successors.iter().chain(&block.rejoin).all(|block| (block.0 as usize) < function.blocks.len()));
        assert!(block.ops.start <= block.ops.end && block.ops.end as usize <= ops.len());
        assert!((block.site as usize) < function.sites.len());
    }
    for op in ops {
        [op.dst, op.a, op.b, op.c, op.guard].into_iter().for_each(inside);
        assert!((op.site as usize) < function.sites.len());
        assert!(op.more as usize <= function.rows.len());
    }
    function.rows.iter().copied().for_each(inside);
    for constant in &function.constants {
        inside(constant.row);
        let bytes = if constant.bytes == 0 { 4 } else { 32 * u32::from(constant.bytes) };
        assert!(constant.row.0 + bytes <= function.frame_bytes);
    }
}

#[test]
fn every_instruction_of_the_text_has_its_line() {
    let text = text("control", "90");
    let module = ptx::parse(&text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut instructions = 0;
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for statement in &body.statements {
            if let Statement::Instruction(instruction) = statement {
                let opcode = module.opcodes[instruction.opcode.0 as usize].printed().to_string();
                let line = lines[instruction.at.ptx_line as usize - 1];
                assert!(line.contains(&opcode), "line {}: {line} has no {opcode}", instruction.at.ptx_line);
                assert_ne!(instruction.at.line, 0, "{line}");
                instructions += 1;
            }
        }
    }
    let semicolons = text.lines().filter(|line| line.starts_with('\t') || line.starts_with('@')).filter(|line| {
        let line = line.trim();
        line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//")
    });
    assert!(instructions > 100 && instructions >= semicolons.count() - 10, "{instructions}");
}

#[test]
fn all_that_is_not_modelled_is_named_at_once_each_with_its_first_line() {
    let text = ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\n\
        .loc 1 7 1\nmultimem.red.relaxed.sys.global.add.u32 [%d0], %r1;\n\
        .loc 1 9 1\nmultimem.red.relaxed.sys.global.add.u32 [%d0], %r2;\n\
        tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;\nret;\n}\n";
    let refused = refused(text);
    let named: Vec<_> = refused.iter().map(|r| (r.instruction.split('.').next().unwrap(), r.location.line)).collect();
    assert_eq!(named, [("multimem", 7), ("tensormap", 9)]);
    assert!(refused.iter().all(|refused| refused.reason == Reason::NotModelled && refused.function == "k"));
}

/// The files of `tests/forms` hold forms that ptxas 13.0 takes for their targets, with one for each row of the table that lacks any.
#[test]
fn what_is_not_computed_of_valid_forms_is_not_modelled_and_no_fault_of_the_kernel() {
    let mut seen = Vec::new();
    for target in ["sm_90a", "sm_100a", "sm_120a"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/forms/{target}.ptx"));
        let text = std::fs::read_to_string(path).unwrap();
        let refused = refused(&text);
        assert!(!refused.is_empty(), "{target}: all of it is computed");
        let blamed: Vec<_> = refused.iter().filter(|refused| refused.reason != Reason::NotModelled).collect();
        assert!(blamed.is_empty(), "{target}: {blamed:#?}");
        seen.extend(refused.into_iter().map(|refused| refused.instruction));
    }
    let row = |opcode: &String| isa::row(isa::find(opcode).unwrap().0).name;
    let lacks = |row: &&isa::Definition| row.operands == isa::Operands::Unmodelled || !row.unmodelled.is_empty();
    for lacking in isa::INSTRUCTIONS.iter().filter(lacks) {
        assert!(seen.iter().any(|opcode| row(opcode) == lacking.name), "no form of `{}` is shown", lacking.name);
    }
}

/// A sample of the forms that `docs/measurements/forms.py` asks ptxas 13.0 for: we take and refuse them as it does, but for those in
/// `differing.txt`, where `+` is one that it takes and is called the kernel's fault here, `-` one that it refuses and is taken here.
#[test]
fn what_ptxas_refuses_is_refused() {
    const KINDS: &str = "p pred, bb b8, hb b16, hu u16, hs s16, hf f16, rb b32, ru u32, rs s32, rf f32, rh f16x2, db b64, du u64, ds s64, df f64, qb b128";
    let declared = |kind: &str| kind.split_once(' ').map(|(name, ty)| format!(".reg .{ty} {name}<9>; "));
    let registers: String = KINDS.split(", ").filter_map(declared).collect();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/forms/answers.ptx.z");
    let answers = kernels::read_ptx(&path).unwrap();
    let (mut head, mut target, mut differing, mut count) = (String::new(), "", String::new(), 0);
    for line in answers.lines() {
        let Some((sign, form)) = line.split_once(' ').filter(|(sign, _)| matches!(*sign, "+" | "-")) else {
            let version;
            (version, target) = line.split_once(' ').unwrap();
            head =
                format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ {registers}\n");
            continue;
        };
        count += 1;
        let text = format!("{head}{form}\nret;\n}}\n");
        let reasons = ptx::parse(&text).ok().map(|_| refused(&text));
        let is_taken = reasons.as_ref().is_some_and(Vec::is_empty);
        let is_unmodelled = reasons.iter().flatten().any(|refused| refused.reason == Reason::NotModelled);
        if is_taken == (sign == "-") && !is_unmodelled {
            writeln!(differing, "{sign} {target} {form}").unwrap();
        }
    }
    assert!(count > 25_000, "{count}");
    let path = path.with_file_name("differing.txt");
    if std::env::var_os("LABS_WRITE").is_some() {
        std::fs::write(&path, &differing).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(differing, want, "{}: look at the difference; LABS_WRITE=1 accepts it", path.display());
}

/// Each kernel of the file has one fault of this kind, except one that is right: a vector of results thrown away.
#[test]
fn registers_that_do_not_fit_their_places_are_refused() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mangled/vectors_of_other_lengths.ptx");
    let text = std::fs::read_to_string(path).unwrap();
    let refused = refused(&text);
    let mut functions: Vec<&str> = refused.iter().map(|refused| refused.function.as_str()).collect();
    functions.sort_unstable();
    assert_eq!(functions, ["k0", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"], "{refused:#?}");
    assert!(refused.iter().all(|refused| refused.reason == Reason::Operands), "{refused:#?}");
}

/// Instructions that the module's version or target lacks are refused, as the compiler that turns PTX into machine code refuses them.
#[test]
fn instructions_that_the_module_may_not_use_are_refused() {
    let refused = |version: &str, target: &str, instruction: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{\n.reg .b16 %h<4>; .reg .b32 %r<9>; \
             .reg .b64 %d; .reg .pred %p;\n{instruction}\nret;\n}}\n"
        );
        self::refused(&text).into_iter().next().map(|refused| refused.reason)
    };
    for (version, target, instruction, reason) in [
        ("7.0", "sm_75", "redux.sync.add.s32 %r0, %r1, -1;", Some(Reason::NeedsTarget(80))),
        ("6.5", "sm_80", "redux.sync.add.s32 %r0, %r1, -1;", Some(Reason::NeedsVersion((7, 0)))),
        ("7.0", "sm_80", "redux.sync.add.s32 %r0, %r1, -1;", None),
        ("7.8", "sm_80", "add.rn.bf16 %h0, %h1, %h2;", Some(Reason::NeedsTarget(90))),
        ("7.8", "sm_90a", "add.rn.bf16 %h0, %h1, %h2;", None),
        ("7.0", "sm_80", "fma.rn.bf16 %h0, %h1, %h2, %h3;", None),
        ("6.0", "sm_70", "mov.u32 %r0, %clusterid.x;", Some(Reason::NeedsVersion((7, 8)))),
        ("8.0", "sm_80", "add.u32 %r0, %clusterid.x, 1;", Some(Reason::NeedsTarget(90))),
        ("5.0", "sm_60", "bar.sync 0;", None),
        ("8.0", "sm_61", "bar.warp.sync -1;", None),
        ("5.0", "sm_60", "@%p shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;", Some(Reason::NeedsVersion((6, 0)))),
    ] {
        assert_eq!(refused(version, target, instruction), reason, "{version} {target} {instruction}");
    }
}
