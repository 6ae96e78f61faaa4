//! Groups of findings: failing tests that are about the same thing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use mutagen_properties::Shape;
use serde::{Deserialize, Serialize};

use crate::report::paths;
use crate::words::words;
use crate::{Finding, FindingReport, Known};

/// Failing tests that are about the same thing: a catalogue fix explains all of them, or they were shrunk to the same
/// shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The shape of the exemplar.
    pub shape: Shape,
    /// The kind of failure, in a word.
    pub kind: String,
    /// What fails, in a sentence.
    pub message: String,
    /// The fix of the catalogue that explains it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix: Option<String>,
    /// How often it was met.
    pub count: u64,
    /// When it was met first.
    pub first: Moment,
    /// When it was met last.
    pub last: Moment,
    /// Why it is silenced, if it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub silenced: Option<String>,
    /// What was done because it kept coming.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub curbed: Option<Curb>,
    /// Where in the target it happens, if that is known: how a process died, and in which functions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub site: Option<String>,
    /// The file of the exemplar.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "paths::option", default)]
    pub file: Option<PathBuf>,
}

impl Group {
    /// The group of a finding that is in no other. `None` if the finding has no value.
    pub(crate) fn alone(finding: &Finding, file: Option<PathBuf>) -> Option<Self> {
        let shape = Shape::of(finding.kind(), &finding.case().ok()?);
        let (message, kind) = (finding.message(), shape.kind.clone());
        let (first, last) = Default::default();
        let (fix, silenced, curbed, site) = (None, None, None, None);
        Some(Group { shape, kind, message, fix, count: 1, first, last, silenced, curbed, site, file })
    }

    /// Whether its exemplar is stored in files of this name.
    pub(crate) fn is_stored_as(&self, name: &str) -> bool {
        self.file.as_ref().and_then(|file| file.file_stem()).is_some_and(|stem| stem == name)
    }
}

/// A moment of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// How many tests the worker had run.
    pub tests: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// What is done about a group that keeps coming, so that it does not keep others from being found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Curb {
    /// The fix that explains it is on from then on.
    Fixed,
    /// Values of shapes that it had are no longer tested.
    Skipped,
}

/// What became of a failing test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is the first of its group.
    New,
    /// Its group is known already.
    Counted,
    /// The user knows its group.
    Silenced,
}

/// The groups of a campaign. Whoever hands in a failing test first asks whether it can be [recognised](Groups::recognise)
/// without work, then whether a fix [explains](Groups::explain) it, and shrinks it only if neither is so.
#[derive(Debug, Default)]
pub struct Groups {
    known: Known,
    members: Vec<Member>,
    /// The place of the group of each shape: of exemplars, and of values as they were found.
    places: BTreeMap<Shape, usize>,
    /// The place of the group of each site at which the target fails.
    sites: BTreeMap<String, usize>,
    /// Shapes of values, as they were found, that are no longer tested.
    skipped: BTreeSet<u64>,
    /// The words of modules that keep ending workers.
    killers: Vec<BTreeSet<String>>,
    /// How many modules had all words of one of them.
    alike: u64,
    unsorted: u64,
}

#[derive(Debug)]
struct Member {
    group: Group,
    /// The exemplar. `None` if an earlier run found it and its file is gone.
    exemplar: Option<FindingReport>,
    /// Whether this run has met it.
    met: bool,
}

impl Groups {
    /// A group that was met so often keeps coming.
    pub const FLOOD: u64 = 10;
    /// There are at most so many groups. What would be in further ones is counted as unsorted.
    pub const MOST: usize = 1_000;
    /// One of so many modules that are like those that keep ending workers is tested all the same.
    const TESTED_ALIKE: u64 = 16;
    /// Values are compared with so many exemplars of groups that end the process.
    const MOST_KILLERS: usize = 32;
    /// At most so many shapes are remembered.
    const MOST_SHAPES: usize = 100_000;

    /// No groups yet. Those of `known` will be silenced.
    pub fn new(known: Known) -> Self {
        Groups { known, ..Self::default() }
    }

    /// Adds a group that an earlier run found.
    pub fn resume(&mut self, group: Group, exemplar: Option<FindingReport>) {
        let silenced = self.known.reason(&group.shape, group.fix.as_deref());
        let known = self.place(&group).is_some();
        if !known && self.members.len() < Self::MOST {
            self.remember(&group);
            let group = Group { silenced, curbed: None, ..group };
            self.members.push(Member { group, exemplar, met: false });
        }
    }

    /// Adds a group of a campaign that this worker joins. What was done because it keeps coming goes on to be done.
    pub fn join(&mut self, group: Group) {
        let curbed = group.curbed;
        if curbed == Some(Curb::Skipped) {
            self.skipped.insert(group.shape.hash);
        }
        let place = self.members.len();
        self.resume(group, None);
        if let Some(member) = self.members.get_mut(place) {
            member.group.curbed = curbed;
        }
    }

