//! What is on this machine is reached directly, whatever proxies the environment names.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions fail tests by panicking")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    process::Command,
};

use reflect_http::{HttpClient, client_for};
use reqwest::Url;

/// A server that answers every request with this text. Its thread ends with the test's process.
fn answering(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                connection.read_exact(&mut byte).unwrap();
                head.extend(byte);
            }
            let length = text.len();
            write!(connection, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}")
                .unwrap();
        }
    });
    format!("http://{address}")
}

#[test]
fn loopback_goes_round_the_proxy_and_the_rest_goes_through_it() {
    let (server, proxy) = (answering("the server"), answering("the proxy"));
    // The environment of this process is not ours to change.
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "asked_where_the_environment_names_a_proxy"]).env("SERVER", server);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, &proxy);
    }
    let ended = child.env_remove("NO_PROXY").env_remove("no_proxy").env_remove("REQUEST_METHOD").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "needs the environment that the test above starts it with"]
async fn asked_where_the_environment_names_a_proxy() {
    let here = Url::parse(&std::env::var("SERVER").unwrap()).unwrap();
    let far = Url::parse("http://models.example/v1").unwrap();
    let shared = HttpClient::new().unwrap();
    for (url, answers) in [(here, "the server"), (far, "the proxy")] {
        for client in [shared.for_url(&url).clone(), client_for(&url, |builder| builder).unwrap()] {
            let answer = client.get(url.clone()).send().await.unwrap().text().await.unwrap();
            assert_eq!(answer, answers, "{url}");
        }
    }
}
