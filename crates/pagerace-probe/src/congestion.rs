//! Finds out from outside which congestion controller a server runs.
//!
//! The client is the bottleneck of the path. Two [`Trial`]s watch the server's data in flight
//! there: one raises the delay before anything is lost, the other has a short queue that
//! overflows again and again. The same trials run in the simulator with every controller, and
//! the nearest ones are the answer.

pub mod loader;
pub mod model;
pub mod observe;
pub mod shape;
pub mod trial;

pub use loader::{Fetch, Loader, Watched};
pub use model::{Model, SCALE, controllers};
pub use observe::{Flights, observe};
pub use shape::{Shape, in_flight};
pub use trial::{Offered, Trial, trials};
