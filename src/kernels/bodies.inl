// bodies.inl - all that is made of a vocabulary, and the table it fills.
//
// Included once by each instruction set, after its words.  The order matters: attention builds on
// the vectors and the int8 rows.
// clang-format off
#include "kernels/body_vector.inl"
#include "kernels/body_panel_floats.inl"
#include "kernels/body_blocks.inl"
#include "kernels/body_panel.inl"
#include "kernels/body_attention.inl"
#include "kernels/body_limits.inl"
// clang-format on

static void fill_table(Kernels *table) {
    vector_entries(table);
    panel_float_entries(table);
    block_entries(table);
    panel_entries(table);
    attention_entries(table);
    limit_entries(table);
}
