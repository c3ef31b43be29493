//! A submission as one list of entries: its own, and those of archives within it.

use super::limits::Most;
use super::listing::{Chosen, Listing};
use super::notes::{Note, NoteKind};
use super::sources::{self, Give, Source, Wanted};
use super::{Expected, listing};
use std::collections::BTreeMap;

/// The entries of one source: they begin with a number, and their names with a text.
struct Part {
    source: Box<dyn Source>,
    first: usize,
    before: Vec<u8>,
}

/// A submission and the archives in it that were looked into.
pub(super) struct Parts {
    all: Vec<Part>,
    most: Most,
}

impl Parts {
    pub(super) fn new(source: Box<dyn Source>, most: Most) -> Self {
        Parts { all: vec![Part { source, first: 0, before: Vec::new() }], most }
    }

    /// Lists all entries and chooses the files to be read; says too whether those were all entries.
    ///
    /// # Errors
    /// The student's: an archive that is damaged, a limit, nothing found.
    pub(super) fn choose(&mut self, expected: &Expected) -> Result<(Chosen, bool), String> {
        let mut listing = Listing::new(expected, self.most);
        let whole = self.all[0].source.list(&mut |name, kind| listing.see(name, kind));
        let whole = whole.map_err(|why| format!("{why:#}"))?;
        let mut unread = Vec::new();
        for (number, name) in listing.archives() {
            if let Err(why) = self.look_into(number, &name, &mut listing) {
                unread.push(format!("'{}': {why}", listing::shown(&name)));
            }
        }
        let mut chosen = listing.choose().map_err(|why| match &unread[..] {
            [] => why,
            unread => format!("{why}; {}", unread.join("; ")),
        })?;
        chosen
            .notes
            .extend(unread.into_iter().map(|why| Note::new(NoteKind::NotTaken, "", format!("not read: {why}"))));
        Ok((chosen, whole))
    }

    /// Lists an archive that is an entry of the submission itself.
    fn look_into(&mut self, number: usize, name: &[u8], listing: &mut Listing) -> Result<(), String> {
        let said = |why: anyhow::Error| format!("{why:#}");
        let stream = self.all[0].source.inner(number, name, self.most.inner).map_err(said)?;
        let mut source = sources::archive(stream, name, self.most)?;
        let (first, before) = (listing.entries(), [name, b"/"].concat());
        source
            .list(&mut |inner, kind| {
                // One that leads out of the archive leads out of the submission.
                let leads_out = inner.first().is_some_and(|&byte| byte == b'/' || byte == b'\\');
                let inner = if leads_out { [b"../", inner].concat() } else { [&before, inner].concat() };
                listing.see(&inner, kind)
            })
            .map_err(said)?;
        self.all.push(Part { source, first, before });
        Ok(())
    }

    /// Gives the contents of some entries.
    ///
    /// # Errors
    /// An archive that is damaged as a whole.
    pub(super) fn contents(&mut self, wanted: &Wanted, most: u64, give: &mut Give) -> anyhow::Result<()> {
        let ends: Vec<usize> = self.all.iter().skip(1).map(|part| part.first).chain([usize::MAX]).collect();
        for (part, end) in self.all.iter_mut().zip(ends) {
            let own = wanted.range(part.first..end).map(|(number, (name, path))| {
                let name = name.strip_prefix(&part.before[..]).unwrap_or(name).to_owned();
                (number - part.first, (name, path.clone()))
            });
            let own: BTreeMap<usize, (Vec<u8>, String)> = own.collect();
            if !own.is_empty() {
                part.source.contents(&own, most, give)?;
            }
        }
        Ok(())
    }
}
