import { classes } from "@/lib/classes";
import { CopyButton } from "./CopyButton";

/** A piece of code or a document, as it is, with a button to copy it. `wrap` breaks long lines (prose). */
export function CodeBlock({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-sunken">
      <div className="absolute top-1.5 right-1.5 rounded-md bg-sunken">
        <CopyButton text={text} what={`Copy ${label}`} />
      </div>
      {/* A scrolling region takes the focus, so that it can be scrolled by keys. */}
      <pre
        role="region"
        tabIndex={0}
        aria-label={label}
        className={classes(
          "scroll-quiet overflow-x-auto p-4 pr-12 font-mono text-sm leading-5.5 text-ink",
          wrap && "whitespace-pre-wrap wrap-anywhere",
        )}
      >
        {text}
      </pre>
    </div>
  );
}
