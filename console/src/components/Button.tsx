import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classes } from "@/lib/classes";

const LOOKS = {
  primary: "bg-accent text-accent-ink hover:bg-accent-hover border-transparent shadow-card",
  secondary: "bg-surface text-ink border-line-strong hover:bg-hover shadow-card",
  ghost: "text-muted border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-surface text-fail border-line-strong hover:bg-fail-soft hover:border-fail shadow-card",
};
const SIZES = { sm: "h-7 px-2.5 text-sm gap-1.5", md: "h-8.5 px-3.5 text-base gap-2" };

export type ButtonProps = ComponentProps<"button"> & {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
  icon?: ReactNode;
  busy?: boolean;
};

export function buttonClasses(look: keyof typeof LOOKS = "secondary", size: keyof typeof SIZES = "md"): string {
  return classes(
    "inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors select-none",
    "disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
    LOOKS[look],
    SIZES[size],
  );
}

export function Button({ look, size, icon, busy, children, className, disabled, type, ...rest }: ButtonProps) {
  return (
    <button
      type={type ?? "button"}
      className={classes(buttonClasses(look, size), className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? <LoaderCircle className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  );
}
