//! Interpreters agree on one function in a stub module: the property `interpreter-i32`, for any signature.
//!
//! The target runs at once, since its path is what guides the campaign. The reference is 25 times slower, most of it per
//! module: its answers are got for many functions at a time, in one module, and a difference is reported late.

use std::collections::VecDeque;

use mutagen_engine::{Mutable, Outcome, Property, Verdict as Judged};
use mutagen_oracles::{
    Call, Ending, Engine, Instance, Instantiation, State, TrapKind, Value, Verdict, catch, compare_endings,
    compare_states, gate,
};
use mutagen_wasm_ast::{
    Block, BlockKind, BlockType, BrTable, ExportItem, FuncIdx, FuncType, Function, Instr, LabelIdx, LocalIdx,
    Module, Op, Stub, TypeIdx, ValType,
};

use crate::arguments::{boundary_arguments, signature_of};
use crate::pair::{Context, INCONCLUSIVE, Pair};

/// How many functions the reference compiles at once. More than 32 were not faster.
const BATCH: usize = 32;

/// The property `interpreter-i32` and its kin: functions of one type in a stub module with one memory.
pub struct Interpreter {
    pair: Pair,
    ty: FuncType,
    arguments: Vec<Vec<Value>>,
    open: Vec<Answered>,
    late: VecDeque<(Stub, Outcome)>,
    asked_alone: u64,
}

/// A function that the target has run and the reference has not.
struct Answered {
    stub: Stub,
    endings: Vec<Ending>,
    state: State,
    /// What the calls used.
    fuel: u64,
}

impl Interpreter {
    /// The type of the published study: (i32, f32) -> i32.
    pub fn paper_type() -> FuncType {
        use mutagen_wasm_ast::ValType::{F32, I32};
        FuncType::new([I32, F32], [I32])
    }

    /// The property for functions of this type.
    ///
    /// # Errors
    ///
    /// If the reference refuses the settings.
    pub fn new(context: &Context, ty: FuncType) -> Result<Self, String> {
        let arguments = boundary_arguments(&signature_of(&ty));
        let (pair, open, late) = (Pair::new(context)?, Vec::new(), VecDeque::new());
        Ok(Self { pair, ty, arguments, open, late, asked_alone: 0 })
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// How often the batch did not settle what to make of a function, so that both engines were asked about it alone.
    pub fn asked_alone(&self) -> u64 {
        self.asked_alone
    }

    /// The calls by which a function of this type is judged.
    pub fn calls_of(ty: &FuncType) -> Vec<Call> {
        let lists = boundary_arguments(&signature_of(ty));
        lists.into_iter().map(|list| Call::new(Stub::FUNCTION, list)).collect()
    }

    /// Asks both engines about one function, at once.
    pub fn judge_now(&self, stub: &Stub) -> Outcome {
        self.pair.confirmed(&stub.to_module(&self.ty).encode(), &Self::calls_of(&self.ty))
    }

    /// What the target does, or why there is nothing to compare.
    fn run_target(&self, stub: &Stub) -> Result<Answered, Outcome> {
        let bytes = stub.to_module(&self.ty).encode();
        let started = self.pair.times.target(|| {
            let mut instance = self.pair.target.instantiate(&bytes)?;
            let endings = run(&mut *instance, &self.arguments);
            Ok((instance, endings))
        });
        let (mut instance, endings) = started.map_err(|failed| self.not_started(stub, &failed))?;
        match endings.last() {
            Some(Ending::Panicked(_)) => Err(self.judge_now(stub)),
            // The calls before it may have shown something.
            Some(ending) if is_inconclusive(ending) && endings.len() > 1 => Err(self.judge_now(stub)),
            Some(ending) if is_inconclusive(ending) => Err(inconclusive(ending)),
            _ if gate(&bytes).is_some() => {
                Err(Outcome::discarded().label(INCONCLUSIVE).label("too large for the reference"))
            }
            _ => {
                let (state, fuel) = self.pair.times.target(|| (instance.state(), instance.fuel_used()));
                Ok(Answered { stub: stub.clone(), endings, state, fuel })
            }
        }
    }

    fn not_started(&self, stub: &Stub, failed: &Instantiation) -> Outcome {
        match failed {
            Instantiation::Rejected(_) => Outcome::discarded(),
            Instantiation::Ended { ending: Ending::Panicked(_), .. } => self.judge_now(stub),
            Instantiation::Ended { ending, .. } => inconclusive(ending),
        }
    }

    /// Gets the reference's answers for all open functions.
    fn settle(&mut self) {
        let open = std::mem::take(&mut self.open);
        let module = joined(open.iter().map(|answered| &answered.stub), &self.ty);
        let compiled = self
            .pair
            .times
            .reference(|| catch(|| self.pair.reference.compile(&module.encode())).unwrap_or_else(Err));
        for (number, answered) in open.into_iter().enumerate() {
            let agrees = compiled.as_ref().is_ok_and(|compiled| {
                let ask = || {
                    let mut instance = compiled.instantiate().ok()?;
                    let endings = run(&mut *instance, &numbered(&self.arguments, number));
                    Some((endings, instance.state()))
                };
                let theirs = self.pair.times.reference(|| catch(ask));
                theirs.ok().flatten().is_some_and(|(endings, state)| self.agree(&answered, &endings, &state))
            });
            if !agrees {
                self.look_closer(answered.stub);
            }
        }
    }

    fn agree(&self, ours: &Answered, endings: &[Ending], state: &State) -> bool {
        let nan = self.pair.settings.nan;
        let pairs = std::iter::zip(&ours.endings, endings);
        ours.endings.len() == endings.len()
            && pairs.into_iter().all(|(ours, theirs)| compare_endings(ours, theirs, nan) == Verdict::Equal)
            && compare_states(&ours.state, state, nan) == Verdict::Equal
    }

    /// The engines seem to differ on a function, or could not be compared in the batch: asks again about it alone.
    fn look_closer(&mut self, stub: Stub) {
        self.asked_alone += 1;
        let outcome = self.judge_now(&stub);
        if outcome.verdict != Judged::Passed {
            self.late.push_back((stub, outcome));
        }
    }
}

impl Property<Stub> for Interpreter {
    fn check(&mut self, stub: &Stub) -> Outcome {
        match self.run_target(stub) {
            Ok(answered) => {
                let passed = Outcome::passed().costing(answered.fuel);
                self.open.push(answered);
                passed
            }
            Err(outcome) => outcome,
        }
    }

