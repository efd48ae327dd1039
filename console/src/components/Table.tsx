import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";

/** Plain tables for up to a few hundred rows; more go into `VirtualTable`. */
export function Table({
  label,
  children,
  className,
}: {
  label: string;
  children: ComponentProps<"table">["children"];
  className?: string;
}) {
  return (
    // A scrolling region takes the focus, so that it can be scrolled by keys.
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      className="scroll-quiet relative overflow-x-auto focus-visible:outline-offset-[-2px]"
    >
      <table aria-label={label} className={classes("w-full border-collapse text-left", className)}>
        {children}
      </table>
    </div>
  );
}

export function TableHead({ className, ...rest }: ComponentProps<"th">) {
  return (
    <th
      scope="col"
      className={classes(
        "h-8 border-b border-line px-3 text-xs font-medium whitespace-nowrap text-muted first:pl-5 last:pr-5",
        className,
      )}
      {...rest}
    />
  );
}

export function TableRow({ className, ...rest }: ComponentProps<"tr">) {
  return (
    <tr
      className={classes("border-b border-line transition-colors last:border-0 hover:bg-hover", className)}
      {...rest}
    />
  );
}

export function TableCell({ className, ...rest }: ComponentProps<"td">) {
  return <td className={classes("h-11 px-3 py-1.5 align-middle first:pl-5 last:pr-5", className)} {...rest} />;
}
