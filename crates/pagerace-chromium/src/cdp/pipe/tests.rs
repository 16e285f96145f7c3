use super::*;

/// A reader that returns a few bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(self.0.len()).min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn messages_are_cut_at_nul_however_they_arrive() {
    let bytes = b"first\0\0a longer second one\0without end";
    for step in 1..bytes.len() {
        let (sender, receiver) = channel();
        split(Slowly(bytes, step), &sender);
        drop(sender);
        let messages: Vec<Vec<u8>> = receiver.iter().collect();
        assert_eq!(
            messages,
            [&b"first"[..], b"", b"a longer second one"],
            "in steps of {step}"
        );
    }
}
