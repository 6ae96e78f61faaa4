//! Validators agree: what the target accepts, the reference accepts.

use mutagen_engine::{Outcome, Property};
use mutagen_oracles::{Validity, Verdict, compare_validity};
use mutagen_wasm_ast::Module;

use crate::pair::{Context, INCONCLUSIVE, Pair};

/// Which disagreements count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The target accepts what the reference rejects, as in the published study. Modules that the target rejects are
    /// discarded, and the reference is not asked.
    #[default]
    Accept,
    /// Either way.
    Both,
}

/// The property `validator`.
pub struct Validator {
    pair: Pair,
    direction: Direction,
}

impl Validator {
    /// The property in this context.
    ///
    /// # Errors
    ///
    /// If the reference refuses the settings.
    pub fn new(context: &Context, direction: Direction) -> Result<Self, String> {
        Ok(Self { pair: Pair::new(context)?, direction })
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    fn compare(&self, bytes: &[u8], ours: &Validity) -> Outcome {
        let theirs = self.pair.reference_validity(bytes);
        match compare_validity(bytes, ours, &theirs, &self.pair.settings) {
            Verdict::Equal if ours.is_accepted() => Outcome::passed(),
            Verdict::Equal => Outcome::discarded(),
            Verdict::Differ(_) => self.pair.confirmed(bytes, &[]),
            other => Outcome::discarded().label(INCONCLUSIVE).label(other.to_string()),
        }
    }
}

impl Property<Module> for Validator {
    fn check(&mut self, module: &Module) -> Outcome {
        let bytes = module.encode();
        let ours = self.pair.target_validity(&bytes);
        match ours {
            Validity::Rejected(_) if self.direction == Direction::Accept => Outcome::discarded(),
            _ => self.compare(&bytes, &ours),
        }
    }
}
