//! PTX that another process has made of a source.

use crate::deflated::deflate;
use crate::embedded;
use crate::source::Source;
use crate::stored::with_header;

/// From now on `ptx` is the PTX of exactly this source in this process, as if it were kept with the workspace: for a process that must not
/// compile what it runs. Resources that stand in it as comments are kept.
pub fn adopt(source: &Source, ptx: &str) {
    embedded::add(deflate(&with_header(source, "another process", ptx)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Target, compile};

    #[test]
    fn adopted_ptx_serves_its_text_and_no_other() {
        let mut source = crate::pristine("gemm", "naive").unwrap();
        let ptx = compile(&source, Target::Ptx { major: 8, minor: 9 }).unwrap().ptx().unwrap().to_owned();
        source.text.to_mut().push_str("// adopted\n");
        adopt(&source, &ptx);
        let image = compile(&source, Target::Ptx { major: 8, minor: 9 }).unwrap();
        let text = image.ptx().unwrap();
        assert!(text.contains(".visible .entry naive_f64") && text.contains("//resources sm_89 naive_f32"), "{text}");
    }
}
