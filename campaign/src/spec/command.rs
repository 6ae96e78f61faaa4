//! The command line that runs a spec, for people.

use mutagen_bugs::Bug;
use mutagen_engine::Strategy;
use mutagen_ifc::pairs::Pairs;
use mutagen_oracles::{NanMode, Parts, Registry};
use mutagen_properties::{ModuleGenerator, Noninterference};

use super::{EngineProperty, EngineSpec, Machine, MachineSpec, Spec, SubjectSpec, Usual};

/// The words of a command line, flag by flag.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn word(&mut self, word: impl ToString) {
        self.0.push(word.to_string());
    }

    /// Adds a flag, unless its value is the default.
    fn flag<T: PartialEq>(&mut self, flag: &str, value: &T, usual: &T, text: impl ToString) {
        if value != usual {
            self.word(flag);
            self.word(text);
        }
    }
}

impl Spec {
    /// The command that runs this campaign, written for a shell. Flags with default values are left out.
    ///
    /// ```
    /// use mutagen_bugs::Bug;
    /// use mutagen_campaign::Spec;
    ///
    /// let mut spec = Spec::hunting(&Bug::find("stack-9")?).expect("it is a bug");
    /// (spec.seed, spec.strategy) = (7, Some("mutagen/paper,no-reset".parse()?));
    /// let command = "mutagen-wasm ifc stack --bug stack-9 --preset paper --switch no-reset --seed 7";
    /// assert_eq!(spec.command_line(), command);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn command_line(&self) -> String {
        self.words().iter().fold("mutagen-wasm".to_owned(), |line, word| line + " " + &quoted(word))
    }

    /// The words of that command line, without the name of the program.
    pub fn words(&self) -> Vec<String> {
        let mut words = Words::default();
        words.word(self.command());
        match &self.subject {
            SubjectSpec::Engines(engines) => self.engine_words(engines, &mut words),
            SubjectSpec::Machine(machine) => machine_words(machine, &mut words),
        }
        self.bug.iter().for_each(|bug| words.flag("--bug", &Some(bug), &None, bug));
        words.flag("--guidance", &self.guidance().name(), &"mutagen", self.guidance());
        words.flag("--preset", &self.preset(), &"default", self.preset());
        for switch in self.strategy.iter().flat_map(Strategy::switches) {
            words.flag("--switch", &true, &false, switch);
        }
        words.flag("--seed", &self.seed, &0, self.seed);
        self.budget.tests.iter().for_each(|tests| words.flag("--tests", &true, &false, tests));
        self.budget
            .time
            .iter()
            .for_each(|time| words.flag("--time", &true, &false, humantime::format_duration(*time)));
        let ratio = self.budget.max_discard_ratio;
        ratio.iter().for_each(|ratio| words.flag("--max-discard-ratio", &true, &false, ratio));
        words.flag("--jobs", &self.jobs, &1, self.jobs);
        if self.keep_going {
            words.word("--keep-going");
        }
        words.0
    }

    /// Adds the flags that are not usual.
    fn engine_words(&self, engines: &EngineSpec, words: &mut Words) {
        let bug = self.bug.as_deref().and_then(|id| Bug::find(id).ok());
        let usual = Usual { guidance: self.guidance(), strategy: self.strategy.as_ref(), bug: bug.as_ref() };
        let name = engines.property.kind();
        if self.command() == "interpret" {
            words.flag("--property", &name, &usual.interpreted(), name.name());
        }
        words.settings(&engines.property, &usual.property(name));
        words.flag("--target", &engines.target.as_str(), &EngineSpec::TARGET, &engines.target);
        let usual_reference = EngineSpec::usual_reference(&engines.target, &Registry::default());
        words.flag("--reference", &engines.reference.as_str(), &usual_reference, &engines.reference);
        if let Some(third) = &engines.third_opinion {
            words.flag("--third-opinion", &true, &false, third);
        }
        if self.command() == "interpret" {
            let usual = engines.property.usual_opinion(&engines.target, &engines.reference);
            let named = engines.first_opinion.as_deref().unwrap_or(EngineSpec::NO_OPINION);
            words.flag("--first-opinion", &engines.first_opinion, &usual, named);
        }
        let features = usual.features(&engines.target, &engines.reference, &Registry::default());
        words.flag("--features", &Some(engines.features), &features, engines.features);
        words.flag("--nans", &engines.nans, &NanMode::Deterministic, "raw");
        words.flag("--compare", &engines.compare, &Parts::ALL, engines.compare);
        if engines.fixes {
            words.word("--fixes");
        }
    }
}

impl Words {
    /// Adds the settings of a property that differ from the usual ones of the same property.
    fn settings(&mut self, property: &EngineProperty, usual: &EngineProperty) {
        use EngineProperty::{Interpreter, InterpreterI32, Invocation, Turns, Validator};
        match (property, usual) {
            (
                Validator { direction, generator },
                Validator { direction: usual_direction, generator: usual_generator },
            ) => {
                self.flag("--direction", direction, usual_direction, direction.name());
                self.modules(*generator, *usual_generator);
            }
            (
                InterpreterI32 { signature, generator },
                InterpreterI32 { signature: usual_signature, generator: usual_generator },
            ) => {
                self.flag("--signature", signature, usual_signature, signature);
                self.flag("--generator", generator, usual_generator, generator.name());
            }
            (Interpreter { generator }, Interpreter { generator: usual }) => self.modules(*generator, *usual),
            (
                Turns { signature, functions, modules, split },
                Turns { signature: usual_signature, functions: other, modules: others, split: usual_split },
            ) => {
                self.flag("--signature", signature, usual_signature, signature);
                self.flag("--generator", &(functions, modules), &(other, others), functions.name());
                self.flag("--split", split, usual_split, split);
            }
            (Invocation { signature }, Invocation { signature: usual }) => {
                self.flag("--signature", signature, usual, signature);
            }
            _ => (),
        }
    }

    /// Adds the generator of modules. wasm-smith follows from the guidance.
    fn modules(&mut self, generator: ModuleGenerator, usual: ModuleGenerator) {
        if generator != ModuleGenerator::Smith {
            self.flag("--generator", &generator, &usual, generator.name());
        }
    }
}

fn machine_words(spec: &MachineSpec, words: &mut Words) {
    words.word(spec.machine.name());
    if spec.machine == Machine::Stack {
        words.flag("--property", &spec.property, &Noninterference::default(), spec.property);
    }
    words.flag("--generator", &spec.generator, &Pairs::default(), spec.generator);
}

/// The word, quoted for a shell where necessary.
pub fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=,.:/+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
