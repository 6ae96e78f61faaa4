//! Exit codes. Scripts rely on them, and a test compares them with the README.

use std::process::ExitCode;

use mutagen_campaign::{ErrorClass, SpecError};

/// Why the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Nothing was found, or the command succeeded.
    Fine,
    /// A finding: two engines disagree, or a property does not hold.
    Finding,
    /// The command line is wrong.
    Usage,
    /// Gave up, or the input cannot be used.
    Unusable,
    /// Another run uses the output directory, or it holds earlier results.
    Busy,
    /// Results could not be stored.
    NotStored,
    /// A bug in this program.
    Internal,
    /// Interrupted by SIGHUP: the terminal was closed. The work until then is reported.
    HungUp,
    /// Interrupted by Ctrl-C. The work until then is reported.
    Interrupted,
    /// Interrupted by SIGTERM. The work until then is reported.
    Terminated,
}

impl Code {
    /// All codes, in the order of the help text.
    pub const ALL: [Code; 10] = [
        Code::Fine,
        Code::Finding,
        Code::Usage,
        Code::Unusable,
        Code::Busy,
        Code::NotStored,
        Code::Internal,
        Code::HungUp,
        Code::Interrupted,
        Code::Terminated,
    ];

    /// The number.
    pub fn number(self) -> u8 {
        match self {
            Code::Fine => 0,
            Code::Finding => 1,
            Code::Usage => 2,
            Code::Unusable => 3,
            Code::Busy => 4,
            Code::NotStored => 5,
            Code::Internal => 70,
            Code::HungUp => 129,
            Code::Interrupted => 130,
            Code::Terminated => 143,
        }
    }

    /// Its meaning, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Code::Fine => "nothing found",
            Code::Finding => "a finding",
            Code::Usage => "the command line makes no sense",
            Code::Unusable => "gave up, or the input cannot be used",
            Code::Busy => "the output directory is in use or holds earlier results",
            Code::NotStored => "results could not be stored",
            Code::Internal => "internal error",
            Code::HungUp => "interrupted by SIGHUP",
            Code::Interrupted => "interrupted",
            Code::Terminated => "interrupted by SIGTERM",
        }
    }

    /// The list of codes for help texts.
    pub fn help() -> String {
        let lines: Vec<String> =
            Code::ALL.iter().map(|code| format!("  {:<4} {}", code.number(), code.meaning())).collect();
        format!("Exit status:\n{}", lines.join("\n"))
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code.number())
    }
}

/// An error of a command.
#[derive(Debug)]
pub struct CommandError {
    /// The exit code.
    pub code: Code,
    /// The message, in one sentence: what is wrong, where, and what to do.
    pub message: String,
}

impl CommandError {
    /// An error with this exit code and message.
    pub fn new(code: Code, message: impl ToString) -> Self {
        CommandError { code, message: message.to_string() }
    }

    /// The command line is wrong.
    pub fn usage(message: impl ToString) -> Self {
        Self::new(Code::Usage, message)
    }
}

impl From<ErrorClass> for Code {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Usage => Code::Usage,
            ErrorClass::Unusable => Code::Unusable,
            ErrorClass::Busy => Code::Busy,
            ErrorClass::NotStored => Code::NotStored,
            ErrorClass::Internal => Code::Internal,
        }
    }
}

impl From<mutagen_campaign::Error> for CommandError {
    fn from(error: mutagen_campaign::Error) -> Self {
        Self::new(error.class().into(), error)
    }
}

impl From<mutagen_bench::Error> for CommandError {
    fn from(error: mutagen_bench::Error) -> Self {
        Self::new(error.class().into(), error)
    }
}

impl From<SpecError> for CommandError {
    fn from(error: SpecError) -> Self {
        Self::usage(error)
    }
}
