//! Has no code: its manifest names dependencies, so that the simulator is built once. It is not published, and neither is `common`, which needs it.
