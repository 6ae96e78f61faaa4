//! The settings of the smaller guidances, by name.

use std::fmt;

/// A setting that can be made by name.
pub(crate) struct Setting<C: 'static> {
    /// The name: `fifo`, or `max-size=N` if a number belongs to it.
    name: &'static str,
    effect: Effect<C>,
}

enum Effect<C> {
    Word(fn(&mut C)),
    Number(fn(&mut C, usize)),
}

pub(super) const fn word<C>(name: &'static str, effect: fn(&mut C)) -> Setting<C> {
    Setting { name, effect: Effect::Word(effect) }
}

pub(super) const fn number<C>(name: &'static str, effect: fn(&mut C, usize)) -> Setting<C> {
    Setting { name, effect: Effect::Number(effect) }
}

impl<C> Setting<C> {
    /// Makes the setting if `text` names it.
    fn apply(&self, text: &str, config: &mut C) -> Option<()> {
        match self.effect {
            Effect::Word(effect) => (text == self.name).then(|| effect(config)),
            Effect::Number(effect) => {
                let prefix = self.name.strip_suffix('N')?;
                text.strip_prefix(prefix)?.parse().ok().map(|number| effect(config, number))
            }
        }
    }
}

/// A configuration whose settings have names.
pub(crate) trait Settings: Sized + 'static {
    /// The name of the guidance that it configures.
    const GUIDANCE: &'static str;
    const ALL: &'static [Setting<Self>];

    fn set(&mut self, text: &str) -> Result<(), UnknownSetting> {
        let known = || Self::ALL.iter().map(|setting| setting.name).collect();
        Self::ALL.iter().find_map(|setting| setting.apply(text, self)).ok_or_else(|| UnknownSetting {
            setting: text.to_owned(),
            guidance: Self::GUIDANCE,
            known: known(),
        })
    }
}

/// A switch that a guidance does not have, or whose number is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSetting {
    setting: String,
    guidance: &'static str,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownSetting { setting, guidance, known } = self;
        write!(formatter, "{guidance} has no switch `{setting}`; its switches are: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownSetting {}
