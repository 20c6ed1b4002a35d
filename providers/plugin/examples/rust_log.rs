//! A logger of Rust's standard library as a sink: a line an event through a BufWriter.
//!
//!     rustc -O -C panic=abort --crate-type cdylib rust_log.rs -o librust_log.so
//!
//! The structures mirror tailgate/sink.h, version 1.

use std::ffi::{c_void, CStr};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::raw::{c_char, c_int};
use std::ptr::null;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MAGIC: u32 = 0x4B4E_5354;
const VERSION: u32 = 1;
const LIVE_READ: u32 = 1;
const ASYNCHRONOUS: u32 = 4; // a BufWriter holds lines back
const TEXT_EVENTS: u32 = 64;
const READ_LINES: u32 = 1;
const INTEGER: u32 = 0;

const ACCEPTED: u8 = 0;
const CLOSED: u8 = 1;
const FAILED: u8 = 2;

#[repr(C)]
struct Abilities {
    flags: u32,
    read_back: u32,
}

#[repr(C)]
struct SinkOption {
    name: *const c_char,
    kind: u32,
    default_value: *const c_char,
    help: *const c_char,
    min: f64,
    max: f64,
    choices: *const *const c_char,
}

#[repr(C)]
struct Setting {
    name: *const c_char,
    value: *const c_char,
}

#[repr(C)]
struct Context {
    struct_bytes: u32,
    threads: u32,
    settings: *const Setting,
    setting_count: usize,
    directory: *const c_char,
    log_path: *const c_char,
    max_event_bytes: u64,
    expected_bytes: u64,
}

type Unused = *const c_void; // a function that this sink has not

/// The table up to provider_free: what it lacks at its end counts as null.
#[repr(C)]
struct Sink {
    magic: u32,
    version: u32,
    struct_bytes: u32,
    reserved: u32,
    name: *const c_char,
    description: *const c_char,
    library: *const c_char,
    options: *const SinkOption,
    refusal_causes: *const *const c_char,
    abilities: Abilities,
    abilities_with: Unused,
    probe: Unused,
    session: [Unused; 6], // start, granted, environment, daemons, stop, losses
    provider_open:
        unsafe extern "C" fn(*const Context, *mut *mut c_void, *mut c_char, usize) -> c_int,
    provider_warm_up: Unused,
    emit: unsafe extern "C" fn(*mut c_void, u32, *const u8, usize) -> u8,
    provider_close: unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> c_int,
    provider_losses: Unused,
    provider_free: unsafe extern "C" fn(*mut c_void),
}

/// Constants that hold pointers: nobody writes them.
struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

macro_rules! text {
    ($text:literal) => {
        concat!($text, "\0").as_ptr() as *const c_char
    };
}

struct RustLog {
    writer: Mutex<Option<BufWriter<File>>>,
    sleep: Duration,
}

impl RustLog {
    fn log(&self, event: &[u8]) -> u8 {
        if !self.sleep.is_zero() {
            std::thread::sleep(self.sleep);
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let message = String::from_utf8_lossy(event);
        match self.writer.lock().unwrap().as_mut() {
            None => CLOSED,
            Some(writer) => match writeln!(writer, "{:.6} INFO {}", time.as_secs_f64(), message) {
                Ok(()) => ACCEPTED,
                Err(_) => FAILED,
            },
        }
    }
}

/// Writes the error's text into tailgate's buffer; 0 if there was none.
unsafe fn code<T>(result: Result<T, String>, error: *mut c_char, error_bytes: usize) -> c_int {
    let text = match result {
        Ok(_) => return 0,
        Err(text) => text,
    };
    let length = text.len().min(error_bytes - 1);
    std::ptr::copy_nonoverlapping(text.as_ptr() as *const c_char, error, length);
    *error.add(length) = 0;
    1
}

unsafe fn open(context: &Context) -> Result<RustLog, String> {
    let setting = std::slice::from_raw_parts(context.settings, context.setting_count)
        .iter()
        .find(|setting| CStr::from_ptr(setting.name).to_bytes() == b"sleep_us")
        .ok_or("there is no setting sleep_us")?;
    let value = CStr::from_ptr(setting.value).to_string_lossy();
    let path = CStr::from_ptr(context.log_path).to_string_lossy();
    let file = OpenOptions::new().append(true).open(&*path).map_err(|error| error.to_string())?;
    Ok(RustLog {
        writer: Mutex::new(Some(BufWriter::new(file))),
        sleep: Duration::from_micros(value.parse().map_err(|_| "sleep_us is no number")?),
    })
}

unsafe extern "C" fn provider_open(
    context: *const Context,
    provider: *mut *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> c_int {
    let opened = open(&*context).map(|log| *provider = Box::into_raw(Box::new(log)) as *mut c_void);
    code(opened, error, error_bytes)
}

unsafe extern "C" fn emit(
    provider: *mut c_void,
    _thread: u32,
    event: *const u8,
    size: usize,
) -> u8 {
    (*(provider as *const RustLog)).log(std::slice::from_raw_parts(event, size))
}

unsafe extern "C" fn provider_close(
    provider: *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> c_int {
    let writer = (*(provider as *const RustLog)).writer.lock().unwrap().take();
    let closed = match writer {
        None => Ok(()),
        Some(mut writer) => writer.flush().map_err(|error| error.to_string()),
    };
    code(closed, error, error_bytes)
}

unsafe extern "C" fn provider_free(provider: *mut c_void) {
    drop(Box::from_raw(provider as *mut RustLog));
}

static OPTIONS: Constant<[SinkOption; 2]> = Constant([
    SinkOption {
        name: text!("sleep_us"),
        kind: INTEGER,
        default_value: text!("0"),
        help: text!("microseconds by which each call is delayed, to see that they are measured"),
        min: 0.0,
        max: 1e6,
        choices: null(),
    },
    SinkOption {
        name: null(),
        kind: 0,
        default_value: null(),
        help: null(),
        min: 0.0,
        max: 0.0,
        choices: null(),
    },
]);

static REFUSALS: Constant<[*const c_char; 3]> =
    Constant([text!("closed"), text!("write failed"), null()]);

static SINK: Constant<Sink> = Constant(Sink {
    magic: MAGIC,
    version: VERSION,
    struct_bytes: std::mem::size_of::<Sink>() as u32,
    reserved: 0,
    name: text!("rust_log"),
    description: text!("a BufWriter of Rust's standard library, a line an event"),
    library: null(),
    options: &OPTIONS.0 as *const SinkOption,
    refusal_causes: &REFUSALS.0 as *const *const c_char,
    abilities: Abilities {
        flags: TEXT_EVENTS | LIVE_READ | ASYNCHRONOUS,
        read_back: READ_LINES,
    },
    abilities_with: null(),
    probe: null(),
    session: [null(); 6],
    provider_open,
    provider_warm_up: null(),
    emit,
    provider_close,
    provider_losses: null(),
    provider_free,
});

#[no_mangle]
extern "C" fn tailgate_get_sink() -> *const c_void {
    &SINK.0 as *const Sink as *const c_void
}
