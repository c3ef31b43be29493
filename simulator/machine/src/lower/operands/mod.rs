//! Operands of instructions to rows, layout by layout. The emitter decides which function runs them.
mod bulk;
mod fragments;
mod layouts;
mod matrix_operands;
mod places;
mod symbols;
mod warp_operands;
