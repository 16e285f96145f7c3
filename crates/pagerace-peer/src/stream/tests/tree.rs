use pagerace_core::{Dependency, Priority};

use crate::stream::tree::Tree;

const fn under(parent: u64, weight: u16) -> Dependency {
    Dependency {
        parent,
        weight,
        exclusive: true,
    }
}

fn open(tree: &mut Tree, stream: u64, urgency: u8) -> Dependency {
    let priority = Priority::new(urgency, false);
    let place = tree.place(priority);
    tree.open(stream, priority);
    place
}

#[test]
fn a_chain_by_urgency() {
    let mut tree = Tree::default();
    assert_eq!(open(&mut tree, 1, 0), under(0, 256));
    assert_eq!(open(&mut tree, 3, 2), under(1, 183));
    assert_eq!(open(&mut tree, 5, 1), under(1, 220));
    assert_eq!(open(&mut tree, 7, 2), under(3, 183));
    assert_eq!(open(&mut tree, 9, 3), under(7, 147));
    assert_eq!(open(&mut tree, 11, 6), under(9, 110));
    tree.close(7);
    assert_eq!(open(&mut tree, 13, 2), under(3, 183));
    tree.close(1);
    assert_eq!(open(&mut tree, 15, 0), under(0, 256));
}

#[test]
fn who_moves_leaves_its_child_to_its_parent() {
    let mut tree = Tree::default();
    for (stream, urgency) in [(1, 0), (3, 2), (5, 2), (7, 3)] {
        open(&mut tree, stream, urgency);
    }
    let high = Priority::new(1, true);
    assert_eq!(
        tree.update(5, high),
        [(7, under(3, 147)), (5, under(1, 220))]
    );
    assert_eq!(tree.update(5, high), [], "nothing new");
    assert_eq!(tree.update(99, high), [], "not there");
    // Stream 1 becomes the last of its level, and the chain stays intact.
    assert_eq!(
        tree.update(1, high),
        [(5, under(0, 220)), (1, under(5, 220))]
    );
    assert_eq!(
        tree.update(7, Priority::new(7, false)),
        [(7, under(3, 110))]
    );
}
