import type { DayStatistics } from "@/api/types";

export type Bucket = { start: number; end: number; traces: number; passed: number; failed: number };

/** How many days are drawn as one point. Long spans in weeks, so that points have reviews enough to say something. */
export function bucketDays(days: number): number {
  if (days <= 31) return 1;
  return days <= 100 ? 3 : 7;
}

/** Days joined to buckets that end today; a first one that would be incomplete is left out. Times are seconds, UTC. */
export function toBuckets(days: DayStatistics[], size = bucketDays(days.length)): Bucket[] {
  const buckets: Bucket[] = [];
  for (let end = days.length; end - size >= 0; end -= size) {
    const part = days.slice(end - size, end);
    const bucket = { start: 0, end: 0, traces: 0, passed: 0, failed: 0 };
    for (const day of part) {
      bucket.traces += day.traces;
      bucket.passed += day.passed;
      bucket.failed += day.failed;
    }
    bucket.start = Date.parse(`${part[0]?.day}T00:00:00Z`) / 1000;
    bucket.end = Date.parse(`${part.at(-1)?.day}T00:00:00Z`) / 1000;
    buckets.unshift(bucket);
  }
  return buckets;
}

const LEAST_DAYS = 7;

/** The days since the first trace, and a week at least: a young project is not drawn as a long emptiness. */
export function sinceFirstTrace(days: DayStatistics[]): DayStatistics[] {
  const first = days.findIndex((day) => day.traces > 0);
  return days.slice(Math.max(0, Math.min(first, days.length - LEAST_DAYS)));
}

const format = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

export function bucketName({ start, end }: Bucket): string {
  const first = format.format(start * 1000);
  return start === end ? first : `${first} – ${format.format(end * 1000)}`;
}
