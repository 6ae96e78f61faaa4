//! Interpreters agree on one function in a stub module: the property `interpreter-i32`, for any signature.
//!
//! The target runs at once, since its path guides the campaign. The reference is 25 times slower, and most of
//! its time is spent per module. So it runs many functions at a time, in one module, and a difference is
//! reported late.

use std::borrow::Cow;
use std::collections::VecDeque;

use mutagen_engine::{Mutable, Outcome, Property, Scope, Source, Strategy, Verdict, stable};
use mutagen_oracles::{
    Agreement, Call, Ending, Engine, EngineError, Guarded, Instance, Instantiation, Settings, State,
    TrapKind, Value, Watched, Why, catch, compare_endings, compare_states, gate, settled,
};
use mutagen_wasm_ast::{
    Block, BlockKind, BlockType, BrTable, ExportItem, FuncIdx, FuncType, Function, Instr, LabelIdx, LocalIdx,
    Module, Op, Stub, TypeIdx, ValType,
};

use crate::arguments::{boundary_arguments, signature_of};
use crate::generators::FunctionGenerator;
use crate::opinion::{Adviser, Said};
use crate::pair::{Context, Pair, outcome_of, ran_out};
use crate::subject::{Case, Subject, WatchError, watch_target};
use crate::twins::{asks_twins, twins_differ};

/// How many functions the reference compiles at once. More than 32 are not faster.
const BATCH: usize = 32;

/// How many steps a call of a function may make that would not end otherwise: calls of itself and rounds of loops.
const STEPS: i32 = 200;

/// The property `interpreter-i32`, for functions of any one type, in a stub module with one memory.
pub struct Functions {
    pair: Pair,
    ty: FuncType,
    /// Whether functions are repaired before they are run. Then the target also agrees with its other way to run, and the state
    /// is compared after each call.
    repairs: bool,
    twins: Option<Pair>,
    arguments: Vec<Vec<Value>>,
    open: Vec<Answered>,
    /// How many functions were run since the reference ran the last ones.
    waiting: usize,
    late: VecDeque<(Stub, Outcome)>,
    asked_alone: u64,
}

/// A function that the target has run and the reference has not.
struct Answered {
    bytes: Vec<u8>,
    stub: Stub,
    endings: Vec<Ending>,
    /// The state after each call, or after the last one.
    states: Vec<State>,
    /// The fuel that the calls used.
    fuel: u64,
    /// Whether the first opinion agrees, and the reference is asked all the same.
    is_checked: bool,
}

impl Functions {
    /// The type of the published study: (i32, f32) -> i32.
    pub fn paper_type() -> FuncType {
        use mutagen_wasm_ast::ValType::{F32, I32};
        FuncType::new([I32, F32], [I32])
    }

