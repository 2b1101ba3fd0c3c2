//! The WebAssembly module of the npm package `maintext`.
//!
//! The module imports nothing, so that any engine can run it, and a trap leaves nothing behind outside of its instance. Bytes cross in
//! two buffers that belong to the module: the caller asks [`mt_input`] for room, writes there, makes a call, and reads the answer between
//! [`mt_output`] and [`mt_output_len`]. All values are JSON. `js/src/core.js` is the caller.
//!
//! A panic aborts; its message is then in the output. The caller drops the instance and makes another.
//!
//! No code here is unsafe but the names of the exports, which the compiler cannot check.

pub mod calls;
pub mod options;

use calls::{CallReader, Head, PageCall};
use maintext_core::Html;
use serde_json::json;
use std::cell::RefCell;

/// The reason why a call failed: a stable kind and a message.
#[derive(Clone, Debug)]
pub struct CallFailure {
    /// `option`, `not_html`, `url` or `internal`.
    pub kind: &'static str,
    /// The message for people.
    pub message: String,
}

impl CallFailure {
    /// An invalid option.
    pub fn option(message: impl ToString) -> CallFailure {
        CallFailure { kind: "option", message: message.to_string() }
    }

    /// Returns the failure as JSON.
    pub fn json(&self) -> Vec<u8> {
        json!({"kind": self.kind, "message": self.message}).to_string().into_bytes()
    }
}

impl From<maintext_core::Error> for CallFailure {
    fn from(error: maintext_core::Error) -> CallFailure {
        let kind = match &error {
            maintext_core::Error::NotHtml(_) => "not_html",
            maintext_core::Error::BadUrl { .. } => "url",
            _ => "option",
        };
        CallFailure { kind, message: error.to_string() }
    }
}

/// The largest input buffer that is kept for the next page, in bytes.
const LARGEST_KEPT: usize = 4 << 20;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static READERS: RefCell<Vec<Option<CallReader>>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for `len` bytes of input and returns its address. Bytes that were written before stay if there is room for them.
#[unsafe(no_mangle)]
pub extern "C" fn mt_input(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Returns the address of the last call's answer.
#[unsafe(no_mangle)]
pub extern "C" fn mt_output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// Returns the length of the last call's answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn mt_output_len() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Opens an extractor. The input holds its options, `json_len` bytes of JSON, and then a model file, if there is one. Returns its number,
/// from 1, or 0 if it failed; the output then holds `{kind, message}`.
#[unsafe(no_mangle)]
pub extern "C" fn mt_open(json_len: usize) -> usize {
    std::panic::set_hook(Box::new(|panic| {
        let failure = CallFailure { kind: "internal", message: panic.to_string() };
        OUTPUT.with(|output| output.try_borrow_mut().map(|mut o| *o = failure.json())).ok();
    }));
    let opened = with_input(|input| {
        let (json, model) = input.split_at_checked(json_len).unwrap_or((input, &[]));
        CallReader::new(json, model)
    });
    match opened {
        Ok(reader) => READERS.with_borrow_mut(|readers| {
            let place = readers.iter().position(Option::is_none).unwrap_or_else(|| {
                readers.push(None);
                readers.len() - 1
            });
            readers[place] = Some(reader);
            place + 1
        }),
        Err(failure) => {
            write(failure.json());
            0
        }
    }
}

/// Closes an extractor. A number that is not open is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn mt_close(reader: usize) {
    READERS.with_borrow_mut(|readers| {
        if let Some(place) = readers.get_mut(reader.wrapping_sub(1)) {
            *place = None;
        }
    });
}

/// Runs call number `call` of an extractor on a page. The input holds the call's [`Head`], `head_len` bytes of JSON, and then the page:
/// UTF-8 if `text` is not 0, else bytes in any encoding. Returns 1 if the output holds the answer, 0 if it holds `{kind, message}`.
#[unsafe(no_mangle)]
pub extern "C" fn mt_call(reader: usize, call: u32, head_len: usize, text: u32) -> u32 {
    // A trap without a panic leaves no message behind.
    write(Vec::new());
    let answer = with_input(|input| {
        let (head, page) = input.split_at_checked(head_len).unwrap_or((input, &[]));
        let head: Head = serde_json::from_slice(head).map_err(CallFailure::option)?;
        let call = PageCall::numbered(call).ok_or_else(|| CallFailure::option("no such call"))?;
        let decoded;
        let page = match text {
            0 => Html::Bytes(page),
            _ => {
                decoded = String::from_utf8_lossy(page);
                Html::Text(&decoded)
            }
        };
        READERS.with_borrow_mut(|readers| {
            let reader = readers.get_mut(reader.wrapping_sub(1)).and_then(Option::as_mut);
            reader.ok_or_else(|| CallFailure::option("the extractor is closed"))?.call(call, &head, page)
        })
    });
    let ok = answer.is_ok();
    write(answer.unwrap_or_else(|failure| failure.json()));
    ok.into()
}

fn with_input<T>(see: impl FnOnce(&[u8]) -> T) -> T {
    INPUT.with_borrow_mut(|input| {
        let seen = see(input);
        if input.capacity() > LARGEST_KEPT {
            *input = Vec::new();
        }
        seen
    })
}

fn write(answer: Vec<u8>) {
    OUTPUT.set(answer);
}
