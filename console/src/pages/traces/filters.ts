import { oneOf, word } from "@/lib/address";

/** What a list of traces is narrowed by; all of it stands in the address. */
export type TraceFilters = {
  text?: string;
  status?: TraceStatus;
  result?: "pass" | "fail";
  model?: string;
  /** `key=value`, one for each. */
  metadata?: string[];
  /** The last hours or days. */
  range?: TimeRange;
  since?: string;
  until?: string;
  /** Traces that were shown this memory. */
  memory?: string;
};

export const STATUSES = { open: "To review", working: "In the queue", failed: "No lesson", reviewed: "Reviewed" };
export type TraceStatus = keyof typeof STATUSES;

export const RANGES = { "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" };
export type TimeRange = keyof typeof RANGES;
const SECONDS: Record<TimeRange, number> = { "1h": 3600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000 };

function day(value: unknown): string | undefined {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}

/** The filters in an address; what makes no sense is left out. */
export function readFilters(search: Record<string, unknown>): TraceFilters {
  const metadata = (Array.isArray(search.metadata) ? search.metadata : [search.metadata])
    .map(word)
    .filter((pair): pair is string => !!pair && pair.indexOf("=") > 0);
  return {
    text: word(search.text),
    status: oneOf(search.status, STATUSES),
    result: oneOf(search.result, { pass: 1, fail: 1 }),
    model: word(search.model),
    metadata: metadata.length > 0 ? metadata : undefined,
    range: oneOf(search.range, RANGES),
    since: day(search.since),
    until: day(search.until),
    memory: word(search.memory),
  };
}

export function hasFilters(filters: TraceFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

function endOfDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00`) + 86_400_000).toISOString();
}

/** The same as parameters of `GET traces`. A trace without a review is `pending` and has no work left to do. */
export function filterParameters(filters: TraceFilters, now = Date.now()): Record<string, string> {
  const { text, status, result, model, metadata = [], range, since, until, memory } = filters;
  const parameters: Record<string, string | undefined> = {
    text,
    result,
    model,
    memory_id: memory,
    review_status: status === "open" ? "pending" : status === "reviewed" ? "reviewed" : undefined,
    ingest_status: status && { open: "completed", working: "queued", failed: "failed", reviewed: undefined }[status],
    since: range
      ? new Date(now - SECONDS[range] * 1000).toISOString()
      : since && new Date(`${since}T00:00`).toISOString(),
    until: until && endOfDay(until),
  };
  for (const pair of metadata) {
    const [key, ...value] = pair.split("=");
    parameters[`metadata.${key}`] = value.join("=");
  }
  return Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => !!entry[1]));
}
