//! Instructions without a body, generated from the table.

use mutagen_engine::{Generate, Mutable};

use crate::features::{Features, needs, when};
use crate::immediate::{F32, F64, Lane, Lanes, MemArg, V128};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
use crate::table::for_each_op;
use crate::types::{RefType, ValType};

/// The targets of `br_table`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct BrTable {
    /// Targets of the operands 0, 1, ...
    pub targets: Vec<LabelIdx>,
    /// Target of every larger operand.
    pub default: LabelIdx,
}

/// The types of a `select`. Only one type is valid.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct SelectTypes {
    /// Types of the results.
    #[mutagen(default = vec![ValType::I32])]
    pub types: Vec<ValType>,
}

macro_rules! define_ops {
    (
        singles { $($feature:ident: $($single:ident $(( $($field:ident: $type:ident),* ))?)*;)* }
        groups { $(
            #[doc = $signature:literal]
            $group:ident ($($group_field:ident: $group_type:ident),*) {
                $first_feature:ident: $($first_op:ident)*;
                $($more_feature:ident: $($more_op:ident)*;)?
            }
        )* }
    ) => {
        /// An instruction without a body.
        ///
        /// Constructors are named as in wasmparser. A constructor with a group, such as [`Op::I32Binary`],
        /// stands for all instructions of one stack signature: replacing an instruction by another of its
        /// group keeps a function valid.
        ///
        /// The mutants of an instruction are all other constructors. They reuse its immediates of the same
        /// type.
        #[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
        pub enum Op {
            $($(
                #[doc = concat!("`", stringify!($single), "`")]
                #[mutagen(when = when::$feature)]
                $single $(( $($type),* ))?,
            )*)*
            $(
                #[doc = concat!("Group with signature", $signature)]
                #[mutagen(when = when::$first_feature)]
                $group($group, $($group_type),*),
            )*
            /// `br_table`
            #[mutagen(when = when::wasm1)]
            BrTable(Box<BrTable>),
            /// `select` with types
            #[mutagen(when = when::reference_types)]
            TypedSelect(Box<SelectTypes>),
        }

        impl Op {
            /// The first instruction of every group with the smallest immediates, and the signature of the
            /// group.
            pub(crate) fn groups() -> Vec<(Op, &'static str)> {
                vec![$((Op::$group($group::smallest(), $($group_type::smallest()),*), $signature)),*]
            }

            /// The features that the instruction needs, without those of its immediates.
            pub(crate) fn own_needs(&self) -> Features {
                match self {
                    $($(Self::$single { .. })|* => needs::$feature(),)*
                    $(Self::$group(op, ..) => op.needs(),)*
                    Self::BrTable(_) => needs::wasm1(),
                    Self::TypedSelect(_) => needs::reference_types(),
                }
            }
        }

        $(
            #[doc = concat!("Instructions with signature", $signature)]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
            pub enum $group {
                $(
                    #[doc = concat!("`", stringify!($first_op), "`")]
                    #[mutagen(when = when::$first_feature)]
                    $first_op,
                )*
                $($(
                    #[doc = concat!("`", stringify!($more_op), "`")]
                    #[mutagen(when = when::$more_feature)]
                    $more_op,
                )*)?
            }

            impl $group {
                fn needs(self) -> Features {
                    match self {
                        $(Self::$first_op)|* => needs::$first_feature(),
                        $($(Self::$more_op)|* => needs::$more_feature(),)?
                    }
                }
            }
        )*
    };
}

for_each_op!(define_ops);
