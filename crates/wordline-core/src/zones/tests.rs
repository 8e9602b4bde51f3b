use super::*;

/// Eight zones of 16 sectors, 12 of which can be written; the last is offline, the one before can only be read.
fn zones() -> Zones {
    Zones::new(ZoneShape {
        count: 8,
        size: 16,
        capacity: 12,
        block: 1,
        max_open: 2,
        max_active: 3,
        max_append: 8,
        read_only: 1,
        offline: 1,
    })
}

fn state(zones: &Zones, zone: usize) -> ZoneState {
    zones.all()[zone].state
}

#[test]
fn a_zone_is_written_at_its_pointer_until_it_is_full() {
    let mut zones = zones();
    assert_eq!(zones.write(4, 4), Err(Status::ZoneInvalidWrite));
    assert_eq!(zones.write(0, 4), Ok(()));
    assert_eq!(zones.write(0, 4), Err(Status::ZoneInvalidWrite));
    assert_eq!(zones.write(4, 9), Err(Status::ZoneBoundaryError));
    assert_eq!((state(&zones, 0), zones.all()[0].pointer), (ZoneState::ImplicitlyOpened, 4));
    assert_eq!(zones.write(4, 8), Ok(()));
    assert_eq!((state(&zones, 0), zones.in_use()), (ZoneState::Full, (0, 0)));
    assert_eq!(zones.write(12, 1), Err(Status::ZoneIsFull));
    assert_eq!(zones.append(0, 1), Err(Status::ZoneIsFull));
}

#[test]
fn an_append_goes_to_the_pointer_and_says_where() {
    let mut zones = zones();
    assert_eq!(zones.append(16, 4), Ok(16));
    assert_eq!(zones.append(16, 8), Ok(20));
    assert_eq!(zones.append(20, 1), Err(Status::InvalidField), "an append names the start of its zone");
    assert_eq!(zones.append(32, 9), Err(Status::InvalidField), "an append has a largest length");
    assert_eq!(zones.append(32, 8), Ok(32));
    assert_eq!(zones.append(32, 5), Err(Status::ZoneBoundaryError));
    assert_eq!(zones.append(8 * 16, 1), Err(Status::LbaOutOfRange));
}

#[test]
fn writes_are_of_whole_blocks() {
    let mut zones = Zones::new(ZoneShape { block: 4, ..*zones().shape() });
    assert_eq!(
        (zones.write(0, 2), zones.append(0, 6)),
        (Err(Status::InvalidField), Err(Status::InvalidField))
    );
    assert_eq!((zones.write(0, 4), zones.append(0, 4)), (Ok(()), Ok(4)));
    assert_eq!(zones.read(1, 2), Ok(()));
}

#[test]
fn zones_that_are_read_only_or_offline_say_so() {
    let mut zones = zones();
    let (read_only, offline) = (6 * 16, 7 * 16);
    assert_eq!(zones.write(read_only, 1), Err(Status::ZoneIsReadOnly));
    assert_eq!(zones.append(read_only, 1), Err(Status::ZoneIsReadOnly));
    assert_eq!(zones.write(offline, 1), Err(Status::ZoneIsOffline));
    assert_eq!(zones.read(offline, 1), Err(Status::ZoneIsOffline));
    assert_eq!(zones.read(read_only, 16), Ok(()));
    for zone in [read_only, offline] {
        assert_eq!(zones.open(zone), Err(Status::InvalidZoneTransition));
        assert_eq!(zones.close(zone), Err(Status::InvalidZoneTransition));
        assert_eq!(zones.finish(zone), Err(Status::InvalidZoneTransition));
        assert_eq!(zones.reset(zone), Err(Status::InvalidZoneTransition));
    }
}

#[test]
fn a_read_stays_in_its_zone_and_may_pass_the_pointer() {
    let zones = zones();
    assert_eq!(zones.read(0, 16), Ok(()));
    assert_eq!(zones.read(15, 2), Err(Status::ZoneBoundaryError));
    assert_eq!(zones.read(8 * 16, 1), Err(Status::LbaOutOfRange));
}