    /// The property for functions of this type.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: &Context, ty: FuncType) -> Result<Self, EngineError> {
        let arguments = boundary_arguments(&signature_of(&ty));
        let (pair, open, late) = (Pair::new(context)?, Vec::new(), VecDeque::new());
        Ok(Self { pair, ty, repairs: false, twins: None, arguments, open, waiting: 0, late, asked_alone: 0 })
    }

    /// Repairs functions before they are run, and compares more: the state after each call, and for one function in eight the
    /// target's other way to run.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn repairing(mut self) -> Result<Self, EngineError> {
        self.repairs = true;
        self.twins = Pair::twins(&self.pair.context)?;
        Ok(self)
    }

    /// The function that is run in place of this one.
    fn runnable<'a>(&self, stub: &'a Stub) -> Cow<'a, Stub> {
        match self.repairs {
            true => Cow::Owned(repaired(stub, &self.ty, &self.pair.context)),
            false => Cow::Borrowed(stub),
        }
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// How often a batch did not decide on a function, so that both engines had to run it alone.
    pub fn asked_alone(&self) -> u64 {
        self.asked_alone
    }

    /// The calls by which a function of this type is judged.
    pub fn calls_of(ty: &FuncType) -> Vec<Call> {
        let lists = boundary_arguments(&signature_of(ty));
        lists.into_iter().map(|list| Call::new(Stub::FUNCTION, list)).collect()
    }

    /// Runs one function on both engines, without waiting for a batch.
    pub fn judge_now(&self, stub: &Stub) -> Outcome {
        let (wasm, calls) = (self.runnable(stub).to_module(&self.ty).encode(), Self::calls_of(&self.ty));
        let outcome = self.pair.confirmed(&wasm, &calls);
        // Shrinking must not lose a failure of the target's other way to run, so that one is always asked.
        match &self.twins {
            Some(twins) if outcome.verdict == Verdict::Passed => {
                twins_differ(twins, &wasm, &calls).unwrap_or(outcome)
            }
            _ => outcome,
        }
    }

    /// The same without a first opinion.
    fn judge_with_reference(&self, stub: &Stub) -> Outcome {
        let stub = self.runnable(stub);
        self.pair.confirmed_by_reference(&stub.to_module(&self.ty).encode(), &Self::calls_of(&self.ty))
    }

    /// Counts a function on which the first opinion agrees and the reference was asked all the same.
    fn note_check(&self, contradicted: bool) {
        if let Some(first) = &self.pair.first {
            first.note_check(contradicted);
        }
    }

    /// Runs a function on the target. The error is the outcome if there is nothing to compare.
    fn run_target(&self, stub: &Stub) -> Result<Answered, Outcome> {
        let bytes = stub.to_module(&self.ty).encode();
        self.pair.context.barred(&bytes).map_or(Ok(()), Err)?;
        let started = self.pair.context.times.target(|| {
            let mut instance = self.pair.target.instantiate(&bytes)?;
            let (endings, states) = self.run(&mut *instance, &self.arguments);
            Ok((instance.fuel_used(), endings, states))
        });
        let (fuel, endings, states) = started.map_err(|failed| self.not_started(stub, &failed))?;
        match endings.last() {
            Some(Ending::Panicked(_)) => return Err(self.judge_now(stub)),
            // The calls before it may have shown a difference.
            Some(ending) if incomparable(ending).is_some() && endings.len() > 1 => {
                return Err(self.judge_now(stub));
            }
            Some(ending) => incomparable(ending).map_or(Ok(()), |agreement| Err(outcome_of(&agreement)))?,
            None => {}
        }
        if let Some(which) = gate(&bytes) {
            return Err(outcome_of(&Agreement::Limit(which)));
        }
        match &self.twins {
            Some(twins) if asks_twins(stable::hash(&bytes)) => {
                twins_differ(twins, &bytes, &Self::calls_of(&self.ty)).map_or(Ok(()), Err)?;
            }
            _ => {}
        }
        Ok(Answered { bytes, stub: stub.clone(), endings, states, fuel, is_checked: false })
    }

    /// Calls the function with each list, until a call ends in a way that cannot be compared. Returns how the calls ended, and the
    /// state after each of them, or after the last one.
    fn run(&self, instance: &mut dyn Instance, arguments: &[Vec<Value>]) -> (Vec<Ending>, Vec<State>) {
        let (mut endings, mut states) = (Vec::with_capacity(arguments.len()), Vec::new());
        for list in arguments {
            let ending = instance.call(Stub::FUNCTION, list);
            let last = incomparable(&ending).is_some() || matches!(ending, Ending::Panicked(_));
            endings.push(ending);
            if last {
                break;
            }
            if self.repairs || endings.len() == arguments.len() {
                states.push(instance.state());
            }
        }
        (endings, states)
    }

    fn not_started(&self, stub: &Stub, failed: &Instantiation) -> Outcome {
        match failed {
            // Of functions that are valid by construction, a rejection is an answer to compare.
            Instantiation::Rejected(_) if self.repairs => self.judge_now(stub),
            Instantiation::Rejected(_) => Outcome::discarded(),
            Instantiation::Ended { ending: Ending::Panicked(_), .. } => self.judge_now(stub),
            Instantiation::Ended { ending, .. } => {
                incomparable(ending).map_or_else(|| self.judge_now(stub), |agreement| outcome_of(&agreement))
            }
        }
    }

    /// Whether the reference has to be asked now. One more look at what is settled already can wait until it pays.
    fn is_due(&mut self) -> bool {
        self.waiting = 0;
        self.open.len() >= BATCH || self.open.iter().any(|answered| !answered.is_checked)
    }

    /// Runs all open functions on the reference.
    fn settle(&mut self) {
        // Compile all open functions as one module.
        self.waiting = 0;
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        let module = joined(open.iter().map(|answered| &answered.stub), &self.ty);
        let (bytes, times) = (module.encode(), self.pair.context.times.clone());
        let reference = &self.pair.reference.0;
        let compiled = times.reference(|| catch(|| reference.compile(&bytes)).ok().and_then(Result::ok));
        // Run each function in an instance of its own, and compare with the target.
        let mut closer = Vec::new();
        for (number, answered) in open.into_iter().enumerate() {
            let agrees = compiled.as_ref().is_some_and(|compiled| {
                let ask = || {
                    let mut instance = compiled.instantiate().ok()?;
                    Some(self.run(&mut *instance, &numbered(&self.arguments, number)))
                };
                let theirs = times.reference(|| catch(ask));
                theirs
                    .ok()
                    .flatten()
                    .is_some_and(|(endings, states)| self.agree(&answered, &endings, &states))
            });
            if !agrees {
                closer.push((answered.stub, answered.is_checked));
            } else if answered.is_checked {
                self.note_check(false);
            }
        }
        // Judge alone the functions that the batch did not decide on.
        drop(compiled);
        closer.into_iter().for_each(|(stub, is_checked)| self.look_closer(stub, is_checked));
    }

    fn agree(&self, ours: &Answered, endings: &[Ending], states: &[State]) -> bool {
        let Settings { nan, compared, .. } = self.pair.context.settings;
        let end_alike = |(ours, theirs): (&Ending, &Ending)| {
            compare_endings(ours, theirs, nan, compared) == Agreement::Equal
        };
        let are_alike = |(ours, theirs): (&State, &State)| {
            compare_states(ours, theirs, nan, compared) == Agreement::Equal
        };
        ours.endings.len() == endings.len()
            && ours.states.len() == states.len()
            && std::iter::zip(&ours.endings, endings).all(end_alike)
            && std::iter::zip(&ours.states, states).all(are_alike)
    }

    /// Lets the reference run a function later, with others, unless a first opinion settles it.
    fn await_reference(&mut self, mut answered: Answered) -> Outcome {
        let passed = Outcome::passed().costing(answered.fuel);
        // Functions that are settled count as well, so that no finding comes later than without a first opinion.
        self.waiting += 1;
        if let Some(first) = &self.pair.first
            && first.may_be_asked(&answered.bytes)
            && first.settles(&answered.bytes, |adviser| self.said_by(adviser, &answered))
        {
            answered.is_checked = first.checks(&answered.bytes);
            if !answered.is_checked {
                return passed;
            }
        }
        self.open.push(answered);
        passed
    }

    /// What a quick engine says about a function.
    fn said_by(&self, adviser: &Adviser<'_>, answered: &Answered) -> Said {
        if !adviser.validate(&answered.bytes).is_accepted() {
            return Said::Differs;
        }
        let Ok(mut instance) = Guarded(adviser).open(&answered.bytes, &[]) else { return Said::Nothing };
        let (endings, states) = self.run(&mut instance, &self.arguments);
        match endings.last() {
            Some(ending) if tells_nothing(ending) => Said::Nothing,
            _ if self.agree(answered, &endings, &states) => Said::Agrees,
            _ => Said::Differs,
        }
    }

    /// Checks a function that does not end, with steps that are counted. If it fails, what failed is the function that counts, so
    /// it is reported late.
    fn check_bounded(&mut self, mut stub: Stub) -> Outcome {
        stub.bound_calls(STEPS);
        match self.run_target(&stub) {
            Ok(answered) => self.await_reference(answered),
            Err(outcome) if matches!(outcome.verdict, Verdict::Failed(_)) => {
                self.late.push_back((stub, outcome));
                Outcome::passed()
            }
            Err(outcome) => outcome,
        }
    }

    /// Runs a function alone on both engines, after they seemed to differ or could not be compared in the
    /// batch.
    fn look_closer(&mut self, stub: Stub, is_checked: bool) {
        self.asked_alone += 1;
        let outcome = self.judge_with_reference(&stub);
        if is_checked {
            self.note_check(matches!(outcome.verdict, Verdict::Failed(_)));
        }
        if outcome.verdict != Verdict::Passed {
            self.late.push_back((stub, outcome));
        }
    }
}

