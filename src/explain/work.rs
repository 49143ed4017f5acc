//! How much is looked at in texts, counted in tests and nowhere else: what takes twice the steps for a text twice as long may be
//! given any text, what takes four times as many may not. A clock would say so too, and something else on a busy machine.

/// Notes that so many characters, words or runs were looked at.
#[cfg(not(test))]
pub(super) fn count(_: usize) {}

#[cfg(test)]
pub(super) use counted::{count, of};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// Notes that so many characters, words or runs were looked at.
    pub(in crate::explain) fn count(steps: usize) {
        STEPS.with(|all| all.set(all.get() + steps));
    }

    /// How many steps something takes.
    pub(in crate::explain) fn of(act: impl FnOnce()) -> usize {
        let before = STEPS.with(Cell::get);
        act();
        STEPS.with(Cell::get) - before
    }
}
