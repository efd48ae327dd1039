import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "@/lib/classes";

export const controlClasses = classes(
  "h-8.5 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink shadow-card transition-colors",
  "hover:border-faint focus-visible:border-accent focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-fail",
);

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  hideLabel?: boolean;
  children: (ids: FieldIds) => ReactNode;
};
export type FieldIds = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean | undefined };

/** A label, its control, a hint, and what is wrong, joined for screen readers. */
export function Field({ label, hint, error, hideLabel = false, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={hideLabel ? "sr-only" : "text-sm font-medium text-ink"}>
        {label}
      </label>
      {children({ id, "aria-describedby": described, "aria-invalid": error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-fail">
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={classes(controlClasses, className)} {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      className={classes(controlClasses, "h-auto min-h-20 resize-y py-2 leading-relaxed", className)}
      {...rest}
    />
  );
}
