//! The grader as an instructor uses it: every exploit scores 0, a class gets the points that it should, twice the same, and a grade is
//! reproduced from its record.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

fn course(arguments: &[&str], paths: &[PathBuf]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_course"));
    command.env("COURSE_ROOT", root()).args(arguments).args(paths).output().expect("the program starts")
}

/// Grades paths into `out` and returns the points by name.
fn points(out: &Path, paths: &[PathBuf]) -> BTreeMap<String, u32> {
    let output = course(&["grade", "--jobs", "2", "--out", out.to_str().expect("UTF-8")], paths);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let mut reader = csv::Reader::from_path(out.join("class.csv")).expect("a table");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[0].to_owned(), row[1].parse().expect("points"))).collect()
}

/// Kernels need a compiler; without one there is no verdict on them, and this says so.
fn compiler() -> bool {
    let there = kernels::compiler().is_ok();
    if !there {
        eprintln!("no NVRTC here (next: just nvrtc): kernels cannot be graded, so nothing is tested");
    }
    there
}

fn put(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

fn solution(file: &str) -> String {
    fs::read_to_string(root().join(file)).expect("a solution")
}

/// Copies a folder, with the places that an exploit cannot know beforehand filled in.
fn copy(from: &Path, to: &Path, out: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target, out);
        } else {
            let text = fs::read_to_string(&path).expect("text");
            let text =
                text.replace("@ROOT@", root().to_str().expect("UTF-8")).replace("@OUT@", out.to_str().expect("UTF-8"));
            put(to, path.file_name().and_then(|name| name.to_str()).expect("UTF-8"), &text);
        }
    }
}

#[test]
fn every_exploit_scores_nothing() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("grades");
    let mut paths = Vec::new();
    for entry in fs::read_dir(root().join("exploits")).expect("exploits") {
        let from = entry.expect("an entry").path();
        let to = folder.path().join("submissions").join(from.file_name().expect("a name"));
        copy(&from, &to, &out);
        paths.push(to);
    }
    assert!(paths.len() >= 15, "{} exploits", paths.len());
    paths.sort();
    for (name, points) in points(&out, &paths) {
        assert_eq!(
            points,
            0,
            "{name}: {}",
            fs::read_to_string(out.join(format!("records/{name}.json"))).expect("a record")
        );
    }
}

#[test]
fn archives_that_lead_elsewhere_are_refused() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = "kernels/gemm/2_naive.cu";
    let text = solution(file);
    let tar_of = |name: &str, build: &dyn Fn(&mut tar::Builder<fs::File>)| {
        let path = folder.path().join(name);
        let mut builder = tar::Builder::new(fs::File::create(&path).expect("a file"));
        build(&mut builder);
        builder.finish().expect("an archive");
        path
    };
    let header = |kind: tar::EntryType, size: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size as u64);
        header.set_mode(0o644);
        header
    };
    let whole = |builder: &mut tar::Builder<fs::File>, name: &str| {
        builder.append_data(&mut header(tar::EntryType::Regular, text.len()), name, text.as_bytes()).expect("appended");
    };
    let good = tar_of("good.tar", &|builder| whole(builder, &format!("handin/{file}")));
    let link = tar_of("link.tar", &|builder| {
        whole(builder, "kernels/gemm/1_one_block.cu");
        builder.append_link(&mut header(tar::EntryType::Symlink, 0), file, root().join(file)).expect("appended");
    });
    let above = tar_of("above.tar", &|builder| {
        let mut raw = header(tar::EntryType::Regular, text.len());
        raw.as_old_mut().name[..16].copy_from_slice(b"../../naive.cu\0\0");
        raw.set_cksum();
        builder.append(&raw, text.as_bytes()).expect("appended");
    });
    let linked = folder.path().join("linked");
    fs::create_dir_all(linked.join("kernels/gemm")).expect("a folder");
    std::os::unix::fs::symlink(root().join(file), linked.join(file)).expect("a link");
    let all = points(&folder.path().join("grades"), &[good, link, above, linked]);
    let expected = [("above", 0), ("good", 15), ("link", 0), ("linked", 0)];
    assert_eq!(all, expected.map(|(name, points)| (name.to_owned(), points)).into());
}

