//! How long blocks live: M_RBER over P/E cycles, with the wear that the scheme causes (AERO, Fig. 13).

use super::BlockSet;

/// Cycles after which a set is given up: no scheme comes near it.
const MOST_PEC: u32 = 20_000;

/// A set of blocks at one P/E count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LifetimePoint {
    /// P/E cycles.
    pub pec: u32,
    /// Mean M_RBER, bits per 1 KiB.
    pub m_rber_bits: f64,
    /// Largest M_RBER, bits per 1 KiB.
    pub m_rber_most_bits: f64,
    /// Mean stress.
    pub stress: f64,
    /// Mean of the errors that incomplete erases leave, bits per 1 KiB.
    pub residual_bits: f64,
    /// Mean tBERS, ms.
    pub latency_ms: f64,
    /// Share of blocks whose erase took no voltage beyond the second.
    pub within_two_loops: f64,
}

/// M_RBER over the life of a set of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifetime {
    /// From fresh to worn out.
    pub points: Vec<LifetimePoint>,
    /// P/E cycles at which the mean M_RBER passes the requirement.
    pub lifetime_pec: f64,
}

impl Lifetime {
    /// The point at a P/E count, if the set lived that long; counts are multiples of 50.
    #[must_use]
    pub fn at(&self, pec: u32) -> Option<&LifetimePoint> {
        self.points.iter().find(|point| point.pec == pec)
    }
}

/// Cycles a set of blocks until its mean M_RBER passes a requirement (AERO, Section 7.2). `floor` gives
/// M_RBER of a block by its number and stress after a complete erase.
#[must_use]
pub fn lifetime(mut set: BlockSet<'_>, floor: &dyn Fn(usize, f64) -> f64, requirement_bits: f64) -> Lifetime {
    let count = set.blocks().len() as f64;
    let mut points: Vec<LifetimePoint> = Vec::new();
    loop {
        let erases = set.erases();
        let bits: Vec<f64> = set
            .blocks()
            .iter()
            .zip(&erases)
            .enumerate()
            .map(|(number, (block, erased))| floor(number, block.stress) + erased.residual_bits)
            .collect();
        let mean = |sum: f64| sum / count;
        let two_loops = erases.iter().filter(|erased| erased.level <= 2).count() as f64;
        let point = LifetimePoint {
            pec: set.blocks().first().map_or(0, |block| block.pec),
            m_rber_bits: mean(bits.iter().sum()),
            m_rber_most_bits: bits.iter().copied().fold(0.0, f64::max),
            stress: mean(set.blocks().iter().map(|block| block.stress).sum()),
            residual_bits: mean(erases.iter().map(|erased| erased.residual_bits).sum()),
            latency_ms: mean(erases.iter().map(|erased| erased.latency_ms).sum()),
            within_two_loops: two_loops / count,
        };
        let before = points.last().copied();
        points.push(point);
        if point.m_rber_bits > requirement_bits || point.pec >= MOST_PEC {
            let lifetime_pec = before.map_or(0.0, |before| {
                let part = (requirement_bits - before.m_rber_bits) / (point.m_rber_bits - before.m_rber_bits);
                f64::from(before.pec) + part.clamp(0.0, 1.0) * f64::from(point.pec - before.pec)
            });
            return Lifetime { points, lifetime_pec };
        }
        set.wear(&erases, BlockSet::STEP_PEC);
    }
}
