import {
  BookOpenText,
  ChartSpline,
  Compass,
  ListChecks,
  type LucideIcon,
  Network,
  Rows3,
  Search,
  Settings,
} from "lucide-react";
import type { Scope } from "@/api/types";

export type Destination = {
  to:
    | "/p/$project/overview"
    | "/p/$project/traces"
    | "/p/$project/review"
    | "/p/$project/memories"
    | "/p/$project/search"
    | "/p/$project/map"
    | "/p/$project/skill"
    | "/p/$project/settings";
  label: string;
  icon: LucideIcon;
  keys: string;
  /** The scope without which the page has nothing to show. */
  scope: Scope | null;
  /** In the bar at the bottom of a phone; the others are under "More". */
  onPhone?: boolean;
};

export const DESTINATIONS: Destination[] = [
  { to: "/p/$project/overview", label: "Overview", icon: ChartSpline, keys: "g o", scope: null, onPhone: true },
  { to: "/p/$project/traces", label: "Traces", icon: Rows3, keys: "g t", scope: "trace:read", onPhone: true },
  { to: "/p/$project/review", label: "Review", icon: ListChecks, keys: "g r", scope: "trace:write", onPhone: true },
  {
    to: "/p/$project/memories",
    label: "Memories",
    icon: BookOpenText,
    keys: "g m",
    scope: "memory:read",
    onPhone: true,
  },
  { to: "/p/$project/search", label: "Search", icon: Search, keys: "g f", scope: "memory:read" },
  { to: "/p/$project/map", label: "Map", icon: Network, keys: "g p", scope: "memory:read" },
  { to: "/p/$project/skill", label: "Skill", icon: Compass, keys: "g k", scope: "skill:read" },
  { to: "/p/$project/settings", label: "Settings", icon: Settings, keys: "g s", scope: null },
];
