//! What wasmi 1.1 may grow.

use ::wasmi_1::ResourceLimiter;
use wasmi_core_1::LimiterError;

use super::access::WasmiHost;

impl ResourceLimiter for WasmiHost {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(self.limiter.memory(desired, maximum))
    }

    fn table_growing(
        &mut self,
        _: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool, LimiterError> {
        Ok(self.limiter.table(desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: &LimiterError) {
        self.limiter.starved |= matches!(error, LimiterError::OutOfSystemMemory);
    }

    fn table_grow_failed(&mut self, error: &LimiterError) {
        self.limiter.starved |= matches!(error, LimiterError::OutOfSystemMemory);
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
