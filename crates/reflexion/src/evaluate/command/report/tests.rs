use proptest::prelude::*;

use super::*;

fn report(passed: u64, failed: u64, failures: &[&str]) -> TestReport {
    TestReport { passed, failed, failures: failures.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn cargo_sums_its_binaries() {
    let output = "
running 3 tests
test store::opens ... ok
test store::closes ... FAILED
test store::waits ... ignored
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
running 2 tests
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    assert_eq!(TestReport::read(output), report(3, 1, &["store::closes"]));
}

#[test]
fn nextest_repeats_its_failures_and_their_output_and_they_count_once() {
    let output = "
        PASS [   0.021s] ( 1/3) store tests::opens
        FAIL [   0.003s] ( 2/3) store tests::closes
    test tests::closes ... FAILED
    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.92s
     TIMEOUT [  60.003s] ( 3/3) store tests::hangs
────────────
     Summary [  60.380s] 3 tests run: 1 passed (1 slow), 1 failed, 1 timed out, 5 skipped
        FAIL [   0.003s] ( 2/3) store tests::closes
     TIMEOUT [  60.003s] ( 3/3) store tests::hangs";
    assert_eq!(TestReport::read(output), report(1, 2, &["store tests::closes", "store tests::hangs"]));
    let older = "  FAIL [   0.003s] store tests::closes\n  PASS [   0.003s] store tests::opens";
    assert_eq!(TestReport::read(older), report(1, 1, &["store tests::closes"]));
}

#[test]
fn pytest_names_the_failures_with_their_reasons() {
    let output = "
tests/test_a.py F.E.                                                     [100%]
=========================== short test summary info ============================
FAILED tests/test_a.py::test_sum - assert 3 == 4
ERROR tests/test_a.py::test_db - OSError: no disk
==================== 1 failed, 2 passed, 1 error in 0.12s =====================";
    let failures = ["tests/test_a.py::test_sum - assert 3 == 4", "tests/test_a.py::test_db - OSError: no disk"];
    assert_eq!(TestReport::read(output), report(2, 2, &failures));
    assert_eq!(TestReport::read("3 passed in 0.01s"), report(3, 0, &[]));
}

#[test]
fn unittest_counts_what_it_ran() {
    let output = "
FAIL: test_sum (test_a.SumTest.test_sum)
ERROR: test_db (test_a.SumTest.test_db)
Ran 5 tests in 0.001s

FAILED (failures=1, errors=1)";
    let failures = ["test_sum (test_a.SumTest.test_sum)", "test_db (test_a.SumTest.test_db)"];
    assert_eq!(TestReport::read(output), report(3, 2, &failures));
}

#[test]
fn go_is_counted_line_by_line() {
    let output = "
=== RUN   TestSum
--- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/negative (0.00s)
--- PASS: TestOpen (0.01s)
FAIL
FAIL\texample.com/a\t0.010s
FAIL\texample.com/b [build failed]
ok  \texample.com/c\t0.004s";
    let failures = ["TestSum", "TestSum/negative", "example.com/b [build failed]"];
    assert_eq!(TestReport::read(output), report(1, 3, &failures));
}

#[test]
fn tap_leaves_out_what_is_skipped_or_still_to_do() {
    let output = "
1..5
ok 1 - opens
not ok 2 - closes
not ok 3 - flies # TODO one day
ok 4 - swims # SKIP no water
not ok 5";
    assert_eq!(TestReport::read(output), report(1, 2, &["closes", "5"]));
    assert_eq!(TestReport::read("ok 1 - a\nnot ok 2 - b\n# pass 7\n# fail 3"), report(7, 3, &["b"]));
    let node = "✖ bad (1.189223ms)\n✖ later (0.17ms) # TODO\nℹ tests 4\nℹ pass 1\nℹ fail 1\n✖ failing tests:\n✖ bad (1.189223ms)";
    assert_eq!(TestReport::read(node), report(1, 1, &["bad"]));
}

#[test]
fn other_runners_are_known_by_their_sums() {
    let jest = "  ● cart › adds\nTests:       1 failed, 3 passed, 4 total\nTest Suites: 1 failed, 1 total";
    assert_eq!(TestReport::read(jest), report(3, 1, &["cart › adds"]));
    assert_eq!(TestReport::read("      Tests  1 failed | 3 passed (4)"), report(3, 1, &[]));
    assert_eq!(TestReport::read("  3 passing (10ms)\n  1 failing"), report(3, 1, &[]));
    let maven = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in ATest
[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1";
    assert_eq!(TestReport::read(maven), report(2, 2, &[]));
    let gradle = "CartTest > adds() FAILED\n5 tests completed, 1 failed";
    assert_eq!(TestReport::read(gradle), report(4, 1, &["CartTest > adds()"]));
    let google = "[       OK ] Cart.Opens (0 ms)
[  FAILED  ] Cart.Adds (0 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.Adds";
    assert_eq!(TestReport::read(google), report(1, 1, &["Cart.Adds"]));
    assert_eq!(TestReport::read("FAILED step two"), report(0, 1, &["step two"]));
}

#[test]
fn ordinary_words_are_no_tests() {
    for line in
        ["ok then", "test it ... maybe", "it passed in 3s", "PASS [x] y", "# nothing 3", "Ran away", "", "3 days"]
    {
        assert_eq!(TestReport::read(line), TestReport::default(), "{line}");
    }
}

#[test]
fn a_run_that_failed_never_scores_full() {
    assert_eq!(report(3, 1, &[]).share_passed(), 0.75);
    assert_eq!(report(3, 0, &[]).share_passed(), 0.75);
    assert_eq!(report(0, 0, &[]).share_passed(), 0.0);
    assert!((0.0..1.0).contains(&report(u64::MAX >> 12, 1, &[]).share_passed()));
}

proptest! {
    #[test]
    fn any_output_is_read_and_scores_in_range(output in "(test |FAIL \\[|not ok |Tests run: |[0-9]{1,25}| passed| failed|\\PC|\n){0,40}") {
        let report = TestReport::read(&output);
        prop_assert!((0.0..=1.0).contains(&report.share_passed()));
        let _ = report.counts();
    }
}
