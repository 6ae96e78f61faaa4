//! Unknown names.

use mutagen_bugs::nearest;

/// Nothing of this kind has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The kind of thing that was looked for: a task, a strategy, a suite.
    kind: &'static str,
    /// The name that was asked for.
    name: String,
    /// The known name that looks most like it, if one does.
    pub nearest: Option<String>,
    /// A hint on where to find the known names.
    hint: String,
}

impl Unknown {
    /// The error for an unknown name. It offers the nearest of the known names.
    pub(super) fn new<S: AsRef<str>>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = S>,
        hint: impl Into<String>,
    ) -> Self {
        Unknown { kind, name: name.to_owned(), nearest: nearest(name, known), hint: hint.into() }
    }
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "there is no {} `{}`", self.kind, self.name)?;
        if let Some(nearest) = &self.nearest {
            write!(formatter, "; did you mean `{nearest}`?")?;
        }
        write!(formatter, " ({})", self.hint)
    }
}

impl std::error::Error for Unknown {}
