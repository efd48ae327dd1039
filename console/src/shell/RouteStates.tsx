import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { EmptyState, ErrorState, Skeleton } from "@/components/states";

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ErrorState
      error={error}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}

export function RoutePending() {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8 lg:py-7"
    >
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}

export function RouteNotFound() {
  return (
    <EmptyState
      title="No such page"
      action={
        <Link to="/" className="text-accent underline">
          To the overview
        </Link>
      }
    />
  );
}
