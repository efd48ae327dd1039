//! Every setting there is: its name, its default, what it means. The command line, `reflect --help`, `docs/settings.md` and
//! `docs/reflect.toml` all come from this list.
//!
//! To add a setting, add its line to a topic here and its check to `settings.rs`, then run `cargo xtask settings`.

/// Settings about one thing, under one heading.
pub(crate) struct Topic {
    pub(crate) title: &'static str,
    /// What somebody who reads the settings below should know first.
    pub(crate) introduction: &'static str,
    pub(crate) settings: &'static [Setting],
}

/// A setting.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// Empty where there is none; `help` then says what happens without a value.
    pub(crate) default: &'static str,
    /// A value to show where there is no default.
    pub(crate) example: &'static str,
    pub(crate) help: &'static str,
    /// Whether its value must not be seen. Such a setting can also be given as a file.
    pub(crate) is_secret: bool,
}

const fn setting(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, example: "", help, is_secret: false }
}

const fn optional(name: &'static str, example: &'static str, help: &'static str) -> Setting {
    Setting { name, default: "", example, help, is_secret: false }
}

const fn secret(name: &'static str, example: &'static str, help: &'static str) -> Setting {
    Setting { is_secret: true, ..optional(name, example, help) }
}

impl Setting {
    /// The name of its variable.
    pub(crate) fn variable(&self) -> String {
        format!("REFLECT_{}", self.name.to_uppercase())
    }

    /// Its flag.
    pub(crate) fn flag(&self) -> String {
        format!("--{}", self.name.replace('_', "-"))
    }
}

