//! Instructions without a body, made from the table.

mod constructor;
mod group;

use mutagen_engine::{Count, Generate, Mutable, Scope, Source};

use crate::features::{Features, needs, when};
use crate::immediate::{F32, F64, Lane, Lanes, MemArg, V128};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
use crate::leaf::no_children;
use crate::table::for_each_op;
use crate::types::{RefType, ValType};
use constructor::Constructor;
use group::Group;

/// Where `br_table` goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct BrTable {
    /// Targets of the operands 0, 1, ...
    pub targets: Vec<LabelIdx>,
    /// Target of every larger operand.
    pub default: LabelIdx,
}

/// The types written at a `select`. Valid is exactly one.
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
        /// Constructors are named as in wasmparser. Those that hold a group, such as [`Op::I32Binary`], share it among all
        /// instructions of one stack signature: to exchange one of the group for another keeps a function valid.
        ///
        /// Mutants of an instruction are all other constructors, with immediates reused by type. They are made from the same
        /// table rather than derived, because derived code for so many constructors grows with the square of their number.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Op {
            $($(
                #[doc = concat!("`", stringify!($single), "`")]
                $single $(( $($type),* ))?,
            )*)*
            $(
                #[doc = concat!("Group with signature", $signature)]
                $group($group, $($group_type),*),
            )*
            /// `br_table`
            BrTable(Box<BrTable>),
            /// `select` with types
            TypedSelect(Box<SelectTypes>),
        }

        /// Names of constructors without what they hold; as numbers, the places in `Op::CONSTRUCTORS`.
        #[derive(Clone, Copy)]
        enum Kind {
            $($($single,)*)*
            $($group,)*
            BrTable,
            TypedSelect,
        }

        impl Op {
            const CONSTRUCTORS: &'static [Constructor] = &[
                $($(Constructor {
                    needs: needs::$feature(),
                    build: |_filler| Self::$single $(( $(_filler.fill::<$type>()),* ))?,
                },)*)*
                $(Constructor {
                    needs: needs::$first_feature(),
                    build: |filler| Self::$group(filler.fill(), $(filler.fill::<$group_type>()),*),
                },)*
                Constructor { needs: needs::wasm1(), build: |filler| Self::BrTable(filler.fill()) },
                Constructor { needs: needs::reference_types(), build: |filler| Self::TypedSelect(filler.fill()) },
            ];

            /// What the instruction itself needs, whatever its immediates.
            pub(crate) fn own_needs(&self) -> Features {
                let group = match self {
                    $(Self::$group(op, ..) => op.needs(),)*
                    _ => Features::NONE,
                };
                Self::CONSTRUCTORS[self.kind() as usize].needs | group
            }

            fn kind(&self) -> Kind {
                match self {
                    $($(Self::$single { .. } => Kind::$single,)*)*
                    $(Self::$group { .. } => Kind::$group,)*
                    Self::BrTable(_) => Kind::BrTable,
                    Self::TypedSelect(_) => Kind::TypedSelect,
                }
            }
        }

        impl Mutable for Op {
            fn children(&self) -> usize {
                match self {
                    $($(Self::$single { .. } => names(&[$($(stringify!($field)),*)?]),)*)*
                    $(Self::$group { .. } => names(&["op", $(stringify!($group_field)),*]),)*
                    Self::BrTable(_) | Self::TypedSelect(_) => 1,
                }
            }

            fn child(&self, index: usize) -> &dyn Mutable {
                match self {
                    $($(Self::$single $(( $($field),* ))? => nth([$($($field as &dyn Mutable),*)?], index),)*)*
                    $(Self::$group(op, $($group_field),*) => nth([op as &dyn Mutable, $($group_field),*], index),)*
                    Self::BrTable(table) => nth([&**table as &dyn Mutable], index),
                    Self::TypedSelect(types) => nth([&**types as &dyn Mutable], index),
                }
            }

            fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
                match self {
                    $($(Self::$single $(( $($field),* ))? => nth([$($($field as &mut dyn Mutable),*)?], index),)*)*
                    $(Self::$group(op, $($group_field),*) => nth([op as &mut dyn Mutable, $($group_field),*], index),)*
                    Self::BrTable(table) => nth([&mut **table as &mut dyn Mutable], index),
                    Self::TypedSelect(types) => nth([&mut **types as &mut dyn Mutable], index),
                }
            }

            fn count(&self, scope: &Scope) -> Count {
                constructor::count(self, scope)
            }

            fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
                constructor::mutate(self, number, source)
            }

            fn magnitude(&self) -> u64 {
                self.kind() as u64
            }
        }

        $(
            #[doc = concat!("Instructions with signature", $signature)]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            pub enum $group {
                $(
                    #[doc = concat!("`", stringify!($first_op), "`")]
                    $first_op,
                )*
                $($(
                    #[doc = concat!("`", stringify!($more_op), "`")]
                    $more_op,
                )*)?
            }

            impl Group for $group {
                const ALL: &'static [Self] = &[$(Self::$first_op,)* $($(Self::$more_op,)*)?];

                fn number(self) -> usize {
                    self as usize
                }

                fn allowed(_scope: &Scope) -> usize {
                    $(if !when::$more_feature(_scope) {
                        return Self::ALL.len() - names(&[$(stringify!($more_op)),*]);
                    })?
                    Self::ALL.len()
                }

                fn needs(self) -> Features {
                    match self {
                        $(Self::$first_op)|* => needs::$first_feature(),
                        $($(Self::$more_op)|* => needs::$more_feature(),)?
                    }
                }
            }

            impl Generate for $group {
                fn generate(source: &mut Source, _: usize) -> Self {
                    group::generate(source)
                }

                fn smallest() -> Self {
                    Self::ALL[0]
                }
            }

            impl Mutable for $group {
                no_children!();

                fn count(&self, scope: &Scope) -> Count {
                    group::count(*self, scope)
                }

                fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
                    group::mutate(self, number, source)
                }

                fn magnitude(&self) -> u64 {
                    self.number() as u64
                }
            }
        )*
    };
}

for_each_op!(define_ops);

/// Counts what a macro repeats.
const fn names(names: &[&str]) -> usize {
    names.len()
}

fn nth<T, const N: usize>(items: [T; N], index: usize) -> T {
    items.into_iter().nth(index).unwrap_or_else(|| mutagen_engine::no_child(index, N))
}

impl Generate for Op {
    fn generate(source: &mut Source, size: usize) -> Self {
        constructor::generate(source, size)
    }

    fn smallest() -> Self {
        Self::Unreachable
    }
}
