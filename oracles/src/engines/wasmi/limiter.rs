//! What wasmi may grow.

use ::wasmi::{
    ResourceLimiter,
    errors::{MemoryError, TableError},
};

use super::access::WasmiHost;

type LimiterResult<T> = Result<T, wasmi_core::LimiterError>;

impl ResourceLimiter for WasmiHost {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> LimiterResult<bool> {
        Ok(self.limiter.memory(desired, maximum))
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> LimiterResult<bool> {
        Ok(self.limiter.table(desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: &MemoryError) -> LimiterResult<()> {
        self.limiter.starved |= matches!(error, MemoryError::OutOfSystemMemory);
        Ok(())
    }

    fn table_grow_failed(&mut self, error: &TableError) -> LimiterResult<()> {
        self.limiter.starved |= matches!(error, TableError::OutOfSystemMemory);
        Ok(())
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        self.limiter.limits().tables
    }

    fn memories(&self) -> usize {
        self.limiter.limits().memories
    }
}
