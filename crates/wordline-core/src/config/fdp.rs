//! What handles and reclaim groups need.

use super::problem::{Problem, problem};
use super::{Config, Isolation};

/// Placement identifiers of a drive at most.
const IDENTIFIERS_MAX: u32 = 1024;

/// Checks that the handles fit the drive.
pub(super) fn check(config: &Config) -> Result<(), Problem> {
    let (fdp, channels) = (&config.fdp, config.ssd.channels);
    if !fdp.is_on() {
        return Ok(());
    }
    let (handles, groups) = (fdp.handles, fdp.reclaim_groups);
    if let Some(handle) = fdp.persistent_handles.iter().find(|&&handle| handle > handles)
        && fdp.isolation == Isolation::Mixed
    {
        return problem(
            "fdp.persistent_handles",
            format!("`fdp.persistent_handles` names handle {handle}, and `fdp.handles` is {handles}"),
            "raise fdp.handles, or leave that handle out",
        );
    }
    if !channels.is_multiple_of(groups) {
        let fits: Vec<_> = (1..=channels)
            .filter(|&groups| channels.is_multiple_of(groups))
            .map(|groups| groups.to_string())
            .collect();
        return problem(
            "fdp.reclaim_groups",
            format!("`fdp.reclaim_groups` = {groups} does not divide {channels} channels"),
            &format!("set it to one of {}", fits.join(", ")),
        );
    }
    if handles * groups > IDENTIFIERS_MAX {
        return problem(
            "fdp.handles",
            format!(
                "{handles} handles in each of {groups} reclaim groups are {} placement identifiers",
                handles * groups
            ),
            &format!("lower fdp.handles or fdp.reclaim_groups: a drive has {IDENTIFIERS_MAX} at most"),
        );
    }
    let (blocks, layers) = (config.ssd.blocks_per_plane, fdp.unit_superblocks);
    if !blocks.is_multiple_of(layers) {
        return problem(
            "fdp.unit_superblocks",
            format!("`fdp.unit_superblocks` = {layers} does not divide the {blocks} blocks of a plane"),
            &format!(
                "set ssd.blocks_per_plane to {}, or take another number",
                blocks.next_multiple_of(layers)
            ),
        );
    }
    let planes = config.geometry().planes() / groups;
    if planes * layers > u32::from(u16::MAX) {
        return problem(
            "fdp.unit_superblocks",
            format!("a reclaim unit of {layers} superblocks may have {} blocks", planes * layers),
            "lower fdp.unit_superblocks, or raise fdp.reclaim_groups: it can have 65,535",
        );
    }
    let parity = config.ftl.parity;
    if parity > 0 && !planes.is_multiple_of(parity) {
        return problem(
            "ftl.parity",
            format!("`ftl.parity` = {parity} does not divide the {planes} planes of a reclaim group"),
            "set ftl.parity to a number that does, or lower fdp.reclaim_groups",
        );
    }
    let (allocation, policies) = (&config.ftl.allocation, &config.ftl.policies);
    if groups > 1 && allocation.begin(policies, &config.device_view()).goes_anywhere() {
        return problem(
            "fdp.reclaim_groups",
            format!(
                "`fdp.reclaim_groups` = {groups} keeps data on their channels, and `ftl.allocation` lets them go anywhere"
            ),
            "set ftl.allocation = \"CWDP\", or fdp.reclaim_groups = 1",
        );
    }
    Ok(())
}
