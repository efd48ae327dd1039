/** The mark of Reflect. */
export function Logo({ className = "size-9" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path d="M7.5 14.8a8.5 8.5 0 0 1 17 0z" className="fill-accent-ink" />
      <path d="M9.6 17.6a6.6 6.6 0 0 0 12.8 0z" opacity=".55" className="fill-accent-ink" />
    </svg>
  );
}
