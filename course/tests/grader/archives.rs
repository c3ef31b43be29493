//! Archives of files with any names.

use std::io::{Cursor, Write};

/// A form of archives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Zip,
    Tar,
    TarGz,
}

/// A zip without times.
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    archive(Form::Zip, files)
}

/// An archive without times.
pub fn archive(form: Form, files: &[(&str, &[u8])]) -> Vec<u8> {
    dated(form, 1980, files)
}

/// An archive whose files were written at the begin of a year.
pub fn dated(form: Form, year: u16, files: &[(&str, &[u8])]) -> Vec<u8> {
    if form == Form::Zip {
        let written = zip::DateTime::from_date_and_time(year, 1, 1, 0, 0, 0).expect("a time");
        let options = zip::write::SimpleFileOptions::default().last_modified_time(written);
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            // The writer refuses to write a name twice.
            if writer.start_file(*name, options).is_ok() {
                writer.write_all(bytes).expect("written");
            }
        }
        return writer.finish().expect("an archive").into_inner();
    }
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        written(&mut builder, tar::EntryType::Regular, name.as_bytes(), bytes, year);
    }
    let bytes = builder.into_inner().expect("an archive");
    if form == Form::Tar { bytes } else { packed(&bytes) }
}

/// As gzip packs it.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("packed");
    encoder.finish().expect("packed")
}

/// A tar's entry without a time.
pub fn entry(builder: &mut tar::Builder<Vec<u8>>, kind: tar::EntryType, name: &[u8], bytes: &[u8]) {
    written(builder, kind, name, bytes, 1970);
}

/// A name as GNU's tar writes it, without the library's checks.
fn written(builder: &mut tar::Builder<Vec<u8>>, kind: tar::EntryType, name: &[u8], bytes: &[u8], year: u16) {
    if name.len() > 99 {
        entry(builder, tar::EntryType::GNULongName, b"././@LongLink", &[name, b"\0"].concat());
    }
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_mtime(86_400 * (365 * u64::from(year - 1970) + u64::from(year - 1969) / 4));
    let short = &name[..name.len().min(99)];
    header.as_old_mut().name[..short.len()].copy_from_slice(short);
    header.set_cksum();
    builder.append(&header, bytes).expect("appended");
}
