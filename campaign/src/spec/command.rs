//! The command line that runs a spec, for people.

use mutagen_engine::Strategy;
use mutagen_ifc::pairs::Pairs;
use mutagen_oracles::{NanMode, Parts};
use mutagen_properties::{Direction, ModuleGenerator, Noninterference};
use mutagen_wasm_ast::Features;

use super::{EngineProperty, EngineSpec, FunctionType, Machine, MachineSpec, Spec, SubjectSpec};

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

    fn engine_words(&self, engines: &EngineSpec, words: &mut Words) {
        match &engines.property {
            EngineProperty::Validator { direction, .. } => {
                words.flag("--direction", direction, &Direction::Accept, direction.name());
                self.module_generator_words(words);
            }
            EngineProperty::InterpreterI32 { signature, generator } => {
                // Without a search, whole modules are the default.
                words.flag("--property", &self.strategy.is_some(), &true, engines.property.name());
                words.flag("--signature", signature, &FunctionType::default(), signature);
                let usual = Spec::functions_for(self.strategy.as_ref());
                words.flag("--generator", generator, &usual, generator.name());
            }
            EngineProperty::Interpreter { .. } => {
                // These guidances make whole modules in any case.
                let implied = self.strategy.is_none() || self.guidance().needs_modules();
                words.flag("--property", &implied, &true, engines.property.name());
                self.module_generator_words(words);
            }
            EngineProperty::Invocation { signature } => {
                words.flag("--property", &true, &false, engines.property.name());
                words.flag("--signature", signature, &FunctionType::default(), signature);
            }
        }
        words.flag("--target", &engines.target.as_str(), &EngineSpec::TARGET, &engines.target);
        words.flag("--reference", &engines.reference.as_str(), &EngineSpec::REFERENCE, &engines.reference);
        words.flag("--features", &engines.features, &Features::WASM1, engines.features);
        words.flag("--nans", &engines.nans, &NanMode::Deterministic, "raw");
        words.flag("--compare", &engines.compare, &Parts::ALL, engines.compare);
        if engines.fixes {
            words.word("--fixes");
        }
    }

    /// Adds the generator of modules, unless the guidance implies it.
    fn module_generator_words(&self, words: &mut Words) {
        let typed = self.modules() == ModuleGenerator::Typed;
        words.flag("--generator", &typed, &false, ModuleGenerator::Typed.name());
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
