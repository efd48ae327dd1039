//! What calls to models cost, day by day.

use crate::{
    error::StoreResult,
    sql::{Lane, Query, params},
    store::Store,
};

/// The most tokens that a row counts. A provider that claims more is not believed: sums must stay whole numbers that every reader takes.
const MOST_TOKENS: i64 = 1 << 50;

/// What is added to a day: a call, or what it came to other than was thought, which may be less.
#[derive(Debug, Clone, PartialEq)]
pub struct SpendInsert {
    /// The day, counted from 1970 in UTC.
    pub day: i64,
    /// The model, as in `openai/gpt-5.4-mini`.
    pub model: String,
    /// What it was asked for.
    pub role: String,
    /// Calls.
    pub calls: i64,
    /// Tokens in.
    pub input_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// US dollars.
    pub cost_usd: f64,
}

/// What the calls of a day add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DailySpend {
    /// Calls.
    pub calls: u64,
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
}

impl Store {
    /// Adds to a day.
    pub async fn insert_spend(&self, spend: SpendInsert) -> StoreResult<()> {
        self.writer
            .write(Lane::Server, move |write| {
                write.submit(
                    "INSERT INTO llm_spend (day, model, role, calls, input_tokens, output_tokens, cost_usd)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                     ON CONFLICT (day, model, role) DO UPDATE
                        SET calls = llm_spend.calls + excluded.calls,
                            input_tokens = CASE WHEN llm_spend.input_tokens + excluded.input_tokens > ?8 THEN ?8
                                                ELSE llm_spend.input_tokens + excluded.input_tokens END,
                            output_tokens = CASE WHEN llm_spend.output_tokens + excluded.output_tokens > ?8 THEN ?8
                                                 ELSE llm_spend.output_tokens + excluded.output_tokens END,
                            cost_usd = llm_spend.cost_usd + excluded.cost_usd",
                    params![
                        spend.day,
                        &spend.model,
                        &spend.role,
                        spend.calls,
                        spend.input_tokens.clamp(-MOST_TOKENS, MOST_TOKENS),
                        spend.output_tokens.clamp(-MOST_TOKENS, MOST_TOKENS),
                        spend.cost_usd,
                        MOST_TOKENS,
                    ],
                )
            })
            .await
    }

    /// What the calls of a day add up to, over all models and roles. No sum is below nothing.
    pub async fn get_daily_spend(&self, day: i64) -> StoreResult<DailySpend> {
        self.readers
            .read(move |read| {
                read.query_one(
                    "SELECT CAST(coalesce(sum(calls), 0) AS BIGINT) AS calls,
                            CAST(coalesce(sum(CAST(input_tokens AS DOUBLE PRECISION)), 0.0) AS BIGINT) AS input_tokens,
                            CAST(coalesce(sum(CAST(output_tokens AS DOUBLE PRECISION)), 0.0) AS BIGINT) AS output_tokens,
                            coalesce(sum(cost_usd), 0.0) AS cost_usd
                     FROM llm_spend WHERE day = ?1",
                    params![day],
                    |row| {
                        let sum = |column| row.get::<i64>(column).map(|sum| sum.max(0).unsigned_abs());
                        Ok(DailySpend {
                            calls: sum("calls")?,
                            input_tokens: sum("input_tokens")?,
                            output_tokens: sum("output_tokens")?,
                            cost_usd: row.get::<f64>("cost_usd")?.max(0.0),
                        })
                    },
                )
            })
            .await
    }
}
