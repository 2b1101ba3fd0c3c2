//! Lets the linker of macOS leave the symbols of Python open, as PyO3 asks for. maturin does the same.
fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
