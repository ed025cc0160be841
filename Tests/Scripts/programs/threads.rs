//! What Rust programs do with libvestry in several threads at once:
//!
//!     threads THREADS READS
//!
//! There are items "s" "0" to "7", each with its account for a secret. Panics when something is wrong.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::{env, ptr, slice, thread};

#[link(name = "vestry")]
extern "C" {
    fn vestry_keychain_open(flags: c_uint, keychain: *mut *mut c_void) -> c_int;
    fn vestry_keychain_close(keychain: *mut c_void);
    fn vestry_get(
        keychain: *const c_void,
        service: *const c_char,
        account: *const c_char,
        secret: *mut *mut c_void,
    ) -> c_int;
    fn vestry_secret_bytes(secret: *const c_void) -> *const u8;
    fn vestry_secret_length(secret: *const c_void) -> usize;
    fn vestry_secret_free(secret: *mut c_void);
    fn vestry_last_error() -> *const c_char;
}

struct Keychain(*mut c_void);
unsafe impl Send for Keychain {}
unsafe impl Sync for Keychain {}

impl Keychain {
    /// Finds an item, and none, and that the reason of the second is this thread's.
    fn read(&self, account: &str) {
        let service = CString::new("s").unwrap();
        let name = CString::new(account).unwrap();
        let missing = CString::new("no").unwrap();
        let mut secret = ptr::null_mut();
        unsafe {
            assert_eq!(
                vestry_get(self.0, service.as_ptr(), name.as_ptr(), &mut secret),
                0
            );
            let bytes =
                slice::from_raw_parts(vestry_secret_bytes(secret), vestry_secret_length(secret));
            assert_eq!(bytes, account.as_bytes());
            vestry_secret_free(secret);
            assert_eq!(
                vestry_get(self.0, service.as_ptr(), missing.as_ptr(), &mut secret),
                -25300
            );
            assert!(secret.is_null());
            assert!(CStr::from_ptr(vestry_last_error())
                .to_bytes()
                .starts_with(b"no such item"));
        }
    }
}

fn opened(flags: c_uint) -> Keychain {
    let mut keychain = ptr::null_mut();
    assert_eq!(unsafe { vestry_keychain_open(flags, &mut keychain) }, 0);
    Keychain(keychain)
}

fn main() {
    let numbers: Vec<usize> = env::args()
        .skip(1)
        .map(|text| text.parse().unwrap())
        .collect();
    let (threads, reads) = (numbers[0], numbers[1]);
    let keychains = [opened(0), opened(1)];
    thread::scope(|scope| {
        for number in 0..threads {
            let keychain = &keychains[number % 2];
            let account = (number / 2 % 8).to_string();
            scope.spawn(move || {
                for _ in 0..reads {
                    keychain.read(&account);
                }
            });
        }
    });
    for keychain in &keychains {
        unsafe { vestry_keychain_close(keychain.0) }
    }
    println!("done");
}
