import { CopyButton } from "./CopyButton";

/** A piece of code or a document, as it is, with a button to copy it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-sunken">
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} what={`Copy ${label}`} />
      </div>
      {/* A scrolling region takes the focus, so that it can be scrolled by keys. */}
      <pre
        role="region"
        tabIndex={0}
        aria-label={label}
        className="scroll-quiet overflow-x-auto p-4 pr-12 font-mono text-sm leading-5.5 text-ink"
      >
        {text}
      </pre>
    </div>
  );
}
