//! Archives: what is taken of them, and which are refused as a whole.

use crate::submissions::{compiler, points, put, record, root, solution};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use zip::write::SimpleFileOptions;

const FILE: &str = "kernels/gemm/2_naive.cu";

fn header(kind: tar::EntryType, size: usize) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size as u64);
    header.set_mode(0o644);
    header
}

fn regular(builder: &mut tar::Builder<fs::File>, name: &str, text: &str) {
    let mut header = header(tar::EntryType::Regular, text.len());
    builder.append_data(&mut header, name, text.as_bytes()).expect("appended");
}

/// A name that the library would not write.
fn unchecked(builder: &mut tar::Builder<fs::File>, name: &[u8], text: &str) {
    let mut raw = header(tar::EntryType::Regular, text.len());
    raw.as_old_mut().name[..name.len()].copy_from_slice(name);
    raw.set_cksum();
    builder.append(&raw, text.as_bytes()).expect("appended");
}

#[test]
fn archives_that_lead_elsewhere_or_are_bombs_are_refused() {
    if !compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = solution(FILE);
    let tar_of = |name: &str, build: &dyn Fn(&mut tar::Builder<fs::File>)| -> PathBuf {
        let path = folder.path().join(name);
        let mut builder = tar::Builder::new(fs::File::create(&path).expect("a file"));
        build(&mut builder);
        builder.finish().expect("an archive");
        path
    };
    let zip_of = |name: &str, build: &dyn Fn(&mut zip::ZipWriter<fs::File>)| -> PathBuf {
        let path = folder.path().join(name);
        let mut writer = zip::ZipWriter::new(fs::File::create(&path).expect("a file"));
        build(&mut writer);
        writer.finish().expect("an archive");
        path
    };
    let options = SimpleFileOptions::default();
    let zipped = |writer: &mut zip::ZipWriter<fs::File>, name: &str, bytes: &[u8]| {
        writer.start_file(name, options).expect("begun");
        writer.write_all(bytes).expect("written");
    };
    let linked = folder.path().join("linked");
    fs::create_dir_all(linked.join("kernels/gemm")).expect("a folder");
    std::os::unix::fs::symlink(root().join(FILE), linked.join(FILE)).expect("a link");
    let linked_folder = folder.path().join("linked_folder");
    fs::create_dir_all(&linked_folder).expect("a folder");
    std::os::unix::fs::symlink(root().join("kernels"), linked_folder.join("kernels")).expect("a link");
    let damaged = folder.path().join("damaged.zip");
    put(folder.path(), "damaged.zip", "no archive");

    let paths = [
        tar_of("good.tar", &|builder| regular(builder, &format!("handin/{FILE}"), &text)),
        zip_of("zipped.zip", &|writer| zipped(writer, &format!("a folder/{FILE}"), text.as_bytes())),
        tar_of("link.tar", &|builder| {
            regular(builder, "kernels/gemm/1_one_block.cu", &text);
            builder.append_link(&mut header(tar::EntryType::Symlink, 0), FILE, root().join(FILE)).expect("appended");
        }),
        tar_of("hard_link.tar", &|builder| {
            builder.append_link(&mut header(tar::EntryType::Link, 0), FILE, "etc/passwd").expect("appended");
        }),
        zip_of("zipped_link.zip", &|writer| {
            writer.add_symlink(FILE, root().join(FILE).to_str().expect("UTF-8"), options).expect("added");
        }),
        tar_of("above.tar", &|builder| unchecked(builder, b"../../naive.cu\0", &text)),
        tar_of("absolute.tar", &|builder| unchecked(builder, b"/kernels/gemm/2_naive.cu\0", &text)),
        zip_of("zipped_above.zip", &|writer| zipped(writer, &format!("../{FILE}"), text.as_bytes())),
        // Of one megabyte, six hundred times.
        zip_of("bomb.zip", &|writer| {
            zipped(writer, "0", &vec![0; 1 << 20]);
            (1..600).for_each(|number| writer.shallow_copy_file("0", &number.to_string()).expect("copied"));
        }),
        tar_of("many.tar", &|builder| (0..10_001).for_each(|number| regular(builder, &format!("{number}"), ""))),
        zip_of("no_text.zip", &|writer| zipped(writer, FILE, &[0xff; 100])),
        zip_of("too_long.zip", &|writer| zipped(writer, FILE, &vec![b' '; (1 << 20) + 1])),
        damaged,
        linked,
        linked_folder,
    ];
    let out = folder.path().join("grades");
    let all = points(&out, &paths);
    let refused = |name: &str| record(&out, name)["refused"].as_str().unwrap_or("taken").to_owned();
    for (name, points) in all {
        if ["good", "zipped"].contains(&name.as_str()) {
            assert_eq!((points, refused(&name).as_str()), (15, "taken"), "{name}");
        } else {
            assert_eq!(points, 0, "{name}");
            assert!(refused(&name).contains("is refused: "), "{name}: {}", refused(&name));
        }
    }
    for (name, why) in [
        ("link", "a link"),
        ("hard_link", "a link"),
        ("zipped_link", "a link"),
        ("above", "leads out"),
        ("absolute", "leads out"),
        ("zipped_above", "leads out"),
        ("bomb", "unpacks to more"),
        ("many", "entries"),
        ("no_text", "no text"),
        ("too_long", "longer than"),
        ("linked", "link"),
    ] {
        assert!(refused(name).contains(why), "{name}: {}", refused(name));
    }
}
