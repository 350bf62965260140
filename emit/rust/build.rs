// Where the library lies: TRACEKIT_EMIT_DIR, or where the linker looks.
fn main() {
    println!("cargo:rerun-if-env-changed=TRACEKIT_EMIT_DIR");
    if let Ok(dir) = std::env::var("TRACEKIT_EMIT_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
    }
    println!("cargo:rustc-link-lib=dylib=tracekit_emit");
}
