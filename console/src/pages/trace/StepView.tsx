import { memo } from "react";
import { CopyButton } from "@/components/CopyButton";
import { classes } from "@/lib/classes";
import { visible } from "@/lib/visible";
import { PartView } from "./PartView";
import { ROLE_DOTS } from "./roles";
import { type Message, step } from "./steps";

type Props = { message: Message; index: number; current: boolean; onPick: (index: number) => void };

export const StepView = memo(function StepView({ message, index, current, onPick }: Props) {
  const { role, name, parts } = step(message);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its number is a button
    <article
      aria-label={`Step ${index + 1}`}
      aria-current={current ? "step" : undefined}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest("button, a, pre")) onPick(index);
      }}
      className={classes(
        "group flex min-w-0 flex-col gap-2.5 border-b border-l-2 border-line px-4 py-3 sm:px-5",
        current ? "border-l-accent bg-accent-soft/40" : "border-l-transparent",
        role === "system" && "text-muted",
      )}
    >
      <header className="flex h-6 items-center gap-2 text-sm">
        <span className={classes("size-2 shrink-0 rounded-full", ROLE_DOTS[role])} aria-hidden />
        <span className="font-medium text-ink capitalize">{role === "other" ? "message" : role}</span>
        {name && <span className="truncate font-mono text-xs text-muted">{visible(name)}</span>}
        <span className="flex-1" />
        <span className="opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100">
          <CopyButton text={JSON.stringify(message, null, 2)} what={`Copy step ${index + 1} as JSON`} />
        </span>
        <button
          type="button"
          aria-label={`Go to step ${index + 1}`}
          onClick={() => onPick(index)}
          className="rounded px-1 text-xs text-faint hover:text-ink"
        >
          {index + 1}
        </button>
      </header>
      {parts.map((part, at) => (
        <PartView key={at} part={part} id={`${index} ${at}`} />
      ))}
      {parts.length === 0 && <p className="text-sm text-faint">nothing said</p>}
    </article>
  );
});
