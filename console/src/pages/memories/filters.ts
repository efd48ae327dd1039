import { oneOf, word } from "@/lib/address";

const ORDERS = { created: 1, updated: 1, utility: 1, uses: 1 };
export type MemoryOrder = keyof typeof ORDERS;
/** What the list can be narrowed to: whether people show a memory, and those that queries leave out by themselves. */
export const STATUSES = { active: "Active", disabled: "Disabled", retired: "Left out" };

export type MemoryFilters = {
  text?: string;
  status?: keyof typeof STATUSES;
  order?: MemoryOrder;
  direction?: "asc" | "desc";
  /** Only those that say the same as this one. */
  same_as?: string;
};

/** Whether one row stands for all memories that say the same. A search for words looks into each. */
export function isDistinct({ text, same_as }: MemoryFilters): boolean {
  return !text && !same_as;
}

export function readMemoryFilters({ text, status, order, direction, same_as }: Record<string, unknown>): MemoryFilters {
  return {
    text: word(text),
    status: oneOf(status, STATUSES),
    order: oneOf(order, ORDERS),
    direction: direction === "asc" ? "asc" : undefined,
    same_as: word(same_as),
  };
}
