import type { ReactNode } from "react";

/** A setting: what it is, and what it is set to. */
export function SettingRow({ label, hint, children }: { label: string; hint: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-8 gap-y-3 border-t border-line px-4 py-4 first:border-0 sm:px-5 md:grid-cols-2">
      <div>
        <p className="font-medium text-ink">{label}</p>
        <p className="text-sm text-muted">{hint}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-3">{children}</div>
    </div>
  );
}
