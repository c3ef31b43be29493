//! Kernels in Rust: the names of its functions, panics told at the line that panicked, and advice in Rust's words.
use super::message::Message;
use super::source::lines::{file, is_rust_library};
use super::source::names::rust_path;
use super::source::scene::Scene;
use machine::fault::{Call, Place};

/// Words for CUDA C++ and those for Rust, a line each, longer ones before those that they begin with.
const WORDS: &str = include_str!("rust_words.txt");

/// The functions of `core` that panic, by the ends of their paths: `path | words | next step`. `{0}` is the first argument.
const PANICS: &str = include_str!("rust_panics.txt");

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
    let inside = calls.iter().skip_while(|call| !of_core(call.called));
    let mut panicked: Option<(&Call, &str)> = None;
    let mut user = None;
    for call in inside {
        let row = name(call.called).and_then(|name| PANICS.lines().find(|row| is_row(row, &name)));
        panicked = row.map(|row| (call, row)).or(panicked);
        if !of_core(call.at.function) {
            user = Some(&call.at);
            break;
        }
    }
    let (call, row) = panicked?;
    let mut parts = row.split(" | ").skip(1);
    let (words, next) = (parts.next()?, parts.next()?);
    let what = told(scene, words, &call.arguments);
    let line = user.unwrap_or(at);
    let title = format!("`{kernel}` panicked: {what}");
    Some(Message::of_kernel(line, "panic", title, None, next))
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
        let text = match *arguments {
            [address, bytes, ..] => text(scene, address, bytes),
            _ => None,
        };
        return text.map_or(alone, |text| words.replace("{text}", &text));
    }
    let asked = (0..3).take_while(|index| words.contains(&format!("{{{index}}}"))).count();
    // An index that is inside shows that these are other arguments.
    let is_outside = match arguments {
        [index, length, ..] if asked == 2 => index >= length,
        [start, end, length, ..] if asked == 3 => start > end || end > length,
        _ => false,
    };
    if asked == 0 || !is_outside {
        return alone;
    }
    (0..asked)
        .fold(words.to_owned(), |words, index| words.replace(&format!("{{{index}}}"), &arguments[index].to_string()))
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
    Some(format!(
        "{name} is Rust's own library: rustc does not say which line of the kernel it was inlined into; the PTX before it does"
    ))
}
