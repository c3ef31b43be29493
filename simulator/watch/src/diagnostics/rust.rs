//! Kernels in Rust: the names of its functions, panics told at the line that panicked, and advice in Rust's words.
use super::message::Message;
use super::source::lines::{Written, file, is_rust_library};
use super::source::names::rust_path;
use super::source::scene::Scene;
use machine::fault::{Call, Place};

/// Words for CUDA C++ and those for Rust, a line each, longer ones before those that they begin with.
const WORDS: &str = include_str!("rust_words.txt");

/// The functions of `core` that panic, by the ends of their paths: `path | words | next step`. `{0}` is the first argument.
const PANICS: &str = include_str!("rust_panics.txt");

/// The advice where the line of a panic is lost.
const WHICH_LINE: &str =
    "; where a kernel may panic at several lines, a panic handler that reads `info.location()` keeps which one it was";

/// The longest message of a panic that is read.
const LONGEST_MESSAGE: u64 = 400;

/// A text of this crate, for a source in Rust.
pub(super) fn in_rust(text: &str) -> String {
    let pairs = WORDS.lines().filter_map(|line| line.split_once(" => "));
    pairs.fold(text.to_owned(), |text, (words, in_rust)| text.replace(words, in_rust))
}

/// The words for a trap that ends a panic: at the last line outside of `core` that a call stands on. `None`: no call on the way panics.
pub(super) fn panic<'a>(scene: &Scene, kernel: &str, at: &'a Place, calls: &'a [Call]) -> Option<Message<'a>> {
    let name = |function: u32| rust_path(&scene.launch.program.functions.get(function as usize)?.name);
    let of_core = |function: u32| name(function).is_some_and(|name| is_of_core(&name));
    // The handler is the user's, so it lies between the trap and the first function of `core`.
    let mut inside = calls.iter().skip_while(|call| !of_core(call.called));
    let mut panicked: Option<(&Call, &str)> = None;
    let user = inside.find(|call| {
        let row = name(call.called).and_then(|name| PANICS.lines().find(|row| is_row(row, &name)));
        panicked = row.map(|row| (*call, row)).or(panicked);
        !of_core(call.at.function)
    });
    let (call, row) = panicked?;
    let [_, words, next] = row.split(" | ").collect::<Vec<_>>()[..] else { return None };
    let title = format!("`{kernel}` panicked: {}", told(scene, words, &call.arguments));
    let line = user.map_or(at, |call| &call.at);
    let written_at = calls.iter().rev().flat_map(|call| &call.arguments).find_map(|&address| location(scene, address));
    let is_library = written_at.is_none() && file(scene, line).is_some_and(is_rust_library);
    let next = next.to_owned() + if is_library { WHICH_LINE } else { "" };
    Some(Message { written_at, ..Message::of_kernel(line, "panic", title, None, next) })
}

/// The `core::panic::Location` at an address, if one is there: a file's path, a line and a column.
fn location(scene: &Scene, address: u64) -> Option<Written> {
    let mut words = [[0; 8]; 3];
    scene.launch.memory.read(address, words.as_flattened_mut()).ok()?;
    let [path, bytes, place] = words.map(u64::from_le_bytes);
    let file = text(scene, path, bytes).filter(|file| file.ends_with(".rs") && !is_rust_library(file))?;
    let (line, column) = (place as u32, (place >> 32) as u32);
    (line > 0).then_some(Written { file, line, column })
}

/// The story of a thread that goes round the loop of a panic handler.
pub(super) fn in_handler(scene: &Scene, at: &Place) -> Option<String> {
    let function = scene.launch.program.functions.get(at.function as usize)?;
    let panics = rust_path(&function.name).is_some_and(|name| is_of_core(&name) && name.contains("panic"));
    panics.then(|| {
        "it is the panic handler: the thread has panicked; of a handler that ends in trap() the panic is told with its line"
            .into()
    })
}

fn is_row(row: &str, name: &str) -> bool {
    row.split(" | ").next().is_some_and(|path| name.ends_with(path) || name.contains(&format!("{path}::<")))
}

fn is_of_core(name: &str) -> bool {
    let name = name.trim_start_matches(['<', '&', '[']);
    ["core::", "alloc::", "std::"].iter().any(|library| name.starts_with(library))
}

/// The words of a row with the arguments in them; those before ": " where the compiler has left out arguments that nobody reads.
fn told(scene: &Scene, words: &str, arguments: &[u64]) -> String {
    let alone = words.split(": ").next().unwrap_or(words).to_owned();
    if words.contains("{text}") {
        let text = arguments.first_chunk().and_then(|&[address, bytes]| text(scene, address, bytes));
        return text.map_or(alone, |text| words.replace("{text}", &text));
    }
    let asked = (0..3).take_while(|index| words.contains(&format!("{{{index}}}"))).count();
    // An index that is inside shows that these are other arguments.
    let is_outside = match arguments {
        [index, length, ..] if asked == 2 => index >= length,
        [start, end, length, ..] if asked == 3 => start > end || end > length,
        _ => false,
    };
    let put = |words: String, index: usize| words.replace(&format!("{{{index}}}"), &arguments[index].to_string());
    if is_outside { (0..asked).fold(words.to_owned(), put) } else { alone }
}

/// A text that a panic was given.
fn text(scene: &Scene, address: u64, bytes: u64) -> Option<String> {
    let mut text = vec![0; usize::try_from(bytes).ok().filter(|_| bytes <= LONGEST_MESSAGE)?];
    scene.launch.memory.read(address, &mut text).ok()?;
    String::from_utf8(text).ok().filter(|text| !text.is_empty() && !text.contains(char::is_control))
}

/// The words where a message shows lines of Rust's own library: nothing says which line of the kernel they were inlined into.
pub(super) fn inlined(scene: &Scene, at: &Place) -> Option<String> {
    let file = file(scene, at).filter(|file| is_rust_library(file))?;
    let name = file.rsplit('/').next().unwrap_or_default();
    Some(format!("{name} is a library's, inlined: rustc does not say into which line"))
}
