//! The names that Nsight Compute has for what is counted here by the same definition.

/// A head for a table, the counter's key, the profiler's metric.
pub const PROFILED: &[(&str, &str, &str)] = &[
    ("load requests", "global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("load sectors", "global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("store requests", "global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    ("store sectors", "global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    (
        "shared load wavefronts",
        "shared_load_wavefronts",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ),
    (
        "shared store wavefronts",
        "shared_store_wavefronts",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    ),
    ("shared conflicts", "shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
    ("threads", "threads", "smsp__threads_launched.sum"),
];
