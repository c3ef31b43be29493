//! The page of a run, opened in a browser: common/tests/browser/mod.rs.

#[path = "../../../common/tests/browser/mod.rs"]
mod browser;

use super::LAB;

/// The naive product: a warp's lanes read one element of A together and neighbours of B.
#[test]
fn a_row_of_b_takes_four_sectors_and_an_element_of_a_one() {
    let arguments = ["--device", "sim:rtx4060", "--size", "64", "--variant", "naive", "--host-memory", "pageable"];
    browser::check_page(LAB, "gemm", &arguments, |_, report| {
        let lines = report["rows"][0]["lines"].as_array().expect("lines");
        let loads = lines.iter().filter_map(|line| line["accesses"].as_array()).flatten();
        let mut counts: Vec<u64> =
            loads.filter(|access| access["kind"] == "load").filter_map(|access| access["count"].as_u64()).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 4]);
    });
}

/// A page is sent by mail and opened on a telephone: a run of all rungs weighs less than 1 MB, with its sources and every counted line.
#[test]
fn the_page_of_a_large_run_weighs_less_than_a_megabyte() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("weight.html");
    let arguments = ["--device", "sim:rtx4060", "--size", "32,64,128", "--html", path.to_str().expect("UTF-8")];
    let output = LAB.run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(&path).expect("the page");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for variant in lab_gemm::VARIANTS.iter().filter(|variant| !page.contains(&format!("{} is left out", variant.name)))
    {
        assert!(page.contains(&format!("\"{}\"", variant.name)), "{}", variant.name);
    }
}

/// A launch's row and its words, on the page and on the screen, name the same as what binds it, once.
#[test]
fn the_page_and_the_screen_name_what_binds_a_launch_once_and_alike() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bound.html");
    let arguments = ["--device", "sim:rtx4060", "--size", "128", "--variant", "one_block,naive,shared,register_tile"];
    let written = ["--edge", "32", "--explain", "--html", path.to_str().expect("UTF-8")];
    let screen = String::from_utf8_lossy(&LAB.run(&[&arguments[..], &written].concat()).stdout).into_owned();
    let page = std::fs::read_to_string(&path).expect("the page");
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("its data").0;
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let launches = data["launches"].as_array().expect("launches");
    for launch in launches {
        let row = &data["report"]["rows"][launch["row"].as_u64().expect("a row") as usize];
        let bound_by = row["bound_by"].as_str().expect("a word");
        let told = launch["told"].as_str().expect("words");
        let heading = told.lines().next().expect("a heading");
        assert!(heading.ends_with(&format!(", bound by {bound_by}")), "{heading}: {row}");
        assert_eq!((told.matches("bound by").count(), screen.matches(heading).count()), (1, 1), "{screen}");
    }
    assert!(launches.len() == 4 && screen.contains("bound by idle multiprocessors"), "{screen}");
}
