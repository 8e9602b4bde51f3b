//! Workloads for Wordline.
