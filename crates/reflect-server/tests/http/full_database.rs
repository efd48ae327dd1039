//! A PostgreSQL that has no room.

use serde_json::json;

use crate::{client::run, test_app::TestApp};

const NO_ROOM: &str = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON traces FOR EACH ROW EXECUTE FUNCTION no_room()";

#[tokio::test]
async fn a_full_database_says_when_to_come_back() {
    let app = TestApp::new();
    if !app.run_sql(NO_ROOM) {
        return;
    }
    let refused = app.post("/traces", run("Refund an order")).await.assert_status(503).assert_code("unavailable");
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(app.query_ids(json!({"task": "Refund an order"})).await, [""; 0], "reads go on");
    assert!(app.run_sql("DROP TRIGGER no_room ON traces"));
    app.create(run("Refund an order")).await;
}
