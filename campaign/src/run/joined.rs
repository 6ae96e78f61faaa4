//! Joining the campaign of a supervisor: what this worker is told when it starts.

use mutagen_properties::Subject;
use mutagen_weave::SharedMemory;

use crate::supervise::{CampaignOrder, switch_on};
use crate::{FindingReport, Groups, Store};

/// What a worker gets from its supervisor.
pub(crate) struct Joined {
    /// What it is to do.
    pub(crate) order: CampaignOrder,
    /// Where it notes its last test.
    pub(crate) memory: SharedMemory,
}

impl Joined {
    /// Takes up what is known of the campaign. Returns the findings that are in no group, if this worker is to sort them.
    pub(crate) fn take_up(
        self,
        subject: &impl Subject,
        store: Option<&Store>,
        groups: &mut Groups,
    ) -> Vec<FindingReport> {
        let Joined { order, memory } = self;
        if let Some(context) = subject.context() {
            context.notes.keep_in(memory);
            order.barred.iter().for_each(|hash| context.barred.bar(*hash));
            order.unasked.iter().for_each(|hash| context.unasked.bar(*hash));
            switch_on(context, &order.late_fixes);
        }
        groups.skip(order.skipped);
        groups.beware(order.killers);
        match store {
            Some(store) if order.sorts => store.resume(order.groups, groups),
            _ => {
                order.groups.into_iter().for_each(|group| groups.join(group));
                Vec::new()
            }
        }
    }
}
