//! Lists of entries, and lists with free places.

/// Sorted numbers of entries. Most buckets have one.
#[derive(Default)]
pub(super) enum Bucket {
    #[default]
    Empty,
    One(u32),
    Many(Vec<u32>),
}

impl Bucket {
    pub(super) fn entries(&self) -> &[u32] {
        match self {
            Self::Empty => &[],
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Many(entries) => entries,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries().len()
    }

    /// Adds an entry; false if it is there already.
    pub(super) fn insert(&mut self, entry: u32) -> bool {
        let Err(at) = self.entries().binary_search(&entry) else { return false };
        match self {
            Self::Empty => *self = Self::One(entry),
            Self::One(_) => {
                let mut entries = self.entries().to_vec();
                entries.insert(at, entry);
                *self = Self::Many(entries);
            }
            Self::Many(entries) => entries.insert(at, entry),
        }
        true
    }

    /// Removes an entry; false if it is not there.
    pub(super) fn remove(&mut self, entry: u32) -> bool {
        let Ok(at) = self.entries().binary_search(&entry) else { return false };
        match self {
            Self::Many(entries) => {
                entries.remove(at);
            }
            _ => *self = Self::Empty,
        }
        true
    }
}

/// A list whose free places are used again.
pub(super) struct Slots<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    pub(super) fn insert(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(item);
            return place;
        }
        self.places.push(Some(item));
        (self.places.len() - 1) as u32
    }

    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        let item = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(item)
    }

    pub(super) fn get(&self, place: u32) -> Option<&T> {
        self.places.get(place as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.places.get_mut(place as usize)?.as_mut()
    }
}
