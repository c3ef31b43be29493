//! `--ncu-rep`: the report, read back by the format's own description, has the figures of the JSON document.

use crate::{place, says, written};

/// A field of a message of Protocol Buffers, by its number.
enum Field<'a> {
    Number(u64),
    Real(f64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => Field::Real(f64::from_le_bytes(take(&mut bytes, 8).try_into().expect("8 bytes"))),
            2 => {
                let count = varint(&mut bytes) as usize;
                Field::Bytes(take(&mut bytes, count))
            }
            other => panic!("wire type {other}"),
        };
        all.push((tag >> 3, field));
    }
    all
}

/// All fields of a message that have this number and are bytes.
fn parts(message: &[u8], number: u64) -> Vec<&[u8]> {
    let bytes = |field| if let (at, Field::Bytes(bytes)) = field { (at == number).then_some(bytes) } else { None };
    fields(message).into_iter().filter_map(bytes).collect()
}

fn number(message: &[u8], number: u64) -> Option<f64> {
    fields(message).into_iter().find_map(|(at, field)| match field {
        Field::Number(value) if at == number => Some(value as f64),
        Field::Real(value) if at == number => Some(value),
        _ => None,
    })
}

fn framed<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let count = u32::from_le_bytes(take(bytes, 4).try_into().expect("4 bytes"));
    take(bytes, count as usize)
}

pub fn a_report_for_nsight_compute() {
    let (report, json) = (place("right.ncu-rep"), place("right.json"));
    let said = says(0, &["--ncu-rep", &report, "--json", &json], &["right", "right"]);
    assert!(said.contains(&format!("== wrote {report}: ncu --import shows it")), "{said}");
    let json = written(&json);
    let kernel = &json["kernels"][0];

    let report = std::fs::read(report).expect("written");
    let mut rest = report.strip_prefix(b"NVR\0").expect("the format's mark");
    assert_eq!(number(framed(&mut rest), 1), Some(7.0), "the version");
    let head = framed(&mut rest);
    assert_eq!(([1, 2].map(|count| number(head, count)), number(head, 5)), ([Some(1.0); 2], Some(rest.len() as f64)));
    let names = parts(parts(head, 4)[0], 1);
    let (_source, result) = (framed(&mut rest), framed(&mut rest));
    assert!(rest.is_empty());
    assert_eq!((parts(result, 7)[0], parts(result, 12)[0]), (&b"shared_product"[..], &b"the sums of 2 launches"[..]));
    let metric = |name: &str| {
        let is_named = |metric: &&&[u8]| names[number(metric, 1).expect("a place") as usize] == name.as_bytes();
        let metrics = parts(result, 13);
        let found: Vec<_> = metrics.iter().filter(is_named).collect();
        assert_eq!(found.len(), 1, "{name} once");
        let value = parts(found[0], 2)[0];
        number(value, 5).or(number(value, 3))
    };
    assert_eq!(metric("gpu__time_duration.sum"), kernel["time_ns"].as_f64());
    let capability = ["major", "minor"].map(|part| metric(&format!("device__attribute_compute_capability_{part}")));
    assert_eq!(capability, [Some(8.0), Some(9.0)], "the default card's");
    assert_eq!((metric("launch__grid_size"), metric("launch__block_dim_y")), (Some(4.0), Some(16.0)));
    assert_eq!(metric("smsp__threads_launched.sum"), Some(2.0 * 4.0 * 256.0));
    for (key, name) in [
        ("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
        ("shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
        ("barriers", "sim__barriers"),
        ("global_load_efficiency", "sim__global_load_efficiency"),
    ] {
        assert_eq!(metric(name), kernel["counters"][key].as_f64(), "{key}");
    }
}