impl Property<Stub> for Functions {
    fn check(&mut self, stub: &Stub) -> Outcome {
        let stub = self.runnable(stub);
        match self.run_target(&stub) {
            Ok(answered) => self.await_reference(answered),
            Err(outcome) if self.repairs && ran_out(&outcome) => self.check_bounded(stub.into_owned()),
            Err(outcome) => outcome,
        }
    }

    fn late(&mut self, finish: bool) -> Option<(Stub, Outcome)> {
        if finish || (self.waiting >= BATCH && self.is_due()) {
            self.settle();
        }
        self.late.pop_front()
    }
}

/// The function, made valid by a small change.
fn repaired(stub: &Stub, ty: &FuncType, context: &Context) -> Stub {
    let mut stub = stub.clone();
    stub.repair(ty, context.settings.features);
    stub
}

/// The argument lists for the function with this number in a joined module.
fn numbered(arguments: &[Vec<Value>], number: usize) -> Vec<Vec<Value>> {
    let number = Value::I32(number as u32);
    arguments.iter().map(|list| list.iter().chain([&number]).cloned().collect()).collect()
}

/// The result of the comparison, if it follows from the target's ending alone. A function that exhausts the
/// stack would hardly ever show a difference, so it is not worth running on the reference.
fn incomparable(ending: &Ending) -> Option<Agreement> {
    match ending {
        Ending::Trapped(TrapKind::StackExhausted) => Some(Agreement::Inconclusive(Why::Stack)),
        _ => settled(ending),
    }
}

