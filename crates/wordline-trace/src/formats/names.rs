//! Numbers for names (of devices, files, hosts), in the order of their first appearance.

/// The names so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: Vec<Vec<u8>>,
    /// The number of the last name: most lines have it again.
    last: usize,
}

impl Names {
    /// The number of a name.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        if self.known.get(self.last).is_none_or(|known| known != name) {
            self.last = self.search(name);
        }
        self.last as u32
    }

    #[inline(never)]
    fn search(&mut self, name: &[u8]) -> usize {
        self.known.iter().position(|known| known == name).unwrap_or_else(|| {
            self.known.push(name.to_owned());
            self.known.len() - 1
        })
    }

    /// True before the first name.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}