    /// The words of the exemplars of groups that keep coming, that no fix explains, and that cost a process each time.
    pub(crate) fn killers(&self) -> Vec<BTreeSet<String>> {
        let keeps_coming = |member: &&Member| member.group.curbed == Some(Curb::Skipped);
        let exemplars =
            self.members.iter().filter(keeps_coming).filter_map(|member| member.exemplar.as_ref());
        let killing = exemplars.filter(|exemplar| exemplar.finding.ends_the_process());
        killing.filter_map(|exemplar| words(exemplar.finding.wasm()?)).take(Self::MOST_KILLERS).collect()
    }

    /// Counts a failing test whose shape, as it was found, was in a group before.
    pub fn recognise(&mut self, as_found: &Shape, now: Moment) -> Option<(Decision, Option<Curb>)> {
        let place = *self.places.get(as_found)?;
        Some(self.count(place, as_found, now))
    }

    /// Counts a failing test if others failed at the same site of the target. Not if the fix of those is on: then it is
    /// something else.
    pub fn recognise_site(
        &mut self,
        site: &str,
        as_found: &Shape,
        now: Moment,
    ) -> Option<(Decision, Option<Curb>)> {
        let place = *self.sites.get(site)?;
        let is_fixed = self.members[place].group.curbed == Some(Curb::Fixed);
        (!is_fixed).then(|| self.count(place, as_found, now))
    }

    /// Remembers that the failing tests of the group with this shape fail at this site.
    pub fn is_at(&mut self, shape: &Shape, site: &str) {
        if let Some(place) = self.places.get(shape).copied()
            && self.sites.len() < Self::MOST_SHAPES
        {
            self.sites.insert(site.to_owned(), place);
            self.members[place].group.site.get_or_insert_with(|| site.to_owned());
        }
    }

    /// Counts a failing test that this fix explains, if others were explained by it.
    pub fn explain(&mut self, fix: &str, as_found: &Shape, now: Moment) -> Option<(Decision, Option<Curb>)> {
        let place = self.members.iter().position(|member| member.group.fix.as_deref() == Some(fix))?;
        Some(self.count(place, as_found, now))
    }

    /// Whether a group has the name of this fix.
    pub(crate) fn has_fix(&self, fix: &str) -> bool {
        self.members.iter().any(|member| member.group.fix.as_deref() == Some(fix))
    }

    /// Adds a failing test by its shrunk form.
    pub fn add(
        &mut self,
        as_found: &Shape,
        shape: Shape,
        fix: Option<&str>,
        message: String,
        exemplar: FindingReport,
    ) -> (Decision, Option<Curb>) {
        let now = Moment { tests: exemplar.tests, seconds: exemplar.seconds };
        if let Some(place) = self.place_of(&shape, fix) {
            let known = &mut self.members[place].group.fix;
            *known = known.take().or(fix.map(str::to_owned));
            return self.count(place, as_found, now);
        }
        if self.members.len() >= Self::MOST {
            self.unsorted += 1;
            return (Decision::Counted, None);
        }
        let silenced = self.known.reason(&shape, fix);
        self.places.insert(shape.clone(), self.members.len());
        let group = Group {
            kind: shape.kind.clone(),
            shape,
            message,
            fix: fix.map(str::to_owned),
            count: 0,
            first: now,
            last: now,
            silenced,
            curbed: None,
            site: None,
            file: exemplar.file.clone(),
        };
        self.members.push(Member { group, exemplar: Some(exemplar), met: false });
        let (decision, curb) = self.count(self.members.len() - 1, as_found, now);
        (if decision == Decision::Counted { Decision::New } else { decision }, curb)
    }

    /// Says where the exemplar of a group is stored.
    pub fn stored(&mut self, shape: &Shape, file: PathBuf) {
        if let Some(member) = self.places.get(shape).and_then(|place| self.members.get_mut(*place)) {
            member.group.file = Some(file.clone());
            if let Some(exemplar) = &mut member.exemplar {
                exemplar.file = Some(file);
            }
        }
    }

    /// Adds a finding of an earlier run that does not show again, as a group of its own: it must not be lost.
    pub fn keep(&mut self, exemplar: FindingReport) {
        let Some(group) = Group::alone(&exemplar.finding, exemplar.file.clone()) else { return };
        self.resume(group, Some(exemplar));
    }

