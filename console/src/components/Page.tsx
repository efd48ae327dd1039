import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

type Props = {
  title: ReactNode;
  /** The way to the list that this is one of. */
  back?: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  wide?: boolean;
};

/** The frame of every page: heading, actions at its right, content. `wide` uses the whole width (tables). */
export function Page({ title, back, hint, actions, children, wide = false }: Props) {
  return (
    <div
      className={classes(
        "mx-auto flex w-full flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8 lg:py-7",
        !wide && "max-w-6xl 2xl:max-w-7xl",
      )}
    >
      <header className="flex min-h-10 flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-56">
          {back && <div className="mb-1.5 flex">{back}</div>}
          <h1 className="text-xl font-semibold tracking-tight text-ink">{title}</h1>
          {hint && <p className="mt-0.5 text-muted">{hint}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
