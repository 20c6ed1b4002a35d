//! Rust's `tracing` with the fmt subscriber: time, level, target and the event, a line each. A
//! program sets its subscriber once, so the log behind it is what opens and closes.

use std::ffi::CStr;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::raw::c_char;
use std::sync::{Mutex, Once};

static LOG: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);
static SUBSCRIBER: Once = Once::new();

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match LOG.lock().unwrap().as_mut() {
            Some(log) => log.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens the log; false: it cannot be opened.
///
/// # Safety
/// `path` is a C string.
#[no_mangle]
pub unsafe extern "C" fn tracing_open(path: *const c_char, buffered: bool) -> bool {
    let path = CStr::from_ptr(path).to_string_lossy().into_owned();
    let file = match OpenOptions::new().append(true).open(path) {
        Ok(file) => file,
        Err(_) => return false,
    };
    *LOG.lock().unwrap() = Some(if buffered {
        Box::new(BufWriter::new(file))
    } else {
        Box::new(file)
    });
    SUBSCRIBER.call_once(|| tracing_subscriber::fmt().with_writer(|| Log).init());
    true
}

/// # Safety
/// `event` is `size` bytes of UTF-8.
#[no_mangle]
pub unsafe extern "C" fn tracing_log(event: *const u8, size: usize) {
    let event = std::str::from_utf8_unchecked(std::slice::from_raw_parts(event, size));
    tracing::info!("{}", event);
}

/// Writes what is buffered; false: that failed.
#[no_mangle]
pub extern "C" fn tracing_close() -> bool {
    match LOG.lock().unwrap().take() {
        Some(mut log) => log.flush().is_ok(),
        None => true,
    }
}
