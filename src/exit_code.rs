//! How the program ends. The codes are a contract: scripts rely on them, and a test compares them with the README.

use std::process::ExitCode;

/// Why the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Nothing was found, or what was asked for was done.
    Fine,
    /// A finding: two engines disagree, or a property does not hold.
    Finding,
    /// The command line makes no sense.
    Usage,
    /// Gave up, or the input cannot be used.
    Unusable,
    /// Another run uses the output directory, or it holds earlier results.
    Busy,
    /// Results could not be stored.
    NotStored,
    /// A bug in this program.
    Internal,
    /// Stopped from outside. What was done until then is reported.
    Interrupted,
}

impl Code {
    /// All codes, in the order of the help text.
    pub const ALL: [Code; 8] = [
        Code::Fine,
        Code::Finding,
        Code::Usage,
        Code::Unusable,
        Code::Busy,
        Code::NotStored,
        Code::Internal,
        Code::Interrupted,
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
            Code::Interrupted => 130,
        }
    }

    /// What it means, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Code::Fine => "nothing found",
            Code::Finding => "a finding",
            Code::Usage => "the command line makes no sense",
            Code::Unusable => "gave up, or the input cannot be used",
            Code::Busy => "the output directory is in use or holds earlier results",
            Code::NotStored => "results could not be stored",
            Code::Internal => "internal error",
            Code::Interrupted => "interrupted",
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

/// An end that needs a sentence.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub code: Code,
    /// One sentence: what is wrong, where, and what to do.
    pub message: String,
}

impl Failure {
    /// A failure with its sentence.
    pub fn new(code: Code, message: impl ToString) -> Self {
        Failure { code, message: message.to_string() }
    }

    /// The command line makes no sense.
    pub fn usage(message: impl ToString) -> Self {
        Self::new(Code::Usage, message)
    }
}
