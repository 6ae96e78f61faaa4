//! Nesting that is deeper than any stack: each operation works, or refuses with a clear error. All tests run
//! on threads with a small stack.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

use mutagen_engine::{Address, Position, Scope, Source, apply, node_at, shrink};
use mutagen_wasm_ast::{Block, BlockKind, BlockType, FuncType, Function, MAX_DEPTH, Module, Op, TypeIdx};

const LEVELS: usize = 100_000;

/// Less than the 2 MiB that Rust gives to a thread.
const STACK: usize = 512 << 10;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(test).expect("threads can be started");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

const KINDS: [fn() -> BlockKind; 4] =
    [|| BlockKind::Block, || BlockKind::Loop, || BlockKind::If, || BlockKind::IfElse(vec![])];

/// Nested blocks: each block is in the body of the next, or in its `else` if it has one.
fn nested(levels: usize, kind: fn() -> BlockKind) -> Module {
    let mut body = vec![];
    for _ in 0..levels {
        let mut outer = Block::new(kind(), BlockType::Empty, vec![Op::I32Const(1).into()]);
        match &mut outer.kind {
            BlockKind::IfElse(otherwise) => otherwise.append(&mut body),
            _ => outer.body.append(&mut body),
        }
        body = vec![outer.into()];
    }
    let function = Function { ty: TypeIdx::new(0), locals: vec![], body };
    Module { types: vec![FuncType::default()], functions: vec![function], ..Module::default() }
}

#[test]
fn decoding_refuses_what_is_nested_too_deeply() {
    on_a_small_stack(|| {
        for kind in KINDS {
            let error =
                Module::decode(&nested(LEVELS, kind).encode()).expect_err("100,000 levels are too many");
            assert!(error.to_string().contains("nested deeper than 10000 levels"), "{error}");
            assert_eq!(error.unsupported(), None);
        }
    });
}

#[test]
fn the_deepest_nesting_that_decodes_comes_back() {
    on_a_small_stack(|| {
        for kind in KINDS {
            let module = nested(MAX_DEPTH, kind);
            assert_eq!(Module::decode(&module.encode()).as_ref(), Ok(&module));
            assert!(Module::decode(&nested(MAX_DEPTH + 1, kind).encode()).is_err());
        }
    });
}

#[test]
fn cloning_comparing_hashing_measuring_and_dropping_work_at_any_depth() {
    on_a_small_stack(|| {
        for kind in KINDS {
            let module = nested(LEVELS, kind);
            let copy = module.clone();
            assert!(copy == module);
            assert_eq!(module.depth(), LEVELS);
            assert_eq!(module.shape().depth(), LEVELS);
            let hash = |module: &Module| {
                let mut hasher = DefaultHasher::new();
                module.hash(&mut hasher);
                hasher.finish()
            };
            assert_eq!(hash(&copy), hash(&module));
            assert!(format!("{module:?}").len() > LEVELS);
        }
    });
}

/// The first body is the third part of the first function.
const BODY: [u32; 3] = [2, 0, 2];

/// The path from the body at this depth to the next one: the instruction, the block in it, and the body or
/// the one after `else`.
fn way_down(kind: &BlockKind, is_outermost: bool) -> Vec<u32> {
    match kind {
        BlockKind::IfElse(_) => vec![0, 0, 0, 0],
        // The block comes after the constant, except at the top.
        _ => vec![u32::from(!is_outermost), 0, 2],
    }
}

#[test]
fn mutating_works_at_any_depth() {
    on_a_small_stack(|| {
        let mut source = Source::seeded(0);
        for kind in KINDS {
            let module = nested(LEVELS, kind);
            let inner = (0..LEVELS / 2).flat_map(|level| way_down(&kind(), level == 0));
            let deep: Vec<u32> = BODY.into_iter().chain(inner).collect();
            for path in [deep, BODY.to_vec()] {
                let count = node_at(&module, &path).map(|node| node.count(&Scope::new()).fixed);
                let number = count.expect("the position exists") - 1;
                let mutant = apply(&module, &Address { position: Position::from(path), number }, &mut source);
                assert!(mutant.expect("splicing changes the body").depth() < LEVELS);
            }
            let outermost = Position::from([&BODY[..], &[0]].concat());
            let mutant = apply(&module, &Address { position: outermost, number: 0 }, &mut source);
            assert_eq!(mutant.expect("a block becomes an instruction").depth(), 0);
        }
    });
}

#[test]
fn printing_and_reading_text_work_or_refuse() {
    on_a_small_stack(|| {
        for kind in KINDS {
            let text = nested(LEVELS, kind).to_text().expect("the module is well-formed");
            let error = Module::from_text(&text).expect_err("100,000 levels are too many");
            assert!(error.to_string().contains("nested deeper than"), "{error}");
        }
        let folded = format!("(module (func {}{}))", "(block ".repeat(LEVELS), ")".repeat(LEVELS));
        assert!(Module::from_text(&folded).is_err());
    });
}

/// The stack that the documentation promises to be enough for recursive code.
const WORKER_STACK: usize = if cfg!(debug_assertions) { 64 << 20 } else { 16 << 20 };

#[test]
fn shrinking_what_was_decoded_fits_the_stack_of_a_worker() {
    let test = || {
        let module = nested(MAX_DEPTH, KINDS[0]);
        assert!(shrink(module, |module| module.depth() == MAX_DEPTH, 3).tests > 0);
    };
    let thread = thread::Builder::new().stack_size(WORKER_STACK).spawn(test).expect("threads can be started");
    assert!(thread.join().is_ok());
}
