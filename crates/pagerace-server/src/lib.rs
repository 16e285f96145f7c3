//! A recorded site served through a strategy, without IO.
