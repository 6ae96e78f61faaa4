//! The paths that were ever taken, with common beginnings stored once.

use super::{Novelty, Trace, TraceStore, grown, table_bytes};
use rustc_hash::FxHashMap;

const ROOT: u32 = 0;
/// Stands for no node: the root is no node's child.
const NONE: u32 = 0;

/// A prefix tree of traces (the paper's store): a trace is new if it leaves the tree, and the sooner it does so the
/// more it differs from all before.
///
/// The tree is path-compressed: a run of nodes without branches is one node that points into a shared arena of
/// events, so a trace costs memory only for the part that is new.
///
/// ```
/// use mutagen_engine::{Novelty, PathTrie, Trace, TraceStore};
///
/// let mut trie = PathTrie::new();
/// trie.insert(Trace::new(&[1, 2, 3, 4]));
/// assert_eq!(trie.insert(Trace::new(&[1, 2, 3, 5])), Novelty { new: 1, depth: 3 });
/// assert_eq!(trie.insert(Trace::new(&[1, 2, 6, 7])), Novelty { new: 2, depth: 2 });
/// assert_eq!(trie.insert(Trace::new(&[1, 2, 3])).new, 0); // a prefix is not new
/// ```
#[derive(Debug)]
pub struct PathTrie {
    max_length: Option<usize>,
    max_bytes: usize,
    /// The labels of all nodes. Splitting a node shares its slice; nothing is ever copied.
    arena: Vec<u32>,
    nodes: Vec<Node>,
    /// Children beyond the first two, by (parent, first event of the child).
    more_children: FxHashMap<(u32, u32), u32>,
    refused: u64,
}

/// A stretch of events without a branch, then children that begin with different events.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    start: u32,
    length: u32,
    /// A branch goes one of two ways, so two children are found without hashing.
    children: [u32; 2],
}

/// Where a trace left the tree.
struct Departure {
    parent: u32,
    node: u32,
    /// Events of `node` that were matched.
    within: usize,
    /// Events of the trace that were matched.
    depth: usize,
}

impl Default for PathTrie {
    fn default() -> Self {
        PathTrie {
            max_length: None,
            max_bytes: PathTrie::DEFAULT_MAX_BYTES,
            arena: Vec::new(),
            nodes: vec![Node::default()],
            more_children: FxHashMap::default(),
            refused: 0,
        }
    }
}

impl PathTrie {
    /// A gigabyte. On a real engine the trie never saturates (it took 0.9 GB in ten seconds), so it needs a limit.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 30;

    /// An empty trie for traces of any length.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the first `length` events of each trace only.
    pub fn max_length(mut self, length: Option<usize>) -> Self {
        self.max_length = length;
        self
    }

    /// Refuses what would need more memory.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    fn label(&self, node: u32) -> &[u32] {
        let Node { start, length, .. } = self.nodes[node as usize];
        &self.arena[start as usize..start as usize + length as usize]
    }

    fn first_event(&self, node: u32) -> u32 {
        self.arena[self.nodes[node as usize].start as usize]
    }

    fn child(&self, parent: u32, event: u32) -> Option<u32> {
        for child in self.nodes[parent as usize].children {
            if child == NONE {
                return None;
            }
            if self.first_event(child) == event {
                return Some(child);
            }
        }
        self.more_children.get(&(parent, event)).copied()
    }

    /// Follows the trace as far as the tree knows it.
    fn walk(&self, events: &[u32]) -> Departure {
        let mut at = Departure { parent: NONE, node: ROOT, within: 0, depth: 0 };
        loop {
            let rest = &events[at.depth..];
            let label = self.label(at.node);
            at.within = label.iter().zip(rest).take_while(|(known, event)| known == event).count();
            at.depth += at.within;
            if at.within < label.len() || at.within == rest.len() {
                return at;
            }
            let Some(child) = self.child(at.node, events[at.depth]) else { return at };
            at = Departure { parent: at.node, node: child, within: 0, depth: at.depth };
        }
    }

    /// Cuts a node in two. The lower part keeps the number, because its children are filed under it.
    fn split(&mut self, parent: u32, node: u32, within: usize) -> u32 {
        let first_event = self.first_event(node);
        let Node { start, .. } = self.nodes[node as usize];
        let upper = self.push(Node { start, length: within as u32, children: [node, NONE] });
        let lower = &mut self.nodes[node as usize];
        lower.start += within as u32;
        lower.length -= within as u32;
        self.link(parent, node, first_event, upper);
        upper
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    fn add_leaf(&mut self, parent: u32, events: &[u32]) {
        let leaf = self.push(Node {
            start: self.arena.len() as u32,
            length: events.len() as u32,
            children: [NONE; 2],
        });
        self.arena.extend_from_slice(events);
        self.link(parent, NONE, events[0], leaf);
    }

    /// Puts `child`, which begins with `event`, into the place that `before` has among the children of `parent`.
    fn link(&mut self, parent: u32, before: u32, event: u32, child: u32) {
        let children = &mut self.nodes[parent as usize].children;
        match children.iter_mut().find(|place| **place == before) {
            Some(place) => *place = child,
            None => drop(self.more_children.insert((parent, event), child)),
        }
    }

    /// Whether a new suffix fits: it takes at most a leaf, a split and a link.
    fn has_room_for(&self, events: usize) -> bool {
        let arena = grown(self.arena.capacity(), self.arena.len() + events);
        let nodes = grown(self.nodes.capacity(), self.nodes.len() + 2);
        let links = grown(self.more_children.capacity(), self.more_children.len() + 1);
        arena <= u32::MAX as usize && Self::bytes_of(arena, nodes, links) <= self.max_bytes
    }

    fn bytes_of(arena: usize, nodes: usize, links: usize) -> usize {
        arena * size_of::<u32>()
            + nodes * size_of::<Node>()
            + table_bytes(links, size_of::<((u32, u32), u32)>())
    }
}

impl TraceStore for PathTrie {
    fn insert(&mut self, trace: Trace<'_>) -> Novelty {
        let events = trace.limited(self.max_length);
        let Departure { parent, node, within, depth } = self.walk(events);
        let suffix = &events[depth..];
        if suffix.is_empty() {
            return Novelty { new: 0, depth };
        }
        if !self.has_room_for(suffix.len()) {
            self.refused += 1;
            return Novelty { new: 0, depth };
        }
        let inside = within < self.nodes[node as usize].length as usize;
        let branch = if inside { self.split(parent, node, within) } else { node };
        self.add_leaf(branch, suffix);
        Novelty { new: suffix.len(), depth }
    }

    fn clear(&mut self) {
        self.arena.clear();
        self.nodes.clear();
        self.nodes.push(Node::default());
        self.more_children.clear();
    }

    fn len(&self) -> usize {
        self.arena.len()
    }

    fn bytes(&self) -> usize {
        Self::bytes_of(self.arena.capacity(), self.nodes.capacity(), self.more_children.capacity())
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}
