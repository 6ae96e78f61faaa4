//! Memories that count the bytes that whole blocks take.
//!
//! Filling a memory costs tinywasm as much fuel as adding two numbers. With fuel for a hundred thousand operators, a test could
//! run for minutes, so what is filled and copied is bounded apart.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use ::tinywasm::{LinearMemory, MemoryBackend, Trap, VecMemory};

/// How many bytes cost as much as an operator, as in wasmi.
const BYTES_PER_FUEL: u64 = 256;
/// Longer writes than this are blocks: the longest one of an operator is a vector.
const LONGEST_VALUE: usize = 16;

/// How many bytes blocks may still take. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget(Arc<AtomicU64>);

impl Budget {
    /// Allows as many bytes as this fuel is worth.
    pub fn renew(&self, fuel: u64) {
        self.0.store(fuel.saturating_mul(BYTES_PER_FUEL), Relaxed);
    }

    /// Whether more was asked for than was left.
    pub fn is_spent(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    /// Takes bytes, if they are left. One is kept, so that only asking for too much leaves nothing.
    fn take(&self, bytes: usize) -> Option<()> {
        let left = self.0.load(Relaxed).checked_sub(bytes as u64).filter(|left| *left > 0);
        self.0.store(left.unwrap_or(0), Relaxed);
        left.map(drop)
    }
}

/// The way in which stores with this budget make memories.
pub(super) fn backend(budget: &Budget) -> MemoryBackend {
    let budget = budget.clone();
    MemoryBackend::custom(move |ty| {
        let bytes = usize::try_from(ty.initial_size()).map_err(|_| Trap::OutOfMemory)?;
        Ok(Counted { memory: VecMemory::try_new(bytes)?, budget: budget.clone() })
    })
}

struct Counted {
    memory: VecMemory,
    budget: Budget,
}

/// The methods that do what those of the memory do.
macro_rules! forward {
    ($($name:ident(&self $(, $argument:ident: $ty:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $argument: $ty)*) -> $result {
            self.memory.$name($($argument),*)
        })*
    };
}

/// The same for methods that change the memory.
macro_rules! forward_mut {
    ($($name:ident(&mut self $(, $argument:ident: $ty:ty)*) -> $result:ty;)*) => {
        $(fn $name(&mut self $(, $argument: $ty)*) -> $result {
            self.memory.$name($($argument),*)
        })*
    };
}

impl LinearMemory for Counted {
    forward! {
        len(&self) -> usize;
        read(&self, address: usize, to: &mut [u8]) -> usize;
        read_exact(&self, address: usize, to: &mut [u8]) -> Option<()>;
        read_vec(&self, address: usize, length: usize) -> Option<Vec<u8>>;
        read_8(&self, address: usize) -> Result<[u8; 1], Trap>;
        read_16(&self, address: usize) -> Result<[u8; 2], Trap>;
        read_32(&self, address: usize) -> Result<[u8; 4], Trap>;
        read_64(&self, address: usize) -> Result<[u8; 8], Trap>;
        read_128(&self, address: usize) -> Result<[u8; 16], Trap>;
    }

    forward_mut! {
        grow_to(&mut self, length: usize) -> Result<(), Trap>;
        write(&mut self, address: usize, bytes: &[u8]) -> usize;
        write_8(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_16(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_32(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_64(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_128(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
    }

    fn write_all(&mut self, address: usize, bytes: &[u8]) -> Option<()> {
        if bytes.len() > LONGEST_VALUE && address.checked_add(bytes.len())? <= self.len() {
            self.budget.take(bytes.len())?;
        }
        self.memory.write_all(address, bytes)
    }

    fn fill(&mut self, address: usize, length: usize, value: u8) -> Option<()> {
        if address.checked_add(length)? <= self.len() {
            self.budget.take(length)?;
        }
        self.memory.fill(address, length, value)
    }

    fn copy_within(&mut self, to: usize, from: usize, length: usize) -> Option<()> {
        if to.max(from).checked_add(length)? <= self.len() {
            self.budget.take(length)?;
        }
        self.memory.copy_within(to, from, length)
    }
}
