//! What calls cost, day by day.

use reflect_store::{DailySpend, SpendInsert, Store};

use crate::support::conformance;

conformance! {
    the_calls_of_a_day_add_up_over_models_and_roles,
    absurd_counts_of_tokens_stay_numbers,
}

fn call(day: i64, model: &str, role: &str, cost_usd: f64) -> SpendInsert {
    let (model, role) = (model.into(), role.into());
    SpendInsert { day, model, role, calls: 1, input_tokens: 100, output_tokens: 10, cost_usd }
}

async fn the_calls_of_a_day_add_up_over_models_and_roles(store: &Store) {
    assert_eq!(store.get_daily_spend(7).await.unwrap(), DailySpend::default());
    for spend in [
        call(7, "openai/a", "reflector", 0.25),
        call(7, "openai/a", "reflector", 0.25),
        call(7, "openai/a", "judge", 0.5),
        call(7, "openai/b", "reflector", 1.0),
        call(8, "openai/a", "reflector", 4.0),
    ] {
        store.insert_spend(spend).await.unwrap();
    }
    // What a call came to may be less than was thought, and one may not have been made after all.
    let less = SpendInsert { calls: 0, input_tokens: -50, output_tokens: -5, ..call(7, "openai/b", "reflector", -0.5) };
    store.insert_spend(less).await.unwrap();
    let none = SpendInsert { calls: -1, input_tokens: -100, output_tokens: -10, ..call(7, "openai/a", "judge", -0.5) };
    store.insert_spend(none).await.unwrap();
    let expected = DailySpend { calls: 3, input_tokens: 250, output_tokens: 25, cost_usd: 1.0 };
    assert_eq!(store.get_daily_spend(7).await.unwrap(), expected);
}

async fn absurd_counts_of_tokens_stay_numbers(store: &Store) {
    let absurd =
        SpendInsert { input_tokens: i64::MAX, output_tokens: i64::MAX, ..call(7, "openai/a", "reflector", 0.5) };
    for _ in 0..3 {
        store.insert_spend(absurd.clone()).await.unwrap();
    }
    store.insert_spend(SpendInsert { role: "judge".into(), ..absurd }).await.unwrap();
    let spend = store.get_daily_spend(7).await.unwrap();
    assert_eq!((spend.calls, spend.input_tokens, spend.output_tokens), (4, 1 << 51, 1 << 51));
    assert!((spend.cost_usd - 2.0).abs() < 1e-12);
}
