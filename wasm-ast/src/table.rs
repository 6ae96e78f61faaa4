//! The one list of instructions. All code that depends on which instructions exist is generated from it.

/// Calls `$callback!` with the table of all instructions that are not blocks.
///
/// Each of the `singles` has its own constructor of [`Op`](crate::Op). The instructions of one of the
/// `groups` have the same stack signature and the same immediates, and share one constructor. Instructions
/// and immediates are named as in wasmparser's `Operator`, which uses the same names as wasm-encoder's
/// `Instruction`. A lower-case name before a list is the feature that introduced the instructions, see
/// [`features`](crate::features). The immediates of `br_table` and of the typed `select` differ between the
/// two libraries, so these instructions are written by hand where the table is used.
///
/// The order is the order of mutants: simple instructions come first.
macro_rules! for_each_op {
    ($callback:ident) => {
        $callback! {
            singles {
                wasm1: Unreachable Nop Drop Select Return
                    I32Const(value: i32) I64Const(value: i64) F32Const(value: F32) F64Const(value: F64)
                    LocalGet(local_index: LocalIdx) LocalSet(local_index: LocalIdx) LocalTee(local_index: LocalIdx)
                    GlobalGet(global_index: GlobalIdx) GlobalSet(global_index: GlobalIdx)
                    Br(relative_depth: LabelIdx) BrIf(relative_depth: LabelIdx)
                    Call(function_index: FuncIdx) CallIndirect(type_index: TypeIdx, table_index: TableIdx)
                    MemorySize(mem: MemIdx) MemoryGrow(mem: MemIdx)
                    F32Load(memarg: MemArg) F64Load(memarg: MemArg) F32Store(memarg: MemArg) F64Store(memarg: MemArg)
                    F32DemoteF64 F64PromoteF32;
                bulk_memory: MemoryInit(data_index: DataIdx, mem: MemIdx) DataDrop(data_index: DataIdx)
                    MemoryCopy(dst_mem: MemIdx, src_mem: MemIdx) MemoryFill(mem: MemIdx)
                    TableInit(elem_index: ElemIdx, table: TableIdx) ElemDrop(elem_index: ElemIdx)
                    TableCopy(dst_table: TableIdx, src_table: TableIdx);
                reference_types: RefNull(hty: RefType) RefIsNull RefFunc(function_index: FuncIdx)
                    TableGet(table: TableIdx) TableSet(table: TableIdx) TableSize(table: TableIdx)
                    TableGrow(table: TableIdx) TableFill(table: TableIdx);
                tail_call: ReturnCall(function_index: FuncIdx)
                    ReturnCallIndirect(type_index: TypeIdx, table_index: TableIdx);
                simd: V128Const(value: V128) I8x16Shuffle(lanes: Lanes) V128Store(memarg: MemArg)
                    I64x2Splat F32x4Splat F64x2Splat
                    I64x2ExtractLane(lane: Lane) F32x4ExtractLane(lane: Lane) F64x2ExtractLane(lane: Lane)
                    I64x2ReplaceLane(lane: Lane) F32x4ReplaceLane(lane: Lane) F64x2ReplaceLane(lane: Lane);
            }
            groups {
                /// `[i32] -> [i32]`
                I32Unary () {
                    wasm1: I32Eqz I32Clz I32Ctz I32Popcnt;
                    sign_extension: I32Extend8S I32Extend16S;
                }
                /// `[i32 i32] -> [i32]`
                I32Binary () {
                    wasm1: I32Add I32Sub I32Mul I32DivS I32DivU I32RemS I32RemU I32And I32Or I32Xor
                        I32Shl I32ShrS I32ShrU I32Rotl I32Rotr;
                }
                /// `[i32 i32] -> [i32]`
                I32Compare () {
                    wasm1: I32Eq I32Ne I32LtS I32LtU I32GtS I32GtU I32LeS I32LeU I32GeS I32GeU;
                }
                /// `[i64] -> [i64]`
                I64Unary () {
                    wasm1: I64Clz I64Ctz I64Popcnt;
                    sign_extension: I64Extend8S I64Extend16S I64Extend32S;
                }
                /// `[i64 i64] -> [i64]`
                I64Binary () {
                    wasm1: I64Add I64Sub I64Mul I64DivS I64DivU I64RemS I64RemU I64And I64Or I64Xor
                        I64Shl I64ShrS I64ShrU I64Rotl I64Rotr;
                }
                /// `[i64 i64] -> [i32]`
                I64Compare () {
                    wasm1: I64Eq I64Ne I64LtS I64LtU I64GtS I64GtU I64LeS I64LeU I64GeS I64GeU;
                }
                /// `[f32] -> [f32]`
                F32Unary () {
                    wasm1: F32Abs F32Neg F32Ceil F32Floor F32Trunc F32Nearest F32Sqrt;
                }
                /// `[f32 f32] -> [f32]`
                F32Binary () {
                    wasm1: F32Add F32Sub F32Mul F32Div F32Min F32Max F32Copysign;
                }
                /// `[f32 f32] -> [i32]`
                F32Compare () {
                    wasm1: F32Eq F32Ne F32Lt F32Gt F32Le F32Ge;
                }
                /// `[f64] -> [f64]`
                F64Unary () {
                    wasm1: F64Abs F64Neg F64Ceil F64Floor F64Trunc F64Nearest F64Sqrt;
                }
                /// `[f64 f64] -> [f64]`
                F64Binary () {
                    wasm1: F64Add F64Sub F64Mul F64Div F64Min F64Max F64Copysign;
                }
                /// `[f64 f64] -> [i32]`
                F64Compare () {
                    wasm1: F64Eq F64Ne F64Lt F64Gt F64Le F64Ge;
                }
                /// `[i64] -> [i32]`
                I32FromI64 () {
                    wasm1: I64Eqz I32WrapI64;
                }
                /// `[f32] -> [i32]`
                I32FromF32 () {
                    wasm1: I32TruncF32S I32TruncF32U I32ReinterpretF32;
                    saturating_float_to_int: I32TruncSatF32S I32TruncSatF32U;
                }
                /// `[f64] -> [i32]`
                I32FromF64 () {
                    wasm1: I32TruncF64S I32TruncF64U;
                    saturating_float_to_int: I32TruncSatF64S I32TruncSatF64U;
                }
                /// `[i32] -> [i64]`
                I64FromI32 () {
                    wasm1: I64ExtendI32S I64ExtendI32U;
                }
                /// `[f32] -> [i64]`
                I64FromF32 () {
                    wasm1: I64TruncF32S I64TruncF32U;
                    saturating_float_to_int: I64TruncSatF32S I64TruncSatF32U;
                }
                /// `[f64] -> [i64]`
                I64FromF64 () {
                    wasm1: I64TruncF64S I64TruncF64U I64ReinterpretF64;
                    saturating_float_to_int: I64TruncSatF64S I64TruncSatF64U;
                }
                /// `[i32] -> [f32]`
                F32FromI32 () {
                    wasm1: F32ConvertI32S F32ConvertI32U F32ReinterpretI32;
                }
                /// `[i64] -> [f32]`
                F32FromI64 () {
                    wasm1: F32ConvertI64S F32ConvertI64U;
                }
                /// `[i32] -> [f64]`
                F64FromI32 () {
                    wasm1: F64ConvertI32S F64ConvertI32U;
                }
                /// `[i64] -> [f64]`
                F64FromI64 () {
                    wasm1: F64ConvertI64S F64ConvertI64U F64ReinterpretI64;
                }
                /// `[address] -> [i32]`
                I32Load (memarg: MemArg) {
                    wasm1: I32Load I32Load8S I32Load8U I32Load16S I32Load16U;
                }
                /// `[address] -> [i64]`
                I64Load (memarg: MemArg) {
                    wasm1: I64Load I64Load8S I64Load8U I64Load16S I64Load16U I64Load32S I64Load32U;
                }
                /// `[address i32] -> []`
                I32Store (memarg: MemArg) {
                    wasm1: I32Store I32Store8 I32Store16;
                }
                /// `[address i64] -> []`
                I64Store (memarg: MemArg) {
                    wasm1: I64Store I64Store8 I64Store16 I64Store32;
                }
                /// `[v128] -> [v128]`
                V128Unary () {
                    simd: V128Not I8x16Abs I8x16Neg I8x16Popcnt I16x8ExtAddPairwiseI8x16S
                        I16x8ExtAddPairwiseI8x16U I16x8Abs I16x8Neg I16x8ExtendLowI8x16S
                        I16x8ExtendHighI8x16S I16x8ExtendLowI8x16U I16x8ExtendHighI8x16U
                        I32x4ExtAddPairwiseI16x8S I32x4ExtAddPairwiseI16x8U I32x4Abs I32x4Neg
                        I32x4ExtendLowI16x8S I32x4ExtendHighI16x8S I32x4ExtendLowI16x8U
                        I32x4ExtendHighI16x8U I64x2Abs I64x2Neg I64x2ExtendLowI32x4S I64x2ExtendHighI32x4S
                        I64x2ExtendLowI32x4U I64x2ExtendHighI32x4U F32x4Ceil F32x4Floor F32x4Trunc
                        F32x4Nearest F32x4Abs F32x4Neg F32x4Sqrt F64x2Ceil F64x2Floor F64x2Trunc
                        F64x2Nearest F64x2Abs F64x2Neg F64x2Sqrt I32x4TruncSatF32x4S I32x4TruncSatF32x4U
                        F32x4ConvertI32x4S F32x4ConvertI32x4U I32x4TruncSatF64x2SZero
                        I32x4TruncSatF64x2UZero F64x2ConvertLowI32x4S F64x2ConvertLowI32x4U
                        F32x4DemoteF64x2Zero F64x2PromoteLowF32x4;
                    relaxed_simd: I32x4RelaxedTruncF32x4S I32x4RelaxedTruncF32x4U
                        I32x4RelaxedTruncF64x2SZero I32x4RelaxedTruncF64x2UZero;
                }
                /// `[v128 v128] -> [v128]`
                V128Binary () {
                    simd: V128And V128AndNot V128Or V128Xor I8x16Swizzle I8x16NarrowI16x8S
                        I8x16NarrowI16x8U I8x16Add I8x16AddSatS I8x16AddSatU I8x16Sub I8x16SubSatS
                        I8x16SubSatU I8x16MinS I8x16MinU I8x16MaxS I8x16MaxU I8x16AvgrU I16x8Q15MulrSatS
                        I16x8NarrowI32x4S I16x8NarrowI32x4U I16x8Add I16x8AddSatS I16x8AddSatU I16x8Sub
                        I16x8SubSatS I16x8SubSatU I16x8Mul I16x8MinS I16x8MinU I16x8MaxS I16x8MaxU
                        I16x8AvgrU I16x8ExtMulLowI8x16S I16x8ExtMulHighI8x16S I16x8ExtMulLowI8x16U
                        I16x8ExtMulHighI8x16U I32x4Add I32x4Sub I32x4Mul I32x4MinS I32x4MinU I32x4MaxS
                        I32x4MaxU I32x4DotI16x8S I32x4ExtMulLowI16x8S I32x4ExtMulHighI16x8S
                        I32x4ExtMulLowI16x8U I32x4ExtMulHighI16x8U I64x2Add I64x2Sub I64x2Mul
                        I64x2ExtMulLowI32x4S I64x2ExtMulHighI32x4S I64x2ExtMulLowI32x4U
                        I64x2ExtMulHighI32x4U F32x4Add F32x4Sub F32x4Mul F32x4Div F32x4Min F32x4Max
                        F32x4PMin F32x4PMax F64x2Add F64x2Sub F64x2Mul F64x2Div F64x2Min F64x2Max F64x2PMin
                        F64x2PMax;
                    relaxed_simd: I8x16RelaxedSwizzle F32x4RelaxedMin F32x4RelaxedMax F64x2RelaxedMin
                        F64x2RelaxedMax I16x8RelaxedQ15mulrS I16x8RelaxedDotI8x16I7x16S;
                }
                /// `[v128 v128] -> [v128]`
                V128Compare () {
                    simd: I8x16Eq I8x16Ne I8x16LtS I8x16LtU I8x16GtS I8x16GtU I8x16LeS I8x16LeU I8x16GeS
                        I8x16GeU I16x8Eq I16x8Ne I16x8LtS I16x8LtU I16x8GtS I16x8GtU I16x8LeS I16x8LeU
                        I16x8GeS I16x8GeU I32x4Eq I32x4Ne I32x4LtS I32x4LtU I32x4GtS I32x4GtU I32x4LeS
                        I32x4LeU I32x4GeS I32x4GeU I64x2Eq I64x2Ne I64x2LtS I64x2GtS I64x2LeS I64x2GeS
                        F32x4Eq F32x4Ne F32x4Lt F32x4Gt F32x4Le F32x4Ge F64x2Eq F64x2Ne F64x2Lt F64x2Gt
                        F64x2Le F64x2Ge;
                }
                /// `[v128 i32] -> [v128]`
                V128Shift () {
                    simd: I8x16Shl I8x16ShrS I8x16ShrU I16x8Shl I16x8ShrS I16x8ShrU I32x4Shl I32x4ShrS
                        I32x4ShrU I64x2Shl I64x2ShrS I64x2ShrU;
                }
                /// `[v128 v128 v128] -> [v128]`
                V128Ternary () {
                    simd: V128Bitselect;
                    relaxed_simd: F32x4RelaxedMadd F32x4RelaxedNmadd F64x2RelaxedMadd F64x2RelaxedNmadd
                        I8x16RelaxedLaneselect I16x8RelaxedLaneselect I32x4RelaxedLaneselect
                        I64x2RelaxedLaneselect I32x4RelaxedDotI8x16I7x16AddS;
                }
                /// `[v128] -> [i32]`
                V128Test () {
                    simd: V128AnyTrue I8x16AllTrue I8x16Bitmask I16x8AllTrue I16x8Bitmask I32x4AllTrue
                        I32x4Bitmask I64x2AllTrue I64x2Bitmask;
                }
                /// `[i32] -> [v128]`
                V128FromI32 () {
                    simd: I8x16Splat I16x8Splat I32x4Splat;
                }
                /// `[v128] -> [i32]`
                I32ExtractLane (lane: Lane) {
                    simd: I8x16ExtractLaneS I8x16ExtractLaneU I16x8ExtractLaneS I16x8ExtractLaneU
                        I32x4ExtractLane;
                }
                /// `[v128 i32] -> [v128]`
                I32ReplaceLane (lane: Lane) {
                    simd: I8x16ReplaceLane I16x8ReplaceLane I32x4ReplaceLane;
                }
                /// `[address] -> [v128]`
                V128Load (memarg: MemArg) {
                    simd: V128Load V128Load8x8S V128Load8x8U V128Load16x4S V128Load16x4U V128Load32x2S
                        V128Load32x2U V128Load8Splat V128Load16Splat V128Load32Splat V128Load64Splat
                        V128Load32Zero V128Load64Zero;
                }
                /// `[address v128] -> [v128]`
                V128LoadLane (memarg: MemArg, lane: Lane) {
                    simd: V128Load8Lane V128Load16Lane V128Load32Lane V128Load64Lane;
                }
                /// `[address v128] -> []`
                V128StoreLane (memarg: MemArg, lane: Lane) {
                    simd: V128Store8Lane V128Store16Lane V128Store32Lane V128Store64Lane;
                }
                /// `[i64 i64 i64 i64] -> [i64 i64]`
                I64Wide128 () {
                    wide_arithmetic: I64Add128 I64Sub128;
                }
                /// `[i64 i64] -> [i64 i64]`
                I64WideMul () {
                    wide_arithmetic: I64MulWideS I64MulWideU;
                }
            }
        }
    };
}

pub(crate) use for_each_op;
