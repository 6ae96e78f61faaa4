//! Measures of modules, for guidance and for reports.

mod needs;

pub(crate) use needs::Needs;

use crate::instr::{Block, Instr};
use crate::module::Module;

impl Module {
    /// The number of instructions in all functions. Each block counts as one, and so does each instruction in
    /// it.
    pub fn instructions(&self) -> usize {
        self.bodies().map(|(instrs, _)| instrs.len()).sum()
    }

    /// The depth to which blocks are nested: 0 without blocks, 1 if no block holds another, and so on.
    pub fn depth(&self) -> usize {
        self.bodies().map(|(_, depth)| depth).max().unwrap_or(0)
    }

    /// The bodies of all functions and blocks, with their depth. There is no recursion, so any depth works.
    fn bodies(&self) -> impl Iterator<Item = (&[Instr], usize)> {
        let mut open: Vec<_> = self.functions.iter().map(|function| (function.body.as_slice(), 0)).collect();
        std::iter::from_fn(move || {
            let (body, depth) = open.pop()?;
            let inner = blocks(body).flat_map(|block| [Some(block.body.as_slice()), block.otherwise()]);
            open.extend(inner.flatten().map(|inner| (inner, depth + 1)));
            Some((body, depth))
        })
    }
}

fn blocks(body: &[Instr]) -> impl Iterator<Item = &Block> {
    body.iter().filter_map(|instr| match instr {
        Instr::Block(block) => Some(&**block),
        Instr::Op(_) => None,
    })
}