/// A right tiled kernel written by someone else: other names, other comments, another loop order.
const OTHER_NAIVE: &str = "
// my solution, k from the top down
#define WIDTH blockDim.x
template <typename Real> static __device__ Real product(const Real* left, const Real* right, int stride, int length) {
  Real total = 0; int i = length;
  while (i--) { total += left[i] * right[(size_t)i * stride]; }
  return total;
}
template <typename T> __device__ void naive(T* out, const T* l, const T* r, int m, int n, int k) {
  size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x, i = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m) if (j < n) out[i * n + j] = product(l + i * k, r + j, n, k);
}
#define KERNEL(T, dtype) \\
  extern \"C\" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) { naive<T>(c, a, b, m, n, k); }
KERNEL(float, f32)
KERNEL(double, f64)
";

#[test]
fn a_class_gets_its_points_twice_the_same_and_a_record_is_reproduced() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let naive = "kernels/gemm/2_naive.cu";
    let streamed = "lab-streams/src/schedules/streamed.rs";
    let shared = "kernels/gemm/3_shared.cu";
    let texts = vec![
        ("starter", vec![], 0),
        ("naive", vec![(naive, solution(naive))], 15),
        ("other_naive", vec![(naive, OTHER_NAIVE.to_owned())], 15),
        (
            "uncoalesced",
            vec![(
                naive,
                OTHER_NAIVE.replace(
                    "blockIdx.x * WIDTH + threadIdx.x, i = (size_t)blockIdx.y * blockDim.y + threadIdx.y",
                    "blockIdx.x * WIDTH + threadIdx.y, i = (size_t)blockIdx.y * blockDim.y + threadIdx.x",
                ),
            )],
            10,
        ),
        ("commented", vec![(shared, format!("// mine\n\n{}", solution(shared).replace("tile_a", "links")))], 25),
        (
            "one_barrier",
            vec![(shared, solution(shared).replacen("__syncthreads();  // everyone", "// everyone", 1))],
            0,
        ),
        // A right kernel in the wrong place: no tile, no points for the tile.
        (
            "shared_without_tile",
            vec![(
                shared,
                OTHER_NAIVE
                    .replace("naive_##dtype", "shared_##dtype##_##EDGE")
                    .replace("KERNEL(T, dtype)", "KERNEL(T, dtype, EDGE)")
                    .replace(
                        "KERNEL(float, f32)",
                        "KERNEL(float, f32, 8)\nKERNEL(float, f32, 16)\nKERNEL(float, f32, 32)",
                    )
                    .replace(
                        "KERNEL(double, f64)",
                        "KERNEL(double, f64, 8)\nKERNEL(double, f64, 16)\nKERNEL(double, f64, 32)",
                    ),
            )],
            17,
        ),
        ("does_not_compile", vec![(naive, "int main(".to_owned())], 0),
        ("streamed", vec![(streamed, solution(streamed))], 18),
        ("one_stream", vec![(streamed, solution(streamed).replace("count.min(MOST_STREAMS)", "1"))], 10),
        ("two", vec![(naive, solution(naive)), (streamed, solution(streamed))], 33),
    ];
    let mut paths = Vec::new();
    for (name, files, _) in &texts {
        let path = folder.path().join("submissions").join(name);
        fs::create_dir_all(&path).expect("a folder");
        files.iter().for_each(|(file, text)| put(&path, file, text));
        paths.push(path);
    }
    let expected: BTreeMap<String, u32> = texts.iter().map(|(name, _, points)| ((*name).to_owned(), *points)).collect();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    assert_eq!(points(&first, &paths), expected);
    assert_eq!(points(&second, &paths), expected, "other seeds, the same points");

    let record = first.join("records/two.json");
    let verified = course(&["verify"], std::slice::from_ref(&record));
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    put(&paths[10], naive, "changed");
    assert!(!course(&["verify"], &[record]).status.success(), "other files than the record's");
    for file in ["class.html", "pages/two.html", "junit/two.xml", "gradescope/two.json"] {
        assert!(first.join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(first.join("pages/one_barrier.html")).expect("a page");
    assert!(page.contains("race") && !page.contains("http"), "the story, and nothing that is fetched");
}
