//! A minimal web server: one thread per connection, HTTP/1.1, one response per
//! connection, and an optional delay of each response, given in its path.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// (path, content type, body)
pub(crate) type Files = &'static [(&'static str, &'static str, &'static str)];

/// Serves until the process ends. A path may end in `?wait=ms`.
pub(crate) fn serve(files: Files) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of the loopback");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(&stream, files));
        }
    });
    address
}

fn answer(stream: &TcpStream, files: Files) {
    let mut lines = BufReader::new(stream).lines();
    let Some(Ok(first)) = lines.next() else {
        return;
    };
    while lines
        .next()
        .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
    {}
    let target = first.split(' ').nth(1).unwrap_or("/");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(ms) = query.strip_prefix("wait=").and_then(|ms| ms.parse().ok()) {
        thread::sleep(Duration::from_millis(ms));
    }
    if query == "reset" {
        return;
    }
    let found = files.iter().find(|file| file.0 == path);
    let (status, kind, body) = match found {
        Some((_, kind, body)) => ("200 OK", *kind, *body),
        None => ("404 Not Found", "text/plain", "nothing here"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // The browser may have closed the connection.
    let mut stream = stream;
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}
