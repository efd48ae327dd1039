import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

const TONES = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  pass: "bg-pass-soft text-pass",
  fail: "bg-fail-soft text-fail",
  warn: "bg-warn-soft text-warn",
};
export type Tone = keyof typeof TONES;

export function Badge({ tone = "neutral", icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={classes(
        "inline-flex h-5.5 max-w-full items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap [&_svg]:size-3",
        TONES[tone],
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
