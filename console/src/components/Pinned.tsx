import type { Memory } from "@/api/types";
import { Badge } from "./Badge";

/** Says of a pinned memory that it is neither retired nor sits out of an answer. */
export function Pinned({ pinned }: { pinned: Memory["pinned"] }) {
  return pinned && <Badge tone="accent">never left out</Badge>;
}
