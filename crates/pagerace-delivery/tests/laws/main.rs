//! Each strategy's defining law, on a bench that carries a packet per tick, for
//! random pages: arrivals in any order, changed signals, flow control,
//! cancellation, packets with less room.

mod by_hand;
mod order;
mod pages;
mod shares;
mod tree;
mod turns;
mod watch;
mod work;
