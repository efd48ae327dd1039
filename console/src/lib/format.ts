const number = new Intl.NumberFormat("en-US");
// Making a format takes longer than drawing a row that shows it.
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const formatCount = (value: number): string => number.format(value);
export const formatCompact = (value: number): string => (value < 10_000 ? number.format(value) : compact.format(value));
export const formatPercent = (share: number, digits = 0): string => `${(share * 100).toFixed(digits)} %`;
/** Utilities, similarities and scores: two digits. */
export const formatFigure = (value: number): string => value.toFixed(2);

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** "5 s", "3 min", "2 h", "4 d". */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400 * 2) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

export function formatAge(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (seconds < 5 && seconds > -5) return "just now";
  return seconds < 0 ? `in ${formatDuration(-seconds)}` : `${formatDuration(seconds)} ago`;
}

export function formatTime(time: string): string {
  return moment.format(new Date(time));
}
