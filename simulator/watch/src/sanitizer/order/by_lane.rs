//! The knowledge of each lane of a warp. Mostly they know the same, which is kept once; where they do not, each lane's knowledge
//! is kept until they meet again.
use super::knowledge::Knowledge;
use machine::probe::lanes;

#[derive(Clone, Debug)]
pub struct ByLane {
    /// The knowledge that every lane has at least.
    pub common: Knowledge,
    /// The knowledge of each lane, where they know different things.
    each: Option<Box<[Knowledge; 32]>>,
}

impl ByLane {
    /// All lanes know the same.
    pub fn same(common: Knowledge) -> Self {
        Self { common, each: None }
    }

    /// True if all lanes know the same.
    #[inline]
    pub fn is_same(&self) -> bool {
        self.each.is_none()
    }

    pub fn of(&self, lane: u32) -> &Knowledge {
        self.each.as_ref().and_then(|each| each.get(lane as usize)).unwrap_or(&self.common)
    }

    /// True if any lane's knowledge is as `wanted`.
    pub fn any(&self, wanted: impl Fn(&Knowledge) -> bool) -> bool {
        match &self.each {
            Some(each) => each.iter().any(wanted),
            None => wanted(&self.common),
        }
    }

    /// The knowledge of the lanes of `mask` together.
    pub fn together(&self, mask: u32) -> Knowledge {
        let Some(each) = &self.each else { return self.common.clone() };
        let mut all = lanes(mask).map(|lane| &each[lane]);
        let mut known = all.next().unwrap_or(&self.common).clone();
        all.for_each(|other| known.join(other));
        known
    }

    /// Makes the knowledge of each lane of `mask` what `change` makes of it; `live`: lanes that have not exited.
    pub fn change(&mut self, mask: u32, live: u32, mut change: impl FnMut(&mut Knowledge)) {
        if self.each.is_none() && mask & live == live {
            return change(&mut self.common);
        }
        let common = &self.common;
        let each = self.each.get_or_insert_with(|| Box::new(std::array::from_fn(|_| common.clone())));
        lanes(mask).for_each(|lane| change(&mut each[lane]));
    }

    /// All lanes know the same from now on: what is made of what they know at least.
    pub fn all_same(&mut self) -> &mut Knowledge {
        self.each = None;
        &mut self.common
    }

    /// The lanes of `mask` know the same from now on.
    pub fn merge_lanes(&mut self, mask: u32, live: u32, known: Knowledge) {
        if mask & live == live {
            *self.all_same() = known;
        } else {
            self.change(mask, live, |own| *own = known.clone());
        }
    }
}
