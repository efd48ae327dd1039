// What stands in the address, as people and other pages may have written it: whatever makes no sense is left out.

/** A text that says something. */
export function word(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() ? value : undefined;
}

export function oneOf<Name extends string>(value: unknown, names: Record<Name, unknown>): Name | undefined {
  return typeof value === "string" && Object.hasOwn(names, value) ? (value as Name) : undefined;
}

export function within(value: unknown, min: number, max: number): number | undefined {
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}
