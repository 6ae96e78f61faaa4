//! Finds functions of a woven crate that come from elsewhere: generic code of the standard library and of other packages is
//! compiled inside of the crate that uses it. Probes in such functions cost time, and tell nothing about the crate.
//!
//! The compiler says what a crate will hold: it is called once more, without optimisation, for its intermediate code. Each
//! function there names its source file. A function from elsewhere may call back, such as `sort_by`, whose closure is the
//! crate's own and may be inlined into it; such functions keep their probes.

use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::call::Call;

/// The attribute of a function that gets no probes.
const ATTRIBUTE: &str = "nosanitize_coverage";

/// What the crate must be compiled with for its intermediate code to name functions as the real call does, and their files.
const FLAGS: &[&str] = &["-Cno-prepopulate-passes", "-Cdebuginfo=line-tables-only", "-Ccodegen-units=1"];

/// Adds what keeps probes out of functions whose source lies in none of the directories `own`. Where that cannot be found
/// out, all functions get probes. If the crate does not compile, the real call says why.
pub fn leave_out(call: &mut Call, own: &[PathBuf]) {
    let Some(list) = list_file(call) else { return };
    let code = list.with_extension("ll");
    let functions = compile(call, &code).and_then(|()| Functions::read(&code).ok());
    let _ = fs::remove_file(&code);
    let Some(functions) = functions else { return };
    let text: String =
        functions.foreign(own).into_iter().map(|name| format!("{name},{ATTRIBUTE}\n")).collect();
    if fs::write(&list, text).is_ok() {
        call.push(format!("-Cllvm-args=-forceattrs-csv-path={}", list.display()));
    }
}

/// Where the list goes. Flags for LLVM are separated by spaces, so a path with one cannot be among them.
fn list_file(call: &Call) -> Option<PathBuf> {
    let file = call.dep_info()?.with_extension("foreign");
    let file = env::current_dir().ok()?.join(file);
    (!file.to_str()?.contains(char::is_whitespace)).then_some(file)
}

/// Compiles to intermediate code in this file.
fn compile(call: &Call, code: &Path) -> Option<()> {
    let real = call.command();
    let mut command = Command::new(real.get_program());
    command.args(real.get_args().filter(|argument| !argument.to_string_lossy().starts_with("--emit=")));
    let mut emit = OsString::from("--emit=llvm-ir=");
    emit.push(code);
    command.args(FLAGS).arg(emit).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?.success().then_some(())
}

/// The functions of a crate, in intermediate code.
#[derive(Default)]
struct Functions {
    /// The name, the file and the functions that it names.
    all: Vec<(String, Option<String>, Vec<String>)>,
}

impl Functions {
    fn read(code: &Path) -> std::io::Result<Self> {
        Self::parse(BufReader::new(File::open(code)?))
    }

    fn parse(mut code: impl BufRead) -> std::io::Result<Self> {
        let mut functions: Vec<(String, Option<u32>, Vec<String>)> = Vec::new();
        let (mut programs, mut files) = (HashMap::new(), HashMap::new());
        let (mut inside, mut line) = (false, Vec::new());
        loop {
            line.clear();
            if code.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let line = String::from_utf8_lossy(&line);
            if line.starts_with("define ") {
                let mut named = names(&line);
                if let Some(name) = named.next() {
                    functions.push((name.to_owned(), number_after(&line, " !dbg !"), Vec::new()));
                    inside = true;
                }
            } else if line.starts_with('}') {
                inside = false;
            } else if inside {
                if let Some((_, _, called)) = functions.last_mut() {
                    called.extend(names(&line).map(str::to_owned));
                }
            } else if let Some(number) = number_after(&line, "!").filter(|_| line.starts_with('!')) {
                if line.contains("!DISubprogram(") {
                    programs.insert(number, number_after(&line, "file: !"));
                } else if line.contains("!DIFile(") {
                    files.insert(number, file(&line));
                }
            }
        }
        let path = |program: Option<u32>| files.get(&(*programs.get(&program?)?)?).cloned();
        let all = functions.into_iter().map(|(name, program, called)| (name, path(program), called));
        Ok(Functions { all: all.collect() })
    }

