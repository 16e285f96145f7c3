//! Links without IO: rate, delay, queue, loss; named networks.
