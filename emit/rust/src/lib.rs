//! Writes performance captures of a program: `let _s = scope!("load");` See tracekit_emit(3).
use std::{ffi::{c_char, c_int, c_void, CString}, marker::PhantomData, ptr::null};

extern "C" {
    fn tke_start(options: *const c_void) -> c_int; fn tke_stop();
    fn tke_name(text: *const u8, size: usize) -> u32;
    fn tke_begin(name: u32); fn tke_end();
    fn tke_thread_name(name: *const c_char, group: *const c_char, sort_hint: c_int);
    fn tke_frame_begin(frame_type: c_int); fn tke_frame_end(frame_type: c_int);
    fn tke_bookmark_text(text: *const u8, size: usize);
    fn tke_log_text(category: *const c_char, verbosity: c_int, text: *const u8, size: usize);
}
fn c(text: &str) -> CString { CString::new(text).unwrap_or_default() }

/// Starts by the variable TRACEKIT_EMIT; nothing happens where it is not set. Else an error number of the system.
pub fn start() -> Result<(), i32> { match unsafe { tke_start(null()) } { 0 => Ok(()), error => Err(error) } }
pub fn stop() { unsafe { tke_stop() } }
pub fn name(text: &str) -> u32 { unsafe { tke_name(text.as_ptr(), text.len()) } }
pub fn frame_begin(frame_type: i32) { unsafe { tke_frame_begin(frame_type) } }
pub fn frame_end(frame_type: i32) { unsafe { tke_frame_end(frame_type) } }
pub fn bookmark(text: &str) { unsafe { tke_bookmark_text(text.as_ptr(), text.len()) } }
pub fn thread_name(name: &str) { unsafe { tke_thread_name(c(name).as_ptr(), null(), 0) } }
pub fn log(category: &str, verbosity: i32, text: &str) { unsafe { tke_log_text(c(category).as_ptr(), verbosity, text.as_ptr(), text.len()) } }

/// Ends with the block; it stays on its thread.
pub struct Scope(PhantomData<*const ()>);
impl Scope { pub fn new(name: u32) -> Self { unsafe { tke_begin(name) }; Scope(PhantomData) } }
impl Drop for Scope { fn drop(&mut self) { unsafe { tke_end() } } }

#[macro_export]
macro_rules! scope { ($name:expr) => {{
    static ID: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    $crate::Scope::new(*ID.get_or_init(|| $crate::name($name)))
}}; }
