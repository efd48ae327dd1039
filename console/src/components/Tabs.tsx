import { Tabs as Primitive } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

export type Tab = { id: string; label: ReactNode; content: ReactNode };

/** Tabs whose state the caller keeps (in the address, as a rule). */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  // On a phone not all have room side by side.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another value makes another tab the active one
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>("[data-state=active]");
    active?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [value]);
  return (
    <Primitive.Root value={value} onValueChange={onChange} className="flex min-w-0 flex-col gap-4">
      <Primitive.List
        ref={list}
        aria-label={label}
        className="scroll-quiet flex gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px h-9 shrink-0 border-b-2 border-transparent px-3 font-medium text-muted transition-colors hover:text-ink focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.id} value={tab.id} className="min-w-0 focus-visible:outline-offset-4">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
