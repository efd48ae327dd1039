//! Starting: what is refused, who migrates, what is printed.

use super::{MASTER_KEY, PROJECT, Postgres, client};
use crate::server_process::{ServerProcess, reflect, run};

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn servers_that_start_at_once_on_an_empty_database_all_come_up() {
    let postgres = Postgres::start();
    let servers: Vec<ServerProcess> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..4).map(|_| scope.spawn(|| postgres.server(&[]))).collect();
        starting.into_iter().map(|server| server.join().unwrap()).collect()
    });
    for server in &servers {
        let ready = client(server).get("/ready").unwrap();
        assert_eq!((ready.status, &ready.body["store"]), (200, &"open".into()), "{ready:?}");
    }
    for server in servers {
        let (status, log) = server.stop("-TERM");
        assert!(status.success() && !log.contains("ERROR"), "{log}");
        let password = postgres.url.split([':', '@']).nth(2).unwrap();
        assert!(!log.contains(password), "the log has the password of the database");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn keys_are_made_on_the_database_itself_and_open_a_running_server() {
    let postgres = Postgres::start();
    let server = postgres.server(&[]);
    let keys = |arguments: &[&str]| {
        let mut command = reflect();
        command.arg("keys").args(arguments);
        command.env("REFLECT_DATABASE_URL", &postgres.url).env("REFLECT_MASTER_KEY", MASTER_KEY);
        run(&mut command).succeeded()
    };
    let key = keys(&["create"]).trim().to_owned();
    assert_eq!(server.client_with(&key).get(&format!("{PROJECT}/traces")).unwrap().status, 200);
    assert!(keys(&["list"]).contains(key.split('_').nth(2).unwrap()));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_wrong_password_and_a_newer_schema_are_said_at_once() {
    let postgres = Postgres::start();
    let wrong = postgres.url.replacen("://reflect:", "://reflect:wrong-", 1);
    let said = run(postgres.serve().env("REFLECT_DATABASE_URL", wrong)).refused();
    assert!(said.contains("password authentication failed") && !said.contains("wrong-"), "{said}");
}
