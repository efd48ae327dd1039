//! What runs tell of a database: its tables and columns in one form, and of statements what the run bears out.

use reflect_core::{Lesson, Tells};

use super::behaviour::{Step, failed, passed};

/// `passed` or `failed`.
type Tell = fn(&[Step], &str) -> Lesson;

/// What is told of statements with what came back.
fn told(tell: Tell, statements: &[(&str, &str)]) -> (Option<Tells>, String) {
    let arguments: Vec<String> =
        statements.iter().map(|(query, _)| serde_json::json!({ "query": query }).to_string()).collect();
    let steps: Vec<Step> =
        arguments.iter().zip(statements).map(|(query, (_, printed))| ("sql", query.as_str(), *printed)).collect();
    let lesson = tell(&steps, "");
    let parts = [lesson.guidance, lesson.correct_action, lesson.key_mistake];
    (lesson.tells, parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | "))
}

fn fact(text: &str) -> (Option<Tells>, String) {
    (Some(Tells::Fact), text.to_owned())
}

const NO_TABLE: (&str, &str) =
    ("SELECT name FROM countries", "Error executing query: Table 'world.countries' doesn't exist");
const NO_COLUMN: (&str, &str) =
    ("SELECT code FROM city", "Error executing query: Unknown column 'code' in 'field list'");
const TABLES: (&str, &str) = ("SHOW TABLES", "[('country',), ('city',)]");
const ROWS: (&str, &str) = ("SELECT Name FROM country", "[('Aruba',)]");

#[test]
fn however_tables_were_asked_for_they_are_told_alike() {
    let wanted = fact("The tables are `city`, `country`.");
    let answers = [
        TABLES,
        ("SHOW FULL TABLES;", "[('country', 'BASE TABLE'), ('city', 'BASE TABLE')]"),
        (
            "SELECT * FROM information_schema.tables WHERE table_schema = 'world'",
            "[('def', 'world', 'country', 'BASE TABLE', 10), ('def', 'world', 'city', 'BASE TABLE', 3)]",
        ),
        (
            "select table_name from information_schema.tables where table_schema = database()",
            "[('country',), ('city',)]",
        ),
    ];
    for answer in answers {
        assert_eq!(told(passed, &[NO_TABLE, answer, ROWS]), wanted, "{answer:?}");
        assert_eq!(told(failed, &[("SELECT 1 FROM cities", "no such table: cities"), answer, ROWS]), wanted);
    }
}

#[test]
fn tools_named_after_it_list_tables_too() {
    let missing = ("sql", r#"{"query": "SELECT 1 FROM orders"}"#, "no such table: orders");
    let lesson = passed(&[missing, ("list_tables", "{}", r#"["items", "customers"]"#)], "");
    assert_eq!(lesson.guidance, "The tables are `customers`, `items`.");
    let of_one = ("get_table_schema", r#"{"table": "items"}"#, r#"[{"name": "id"}, {"name": "price"}]"#);
    let lesson = passed(&[missing, of_one], "");
    assert_eq!(lesson.guidance, "`items` has the columns `id`, `price`.");
}

#[test]
fn tables_of_elsewhere_and_some_of_them_are_no_list() {
    let none = fact("There is no table `countries`; there is `country`.");
    let answers = [
        ("SHOW TABLES LIKE 'c%'", "[('country',)]"),
        ("SELECT * FROM information_schema.tables WHERE table_name LIKE '%count%'", "[('def', 'other', 'countries')]"),
        ("SELECT table_name FROM information_schema.tables WHERE table_schema = 'sys'", "[('version',)]"),
        ("SELECT table_name FROM information_schema.tables WHERE table_schema = 'world' LIMIT 1", "[('city',)]"),
    ];
    for answer in answers {
        assert_eq!(told(passed, &[NO_TABLE, answer, ROWS]), none, "{answer:?}");
    }
    let elsewhere = ("SHOW TABLES FROM shop", "[('orders',), ('items',)]");
    assert_eq!(told(failed, &[NO_TABLE, elsewhere]), fact("The tables of `shop` are `items`, `orders`."));
}

#[test]
fn what_was_made_after_the_list_is_not_left_out_of_it() {
    let made = ("CREATE TABLE region (id INTEGER)", "OK, 0 rows affected");
    let (_, text) = told(passed, &[NO_TABLE, TABLES, made, ROWS]);
    assert!(!text.contains("The tables are"), "{text}");
}

#[test]
fn columns_are_told_by_their_names_and_not_by_their_tables() {
    let wanted = fact("`city` has the columns `ID`, `Name`.");
    let answers = [
        ("DESC city", "[('Name', 'char(35)', 'NO', '', '', ''), ('ID', 'int', 'NO', 'PRI', None, '')]"),
        (
            "SELECT * FROM information_schema.columns WHERE table_name = 'city'",
            "[('def', 'world', 'city', 'ID', 1, None), ('def', 'world', 'city', 'Name', 2, None)]",
        ),
        (
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_name = 'city'",
            "[('city', 'ID'), ('city', 'Name')]",
        ),
        (
            "SHOW CREATE TABLE city",
            r"[('city', 'CREATE TABLE `city` (\n  `ID` int NOT NULL,\n  `Name` text,\n  PRIMARY KEY (`ID`)\n)')]",
        ),
    ];
    for answer in answers {
        assert_eq!(told(passed, &[NO_COLUMN, answer]), wanted, "{answer:?}");
    }
    let one = (
        "SELECT * FROM information_schema.columns WHERE table_name = 'city' AND column_name LIKE 'I%'",
        "[('def', 'world', 'city', 'ID', 1, None)]",
    );
    assert_eq!(told(failed, &[NO_COLUMN, one]), fact("`city` has the column `ID`."));
    let counted = ("SELECT COUNT(*) FROM information_schema.columns WHERE table_name = 'city'", "[('2',)]");
    let (tells, _) = told(failed, &[NO_COLUMN, counted]);
    assert_eq!(tells, Some(Tells::Pitfall));
}

#[test]
fn tables_come_before_columns_and_statements_that_failed_are_left_out() {
    let columns = ("DESCRIBE city", "[('ID', 'int'), ('CountryCode', 'char(3)')]");
    let syntax = ("SELECT FROM", "Error executing query: You have an error in your SQL syntax");
    let wanted = fact("The tables are `city`, `country`. `city` has the columns `CountryCode`, `ID`.");
    assert_eq!(told(failed, &[NO_TABLE, NO_COLUMN, columns, TABLES, syntax]), wanted);
    // Columns that nobody had missed are looked up anyway.
    assert_eq!(told(failed, &[NO_TABLE, columns, TABLES]), fact("The tables are `city`, `country`."));
}

#[test]
fn a_name_that_is_there_is_told_whatever_became_of_the_run() {
    let query = ("SELECT c.CountryCode AS x FROM city c JOIN country ON c.CountryCode = country.Code", "[]");
    for tell in [passed, failed] {
        let wanted = fact("There is no table `countries`; there is `country`.");
        assert_eq!(told(tell, &[NO_TABLE, query]), wanted);
        let missing = ("SELECT country_code FROM city", NO_COLUMN.1.replace("code", "country_code"));
        let wanted = fact("There is no column `country_code` in `city`; there is `CountryCode`.");
        assert_eq!(told(tell, &[(missing.0, &missing.1), query]), wanted);
    }
}

#[test]
fn a_query_worked_only_where_the_run_passed_with_it() {
    let wrong = ("SELECT ID FROM city WHERE ID > 7", "[(8,)]");
    let right = ("SELECT ID FROM city WHERE ID > 8", "[(9,)]");
    let wanted = "There is no column `code` in `city`. `SELECT ID FROM city WHERE ID > 8` worked.";
    assert_eq!(told(passed, &[NO_COLUMN, wrong, right]), fact(wanted));
    let none = "There is no column `code` in `city`.";
    assert_eq!(told(failed, &[NO_COLUMN, wrong, right]), (Some(Tells::Pitfall), none.into()));
    let syntax =
        ("SELECT ID FROM city WHERE ID > 8 LIMIT", "Error executing query: You have an error in your SQL syntax");
    let (_, text) = told(passed, &[syntax, wrong, right]);
    assert!(text.ends_with("; `SELECT ID FROM city WHERE ID > 8` worked."), "{text}");
    let (_, text) = told(failed, &[syntax, wrong, right]);
    assert!(!text.contains("worked"), "{text}");
}

#[test]
fn a_query_with_the_missing_name_in_it_did_not_do_without() {
    let nested = ("SELECT ID FROM city WHERE ID NOT IN (SELECT code FROM city)", "[(1,)]");
    let (_, text) = told(passed, &[NO_COLUMN, nested]);
    assert!(!text.contains("worked"), "{text}");
}

#[test]
fn code_keeps_the_quotes_that_it_has() {
    let syntax = "Error executing query: You have an error in your SQL syntax";
    let (_, text) = told(passed, &[("SELECT a, b FROM show", syntax), ("SELECT a, b FROM `show`", "[(1, 2)]")]);
    assert!(text.contains("; ``SELECT a, b FROM `show` `` worked."), "{text}");
}

#[test]
fn words_are_no_statement_that_worked() {
    let syntax = ("SHOW TABLES` command to see all", "Error executing query: You have an error in your SQL syntax");
    let asked = "No SQL code was found in your last response. Your response should be a SQL command.";
    let words = ("It seems like SHOW TABLES` command to see all is needed", asked);
    let (_, text) = told(passed, &[syntax, words]);
    assert!(!text.contains("worked") && !text.contains("Done with"), "{text}");
}

#[test]
fn long_statements_are_cut_where_they_differ() {
    let start =
        format!("SELECT {} FROM city WHERE", (0..40).map(|at| format!("column_{at}")).collect::<Vec<_>>().join(", "));
    let (one, two) = (format!("{start} ID >"), format!("{start} ID > 8"));
    let (_, text) = told(passed, &[(&one, "Error: syntax error at end of input"), (&two, "[(9,)]")]);
    assert!(text.contains("FROM city WHERE ID >` failed") && text.contains("FROM city WHERE ID > 8` worked"), "{text}");
}

#[test]
fn placeholders_are_neither_missing_nor_quoted() {
    let statements = [
        ("SELECT * FROM your_table_name", "Error executing query: Table 'world.your_table_name' doesn't exist"),
        ("DESCRIBE <table_name>", "Error executing query: You have an error in your SQL syntax"),
        ("DESC table_name", "Error executing query: Table 'world.table_name' doesn't exist"),
    ];
    assert_eq!(told(failed, &statements), (Some(Tells::Nothing), String::new()));
    assert_eq!(told(passed, &[statements[0], TABLES, ROWS]), fact("The tables are `city`, `country`."));
}

#[test]
fn a_question_about_the_schema_without_an_answer_is_no_example() {
    let nothing = ("SELECT * FROM information_schema.tables WHERE table_schema = 'tennis'", "[]");
    assert_eq!(told(passed, &[nothing]), (Some(Tells::Nothing), String::new()));
    assert_eq!(told(passed, &[ROWS]), (Some(Tells::Example), "Done with `SELECT Name FROM country`.".into()));
}
