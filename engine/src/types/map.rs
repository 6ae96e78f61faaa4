//! Ordered maps: entries come and go, values are children, keys stay as they are.

use super::edit::random_edit;
use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError, no_child};
use std::collections::BTreeMap;

impl<K: Generate + Ord, V: Generate> Generate for BTreeMap<K, V> {
    /// Has fewer entries than drawn if keys collide.
    fn generate(source: &mut Source, size: usize) -> Self {
        let length = source.below(size.saturating_add(1));
        (0..length).map(|_| (K::generate(source, size), V::generate(source, size))).collect()
    }

    fn smallest() -> Self {
        BTreeMap::new()
    }

    fn to_text(&self) -> Result<Text, NoText> {
        let entry = |(key, value): (&K, &V)| Ok(Text::tuple([key.to_text()?, value.to_text()?]));
        Ok(Text::list(self.iter().map(entry).collect::<Result<Vec<_>, _>>()?))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        text.items()?.map(<(K, V)>::from_text).collect()
    }
}

impl<K, V> Mutable for BTreeMap<K, V>
where
    K: Generate + Ord + Clone + 'static,
    V: Mutable + Clone + PartialEq,
{
    fn children(&self) -> usize {
        self.len()
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        match self.values().nth(index) {
            Some(value) => value,
            None => no_child(index, self.len()),
        }
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        let length = self.len();
        match self.values_mut().nth(index) {
            Some(value) => value,
            None => no_child(index, length),
        }
    }

    /// Remove each entry; insert the smallest key with the smallest value, if that key is free.
    fn count(&self, _scope: &Scope) -> Count {
        Count::fixed(self.len() + usize::from(!self.contains_key(&K::smallest())))
    }

    fn mutate(&mut self, number: usize, _source: &mut Source) -> bool {
        if let Some(key) = self.keys().nth(number).cloned() {
            return self.remove(&key).is_some();
        }
        let insert = number == self.len() && !self.contains_key(&K::smallest());
        if insert {
            self.insert(K::smallest(), V::smallest());
        }
        insert
    }

    /// Like a list of entries. In one of them the value is mutated or the key replaced.
    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        let mut entries: Vec<(K, V)> = std::mem::take(self).into_iter().collect();
        let mutate = |(key, value): &mut (K, V), source: &mut Source| match source.chance(1, 2) {
            true => *key = K::generate(source, size),
            false => value.mutate_randomly(source, size),
        };
        random_edit(&mut entries, source, mutate, |source| Vec::generate(source, size));
        *self = entries.into_iter().collect();
    }
}
