//! What calls cost, day by day.

use reflect_store::{DailySpend, SpendInsert, Store};

use crate::support::conformance;

conformance! {
    the_calls_of_a_day_add_up_over_models_and_roles,
}

fn call(day: i64, model: &str, role: &str, cost_usd: f64) -> SpendInsert {
    SpendInsert { day, model: model.into(), role: role.into(), input_tokens: 100, output_tokens: 10, cost_usd }
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
    let expected = DailySpend { calls: 4, input_tokens: 400, output_tokens: 40, cost_usd: 2.0 };
    assert_eq!(store.get_daily_spend(7).await.unwrap(), expected);
}
