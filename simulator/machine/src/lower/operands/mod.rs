//! Operands of instructions to rows, layout by layout. The emitter decides which function runs them.
mod bulk;
mod fragments;
mod matrix_operands;
mod operands;
mod places;
mod symbols;
mod warp_operands;
