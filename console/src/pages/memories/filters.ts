export type MemoryOrder = "created" | "updated" | "utility" | "uses";
export type MemoryFilters = {
  text?: string;
  status?: "active" | "disabled";
  order?: MemoryOrder;
  direction?: "asc" | "desc";
};

const ORDERS = ["created", "updated", "utility", "uses"];

export function readMemoryFilters(search: Record<string, unknown>): MemoryFilters {
  const { text, status, order, direction } = search;
  return {
    text: (typeof text === "string" || typeof text === "number") && String(text).trim() ? String(text) : undefined,
    status: status === "active" || status === "disabled" ? status : undefined,
    order: ORDERS.includes(String(order)) ? (order as MemoryOrder) : undefined,
    direction: direction === "asc" ? "asc" : undefined,
  };
}
