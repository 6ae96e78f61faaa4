//! `cargo mutagen test`.

use crate::arguments::TestArguments;
use crate::build::build;
use crate::child;
use crate::ended::{Culprit, End};
use crate::error::Error;
use crate::exit::Code;
use crate::project::Project;
use crate::properties::{Property, find, matching};
use mutagen_engine::request::{Request, Task};

/// Runs the properties, program by program, and leaves the reporting to the test runner.
pub fn run(arguments: &TestArguments) -> Result<Code, Error> {
    let project = Project::load(&arguments.build)?;
    let programs = build(&project, &arguments.build, false)?;
    let mut properties = find(&programs)?;
    if let Some(filter) = &arguments.filter {
        properties = matching(properties, filter)?;
    }
    let request = Request { seed: arguments.seed, tests: arguments.tests, ..Request::new(Task::Test) };
    let request = arguments.run.of(request);
    let count = properties.len();
    let mut failed = 0;
    for group in properties.chunk_by(|one, other| one.program.executable == other.program.executable) {
        failed += usize::from(!run_program(group, &request)?);
    }
    let noun = if count == 1 { "property" } else { "properties" };
    if failed == 0 {
        println!("cargo mutagen: {count} {noun} held");
        return Ok(Code::Fine);
    }
    println!("cargo mutagen: of {count} {noun}, some do not hold (see above)");
    Ok(Code::Found)
}

/// Whether all properties of one program hold.
fn run_program(properties: &[Property], request: &Request) -> Result<bool, Error> {
    let mut command = child::command(&properties[0], request);
    command.args(properties.iter().map(Property::test)).arg("--show-output");
    let program = properties[0].program.executable.display().to_string();
    let status = command.status().map_err(|reason| Error::CannotRun { program, reason })?;
    if End::of(&status).is_none() {
        return Ok(status.success());
    }
    println!("\nA test ended the program, and with it all others. They are run one by one.\n");
    let mut all_hold = true;
    for property in properties {
        all_hold &= run_alone(property, request)?;
    }
    Ok(all_hold)
}

/// Whether a property holds, of a program that one of them ends.
fn run_alone(property: &Property, request: &Request) -> Result<bool, Error> {
    let ended = child::ask(property, request)?;
    if let Some(end) = End::of(&ended.status) {
        Culprit::find(property, request, &end, 0)?.show(property);
    } else if !ended.status.success() {
        println!("{}", ended.other.join("\n"));
    }
    Ok(ended.status.success())
}
