//! Finds out from outside which congestion controller a server runs.
//!
//! The client is the bottleneck of the path, over HTTP/3 or over our own TCP with HTTP/2. Two
//! [`Trial`]s watch the server's data in flight there: one raises the delay before anything is
//! lost, the other has a short queue that overflows again and again. The same trials run in the
//! simulator with every controller, and the nearest ones are the answer.

pub mod carrier;
pub mod loader;
pub mod model;
pub mod observe;
mod segments;
pub mod shape;
pub mod trial;
mod world;

pub use carrier::Carrier;
pub use loader::{Fetch, Loader, Watched};
pub(crate) use model::first_mtu;
pub use model::{Model, SCALE, STACKS, controllers};
pub use observe::{Flights, observe};
pub use segments::Header;
pub use shape::{Loss, Shape, in_flight, losses_of_path};
pub use trial::{Offered, Trial, trials};
pub use world::watch_tcp;
