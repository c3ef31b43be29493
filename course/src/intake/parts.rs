//! A submission as one list of entries: its own, and those of archives within it.

use super::expected::Expected;
use super::limits::Most;
use super::listing::{Chosen, Listing};
use super::names::printable;
use super::notes::{Note, NoteKind};
use super::sources::{self, Give, Source, Wanted};
use std::collections::BTreeMap;
use std::io::SeekFrom;

/// The entries of one source: they begin with a number, and their names with a text.
struct Part {
    source: Box<dyn Source>,
    first: usize,
    before: Vec<u8>,
    /// How many archives it lies in, itself included.
    depth: usize,
}

/// An archive is read, and one in it; one in that is named.
const DEEPEST: usize = 2;
/// Archives that are looked into.
const MOST_ARCHIVES: usize = 16;

/// A submission and the archives in it that were looked into.
pub(super) struct Parts {
    all: Vec<Part>,
    most: Most,
    /// Bytes that archives within archives may still have.
    room: u64,
    /// Archives that could not be looked into, and why.
    unread: Vec<String>,
}

impl Parts {
    pub(super) fn new(source: Box<dyn Source>, most: Most) -> Self {
        let depth = usize::from(source.is_archive());
        let all = vec![Part { source, first: 0, before: Vec::new(), depth }];
        Parts { all, most, room: 4 * most.inner, unread: Vec::new() }
    }

    /// Lists all entries and chooses the files to be read; says too whether those were all entries.
    ///
    /// # Errors
    /// The student's: an archive that is damaged, a limit, nothing found.
    pub(super) fn choose(&mut self, expected: &Expected) -> Result<(Chosen, bool), String> {
        let mut listing = Listing::new(expected, self.most);
        let whole = self.all[0].source.list(&mut |name, kind, written| listing.see(name, kind, written));
        let whole = whole.map_err(|why| format!("{why:#}"))?;
        self.look_further(0, &mut listing);
        let unread = &self.unread;
        let mut chosen = listing.choose().map_err(|why| match &unread[..] {
            [] => why,
            unread => format!("{why}; not read: {}", unread.join("; ")),
        })?;
        chosen.notes.extend(unread.iter().map(|why| Note::new(NoteKind::NotTaken, "", format!("not read: {why}"))));
        Ok((chosen, whole))
    }

    /// Looks into the archives of a part, if no exercise lies beside them, and into those within them.
    fn look_further(&mut self, part: usize, listing: &mut Listing) {
        for (number, name) in listing.archives(self.all[part].first) {
            if let Err(why) = self.look_into(part, number, &name, listing) {
                self.unread.push(format!("'{}': {why}", printable(&name)));
            }
        }
    }

    /// Lists an archive that is an entry of a part.
    fn look_into(&mut self, part: usize, number: usize, name: &[u8], listing: &mut Listing) -> Result<(), String> {
        let said = |why: anyhow::Error| format!("{why:#}");
        let Part { source, first, before, depth } = &mut self.all[part];
        let depth = *depth + 1;
        if depth > DEEPEST {
            return Err(format!("it lies {DEEPEST} archives deep; next: unpack the outer one"));
        }
        if listing.inside() >= MOST_ARCHIVES {
            return Err(format!("{MOST_ARCHIVES} archives were looked into before it; next: unpack some"));
        }
        let own = name.strip_prefix(&before[..]).unwrap_or(name);
        let mut stream = source.inner(number - *first, own, self.most.inner.min(self.room)).map_err(said)?;
        if source.is_archive() {
            self.room -= stream.seek(SeekFrom::End(0)).map_err(|error| error.to_string())?;
        }
        let mut source = sources::archive(stream, name, self.most)?;
        let (first, before) = (listing.begin(name), [name, b"/"].concat());
        source
            .list(&mut |inner, kind, written| {
                // One that leads out of the archive leads out of the submission.
                let leads_out = inner.first().is_some_and(|&byte| byte == b'/' || byte == b'\\');
                let inner = if leads_out { [b"../", inner].concat() } else { [&before, inner].concat() };
                listing.see(&inner, kind, written)
            })
            .map_err(said)?;
        self.all.push(Part { source, first, before, depth });
        self.look_further(self.all.len() - 1, listing);
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
