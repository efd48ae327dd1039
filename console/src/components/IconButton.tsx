import type { ComponentProps, ReactNode } from "react";
import { classes } from "@/lib/classes";
import { Tooltip } from "./Tooltip";

type Props = Omit<ComponentProps<"button">, "children"> & {
  label: string;
  icon: ReactNode;
  shortcut?: string;
  pressed?: boolean;
};

/** A button with a picture only; its label is read aloud and shown as a tooltip. */
export function IconButton({ label, icon, shortcut, pressed, className, ...rest }: Props) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={classes(
          "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-ink",
          "disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:text-accent [&_svg]:size-4",
          className,
        )}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
