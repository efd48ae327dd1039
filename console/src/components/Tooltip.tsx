import { Tooltip as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { Shortcut } from "./Shortcut";

type Props = { text: ReactNode; shortcut?: string; children: ReactNode; side?: "top" | "right" | "bottom" | "left" };

/** Says more about what is under the pointer or has the focus. `children` is one element that takes a ref. */
export function Tooltip({ text, shortcut, children, side = "top" }: Props) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-appear items-center gap-2 rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-float"
        >
          {text}
          {shortcut && <Shortcut keys={shortcut} inverted />}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export const TooltipProvider = Primitive.Provider;
