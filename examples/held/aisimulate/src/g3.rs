//! Restores through the G3 tier of aisimulate, with its constants.

use aisimulate_core::replay::ReplayEngineFactory;
use aisimulate_core::{ReplaySpec, Replayer};
use serde_json::{Value, json};

use crate::{BLOCK_BYTES, BLOCKS, EVERY_US, RESTORES, Times};

/// Tokens of a block of the KV cache, each of 1 MiB.
const BLOCK_TOKENS: u64 = 4;
/// Blocks of a prompt that is computed while others are restored.
const WRITTEN_BLOCKS: u64 = 5;

/// A prompt that asks for so many blocks, and a token more.
fn prompt(name: String, number: u64, blocks: u64, at_us: u64) -> Value {
    let first = number * 100;
    let tokens: Vec<u64> = (first..=first + blocks * BLOCK_TOKENS).collect();
    json!({
        "id": name, "arrival_time_ms": at_us as f64 / 1000.0, "input_tokens": tokens.len(),
        "input_token_ids": tokens, "output_tokens": 1,
    })
}

/// Prompts are computed one after the other, then all of them again at a rate. GPU and host keep the last one alone: the rest is
/// restored. With `beside`, new prompts are computed and stored at that rate too.
pub fn restores(beside: bool) -> Result<Times, Box<dyn std::error::Error>> {
    let again_at_us = RESTORES * 50_000;
    let mut requests = Vec::new();
    for number in 0..RESTORES {
        requests.push(prompt(format!("first{number}"), number, BLOCKS, number * 50_000));
    }
    for number in 0..RESTORES {
        let at_us = again_at_us + number * EVERY_US;
        if beside {
            requests.push(prompt(format!("new{number}"), RESTORES + number, WRITTEN_BLOCKS, at_us));
        }
        requests.push(prompt(format!("again{number}"), number, BLOCKS, at_us));
    }
    let spec: ReplaySpec = serde_json::from_value(json!({
        "version": 1,
        "topology": {"kind": "aggregated", "workers": {"initial_workers": 1}},
        "engine": {"rank": {
            "num_gpu_blocks": 32, "block_size": BLOCK_TOKENS, "max_num_seqs": 8, "max_num_batched_tokens": 256,
            "enable_prefix_caching": true, "kv_cache_bytes_per_token": 1 << 20,
            "native_host_offload": {"num_host_blocks": 16, "d2h_bandwidth_gbps": 0.0, "h2d_bandwidth_gbps": 0.0},
            "g3_offload": {"scope": "worker_local", "num_g3_blocks": 100_000},
            "timing_model": {"type": "fixed", "prefill_ms": 0.0, "decode_ms": 0.0},
        }},
        "requests": requests,
    }))?;
    let report = Replayer::new(spec, ReplayEngineFactory::new())?.run()?;
    let stats = report.g3_offload.ok_or("aisimulate says nothing of its G3 tier")?;
    let written = RESTORES * (BLOCKS + if beside { WRITTEN_BLOCKS } else { 0 }) * BLOCK_BYTES;
    if stats.write.completed_bytes != written {
        return Err(format!("{} bytes were stored, not {written}", stats.write.completed_bytes).into());
    }
    Ok(Times {
        restores: stats.read.completed_jobs,
        restored_bytes: stats.read.completed_bytes,
        mean_us: stats.read.transfer_ms * 1000.0 / stats.read.completed_jobs.max(1) as f64,
    })
}
