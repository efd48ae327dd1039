//! The files of the console in the browser, inside the binary.
//!
//! `cargo xtask console` builds them in `console/` and leaves them, each compressed, in `built/`. A crate of their own means that a new
//! console rebuilds nothing but this. Nothing here speaks HTTP; a binary that was built without them has one plain page that says so.

use std::{borrow::Cow, io::Read};

use rust_embed::{Embed, EmbeddedFile};

/// The console of this binary.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    find: fn(&str) -> Option<EmbeddedFile>,
}

/// A file as browsers get it.
#[derive(Clone, Debug)]
pub struct File {
    /// What it is, for the header `Content-Type`.
    pub media_type: &'static str,
    /// Differs when the content does.
    pub fingerprint: String,
    /// Its bytes.
    pub content: Content,
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// As they are.
    Plain(Cow<'static, [u8]>),
    /// In gzip's format.
    Gzipped(Cow<'static, [u8]>),
}

impl Console {
    /// The console that this binary was built with.
    pub fn embedded() -> Self {
        Self::of::<Built>()
    }

    /// The console in a folder of files that end with `.gz`.
    pub fn of<Files: Embed>() -> Self {
        Self { find: Files::get }
    }

    /// The page that every address of the console starts with; one that says how to build a console where there is none.
    pub fn page(self) -> File {
        self.file("index.html").unwrap_or_else(|| File {
            media_type: HTML,
            fingerprint: "no-console".to_owned(),
            content: Content::Plain(Cow::Borrowed(include_bytes!("no_console.html"))),
        })
    }

    /// What the page loads, such as `main-4f2a.js`.
    pub fn asset(self, name: &str) -> Option<File> {
        self.file(&format!("assets/{name}"))
    }

    fn file(self, path: &str) -> Option<File> {
        let file = (self.find)(&format!("{path}.gz"))?;
        let hash = file.metadata.sha256_hash();
        Some(File {
            media_type: media_type(path),
            fingerprint: hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect(),
            content: Content::Gzipped(file.data),
        })
    }
}

impl Content {
    /// The bytes as they were before they were compressed.
    pub fn plain(self) -> std::io::Result<Cow<'static, [u8]>> {
        match self {
            Self::Plain(bytes) => Ok(bytes),
            Self::Gzipped(bytes) => {
                let mut plain = Vec::new();
                flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut plain)?;
                Ok(plain.into())
            }
        }
    }
}

#[derive(Embed)]
#[folder = "built"]
struct Built;

const HTML: &str = "text/html; charset=utf-8";

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => HTML,
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json" | "map") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Embed)]
    #[folder = "tests/built"]
    struct Sample;

    #[derive(Embed)]
    #[folder = "src"]
    struct Nothing;

    #[test]
    fn a_file_comes_compressed_with_its_type() {
        let file = Console::of::<Sample>().asset("main.js").unwrap();
        assert_eq!(file.media_type, "text/javascript; charset=utf-8");
        assert!(matches!(file.content, Content::Gzipped(_)));
        assert_eq!(&*file.content.plain().unwrap(), b"console.log(1);\n");
    }

    #[test]
    fn files_differ_by_their_fingerprints() {
        let console = Console::of::<Sample>();
        let script = console.asset("main.js").unwrap();
        assert_eq!(script.fingerprint, console.asset("main.js").unwrap().fingerprint);
        assert_ne!(script.fingerprint, console.page().fingerprint);
    }

    #[test]
    fn nothing_outside_is_found() {
        let console = Console::of::<Sample>();
        for name in ["", "no.js", "../index.html", "../../../Cargo.toml", "main.js.gz", "/etc/passwd"] {
            assert!(console.asset(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_binary_without_a_console_says_how_to_build_one() {
        let page = Console::of::<Nothing>().page();
        let text = String::from_utf8(page.content.plain().unwrap().into_owned()).unwrap();
        assert!(text.contains("cargo xtask console"), "{text}");
        assert!(Console::of::<Nothing>().asset("main.js").is_none());
    }
}