/// All settings, in the order in which people read about them.
pub(crate) const TOPICS: &[Topic] = &[
    Topic {
        title: "Server",
        introduction: "Where the server listens, where it keeps its data, and what it says about itself.",
        settings: &[
            setting("listen", "127.0.0.1:8000", "Where to listen, as ADDRESS:PORT; port 0 takes a free one"),
            setting("data", "./reflect-data", "The folder that holds everything; it is made if it is missing"),
            secret(
                "database_url",
                "postgres://reflect:…@db.example.com/reflect?sslmode=require",
                "The PostgreSQL database that holds everything in place of a folder, so that several servers can share it; it needs `master_key`. docs/scale.md says more",
            ),
            optional(
                "until_unused",
                "2",
                "End so many seconds after the last user has gone, where users hold leases as the Python SDK's local mode does; without it the server runs until it is stopped",
            ),
            setting(
                "metrics",
                "open",
                "Who may read /metrics: `open` for everybody, `key` for the master key alone, or `off`",
            ),
            setting(
                "log",
                "info",
                "What is logged to standard error: `error`, `warn`, `info`, `debug`, `trace`, or levels by module",
            ),
            setting("log_format", "text", "How it is logged: `text` or `json`"),
            setting(
                "slow_request",
                "1000",
                "From how many milliseconds on a request is logged as slow, with what it waited for",
            ),
            setting(
                "kernel",
                "auto",
                "The vector instructions that the built-in model and the index compute with: `auto` for the best that this machine has, or their name, as docs/retrieval.md lists them, for measurements; all give the same answers",
            ),
            setting(
                "audit_log",
                "file",
                "Where it is written down who got in and what they did to keys, projects and settings: `file` for DATA/audit.log, `stderr` (what `file` means where `database_url` is set), or `off`",
            ),
        ],
    },
    Topic {
        title: "Access",
        introduction: "Secrets have at least 16 visible ASCII characters. Every secret, here and below, can stand in a file whose path is in the variable with _FILE at its end (REFLECT_MASTER_KEY_FILE), as containers do it; as a flag it can be read by everybody on the machine. Everybody else gets keys from `reflect keys create` or the API.",
        settings: &[
            secret(
                "master_key",
                "16 or more visible characters",
                "The key that opens every project; without it one is made and kept in DATA/master.key",
            ),
            secret(
                "bootstrap_token",
                "16 or more visible characters",
                "The token that lets its holder create projects with `POST /v1/bootstrap`; without it nobody can",
            ),
        ],
    },
    Topic {
        title: "Learning and ranking",
        introduction: "A project can override all but the last three; a query can override the weights, what is compared and the floor. docs/learning.md has the formulas.",
        settings: &[
            setting("alpha", "0.3", "How far one review moves the utility of a memory, from 0 to 1"),
            setting(
                "lambda",
                "0.5",
                "The weight of utility against similarity in rankings, from 0 (similarity alone) to 1 (utility alone)",
            ),
            setting(
                "mmr_lambda",
                "0.7",
                "The weight of score against diversity in rankings, from 0 to 1 (no diversity)",
            ),
            setting(
                "learning",
                "worth",
                "How memories learn: by what they add to a run (worth), or by a moving average of how runs went that saw them (constant)",
            ),
            setting(
                "trial_share",
                "0.05",
                "In which share of queries one slot goes to one of the twenty best at random, where memories learn by worth",
            ),
            setting(
                "sitting_out",
                "0.3",
                "In which share of the answers that it is due for the most doubtful memory sits out, where memories learn by worth; 0 if none ever does",
            ),
            setting(
                "match",
                "both",
                "What of a memory the task at hand is compared with: the task that it was learned from (task), what it says (lesson), or both, of which the nearer counts",
            ),
            optional(
                "similarity_threshold",
                "0.2",
                "The least similarity a memory must have to be found, from -1 to 1; without it the embedder's own floor applies",
            ),
            setting(
                "holdout",
                "0",
                "The share of tasks that do without memories, at random, from 0 to 0.5: `reflect lift` then says whether memories help",
            ),
            optional(
                "mixture",
                r#"{"share": 0.2, "configurations": [{"lambda": 0.3}, {"limit": 3}]}"#,
                "The share of tasks that are answered with one of these configurations, at random, as JSON: `reflect what-if` then says what each does",
            ),
            setting("retrieval_days", "30", "How many days the log of queries is kept"),
            setting(
                "retrieval_log",
                "256",
                "How many MiB of it one project may have; the oldest queries are forgotten first",
            ),
            setting(
                "index_memory",
                "4096",
                "How many MiB the indexes of all projects may take together; the least recently used are dropped and read again when needed",
            ),
        ],
    },
    Topic {
        title: "Embedders",
        introduction: "What turns texts into vectors. An embedder over HTTP needs its dimension, and `http/MODEL` its URL. docs/retrieval.md says more.",
        settings: &[
            setting(
                "embedder",
                "builtin",
                "The embedder of new projects: `builtin`, `all-MiniLM-L6-v2` (after `reflect model install`), `openai/MODEL` or `http/MODEL`; name more after commas to let projects switch to them, one over HTTP at most",
            ),
            optional(
                "embedder_url",
                "http://localhost:11434/v1",
                "The endpoint of the embedder over HTTP, up to /v1; without it `openai/MODEL` is at OpenAI",
            ),
            secret(
                "embedder_key",
                "what the endpoint takes as a bearer token",
                "The key of the embedder over HTTP; without it none is sent",
            ),
            optional("embedder_dimension", "768", "How many numbers a vector of the embedder over HTTP has"),
            setting(
                "embedder_shorten",
                "no",
                "Whether the embedder over HTTP is asked to shorten its vectors to this dimension: `yes` or `no`",
            ),
            setting(
                "embedder_batch",
                "32",
                "How many texts one request to the embedder over HTTP has at most, up to 32",
            ),
            setting("embedder_timeout", "10", "How many seconds one attempt of such a request may take"),
        ],
    },
    Topic {
        title: "Lessons",
        introduction: "How the queue of lessons is worked off.",
        settings: &[
            setting("workers", "128", "How many lessons are written at the same time"),
            setting("max_attempts", "5", "How often a lesson is attempted before its trace counts as failed"),
            setting("attempt_timeout", "60", "How many seconds one attempt may take"),
            setting(
                "review_deadline",
                "30",
                "How many seconds the sender of a deferred review waits for the lesson at most",
            ),
            setting(
                "queue_max_age",
                "60",
                "How many seconds the oldest waiting lesson may be behind before traces and bulk reviews that need a lesson written are refused with 503",
            ),
        ],
    },
    Topic {
        title: "Language models",
        introduction: "Without a model, rules write the lessons. docs/reflection.md says what a model is asked, and what happens when it does not answer.",
        settings: &[
            setting(
                "llm",
                "builtin",
                "Who writes the lessons: `builtin`, or PROVIDER/MODEL with `openai`, `anthropic`, `gemini` or `ollama` as the provider",
            ),
            optional(
                "llm_models",
                "openai/gpt-5.4-mini, ollama/qwen3:4b",
                "Further models that projects may choose, separated by commas; without it only those of `llm` and `judge`",
            ),
            setting("judge", "off", "Who judges runs that nobody reviews: `off`, or PROVIDER/MODEL"),
            setting("judge_after", "3600", "How many seconds a run waits for a review before it is judged"),
            setting("judge_alpha", "0.1", "How far a review by the judge moves the utility of a memory, from 0 to 1"),
            setting("llm_timeout", "20", "How many seconds one call to a model may take"),
            setting("llm_retries", "2", "How often a failed call is repeated before rules write the lesson instead"),
            setting("llm_concurrency", "8", "How many calls to models run at the same time"),
            setting(
                "llm_follow_ups",
                "12",
                "How often a model is asked again for a lesson that rules wrote in its place",
            ),
            optional(
                "llm_daily_limit",
                "5",
                "How many US dollars models may cost in a day (UTC), after which rules write until midnight; without it there is no limit",
            ),
            optional(
                "llm_prices",
                "openai/gpt-5.4-mini=0.25/2",
                "US dollars for a million tokens, as MODEL=INPUT/OUTPUT separated by commas; without it the list prices that are built in. A daily limit needs the price of every model",
            ),
        ],
    },
    Topic {
        title: "Providers",
        introduction: "Where models are and what opens them. Any server that speaks OpenAI's protocol goes under `openai`; one of your own needs no key. Where neither the key nor the address of a provider is set, OPENAI_API_KEY with OPENAI_BASE_URL, ANTHROPIC_API_KEY and GEMINI_API_KEY are read, the latter two unless ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL says that they are for another address. The log says at start which were taken.",
        settings: &[
            secret("openai_api_key", "sk-…", "The key for OpenAI; OpenAI itself needs one"),
            optional(
                "openai_base_url",
                "http://127.0.0.1:8080/v1",
                "Where a server that speaks OpenAI's protocol is, up to /v1; without it OpenAI itself",
            ),
            secret("anthropic_api_key", "sk-ant-…", "The key for Anthropic; Anthropic itself needs one"),
            optional(
                "anthropic_base_url",
                "http://127.0.0.1:8081/v1",
                "Where a server that speaks Anthropic's protocol is, up to /v1; without it Anthropic itself",
            ),
            secret("gemini_api_key", "…", "The key for Gemini; Gemini itself needs one"),
            optional(
                "gemini_base_url",
                "http://127.0.0.1:8082/v1beta",
                "Where a server that speaks Gemini's protocol is, up to /v1beta; without it Gemini itself",
            ),
            optional("ollama_base_url", "http://127.0.0.1:11434", "Where Ollama is; without it http://127.0.0.1:11434"),
        ],
    },
    Topic {
        title: "Redaction",
        introduction: "What is removed from texts before they leave the machine. What is stored and what the built-in parts see stays as it is.",
        settings: &[
            setting(
                "llm_redact",
                "off",
                "Whether keys, addresses and numbers are removed from texts before a model or an embedder over HTTP sees them: `on` or `off`",
            ),
            setting("llm_redact_phones", "off", "Whether telephone numbers are removed as well: `on` or `off`"),
            optional(
                "llm_redact_patterns",
                r"KD-\d{4,8}=>customer (?i)project\sfalcon",
                "Regular expressions of what else is removed, separated by spaces (write `\\s` for a space inside one); a match becomes [redacted], or [LABEL] with PATTERN=>LABEL",
            ),
        ],
    },
    Topic {
        title: "Connections",
        introduction: "How many clients there may be, and how long the server waits for them. docs/operations.md says what they hear.",
        settings: &[
            setting(
                "max_connections",
                "1000",
                "How many connections there may be; when all are taken, the one that has waited longest for its client makes room, and where all are being answered a new one hears 503",
            ),
            setting("head_timeout", "10", "How many seconds the head of a request may take"),
            setting("idle_timeout", "120", "How many seconds a connection may be silent between two requests"),
            setting("send_timeout", "30", "How many seconds a client may take nothing of its answer"),
            setting(
                "request_memory",
                "256",
                "How many MiB the bodies and answers of all requests together may hold, those under 64 KiB not counted; over it a request hears 503",
            ),
            optional(
                "allowed_hosts",
                "reflect.example.com",
                "Names that requests over loopback may have in `Host` beside `localhost` and addresses, separated by commas, such as that of a proxy on this machine; without it none",
            ),
        ],
    },
    Topic {
        title: "Limits on keys and projects",
        introduction: "What one key or project may take of the server, and how much of a project is kept; without values there is no limit. The master key may ask as often as it likes. docs/operations.md says what callers hear.",
        settings: &[
            optional("key_rate", "50", "How many requests a second one key may make on average; more hear 429"),
            setting(
                "key_burst",
                "100",
                "How many requests a key may make at once after a pause, where `key_rate` is set",
            ),
            optional(
                "daily_traces",
                "100000",
                "How many traces one project may store in a day (UTC); more hear 429 until midnight",
            ),
            optional("trace_days", "90", "How many days traces are kept; what they taught stays"),
            optional(
                "trace_count",
                "1000000",
                "How many traces of a project are kept, the newest; what the others taught stays",
            ),
        ],
    },
    Topic {
        title: "Limits on requests",
        introduction: "How much a request may hold; more is refused with 413 or 422. The last two are about answers.",
        settings: &[
            setting("max_body_bytes", "8388608", "How many bytes a request may have"),
            setting("max_task_length", "32768", "How many characters a task may have"),
            setting("max_text_length", "1000000", "How many characters any other text of a request may have"),
            setting("max_list_length", "10000", "How many elements a list of a request may have, messages included"),
            setting("max_metadata_bytes", "65536", "How many bytes the metadata of a trace may have"),
            setting(
                "max_metadata_values",
                "1000",
                "How many keys the metadata of a trace may have, the elements of the lists under them included",
            ),
            setting("max_nesting", "64", "How deep the JSON of a request may nest"),
            setting("max_unpaged_list", "10000", "How many traces a list without a `limit` answers"),
            setting("search_timeout", "5", "How many seconds a search through the traces of a project may take"),
        ],
    },
];

/// Settings that are for tests alone: no help and no document mentions them, and a release build does not have them.
const HIDDEN: &[Setting] = &[
    #[cfg(debug_assertions)]
    optional("fault_reflector", "", "Makes every lesson fail: `permanent`, `temporary` or `hang`"),
];

/// Every setting that people are told about.
pub(crate) fn shown() -> impl Iterator<Item = &'static Setting> {
    TOPICS.iter().flat_map(|topic| topic.settings)
}

pub(crate) fn hidden() -> impl Iterator<Item = &'static Setting> {
    HIDDEN.iter()
}

pub(crate) fn all() -> impl Iterator<Item = &'static Setting> {
    shown().chain(hidden())
}
