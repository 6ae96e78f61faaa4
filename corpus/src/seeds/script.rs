//! The modules of a script of the specification's test suite. Only this module uses wast.

use wast::core::ModuleKind;
use wast::lexer::Lexer;
use wast::parser::{self, ParseBuffer};
use wast::token::Span;
use wast::{QuoteWat, Wast, WastDirective, WastExecute, Wat};

/// A module of a script.
pub(super) struct Found {
    /// The line on which its directive begins.
    pub line: usize,
    /// Whether the script says that it is malformed.
    pub is_malformed: bool,
    /// Its binary form, or why there is none.
    pub module: Result<Vec<u8>, String>,
}

/// The modules of a script in their order, also those that it says are invalid.
///
/// # Errors
///
/// The line and the reason, if this is no script.
pub(super) fn modules(text: &str) -> Result<Vec<Found>, (usize, String)> {
    let told = |error: wast::Error| (line(error.span(), text), error.message());
    let mut lexer = Lexer::new(text);
    // The test suite has names in which letters run backwards.
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).map_err(told)?;
    let script = parser::parse::<Wast>(&buffer).map_err(told)?;
    Ok(script.directives.into_iter().flat_map(|directive| modules_of(directive, text)).collect())
}

/// The modules in a directive. The scripts for threads have directives in directives.
fn modules_of(directive: WastDirective<'_>, text: &str) -> Vec<Found> {
    if let WastDirective::Thread(thread) = directive {
        return thread.directives.into_iter().flat_map(|directive| modules_of(directive, text)).collect();
    }
    let is_malformed = matches!(
        directive,
        WastDirective::AssertMalformed { .. } | WastDirective::AssertMalformedCustom { .. }
    );
    let line = line(directive.span(), text);
    module(directive).map(|module| Found { line, is_malformed, module }).into_iter().collect()
}

/// The binary form of the module in a directive, if there is one.
fn module(directive: WastDirective<'_>) -> Option<Result<Vec<u8>, String>> {
    Some(match directive {
        WastDirective::Module(module)
        | WastDirective::ModuleDefinition(module)
        | WastDirective::AssertInvalid { module, .. }
        | WastDirective::AssertInvalidCustom { module, .. }
        | WastDirective::AssertMalformed { module, .. }
        | WastDirective::AssertMalformedCustom { module, .. } => quoted(module),
        WastDirective::AssertUnlinkable { module, .. }
        | WastDirective::AssertTrap { exec: WastExecute::Wat(module), .. } => plain(module),
        _ => return None,
    })
}

fn quoted(mut module: QuoteWat<'_>) -> Result<Vec<u8>, String> {
    match module {
        QuoteWat::Wat(module) => plain(module),
        QuoteWat::QuoteModule(..) => module.encode().map_err(|error| error.message()),
        QuoteWat::QuoteComponent(..) => Err(COMPONENT.into()),
    }
}

fn plain(mut module: Wat<'_>) -> Result<Vec<u8>, String> {
    match &module {
        Wat::Component(_) => Err(COMPONENT.into()),
        Wat::Module(core) => match &core.kind {
            // Binary modules are given byte for byte, also broken ones.
            ModuleKind::Binary(parts) => Ok(parts.concat()),
            ModuleKind::Text(_) => module.encode().map_err(|error| error.message()),
        },
    }
}

const COMPONENT: &str = "this is a component, not a core module";

fn line(span: Span, text: &str) -> usize {
    span.linecol_in(text).0 + 1
}