    fn late(&mut self, finish: bool) -> Option<(Stub, Outcome)> {
        if self.open.len() >= BATCH || finish && !self.open.is_empty() {
            self.settle();
        }
        self.late.pop_front()
    }
}

/// Calls the function with each list, until a call ends in a way after which nothing can be compared.
fn run(instance: &mut dyn Instance, arguments: &[Vec<Value>]) -> Vec<Ending> {
    let mut endings = Vec::with_capacity(arguments.len());
    for list in arguments {
        let ending = instance.call(Stub::FUNCTION, list);
        let last = is_inconclusive(&ending) || matches!(ending, Ending::Panicked(_));
        endings.push(ending);
        if last {
            break;
        }
    }
    endings
}

/// The lists for the function with this number in a joined module.
fn numbered(arguments: &[Vec<Value>], number: usize) -> Vec<Vec<Value>> {
    let number = Value::I32(number as u32);
    arguments.iter().map(|list| list.iter().chain([&number]).cloned().collect()).collect()
}

fn is_inconclusive(ending: &Ending) -> bool {
    use TrapKind::{OutOfFuel, StackExhausted};
    match ending {
        Ending::Trapped(kind) => matches!(kind, OutOfFuel | StackExhausted),
        Ending::Limited(_) | Ending::Unmapped(_) | Ending::Infra(_) => true,
        Ending::Returned(_) | Ending::Refused(_) | Ending::Panicked(_) => false,
    }
}

fn inconclusive(ending: &Ending) -> Outcome {
    Outcome::discarded().label(INCONCLUSIVE).label(format!("{INCONCLUSIVE}: {ending}"))
}

/// One module with all functions, and in the place of the exported function one that takes a number as its last argument and
/// calls the function with that number. Every exported function would cost the compiler about as much as a small one.
fn joined<'a>(stubs: impl Iterator<Item = &'a Stub>, ty: &FuncType) -> Module {
    let mut joined = Stub::default().to_module(ty);
    joined.functions.clear();
    for (number, stub) in stubs.enumerate() {
        let mut function = stub.to_module(ty).functions;
        renumber(&mut function, number);
        joined.functions.append(&mut function);
    }
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

/// A function of the second type that calls one of the first `all` functions: a block for each, from all of which a table of
/// branches leads out.
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

/// A function that calls itself calls function 0, since it is alone; in the joined module it has a number.
fn renumber(node: &mut dyn Mutable, number: usize) {
    if let Some(index) = node.as_any_mut().downcast_mut::<FuncIdx>() {
        *index = FuncIdx::new(number as u32);
        return;
    }
    for child in 0..node.children() {
        renumber(node.child_mut(child), number);
    }
}
