import { X } from "lucide-react";
import { Toast as Primitive } from "radix-ui";
import { useSyncExternalStore } from "react";
import { classes } from "@/lib/classes";
import { Button } from "./Button";
import { IconButton } from "./IconButton";

export type ToastContent = {
  text: string;
  tone?: "neutral" | "fail";
  undo?: () => void;
  action?: { label: string; run: () => void };
};
type Shown = ToastContent & { id: number };

let shown: Shown[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Says what has happened; with `undo`, how to take it back. The newest three stay. */
export function toast(content: ToastContent): number {
  const id = nextId++;
  change([...shown.slice(-2), { ...content, id }]);
  return id;
}

export function dismissToast(id: number): void {
  change(shown.filter((one) => one.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const list = useSyncExternalStore(subscribe, () => shown);
  return (
    <Primitive.Provider duration={6000} swipeDirection="right">
      {list.map(({ id, text, tone, undo, action }) => (
        <Primitive.Root
          key={id}
          onOpenChange={(open) => open || dismissToast(id)}
          className={classes(
            "flex animate-rise items-center gap-2 rounded-lg border bg-surface py-1.5 pr-1.5 pl-4 shadow-float",
            tone === "fail" ? "border-fail" : "border-line-strong",
          )}
        >
          <Primitive.Description className="min-w-0 flex-1 text-verbatim text-ink">{text}</Primitive.Description>
          {undo && (
            <Primitive.Action asChild altText="Undo">
              <Button size="sm" look="ghost" onClick={undo}>
                Undo
              </Button>
            </Primitive.Action>
          )}
          {action && (
            <Primitive.Action asChild altText={action.label}>
              <Button size="sm" look="ghost" onClick={action.run}>
                {action.label}
              </Button>
            </Primitive.Action>
          )}
          <Primitive.Close asChild>
            <IconButton label="Dismiss" icon={<X />} />
          </Primitive.Close>
        </Primitive.Root>
      ))}
      <Primitive.Viewport className="fixed right-4 bottom-20 z-50 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2 outline-none md:bottom-4" />
    </Primitive.Provider>
  );
}
