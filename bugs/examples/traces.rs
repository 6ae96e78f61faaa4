//! Prints a digest of the traces of 2,000 random modules: the same in every process and in every build.
//!
//! Probes are numbered by the linker, so their numbers may change from build to build; the digest replaces
//! each number by the position at which the probe first fired.

#[path = "../tests/traces/random_modules.rs"]
mod random_modules;

fn main() {
    random_modules::switch_unstable_probes_off();
    let mut recorder = random_modules::recorder();
    let mut digest = random_modules::Digest::default();
    for module in &random_modules::random_modules() {
        digest.add(random_modules::trace(&mut recorder, module, None));
    }
    println!("{digest}");
}
