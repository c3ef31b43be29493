use super::*;

const HEAD: &str = ".version 7.0\n.target sm_50\n.address_size 64\n";

fn linked(texts: &[String]) -> Result<Linked, Refused> {
    let names: Vec<String> = (1..=texts.len()).map(|n| format!("input {n}")).collect();
    let inputs: Vec<Input> =
        texts.iter().zip(&names).map(|(text, name)| Input { name, text, module: ptx::parse(text).unwrap() }).collect();
    link(&inputs, &|name| name == "vprintf")
}

/// The linked text.
fn joined(texts: &[String]) -> String {
    linked(texts).unwrap().text
}

fn texts(bodies: &[&str]) -> Vec<String> {
    bodies.iter().map(|body| format!("{HEAD}{body}\n")).collect()
}

#[test]
fn a_function_that_another_module_defines_is_found() {
    let caller = ".extern .func (.param .b32 r) f (.param .b32 x);\n.visible .entry k () { .param .b32 p; .param .b32 q; call.uni (q), f, (p); ret; }";
    let callee = ".visible .func (.param .b32 r) f (.param .b32 x) { ret; }";
    for order in [[caller, callee], [callee, caller]] {
        let Linked { text, undefined } = linked(&texts(&order)).unwrap();
        assert!(undefined.is_empty());
        assert!(!text.contains(".extern"), "{text}");
        let module = ptx::parse(&text).unwrap();
        assert_eq!(module.functions.iter().filter(|f| f.name == "f" && f.body.is_some()).count(), 1);
    }
    let alone = linked(&texts(&[caller])).unwrap();
    assert_eq!(alone.undefined, [("f".to_owned(), "input 1".to_owned())]);
}

#[test]
fn two_visible_definitions_are_refused_and_a_weak_one_gives_way() {
    let strong = ".visible .global .u32 v = 1;";
    let weak = ".weak .global .u32 v = 2;";
    let refused = linked(&texts(&[strong, strong])).unwrap_err();
    assert_eq!(refused.to_string(), "Multiple definition of 'v' in 'input 2', first defined in 'input 1'");
    for order in [[strong, weak], [weak, strong]] {
        let text = linked(&texts(&order)).unwrap().text;
        assert!(text.contains(strong) && !text.contains("= 2"), "{text}");
    }
    let first = linked(&texts(&[weak, ".weak .global .u32 v = 3;"])).unwrap().text;
    assert!(first.contains("= 2") && !first.contains("= 3"), "{first}");
}

#[test]
fn a_name_is_of_one_space() {
    let refused = linked(&texts(&[".visible .func v () { ret; }", ".visible .global .u32 v;"])).unwrap_err();
    assert!(matches!(refused, Refused::Space { .. }));
}

#[test]
fn names_of_one_module_alone_do_not_meet() {
    let body = |value: u32, kernel: &str| {
        format!(
            ".global .u32 hidden = {value};\n.global .u64 to = hidden;\n.func helper () {{ ret; }}\n.visible .entry {kernel} (.param .u64 hidden_not) {{\n .reg .u64 %rd<2>;\n mov.u64 %rd1, hidden;\n {{ call.uni helper, (); }}\n ret;\n}}"
        )
    };
    let text = joined(&texts(&[&body(1, "a"), &body(2, "b")]));
    let module = ptx::parse(&text).unwrap();
    let names: Vec<&str> = module.variables.iter().map(|v| v.name).collect();
    assert_eq!(names, ["hidden", "to", "hidden__1", "to__1"]);
    assert!(text.contains(".global .u64 to__1 = hidden__1;"), "{text}");
    assert!(text.contains("mov.u64 %rd1, hidden__1;") && text.contains("call.uni helper__1"));
}

#[test]
fn the_largest_common_variable_counts_and_extern_arrays_stay_once() {
    let small = ".common .global .b8 c[4];\n.extern .shared .align 4 .b8 dynamic[];";
    let large = ".common .global .b8 c[8];\n.extern .shared .align 4 .b8 dynamic[];\n.visible .entry k () { .reg .u64 %rd<2>; mov.u64 %rd1, dynamic; ret; }";
    let linked = linked(&texts(&[small, large])).unwrap();
    let module = ptx::parse(&linked.text).unwrap();
    let c: Vec<_> = module.variables.iter().filter(|v| v.name == "c").collect();
    assert_eq!((c.len(), c[0].bytes()), (1, Some(8)));
    assert_eq!(module.variables.iter().filter(|v| v.name == "dynamic").count(), 1);
    assert!(linked.undefined.is_empty());
}

#[test]
fn lines_keep_their_files() {
    let body = |path: &str, kernel: &str| {
        format!(".file 1 \"{path}\"\n.visible .entry {kernel} () {{\n .loc 1 7 3\n ret;\n}}")
    };
    let text = joined(&texts(&[&body("a.cu", "a"), &body("b.cu", "b")]));
    let module = ptx::parse(&text).unwrap();
    assert_eq!(module.files, [(1, "a.cu"), (2, "b.cu")]);
    assert!(text.contains(".loc 2 7 3"), "{text}");
}

#[test]
fn the_newest_version_and_target_count() {
    let new = ".version 8.0\n.target sm_90a\n.address_size 64\n".to_owned();
    let text = joined(&[texts(&[""])[0].clone(), new]);
    assert!(text.starts_with(".version 8.0\n.target sm_90a\n"), "{text}");
}
