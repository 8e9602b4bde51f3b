use super::*;
use crate::config::{Config, Layer, resolve};
use crate::engine::{LoadError, Loader, Saver, State};
use crate::flash::{BlockMode, ModeId, Purpose};
use crate::nand::FrontierId;
use wordline_cells::erase::EraseOutcome;

#[test]
fn the_host_leaves_gc_a_block_and_a_job_without_gain_one_more() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 6\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let streams = config.streams();
    let (host, moved) = (streams.hosts()[0], streams.of(Purpose::Moved).unwrap());
    let (geometry, grouping) = (config.unit_geometry(), Grouping::new(&config));
    let mut blocks = Blocks::new(&geometry, grouping, &streams, vec![6], false, |_| false);
    let fill = |blocks: &mut Blocks| {
        (0..6)
            .filter(|_| {
                blocks.has_room(PoolId::new(0), host)
                    && blocks
                        .allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), host), Use::Host)
                        .is_some()
            })
            .count()
    };
    while blocks.free_count(PoolId::new(0)) > 2 {
        assert_eq!(fill(&mut blocks), 6);
    }
    blocks.begin_job_without_gain(PoolId::new(0));
    assert_eq!(fill(&mut blocks), 0, "of two free blocks the job may take one, and GC one");
    assert!(blocks.has_room(PoolId::new(1), host), "other planes have no such job");
    blocks.end_job_without_gain(PoolId::new(0));
    assert_eq!(fill(&mut blocks), 6);
    assert_eq!(fill(&mut blocks), 0, "the last one is for GC");
    assert!(blocks.allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), moved), Use::Reclaim).is_some());
}

#[test]
fn a_block_has_the_pages_of_its_mode_until_it_is_erased() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 6\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let (geometry, grouping) = (config.unit_geometry(), Grouping::new(&config));
    // A toy: a third of the pages.
    let mut modes = config.modes();
    let toy = modes.add(BlockMode { pages_per_block: 2, ..*modes.native() });
    let mut streams = config.streams();
    let cached = streams.add_in(toy, Purpose::Fast);
    let mut blocks = Blocks::new(&geometry, grouping, &streams, vec![6, 2], false, |_| false);
    let block =
        blocks.allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), cached), Use::Host).unwrap().block;
    assert_eq!((blocks.get(block).mode(), blocks.get(block).state()), (toy, BlockState::Open));
    let last = blocks.allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), cached), Use::Host).unwrap();
    assert_eq!((last.block, last.page, blocks.get(block).state()), (block, 1, BlockState::Full));
    let next = blocks.allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), cached), Use::Host).unwrap();
    assert_eq!((next.block == block, next.page), (false, 0));
    blocks.close(next.block);
    assert_eq!((blocks.get(next.block).next_page, blocks.get(next.block).state()), (2, BlockState::Full));
    // Blocks of another stream have all pages.
    let host = streams.hosts()[0];
    assert_eq!(
        (0..6)
            .filter_map(|_| blocks.allocate(PoolId::new(0), blocks.frontier(PoolId::new(0), host), Use::Host))
            .last()
            .unwrap()
            .page,
        5
    );
    blocks.get_mut(block).valid = 0;
    blocks.erased(block, false, &Nand::new(&config));
    assert!(blocks.get(block).mode().is_native());
}

#[test]
fn the_least_worn_free_block_is_opened_first_and_of_equals_the_longest_free() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 6\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let freed = |dynamic_wear| {
        let mut nand = Nand::new(&config);
        let streams = config.streams();
        let (geometry, grouping) = (config.unit_geometry(), Grouping::new(&config));
        let mut blocks = Blocks::new(&geometry, grouping, &streams, vec![6], dynamic_wear, |_| false);
        let mut fill = || {
            (0..6)
                .filter_map(|_| {
                    blocks.allocate(
                        PoolId::new(0),
                        blocks.frontier(PoolId::new(0), streams.hosts()[0]),
                        Use::Host,
                    )
                })
                .last()
                .unwrap()
                .block
        };
        let used = [fill(), fill(), fill(), fill()];
        for (block, erases) in used.into_iter().zip([2, 1, 2, 1]) {
            (0..erases).for_each(|_| nand.erased(block, &EraseOutcome::default()));
            blocks.get_mut(block).valid = 0;
            blocks.erased(block, false, &nand);
        }
        let place = |block: BlockId| used.iter().position(|&other| other == block);
        blocks.free_of(PoolId::new(0)).filter_map(place).collect::<Vec<_>>()
    };
    assert_eq!(freed(true), [1, 3, 0, 2]);
    assert_eq!(freed(false), [0, 1, 2, 3]);
}

