//! Memories that count the bytes that whole blocks take, and know which of their blocks were ever written.
//!
//! Filling a memory costs tinywasm as much fuel as adding two numbers. With fuel for a hundred thousand operators, a test could
//! run for minutes, so what is filled and copied is bounded apart.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use ::tinywasm::{LinearMemory, MemoryBackend, Trap, VecMemory};

use crate::state::{BLOCK, Extent};

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

/// Which blocks of a memory were ever written, a bit for each. All others are zero: after every call, the whole memory is looked
/// at, and most of it is never used.
#[derive(Debug)]
pub(super) struct Written {
    blocks: Vec<AtomicU64>,
    /// What the memory was like when somebody looked, if nothing was written since.
    seen: Mutex<Option<Extent>>,
}

impl Written {
    fn of_memory(most_bytes: usize) -> Self {
        let blocks = (0..most_bytes.div_ceil(BLOCK * 64)).map(|_| AtomicU64::new(0)).collect();
        Self { blocks, seen: Mutex::default() }
    }

    fn mark(&self, address: usize, length: usize) {
        if length > 0 {
            *self.seen() = None;
            // What is beyond the end is not written.
            for block in address / BLOCK..=address.saturating_add(length - 1) / BLOCK {
                let Some(word) = self.blocks.get(block / 64) else { break };
                word.store(word.load(Relaxed) | 1 << (block % 64), Relaxed);
            }
        }
    }

    /// What the memory is like, which has this length: as it was before, or else what somebody sees who looks.
    pub fn extent(&self, length: usize, look: impl FnOnce() -> Extent) -> Extent {
        let known = self.seen().clone().filter(|seen| seen.length == length as u64);
        known.unwrap_or_else(|| {
            let extent = look();
            *self.seen() = Some(extent.clone());
            extent
        })
    }

    fn seen(&self) -> MutexGuard<'_, Option<Extent>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of the blocks, in their order. Nearly all words are 0, and cost no more than a look.
    pub fn blocks(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().enumerate().flat_map(|(number, word)| {
            let without_lowest = |left: &u64| Some(left & (left - 1)).filter(|left| *left != 0);
            let left = Some(word.load(Relaxed)).filter(|left| *left != 0);
            std::iter::successors(left, without_lowest)
                .map(move |left| number * 64 + left.trailing_zeros() as usize)
        })
    }
}

/// The memories of a store, in the order in which they were made. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories(Arc<Mutex<Vec<Arc<Written>>>>);

impl Memories {
    /// What is written in the memory with this number.
    pub fn written(&self, number: usize) -> Option<Arc<Written>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned()
    }

    fn add(&self, written: Written) -> Arc<Written> {
        let written = Arc::new(written);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&written));
        written
    }
}

/// The way in which stores with this budget make memories, none of which is larger than this.
pub(super) fn backend(budget: &Budget, memories: &Memories, most_bytes: usize) -> MemoryBackend {
    let (budget, memories) = (budget.clone(), memories.clone());
    MemoryBackend::custom(move |ty| {
        let bytes = usize::try_from(ty.initial_size()).map_err(|_| Trap::OutOfMemory)?;
        let memory = VecMemory::try_new(bytes)?;
        let written = memories.add(Written::of_memory(most_bytes));
        Ok(Counted { memory, budget: budget.clone(), written })
    })
}

struct Counted {
    memory: VecMemory,
    budget: Budget,
    written: Arc<Written>,
}

/// The methods that do what those of the memory do.
macro_rules! forward {
    ($($name:ident(&self $(, $argument:ident: $ty:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $argument: $ty)*) -> $result {
            self.memory.$name($($argument),*)
        })*
    };
}

/// The same for methods that write bytes.
macro_rules! forward_writes {
    ($($name:ident(&mut self, $address:ident: usize, $bytes:ident: &[u8]) -> $result:ty;)*) => {
        $(fn $name(&mut self, $address: usize, $bytes: &[u8]) -> $result {
            self.written.mark($address, $bytes.len());
            self.memory.$name($address, $bytes)
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

    forward_writes! {
        write(&mut self, address: usize, bytes: &[u8]) -> usize;
        write_8(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_16(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_32(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_64(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
        write_128(&mut self, address: usize, bytes: &[u8]) -> Result<(), Trap>;
    }

    fn grow_to(&mut self, length: usize) -> Result<(), Trap> {
        self.memory.grow_to(length)
    }

    fn write_all(&mut self, address: usize, bytes: &[u8]) -> Option<()> {
        if bytes.len() > LONGEST_VALUE && address.checked_add(bytes.len())? <= self.len() {
            self.budget.take(bytes.len())?;
        }
        self.written.mark(address, bytes.len());
        self.memory.write_all(address, bytes)
    }

    fn fill(&mut self, address: usize, length: usize, value: u8) -> Option<()> {
        if address.checked_add(length)? <= self.len() {
            self.budget.take(length)?;
        }
        self.written.mark(address, length);
        self.memory.fill(address, length, value)
    }

    fn copy_within(&mut self, to: usize, from: usize, length: usize) -> Option<()> {
        if to.max(from).checked_add(length)? <= self.len() {
            self.budget.take(length)?;
        }
        self.written.mark(to, length);
        self.memory.copy_within(to, from, length)
    }
}
