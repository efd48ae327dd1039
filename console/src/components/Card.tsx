import { type ReactNode, useId } from "react";
import { classes } from "@/lib/classes";

type Props = {
  title?: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  /** Nothing where it is folded. */
  children: ReactNode;
  className?: string;
  flush?: boolean;
};

/** A titled surface. `flush` leaves the padding of its body to the content (tables, lists). */
export function Card({ title, hint, actions, children, className, flush = false }: Props) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={classes("flex min-w-0 flex-col rounded-xl border border-line bg-surface shadow-card", className)}
    >
      {(title || actions) && (
        <header
          className={classes(
            "flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-3.5 sm:px-5",
            !children && "pb-3.5",
          )}
        >
          <div className="min-w-0 flex-1 basis-36">
            <h2 id={id} className="font-semibold text-ink">
              {title}
            </h2>
            {hint && <p className="text-sm text-muted">{hint}</p>}
          </div>
          {actions}
        </header>
      )}
      {children && <div className={classes("min-w-0 flex-1", flush ? "pt-2.5" : "p-4 sm:px-5")}>{children}</div>}
    </section>
  );
}
