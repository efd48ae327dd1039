import { Sheet } from "@/components/Dialog";
import { Shortcut } from "@/components/Shortcut";
import { openOverlay, useOverlay } from "./overlays";
import { type ShortcutEntry, useRegisteredShortcuts } from "./shortcuts";

/** Every shortcut that works right now, by group. */
export function HelpSheet() {
  const shortcuts = useRegisteredShortcuts();
  const groups = new Map<string, ShortcutEntry[]>();
  for (const entry of shortcuts) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return (
    <Sheet
      open={useOverlay() === "help"}
      onOpenChange={(open) => openOverlay(open ? "help" : null)}
      title="Keyboard shortcuts"
    >
      <div className="flex flex-col gap-6">
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3 className="mb-1.5 text-xs font-medium tracking-wide text-faint uppercase">{group}</h3>
            <dl>
              {entries.map((entry) => (
                <div
                  key={entry.keys}
                  className="flex h-9 items-center justify-between border-b border-line last:border-0"
                >
                  <dt className="text-ink">{entry.label}</dt>
                  <dd>
                    <Shortcut keys={entry.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
