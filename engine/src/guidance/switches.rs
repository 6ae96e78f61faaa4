//! Settings by name: what a command line sets, and what a report says was set.

use std::fmt;

/// One way to change a configuration of type `C` by name.
///
/// ```
/// use mutagen_engine::MutagenConfig;
///
/// let depth = MutagenConfig::all_switches().iter().find(|switch| switch.name == "depth=N").unwrap();
/// assert_eq!(depth.meaning, "at most N generations of mutants");
/// ```
#[derive(Debug)]
pub struct Switch<C: 'static> {
    /// The name: `fifo`, or `depth=N` if a number belongs to it.
    pub name: &'static str,
    /// What the switch does, in a few words.
    pub meaning: &'static str,
    effect: Effect<C>,
}

/// What a switch does to a configuration. Fields are reached through functions that borrow them.
#[derive(Debug)]
enum Effect<C> {
    Word(fn(&mut C)),
    Number(fn(&mut C) -> &mut usize),
    Bounded(fn(&mut C) -> &mut usize, usize),
    Limit(fn(&mut C) -> &mut Option<usize>),
}

/// A switch without a number.
pub(super) const fn word<C>(name: &'static str, meaning: &'static str, effect: fn(&mut C)) -> Switch<C> {
    Switch { name, meaning, effect: Effect::Word(effect) }
}

/// A switch that sets the number in a field. Its name ends in `=N`.
pub(super) const fn number<C>(
    name: &'static str,
    meaning: &'static str,
    field: fn(&mut C) -> &mut usize,
) -> Switch<C> {
    Switch { name, meaning, effect: Effect::Number(field) }
}

/// A switch that sets the number in a field that need not have one. Its name ends in `=N`.
pub(super) const fn limit<C>(
    name: &'static str,
    meaning: &'static str,
    field: fn(&mut C) -> &mut Option<usize>,
) -> Switch<C> {
    Switch { name, meaning, effect: Effect::Limit(field) }
}

/// The largest size of generated values that can be asked for. A value of this size is larger than any test can use.
const LARGEST: usize = 1_000;

/// The switch that nearly every guidance has.
pub(super) const fn max_size<C>(field: fn(&mut C) -> &mut usize) -> Switch<C> {
    Switch {
        name: "max-size=N",
        meaning: "generate values up to size N, at most 1000",
        effect: Effect::Bounded(field, LARGEST),
    }
}

impl<C: Clone + PartialEq> Switch<C> {
    /// Changes the configuration if `text` is this switch. `None` if it is not.
    fn apply(&self, text: &str, config: &mut C) -> Option<()> {
        match self.effect {
            Effect::Word(effect) => (text == self.name).then(|| effect(config)),
            Effect::Number(field) => self.number_in(text).map(|number| *field(config) = number),
            Effect::Bounded(field, most) => {
                self.number_in(text).filter(|number| *number <= most).map(|number| *field(config) = number)
            }
            Effect::Limit(field) => self.number_in(text).map(|number| *field(config) = Some(number)),
        }
    }

    /// The switch as it stands in the configuration. `None` if the configuration is set otherwise.
    fn present(&self, config: &C) -> Option<String> {
        let mut copy = config.clone();
        match self.effect {
            // A word is in effect if using it again changes nothing.
            Effect::Word(effect) => {
                effect(&mut copy);
                (copy == *config).then(|| self.name.to_owned())
            }
            Effect::Number(field) | Effect::Bounded(field, _) => Some(self.with_number(*field(&mut copy))),
            Effect::Limit(field) => field(&mut copy).map(|number| self.with_number(number)),
        }
    }

    /// The name up to and including the `=`.
    fn prefix(&self) -> &'static str {
        self.name.trim_end_matches('N')
    }

    fn number_in(&self, text: &str) -> Option<usize> {
        text.strip_prefix(self.prefix())?.parse().ok()
    }

    fn with_number(&self, number: usize) -> String {
        format!("{}{number}", self.prefix())
    }
}

/// A configuration whose settings have names.
pub(crate) trait Switches: Clone + PartialEq + 'static {
    /// The name of the guidance that it configures.
    const GUIDANCE: &'static str;
    /// All switches, those of one field next to each other. For every state of a field there must be one.
    const SWITCHES: &'static [Switch<Self>];

    /// Makes the setting that `text` names.
    fn switch(&mut self, text: &str) -> Result<(), UnknownSwitch> {
        Self::SWITCHES.iter().find_map(|switch| switch.apply(text, self)).ok_or_else(|| UnknownSwitch {
            guidance: Self::GUIDANCE,
            switch: text.to_owned(),
            known: Self::SWITCHES.iter().map(|switch| switch.name).collect(),
        })
    }

    /// The present settings, one switch per field. Setting them all on any configuration gives this one.
    fn present(&self) -> Vec<String> {
        Self::SWITCHES.iter().filter_map(|switch| switch.present(self)).collect()
    }
}

/// A switch that a guidance does not have, or whose number is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSwitch {
    /// The guidance.
    pub guidance: &'static str,
    /// The switch, as it was given.
    pub switch: String,
    /// The names of all switches that the guidance has.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownSwitch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownSwitch { guidance, switch, known } = self;
        if switch.split_once('=').is_some_and(|(name, _)| name == "max-size") && known.contains(&"max-size=N")
        {
            return write!(formatter, "`{switch}`: in max-size=N, N is a number from 0 to {LARGEST}");
        }
        write!(formatter, "{guidance} has no switch `{switch}`; its switches are: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownSwitch {}
