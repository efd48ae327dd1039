import { CircleAlert, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError, errorWords, isStatus, ServerGone } from "@/api/errors";
import { classes } from "@/lib/classes";
import { Button } from "./Button";

/** What to show where there is nothing yet, and what to do about it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-6 py-12 text-center">
      {icon && (
        <div className="mb-1 rounded-xl border border-line bg-sunken p-2.5 text-faint [&_svg]:size-5">{icon}</div>
      )}
      <p className="font-medium text-ink">{title}</p>
      {children && <div className="max-w-md text-muted">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}

/** What went wrong, in the server's words, with a way to try again. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const title = isStatus(error, 403)
    ? "This key may not see that"
    : isStatus(error, 404)
      ? "Not there"
      : error instanceof ServerGone
        ? "The server is gone"
        : "That did not work";
  return (
    <div role="alert" className="flex flex-col items-center justify-center gap-2 px-6 py-12 text-center">
      <CircleAlert className="mb-1 size-6 text-fail" aria-hidden />
      <p className="font-medium text-ink">{title}</p>
      <p className="max-w-lg text-verbatim text-muted">{errorWords(error)}</p>
      {error instanceof ApiError && error.requestId && (
        <p className="font-mono text-xs text-faint">request {error.requestId}</p>
      )}
      {retry && (
        <Button size="sm" className="mt-3" icon={<RotateCw aria-hidden />} onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A grey shape in the size of what is on its way, so that nothing jumps when it comes. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden className={classes("animate-pulse rounded-md bg-sunken", className)} />;
}

/** Skeleton rows of a table or list. */
export function SkeletonRows({ rows = 6, className = "h-11" }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col">
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className={classes("flex items-center gap-4 border-b border-line px-5 last:border-0", className)}
        >
          <Skeleton className="h-3.5 flex-1" />
          <Skeleton className="h-3.5 w-20" />
        </div>
      ))}
    </div>
  );
}
