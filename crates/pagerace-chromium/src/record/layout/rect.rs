//! Rectangles on the page.

/// Left, top, right and bottom in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect(pub(super) [f64; 4]);

impl Rect {
    pub(super) fn clipped(self, by: Self) -> Self {
        let ([left, top, right, bottom], by) = (self.0, by.0);
        Self([
            left.max(by[0]),
            top.max(by[1]),
            right.min(by[2]),
            bottom.min(by[3]),
        ])
    }

    pub(super) fn united(self, with: Self) -> Self {
        let ([left, top, right, bottom], with) = (self.0, with.0);
        Self([
            left.min(with[0]),
            top.min(with[1]),
            right.max(with[2]),
            bottom.max(with[3]),
        ])
    }

    /// Returns the part outside `inner`, a part of this rectangle, if it is a rectangle too.
    pub(super) fn without(self, inner: Self) -> Option<Self> {
        let differ = |k: &usize| (self.0[*k] - inner.0[*k]).abs() >= 1.0;
        let mut sides = (0..4).filter(differ);
        let (side, None) = (sides.next()?, sides.next()) else {
            return None;
        };
        let mut rest = self;
        rest.0[(side + 2) % 4] = inner.0[side];
        Some(rest)
    }

    pub(super) fn area(self) -> f64 {
        let [left, top, right, bottom] = self.0;
        (right - left).max(0.0) * (bottom - top).max(0.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0[2] - self.0[0] < 0.5 || self.0[3] - self.0[1] < 0.5
    }
}