#[test]
fn blocks_that_are_not_there_are_refused() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 6\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let streams = config.streams();
    let fresh =
        || Blocks::new(&config.unit_geometry(), Grouping::new(&config), &streams, vec![6], false, |_| false);
    let reloaded = |blocks: &Blocks| {
        let mut bytes = Vec::new();
        blocks.save(&mut Saver::new(&mut bytes)).unwrap();
        fresh().load(&mut Loader::new(&mut &*bytes))
    };
    reloaded(&fresh()).unwrap();
    let beyond = BlockId::from_index(config.unit_geometry().blocks() as usize);
    let first = BlockId::new(0);
    let forge: [&dyn Fn(&mut Blocks); 16] = [
        &|blocks| blocks.free[PoolId::new(0)].push_back(beyond),
        &|blocks| blocks.table[BlockId::new(3)].next_page = 7,
        &|blocks| blocks.table[BlockId::new(3)].valid = 7,
        &|blocks| blocks.table[BlockId::new(3)].stream = StreamId::at(250),
        &|blocks| blocks.frontiers[FrontierId::from_index(0)].head = beyond,
        &|blocks| blocks.frontiers[FrontierId::from_index(0)].turn = 9,
        // Listed twice, listed and open, open and free, counted wrong, and more of it than there is.
        &|blocks| blocks.free[PoolId::new(0)][1] = first,
        &|blocks| blocks.table[first].set_state(BlockState::Open),
        &|blocks| blocks.frontiers[FrontierId::from_index(0)].head = first,
        &|blocks| blocks.free_blocks -= 1,
        &|blocks| blocks.table[first].programmed = 1,
        &|blocks| (blocks.table[first].next_page, blocks.table[first].valid) = (1, 1),
        &|blocks| blocks.table[first].set_mode(ModeId::SLC),
        &|blocks| blocks.live.by_pool = IdVec::filled(1, 0),
        &|blocks| blocks.live.by_pool[PoolId::new(0)] = 1,
        &|blocks| blocks.live.all = 1,
    ];
    for (number, forge) in forge.iter().enumerate() {
        let mut blocks = fresh();
        forge(&mut blocks);
        assert!(matches!(reloaded(&blocks), Err(LoadError::Other(_))), "{number}");
    }
}

#[test]
fn pages_that_hold_no_data_are_those_that_are_to_come() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 6\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let streams = config.streams();
    let mut blocks =
        Blocks::new(&config.unit_geometry(), Grouping::new(&config), &streams, vec![6], false, |_| false);
    assert!(blocks.are_to_come(&[]));
    let frontier = blocks.frontier(PoolId::new(0), streams.hosts()[0]);
    let mut next = || blocks.allocate(PoolId::new(0), frontier, Use::Host).unwrap();
    let pages = [next(), next(), next(), next()];
    blocks.let_overtake();
    blocks.programmed(pages[0]);
    blocks.programmed(pages[2]);
    let (second, fourth) = (pages[1].place, pages[3].place);
    assert!(blocks.are_to_come(&[second, fourth]));
    for others in [
        vec![],
        vec![second],
        vec![fourth],
        vec![second, pages[2].place, fourth],
        vec![second, fourth, fourth + 1],
    ] {
        assert!(!blocks.are_to_come(&others), "{others:?}");
    }
    // It says to be ahead of others that were never handed out.
    blocks.ahead.set(fourth + 1);
    assert!(!blocks.are_to_come(&[second, fourth]));
}

#[test]
fn a_pool_that_holds_a_hundredth_of_its_room_more_than_the_mean_is_fuller() {
    let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 600\noverprovisioning = 0.4\n";
    let config: Config = resolve(&[Layer::file("test", text)]).unwrap().config;
    let (streams, geometry, grouping) = (config.streams(), config.unit_geometry(), Grouping::new(&config));
    let pools = grouping.pools().count() as u64;
    let mut blocks = Blocks::new(&geometry, grouping, &streams, vec![600], false, |_| false);
    let (pool, host) = (PoolId::new(0), streams.hosts()[0]);
    let more_than_mean = |blocks: &Blocks| blocks.live_of(pool) as f64 * (1.0 - 1.0 / pools as f64);
    let mut last = None;
    while more_than_mean(&blocks) <= 96.0 {
        assert!(!blocks.is_fuller(pool));
        last = blocks.allocate(pool, blocks.frontier(pool, host), Use::Host);
    }
    assert!(blocks.is_fuller(pool) && !blocks.is_fuller(PoolId::new(1)));
    let last = last.unwrap();
    blocks.invalidate(geometry.at(last.block, last.page).place);
    assert!(!blocks.is_fuller(pool) && blocks.counts_live());
    blocks.get_mut(last.block).valid -= 1;
    assert!(!blocks.counts_live());
}