    /// Adds what another worker has met of a group. Returns the file of its exemplar, if it is not needed any more.
    pub fn absorb(&mut self, group: Group) -> Option<PathBuf> {
        let Some(place) = self.place(&group) else {
            let met = group.count > 0;
            if self.members.len() >= Self::MOST {
                self.unsorted += group.count;
                return None;
            }
            let silenced = self.known.reason(&group.shape, group.fix.as_deref()).or(group.silenced.clone());
            self.remember(&group);
            self.members.push(Member { group: Group { silenced, ..group }, exemplar: None, met });
            return None;
        };
        let Member { group: ours, met, .. } = &mut self.members[place];
        *met |= group.count > 0;
        let is_first = group.count > 0 && (ours.count == 0 || group.first.seconds < ours.first.seconds);
        ours.first = if is_first { group.first } else { ours.first };
        let is_last = group.count > 0 && (ours.count == 0 || group.last.seconds > ours.last.seconds);
        ours.last = if is_last { group.last } else { ours.last };
        ours.count += group.count;
        ours.curbed = ours.curbed.or(group.curbed);
        ours.fix = ours.fix.take().or(group.fix);
        match (&ours.file, group.file) {
            (None, file) => {
                ours.file = file;
                None
            }
            (Some(ours), file) => file.filter(|file| file.file_name() != ours.file_name()),
        }
    }

    /// Does not test values of these shapes any more.
    pub fn skip(&mut self, shapes: impl IntoIterator<Item = u64>) {
        self.skipped.extend(shapes);
    }

    /// Tests only few of the modules that have all of these words.
    pub(crate) fn beware(&mut self, killers: Vec<BTreeSet<String>>) {
        self.killers = killers;
    }

    /// Whether a module is not tested because it is like those that keep ending workers. Some are tested all the same: they
    /// may show something else.
    pub(crate) fn is_killer(&mut self, wasm: &[u8]) -> bool {
        if self.killers.is_empty() {
            return false;
        }
        let is_alike =
            words(wasm).is_some_and(|words| self.killers.iter().any(|killer| killer.is_subset(&words)));
        self.alike += u64::from(is_alike);
        is_alike && !self.alike.is_multiple_of(Self::TESTED_ALIKE)
    }

    /// The shapes of values that are not tested any more.
    pub fn skipped(&self) -> Vec<u64> {
        self.skipped.iter().copied().collect()
    }

    /// Counts a failing test that nobody had the time to shrink.
    pub fn leave_unsorted(&mut self) {
        self.unsorted += 1;
    }

    /// How many failing tests are in no group.
    pub fn unsorted(&self) -> u64 {
        self.unsorted
    }

    /// Whether values of this shape are no longer tested.
    pub fn skips(&self, hash: u64) -> bool {
        self.skipped.contains(&hash)
    }

    /// Whether some values are no longer tested.
    pub fn is_skipping(&self) -> bool {
        !self.skipped.is_empty() || !self.killers.is_empty()
    }

    /// The groups, in the order in which they were first met.
    pub fn list(&self) -> Vec<Group> {
        self.members.iter().map(|member| member.group.clone()).collect()
    }

    /// The exemplar of the first group that this run met and that is not silenced.
    pub fn first(&self) -> Option<&FindingReport> {
        let counts = |member: &&Member| member.met && member.group.silenced.is_none();
        self.members.iter().filter(counts).find_map(|member| member.exemplar.as_ref())
    }

    /// Whether this run met a group that is not silenced, or something that is in no group.
    pub fn has_news(&self) -> bool {
        self.unsorted > 0 || self.members.iter().any(|member| member.met && member.group.silenced.is_none())
    }

    /// The place of a group that is about the same thing.
    fn place(&self, group: &Group) -> Option<usize> {
        let site = group.site.as_ref().and_then(|site| self.sites.get(site).copied());
        self.place_of(&group.shape, group.fix.as_deref()).or(site)
    }

    /// Remembers where the next group is.
    fn remember(&mut self, group: &Group) {
        let place = self.members.len();
        self.places.insert(group.shape.clone(), place);
        if let Some(site) = &group.site {
            self.sites.insert(site.clone(), place);
        }
    }

    fn place_of(&self, shape: &Shape, fix: Option<&str>) -> Option<usize> {
        let explained = |member: &Member| fix.is_some() && member.group.fix.as_deref() == fix;
        self.members.iter().position(explained).or_else(|| self.places.get(shape).copied())
    }

    fn count(&mut self, place: usize, as_found: &Shape, now: Moment) -> (Decision, Option<Curb>) {
        if self.places.len() < Self::MOST_SHAPES {
            self.places.entry(as_found.clone()).or_insert(place);
        }
        let Member { group, met, .. } = &mut self.members[place];
        group.first = if group.count == 0 { now } else { group.first };
        group.count += 1;
        group.last = now;
        *met = true;
        let decision = if group.silenced.is_some() { Decision::Silenced } else { Decision::Counted };
        let mut curb = None;
        if group.count >= Self::FLOOD {
            let wanted = if group.fix.is_some() { Curb::Fixed } else { Curb::Skipped };
            curb = (group.curbed.replace(wanted) != Some(wanted)).then_some(wanted);
        }
        if curb == Some(Curb::Skipped) {
            let shapes = self.places.iter().filter(|(_, of)| **of == place).map(|(shape, _)| shape.hash);
            self.skipped.extend(shapes);
        } else if group.curbed == Some(Curb::Skipped) && self.skipped.len() < Self::MOST_SHAPES {
            self.skipped.insert(as_found.hash);
        }
        (decision, curb)
    }
}
