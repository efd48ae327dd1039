export type Interval = { low: number; high: number };

/** Wilson's score interval at 95 % for `passed` of `total`: honest at small counts, never outside [0, 1]. */
export function wilsonInterval(passed: number, total: number): Interval | null {
  if (total === 0) return null;
  const z = 1.959964;
  const share = passed / total;
  const denominator = 1 + (z * z) / total;
  const centre = (share + (z * z) / (2 * total)) / denominator;
  const margin = (z / denominator) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return { low: Math.max(0, centre - margin), high: Math.min(1, centre + margin) };
}