/// Whether an engine that ended a call like this cannot say what it does, although the target can.
fn tells_nothing(ending: &Ending) -> bool {
    incomparable(ending).is_some() || matches!(ending, Ending::Panicked(_))
}

/// Joins all functions into one module. Its exported function takes a number as its last argument and calls
/// the function with that number. There is only one export, since each would cost the compiler about as much
/// as a small function.
fn joined<'a>(stubs: impl Iterator<Item = &'a Stub>, ty: &FuncType) -> Module {
    let mut joined = Stub::default().to_module(ty);
    joined.functions.clear();
    for (number, stub) in stubs.enumerate() {
        let mut function = stub.to_module(ty).functions;
        renumber(&mut function, number);
        joined.functions.append(&mut function);
    }
    // Add the function that calls the others by number, and export it instead.
    let all = joined.functions.len();
    let numbered = [&ty.params[..], &[ValType::I32]].concat();
    joined.types.push(FuncType::new(numbered, ty.results.clone()));
    joined.functions.push(dispatcher(all, ty));
    for export in &mut joined.exports {
        if let ExportItem::Func(function) = &mut export.item {
            *function = FuncIdx::new(all as u32);
        }
    }
    joined
}

/// A function of the second type that calls one of the first `all` functions. It has nested blocks, one for
/// each function, and a branch table that leaves as many blocks as the number says.
fn dispatcher(all: usize, ty: &FuncType) -> Function {
    let op = |op| Instr::Op(op);
    let arity = ty.params.len() as u32;
    let mut targets: Vec<LabelIdx> = (0..all as u32).map(LabelIdx::new).collect();
    let default = targets.pop().unwrap_or(LabelIdx::new(0));
    let mut body =
        vec![op(Op::LocalGet(LocalIdx::new(arity))), op(Op::BrTable(Box::new(BrTable { targets, default })))];
    for number in 0..all as u32 {
        body = vec![Block::new(BlockKind::Block, BlockType::Empty, body).into()];
        body.extend((0..arity).map(|index| op(Op::LocalGet(LocalIdx::new(index)))));
        body.extend([op(Op::Call(FuncIdx::new(number))), op(Op::Return)]);
    }
    Function { ty: TypeIdx::new(1), locals: Vec::new(), body }
}

