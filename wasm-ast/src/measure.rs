//! Measures of modules, for guidance and for reports.

mod needs;

use crate::instr::{Block, Instr};
use crate::module::Module;

impl Module {
    /// How many instructions its functions have, blocks included.
    pub fn instructions(&self) -> usize {
        self.bodies().map(|(instrs, _)| instrs.len()).sum()
    }

    /// How deep blocks are nested: 0 without blocks, 1 with blocks that hold none, and so on.
    pub fn depth(&self) -> usize {
        self.bodies().map(|(_, depth)| depth).max().unwrap_or(0)
    }

    /// All bodies, of functions and of blocks, with their depth. Without recursion, so at any depth.
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
