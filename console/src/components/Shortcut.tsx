import { classes } from "@/lib/classes";

/** Keys to press, one after the other: `g t`; together: `mod+k`. */
export function Shortcut({ keys, inverted = false }: { keys: string; inverted?: boolean }) {
  const mac = navigator.platform.startsWith("Mac");
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((key, index) => (
        <kbd
          key={index}
          className={classes(
            "inline-flex h-5 min-w-5 items-center justify-center rounded border px-1 font-sans text-xs leading-none",
            inverted ? "border-current text-canvas" : "border-line bg-sunken text-muted",
          )}
        >
          {key
            .replace("mod+", mac ? "⌘" : "Ctrl ")
            .replace("enter", "↵")
            .replace("escape", "Esc")
            .replace("arrowup", "↑")
            .replace("arrowdown", "↓")}
        </kbd>
      ))}
    </span>
  );
}