#[test]
fn limits_of_open_and_of_active_zones() {
    let mut zones = zones();
    assert_eq!((zones.write(0, 1), zones.write(16, 1)), (Ok(()), Ok(())));
    assert_eq!(zones.write(1, 1), Ok(()));
    // The third open zone takes the place of the one that was written longest ago.
    assert_eq!(zones.write(32, 1), Ok(()));
    assert_eq!([0, 1, 2].map(|zone| state(&zones, zone)), {
        use ZoneState::*;
        [ImplicitlyOpened, Closed, ImplicitlyOpened]
    });
    assert_eq!(zones.in_use(), (2, 3));
    assert_eq!(zones.write(48, 1), Err(Status::TooManyActiveZones));
    assert_eq!(zones.open(48), Err(Status::TooManyActiveZones));
    // Zones that the host has opened stay open.
    assert_eq!((zones.open(0), zones.open(32)), (Ok(()), Ok(())));
    assert_eq!(zones.write(17, 1), Err(Status::TooManyOpenZones));
    assert_eq!(zones.open(16), Err(Status::TooManyOpenZones));
    assert_eq!(zones.all()[1].pointer, 1, "a write that is refused leaves the pointer");
    assert_eq!((zones.close(0), zones.write(17, 1)), (Ok(()), Ok(())));
    assert_eq!(zones.in_use(), (2, 3));
}

#[test]
fn every_state_answers_every_zone_command() {
    use ZoneState::*;
    const START: u64 = 16;
    let make = |wanted: ZoneState| {
        let mut zones = zones();
        match wanted {
            Empty | ReadOnly | Offline => {}
            ImplicitlyOpened => zones.write(START, 1).unwrap(),
            ExplicitlyOpened => zones.open(START).unwrap(),
            Closed => zones.open(START).and_then(|()| zones.close(START)).unwrap(),
            Full => zones.append(START, 8).and_then(|_| zones.append(START, 4)).map(|_| ()).unwrap(),
        }
        assert_eq!(state(&zones, 1), wanted);
        zones
    };
    let refused = Err(Status::InvalidZoneTransition);
    for (from, open, close, finish, reset) in [
        (Empty, Ok(ExplicitlyOpened), refused, Ok(Full), Ok(Empty)),
        (ImplicitlyOpened, Ok(ExplicitlyOpened), Ok(Closed), Ok(Full), Ok(Empty)),
        (ExplicitlyOpened, Ok(ExplicitlyOpened), Ok(Closed), Ok(Full), Ok(Empty)),
        (Closed, Ok(ExplicitlyOpened), Ok(Closed), Ok(Full), Ok(Empty)),
        (Full, refused, refused, Ok(Full), Ok(Empty)),
    ] {
        type Command = fn(&mut Zones) -> Result<(), Status>;
        let commands: [(Command, Result<ZoneState, Status>); 4] = [
            (|zones| zones.open(START), open),
            (|zones| zones.close(START), close),
            (|zones| zones.finish(START).map(|_| ()), finish),
            (|zones| zones.reset(START).map(|_| ()), reset),
        ];
        for (command, wanted) in commands {
            let mut zones = make(from);
            assert_eq!(command(&mut zones).map(|()| state(&zones, 1)), wanted, "from {from:?}");
            let open = zones.all().iter().filter(|zone| zone.state.is_open()).count();
            let active = zones.all().iter().filter(|zone| zone.state.is_active()).count();
            assert_eq!(zones.in_use(), (open as u32, active as u32));
        }
    }
    assert_eq!(
        make(Empty).reset(START + 1),
        Err(Status::InvalidField),
        "a command names the start of a zone"
    );
}

#[test]
fn finish_and_reset_say_what_there_was() {
    let mut zones = zones();
    assert_eq!(zones.finish(0), Ok(Unwritten { zone: 0, sectors: 0 }));
    assert_eq!(zones.reset(0), Ok(Discarded { zone: 0, written: 0, was_active: false }));
    zones.write(0, 3).unwrap();
    assert_eq!(zones.finish(0), Ok(Unwritten { zone: 0, sectors: 9 }));
    assert_eq!(zones.all()[0].pointer, 12);
    assert_eq!(zones.reset(0), Ok(Discarded { zone: 0, written: 3, was_active: false }));
    zones.write(0, 3).unwrap();
    assert_eq!(zones.reset(0), Ok(Discarded { zone: 0, written: 3, was_active: true }));
    assert_eq!((zones.write(0, 1), zones.in_use()), (Ok(()), (1, 1)));
}