    /// The functions from elsewhere that do not call back.
    fn foreign(&self, own: &[PathBuf]) -> Vec<&str> {
        let is_own = |file: &Option<String>| {
            file.as_ref().is_none_or(|file| {
                let file = Path::new(file);
                // What the compiler was told to name otherwise is not absolute.
                !file.is_absolute() || own.iter().any(|directory| file.starts_with(directory))
            })
        };
        let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, _, called) in &self.all {
            called.iter().for_each(|called| callers.entry(called).or_default().push(name));
        }
        let own_functions =
            self.all.iter().filter(|(_, file, _)| is_own(file)).map(|(name, ..)| name.as_str());
        let mut reached: Vec<&str> = own_functions.collect();
        let own_functions: HashSet<&str> = reached.iter().copied().collect();
        let mut keep = own_functions;
        while let Some(name) = reached.pop() {
            let callers = callers.get(name).map_or(&[][..], Vec::as_slice);
            reached.extend(callers.iter().filter(|caller| keep.insert(caller)));
        }
        self.all.iter().map(|(name, ..)| name.as_str()).filter(|name| !keep.contains(name)).collect()
    }
}

/// The global names in a line, such as `@main` and `@"_ZN4main17h0E"`.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split('@').skip(1).filter_map(|rest| {
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => rest
                .split(|letter: char| !letter.is_ascii_alphanumeric() && !"_.$".contains(letter))
                .next()?,
        };
        (!name.is_empty()).then_some(name)
    })
}

fn number_after(line: &str, mark: &str) -> Option<u32> {
    let rest = &line[line.find(mark)? + mark.len()..];
    rest[..rest.find(|letter: char| !letter.is_ascii_digit())?].parse().ok()
}

/// The path in `!DIFile(filename: "src/lib.rs", directory: "/a/b", ...)`.
fn file(line: &str) -> String {
    let field = |name: &str| line.split_once(name)?.1.split('"').next();
    let directory = field("directory: \"").unwrap_or_default();
    let name = field("filename: \"").unwrap_or_default();
    Path::new(directory).join(name).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r#"
define internal void @_ZN3own4main17h01E(ptr %x) unnamed_addr #0 !dbg !5 {
start:
  call void @"_ZN4core3vec14Vec$LT$T$GT$4push17h02E"(ptr %x), !dbg !9
  ret void
}
define internal void @"_ZN4core3vec14Vec$LT$T$GT$4push17h02E"(ptr %x) #0 !dbg !6 {
start:
  ret void
}
define internal void @sort_by(ptr %x) #0 !dbg !6 {
  invoke void @closure(ptr %x)
}
define internal void @closure(ptr %x) #0 !dbg !7 {
  ret void
}
define internal void @shim(ptr %x) #0 {
  ret void
}
!1 = !DIFile(filename: "src/lib.rs", directory: "/a/own", checksumkind: CSK_MD5)
!2 = !DIFile(filename: "/rustc/0/library/core/src/vec.rs", directory: "")
!5 = distinct !DISubprogram(name: "main", scope: !3, file: !1, line: 3)
!6 = distinct !DISubprogram(name: "push", scope: !3, file: !2, line: 3)
!7 = distinct !DISubprogram(name: "{closure#0}", scope: !3, file: !1, line: 4)
"#;

    #[test]
    fn functions_from_elsewhere_are_found_by_their_files() {
        let functions = Functions::parse(CODE.as_bytes()).expect("it is text");
        let push = "_ZN4core3vec14Vec$LT$T$GT$4push17h02E";
        assert_eq!(functions.foreign(&["/a/own".into()]), [push], "not `sort_by`, which calls back");
        assert!(functions.foreign(&["/rustc".into(), "/a/own".into()]).is_empty(), "all is its own");
    }
}
