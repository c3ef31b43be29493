//! Where shared variables lie, and which of them an entry is charged for.
use simulator::program::Function;

/// The functions of a module with three arrays of its own, by name.
fn functions(text: &str) -> impl Fn(&str) -> Function + use<> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
         .shared .align 4 .b8 large[4096];\n.shared .align 4 .b8 small[64];\n.shared .align 4 .b8 common[100];\n{text}"
    );
    move |name| {
        let functions = std::sync::Arc::into_inner(super::program(&text).program.functions).expect("nobody else's");
        functions.into_iter().find(|function| function.name == name).unwrap_or_else(|| panic!("no {name}"))
    }
}

/// The text of a function that loads from an array, and then calls the others.
fn loads(head: &str, array: &str, calls: &[&str]) -> String {
    let calls: String = calls.iter().map(|name| format!("call {name};\n")).collect();
    format!("{head} {{\n.reg .b32 %r<2>;\nld.shared.u32 %r1, [{array}];\n{calls}ret;\n}}\n")
}

fn arrays(function: &Function) -> Vec<(&str, u32)> {
    function.shared_symbols.iter().map(|symbol| (&*symbol.name, symbol.offset)).collect()
}

#[test]
fn an_entry_is_charged_for_the_arrays_that_it_uses() {
    let entry = |name: &str, array| loads(&format!(".visible .entry {name}()"), array, &[]);
    let of = functions(&[entry("first", "large"), entry("second", "small"), entry("none", "dynamic")].concat());
    for (name, bytes, has) in [("first", 4096, "large"), ("second", 64, "small")] {
        let function = of(name);
        assert_eq!((function.shared_bytes, function.dynamic_shared_start), (bytes, bytes));
        assert_eq!(arrays(&function), [(has, 0), ("dynamic", bytes)]);
    }
    assert_eq!((of("none").shared_bytes, of("none").dynamic_shared_start), (0, 0));
}

#[test]
fn an_array_of_a_device_function_is_charged_to_its_callers_alone() {
    let text = [
        loads(".func inner()", "common", &[]),
        loads(".func outer()", "common+4", &["inner"]),
        loads(".func other()", "large", &[]),
        loads(".visible .entry through_both()", "small", &["outer"]),
        loads(".visible .entry through_other()", "small", &["other"]),
        loads(".visible .entry through_all()", "small", &["outer", "other"]),
        loads(".visible .entry through_none()", "small", &[]),
    ];
    let of = functions(&text.concat());
    let bytes = |name| of(name).shared_bytes;
    // `common` has one place in `inner`, after `large`, since one entry has both.
    assert_eq!(arrays(&of("through_all")), [("large", 0), ("common", 4096), ("small", 4196), ("dynamic", 4272)]);
    assert_eq!(arrays(&of("through_other"))[..2], [("large", 0), ("small", 4096)]);
    assert_eq!((bytes("through_all"), bytes("through_other"), bytes("through_none")), (4260, 4160, 64));
}

#[test]
fn arrays_of_functions_that_no_entry_shares_lie_at_one_place() {
    let text = [
        loads(".func f()", "common", &[]),
        loads(".func g()", "large", &[]),
        loads(".visible .entry a()", "small", &["f"]),
        loads(".visible .entry b()", "small", &["g"]),
    ];
    let of = functions(&text.concat());
    assert_eq!((of("a").shared_bytes, of("b").shared_bytes), (164, 4160));
}

#[test]
fn dynamic_memory_of_a_device_function_begins_at_one_place_for_its_callers_alone() {
    let text = [
        loads(".func f()", "dynamic", &[]),
        loads(".visible .entry a()", "small", &["f"]),
        loads(".visible .entry b()", "common", &["f"]),
        loads(".visible .entry c()", "large", &[]),
    ];
    let of = functions(&text.concat());
    let placed = |name| (of(name).shared_bytes, of(name).dynamic_shared_start);
    assert_eq!([placed("a"), placed("b"), placed("c")], [(64, 112), (100, 112), (4096, 4096)]);
}
