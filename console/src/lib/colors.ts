/** The colour of a utility from 0 (harmful) over 0.5 (unknown) to 1 (helpful), as CSS. */
export function utilityColor(utility: number): string {
  const share = Math.round(Math.min(1, Math.abs(utility - 0.5) * 2) * 100);
  return `color-mix(in oklch, var(--utility-${utility < 0.5 ? "low" : "high"}) ${share}%, var(--utility-mid))`;
}

/** What a design token is right now, for canvases. */
export function tokenColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
