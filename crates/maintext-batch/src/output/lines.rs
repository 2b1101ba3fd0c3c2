//! JSON lines, plain or compressed. Compressed files consist of frames that end after a fixed amount of text, so that their bytes
//! depend only on the rows and not on the times of checkpoints.
use super::{Compression, Counting, Encoded, Progressed, Sink, reopen};
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Size of the text in a frame, in bytes. Larger frames compress hardly any better.
const FRAME: usize = 1 << 20;
const ZSTD_LEVEL: i32 = 3;

pub(crate) struct LineWriter {
    out: Counting<LineOutput>,
    compression: Compression,
    /// Text of the current frame.
    frame: Vec<u8>,
    /// Size of the text at which a frame ends, in bytes.
    frame_end: usize,
    rows: u64,
}

enum LineOutput {
    File(BufWriter<File>),
    Stream(Box<dyn Write>),
}

impl Write for LineOutput {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            LineOutput::File(file) => file.write(buffer),
            LineOutput::Stream(stream) => stream.write(buffer),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            LineOutput::File(file) => file.flush(),
            LineOutput::Stream(stream) => stream.flush(),
        }
    }
}

impl LineWriter {
    /// Resumes writing a file.
    pub(crate) fn resume(path: &Path, compression: Compression, from: &Progressed) -> io::Result<LineWriter> {
        let out = LineOutput::File(BufWriter::with_capacity(1 << 18, reopen(path, from.bytes)?));
        let out = Counting { inner: out, bytes: from.bytes };
        Ok(LineWriter { out, compression, frame: Vec::new(), frame_end: FRAME, rows: from.rows })
    }

    /// Writes to a stream that cannot be truncated.
    pub(crate) fn stream(out: Box<dyn Write>, compression: Compression) -> LineWriter {
        let out = Counting { inner: LineOutput::Stream(out), bytes: 0 };
        LineWriter { out, compression, frame: Vec::new(), frame_end: FRAME, rows: 0 }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        if self.frame.is_empty() {
            return Ok(());
        }
        match self.compression {
            Compression::Plain => self.out.write_all(&self.frame)?,
            Compression::Gzip => {
                let mut encoder = GzEncoder::new(&mut self.out, flate2::Compression::default());
                encoder.write_all(&self.frame)?;
                encoder.finish()?;
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(&mut self.out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                encoder.set_pledged_src_size(Some(self.frame.len() as u64))?;
                encoder.write_all(&self.frame)?;
                encoder.finish()?;
            }
        }
        self.frame.clear();
        Ok(())
    }
}

impl Sink for LineWriter {
    fn write(&mut self, row: Encoded) -> io::Result<()> {
        self.rows += row.rows;
        if self.compression == Compression::Plain {
            return self.out.write_all(&row.line);
        }
        self.frame.extend_from_slice(&row.line);
        if self.frame.len() >= self.frame_end { self.end_frame() } else { Ok(()) }
    }

    fn at_boundary(&self) -> bool {
        self.frame.is_empty()
    }

    fn sync(&mut self) -> io::Result<Progressed> {
        self.out.flush()?;
        if let LineOutput::File(file) = &self.out.inner {
            file.get_ref().sync_data()?;
        }
        Ok(Progressed { bytes: self.out.bytes, rows: self.rows, ..Progressed::default() })
    }

    fn finish(&mut self) -> io::Result<()> {
        self.end_frame()?;
        self.sync().map(|_| ())
    }
}
