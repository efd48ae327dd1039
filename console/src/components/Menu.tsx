import { DropdownMenu as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

export type MenuItem = { label: ReactNode; icon?: ReactNode; run: () => void; danger?: boolean; disabled?: boolean };

/** A button that opens a list of actions. `children` is the button, one element that takes a ref. */
export function Menu({ items, note, children }: { items: MenuItem[]; note?: ReactNode; children: ReactNode }) {
  return (
    <Primitive.Root modal={false}>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 min-w-44 animate-appear rounded-lg border border-line bg-surface p-1 shadow-float"
        >
          {note && (
            <Primitive.Label className="mb-1 max-w-60 border-b border-line px-2.5 py-1.5 text-xs text-muted">
              {note}
            </Primitive.Label>
          )}
          {items.map((item, index) => (
            <Primitive.Item
              key={index}
              disabled={item.disabled}
              onSelect={item.run}
              className={classes(
                "flex h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 outline-none select-none [&_svg]:size-4",
                "data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-hover",
                item.danger ? "text-fail" : "text-ink",
              )}
            >
              {item.icon}
              {item.label}
            </Primitive.Item>
          ))}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
