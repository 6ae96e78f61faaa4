//! Counts the instructions of modules, and the origins of their operands.

use std::collections::BTreeMap;

use wasmparser::{
    FuncToValidate, FunctionBody, Operator, Parser, ValidPayload, Validator, ValidatorResources, WasmFeatures,
};

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A parameter or local.
    Local,
    /// A constant, or a reference to a function, or null.
    Constant,
    /// A value from memory, a table or a global.
    Loaded,
    /// A result of a call.
    Called,
    /// The result of any other instruction.
    Computed,
    /// An unknown origin: after a jump, or a parameter of a block.
    Other,
}

impl Kind {
    /// The kinds that every operand should occur with.
    pub const ALL: [Self; 5] = [Self::Local, Self::Constant, Self::Loaded, Self::Called, Self::Computed];
}

macro_rules! define_operator_table {
    ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        /// Name, proposal and arity of every operator of wasmparser.
        pub const OPERATORS: &[(&str, &str, Option<(usize, usize)>)] = &[
            $((stringify!($op), stringify!($proposal), define_operator_table!(@arity $($ann)*)),)*
        ];

        pub fn name(operator: &Operator<'_>) -> &'static str {
            match operator {
                $(Operator::$op { .. } => stringify!($op),)*
                _ => "unknown",
            }
        }
    };
    (@arity arity custom) => { None };
    (@arity arity $inputs:literal -> $outputs:literal) => { Some(($inputs, $outputs)) };
}

wasmparser::for_each_operator!(define_operator_table);

/// The counts over all modules so far.
#[derive(Default)]
pub struct Census {
    pub modules: u64,
    pub instructions: BTreeMap<&'static str, u64>,
    /// The number of operands by instruction, position and kind.
    pub operands: BTreeMap<(&'static str, usize, Kind), u64>,
}

impl Census {
    /// Adds the counts of a valid module.
    pub fn count(&mut self, bytes: &[u8], features: WasmFeatures) -> wasmparser::Result<()> {
        self.modules += 1;
        let mut validator = Validator::new_with_features(features);
        for payload in Parser::new(0).parse_all(bytes) {
            if let ValidPayload::Func(function, body) = validator.payload(&payload?)? {
                self.function(function, &body)?;
            }
        }
        Ok(())
    }

    fn function(
        &mut self,
        function: FuncToValidate<ValidatorResources>,
        body: &FunctionBody<'_>,
    ) -> wasmparser::Result<()> {
        let mut validator = function.into_validator(Default::default());
        let mut locals = body.get_binary_reader();
        validator.read_locals(&mut locals)?;
        let mut stack: Vec<Kind> = Vec::new();
        for operator in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, offset) = operator?;
            let (takes, gives) = operator.operator_arity(&validator).unwrap_or_default();
            let name = name(&operator);
            *self.instructions.entry(name).or_default() += 1;
            // Count the kinds of the operands.
            let first = stack.len().saturating_sub(takes as usize);
            for (number, kind) in stack.drain(first..).enumerate() {
                *self.operands.entry((name, number, kind)).or_default() += 1;
            }
            // Keep our stack as high as the validator's: its height says how many values are really there.
            validator.op(offset, &operator)?;
            stack.extend((0..gives).map(|_| kind(&operator)));
            stack.resize(validator.operand_stack_height() as usize, Kind::Other);
        }
        Ok(())
    }
}

fn kind(operator: &Operator<'_>) -> Kind {
    let name = name(operator);
    match operator {
        Operator::LocalGet { .. } => Kind::Local,
        Operator::RefNull { .. } | Operator::RefFunc { .. } => Kind::Constant,
        Operator::GlobalGet { .. } | Operator::TableGet { .. } => Kind::Loaded,
        Operator::Call { .. } | Operator::CallIndirect { .. } => Kind::Called,
        Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else => Kind::Other,
        _ if name.ends_with("Const") => Kind::Constant,
        _ if name.contains("Load") => Kind::Loaded,
        _ => Kind::Computed,
    }
}