/// Changes calls of function 0 into calls of this number. In its stub module a function that calls itself
/// calls function 0, but in the joined module it has another number.
fn renumber(node: &mut dyn Mutable, number: usize) {
    if let Some(index) = node.as_any_mut().downcast_mut::<FuncIdx>() {
        *index = FuncIdx::new(number as u32);
        return;
    }
    for child in 0..node.children() {
        renumber(node.child_mut(child), number);
    }
}

/// Campaigns on the property `interpreter-i32`.
pub struct FunctionSubject {
    context: Context,
    ty: FuncType,
    generator: FunctionGenerator,
}

impl FunctionSubject {
    /// Campaigns on functions of this type.
    pub fn new(context: Context, ty: FuncType, generator: FunctionGenerator) -> Self {
        Self { context, ty, generator }
    }

    /// The module of the function that is run in place of this one.
    fn module_of(&self, stub: &Stub) -> Vec<u8> {
        match self.generator {
            FunctionGenerator::Repaired => repaired(stub, &self.ty, &self.context).to_module(&self.ty),
            FunctionGenerator::Derived | FunctionGenerator::Typed => stub.to_module(&self.ty),
        }
        .encode()
    }
}

impl Subject for FunctionSubject {
    type Value = Stub;
    type Property = Functions;

    fn property(&self) -> Result<Functions, EngineError> {
        let functions = Functions::new(&self.context, self.ty.clone())?;
        if self.generator == FunctionGenerator::Repaired { functions.repairing() } else { Ok(functions) }
    }

    fn judge(&self, property: &mut Functions, stub: &Stub) -> Outcome {
        property.judge_now(stub)
    }

    fn generate(&self, source: &mut Source, size: usize) -> Stub {
        self.generator.generate(&self.ty, source, size)
    }

    fn scope(&self) -> Scope {
        Scope::new().with(self.context.settings.features)
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        self.generator.suit(strategy)
    }

    fn repair(&self, stub: &mut Stub) {
        if self.generator == FunctionGenerator::Repaired {
            stub.repair(&self.ty, self.context.settings.features);
        }
    }

    fn case(&self, stub: &Stub) -> Case {
        Case::of(self.module_of(stub), Functions::calls_of(&self.ty))
    }

    fn value(&self, case: &Case) -> Option<Stub> {
        stub_of(case, &self.ty)
    }

    fn module(&self, stub: &Stub) -> Option<Vec<u8>> {
        Some(self.module_of(stub))
    }

    fn context(&self) -> Option<&Context> {
        Some(&self.context)
    }

    fn watched(&self) -> Watched {
        Watched::Functions
    }

    fn watch(&self) -> Result<(), WatchError> {
        watch_target(&self.context, self.watched())
    }
}

/// The inside of the function, if this is a stub module for functions of this type.
pub(crate) fn stub_of(case: &Case, ty: &FuncType) -> Option<Stub> {
    let module = case.module()?;
    let function = module.functions.first()?;
    let stub = Stub { locals: function.locals.clone(), body: function.body.clone() };
    (stub.to_module(ty) == module).then_some(stub)
}
