//! Tools: an asynchronous closure with typed arguments, whose schema comes from the type.

use std::{pin::Pin, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::arguments::Arguments;
use crate::BoxError;

pub(super) type ToolFuture = Pin<Box<dyn Future<Output = Result<String, ToolFailure>> + Send>>;

/// Why a tool gave no result.
pub(super) enum ToolFailure {
    /// It was not run, since the arguments are not what it takes.
    Arguments(String),
    /// It ran and failed.
    Failed(BoxError),
}

/// Something that the model may ask to have done.
///
/// The arguments' type says what the model is told to send and what is accepted. A type that is no object is asked for under the
/// name `value`, and `()` asks for nothing. What the tool gives back goes to the model: a text as it is, anything else as JSON.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use reflexion::Tool;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Division {
///     dividend: f64,
///     /// Anything but zero.
///     divisor: f64,
/// }
///
/// let divide = Tool::new("divide", "Divides two numbers.", |division: Division| async move {
///     if division.divisor == 0.0 {
///         return Err("nothing can be divided by zero".into());
///     }
///     Ok(division.dividend / division.divisor)
/// });
/// assert_eq!(divide.parameters()["properties"]["divisor"]["description"], "Anything but zero.");
/// ```
#[derive(Clone)]
pub struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
    pub(super) timeout: Option<Duration>,
    pub(super) run: Arc<dyn Fn(Value) -> ToolFuture + Send + Sync>,
}

impl Tool {
    /// A tool with typed arguments. The name may have letters, digits, `_` and `-`; the description says what it does and when
    /// to call it. An error goes to the model as the tool's result, with its causes; so does a panic.
    pub fn new<A, R, F, Fut>(name: impl Into<String>, description: impl Into<String>, run: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: Serialize,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, BoxError>> + Send + 'static,
    {
        let (arguments, parameters) = Arguments::of::<A>();
        Self::with(name, description, parameters, move |given| arguments.read::<A>(given), run)
    }

    /// A tool whose schema is known only while running, such as one that another process offers. It gets whatever object the model
    /// sent: checking it against the schema is the tool's business.
    ///
    /// ```
    /// use reflexion::Tool;
    /// use serde_json::{Value, json};
    ///
    /// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    /// let weather = Tool::with_schema("weather", "The weather in a city.", schema, |arguments: Value| async move {
    ///     let city = arguments["city"].as_str().ok_or("`city` has to be a text")?;
    ///     Ok(format!("It rains in {city}."))
    /// });
    /// assert_eq!(weather.name(), "weather");
    /// ```
    pub fn with_schema<R, F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        run: F,
    ) -> Self
    where
        R: Serialize,
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, BoxError>> + Send + 'static,
    {
        Self::with(name, description, parameters, Arguments::object, run)
    }

    fn with<A, R, F, Fut>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        read: impl Fn(Value) -> Result<A, String> + Send + Sync + 'static,
        run: F,
    ) -> Self
    where
        A: Send + 'static,
        R: Serialize,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, BoxError>> + Send + 'static,
    {
        let parts = Arc::new((read, run));
        let run = move |given: Value| -> ToolFuture {
            let parts = parts.clone();
            // Everything of the tool's own happens while this is polled, so that whoever polls it catches its panics.
            Box::pin(async move {
                let (read, run) = &*parts;
                let arguments = read(given).map_err(ToolFailure::Arguments)?;
                let result = run(arguments).await.map_err(ToolFailure::Failed)?;
                match serde_json::to_value(result) {
                    Ok(Value::String(text)) => Ok(text),
                    Ok(value) => Ok(value.to_string()),
                    Err(error) => Err(ToolFailure::Failed(error.into())),
                }
            })
        };
        Self { name: name.into(), description: description.into(), parameters, timeout: None, run: Arc::new(run) }
    }

    /// How long one call of this tool may take, in place of the actor's limit.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON schema of its arguments.
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }
}
