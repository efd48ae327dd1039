//! The console's files over HTTP, of a sample console: no test depends on whether the real one was built.

use std::sync::Arc;

use axum::http::Method;
use reflect_console::Console;
use reflect_server::App;
use rust_embed::Embed;

use crate::{answer::Answer, client::Client, test_app::TestApp};

#[derive(Embed)]
#[folder = "../reflect-console/tests/built"]
struct Sample;

#[derive(Embed)]
#[folder = "tests/http/nothing_built"]
#[allow_missing = true]
struct Nothing;

const SCRIPT: &str = "/assets/main.js";

fn visitor(app: &TestApp, console: Console) -> Client {
    let app_with = App::new(Arc::clone(&app.engine), None, app.limits()).with_console(console);
    Client { router: reflect_server::router(app_with), ..app.with_key("") }
}

async fn get(visitor: &Client, path: &str, headers: &[(&str, &str)]) -> Answer {
    visitor.send(Method::GET, path, None, headers).await
}

#[tokio::test]
async fn every_address_of_the_console_has_its_page() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Sample>());
    for path in ["/", "/sign-in", "/p/shop/overview", "/p/a%20b/traces/019a9f00?tab=lesson"] {
        let page = get(&visitor, path, &[]).await.assert_status(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(page.header("cache-control"), "no-cache", "{path}");
        assert!(page.json.as_str().unwrap().contains("<title>Sample</title>"), "{path}");
        let head = visitor.send(Method::HEAD, path, None, &[]).await.assert_status(200);
        assert_eq!((head.json.is_null(), head.header("etag")), (true, page.header("etag")), "{path}");
    }
    get(&visitor, "/p", &[]).await.assert_code("not_found");
    visitor.send(Method::POST, "/", None, &[]).await.assert_code("method_not_allowed");
}

#[tokio::test]
async fn assets_are_kept_for_ever_and_missing_ones_not_at_all() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Sample>());
    let script = get(&visitor, SCRIPT, &[]).await.assert_status(200);
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    for path in ["/assets/gone.js", "/assets/..%2Findex.html", "/assets/%2E%2E/index.html", "/assets/"] {
        let missing = get(&visitor, path, &[]).await.assert_code("not_found");
        assert_eq!(missing.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn files_are_compressed_for_those_who_take_it() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Sample>());
    for taken in ["gzip", "br, gzip;q=0.8", "deflate,GZIP"] {
        let script = get(&visitor, SCRIPT, &[("accept-encoding", taken)]).await.assert_status(200);
        assert_eq!(script.header("content-encoding"), "gzip", "{taken}");
        assert_ne!(script.json, "console.log(1);\n", "{taken}");
    }
    for taken in ["identity", "br", "gzip;q=0", ""] {
        let script = get(&visitor, SCRIPT, &[("accept-encoding", taken)]).await.assert_status(200);
        assert_eq!(script.headers.get("content-encoding"), None, "{taken}");
        assert_eq!(script.json, "console.log(1);\n", "{taken}");
        assert_eq!(script.header("vary"), "accept-encoding", "{taken}");
    }
}

#[tokio::test]
async fn what_a_browser_has_is_not_sent_again() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Sample>());
    let tag = get(&visitor, "/", &[]).await.header("etag").to_owned();
    let again = get(&visitor, "/", &[("if-none-match", &tag)]).await.assert_status(304);
    assert!(again.json.is_null());
    assert_eq!(again.header("etag"), tag);
    get(&visitor, "/", &[("if-none-match", "W/\"other\"")]).await.assert_status(200);
}

#[tokio::test]
async fn pages_of_the_console_load_nothing_from_elsewhere_and_run_nothing_inline() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Sample>());
    for path in ["/", SCRIPT, "/p/shop/traces"] {
        let answer = get(&visitor, path, &[]).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn without_a_console_there_is_a_page_that_says_so() {
    let app = TestApp::new();
    let visitor = visitor(&app, Console::of::<Nothing>());
    let page = get(&visitor, "/p/shop/overview", &[("accept-encoding", "gzip")]).await.assert_status(200);
    assert!(page.json.as_str().unwrap().contains("cargo xtask console"), "{}", page.json);
    get(&visitor, "/docs/", &[]).await.assert_status(200);
}
