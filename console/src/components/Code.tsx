import { highlight, type TokenKind } from "@/lib/highlight";
import { Verbatim } from "./Verbatim";

const COLOURS: Record<TokenKind, string> = {
  plain: "",
  comment: "text-faint italic",
  string: "text-pass",
  number: "text-accent",
  keyword: "text-accent font-medium",
  call: "text-warn",
};

/** Code in colours, as text only. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    // A scrolling region takes the focus, so that it can be scrolled by keys.
    <pre
      role="region"
      tabIndex={0}
      aria-label={label}
      dir="ltr"
      className="scroll-quiet overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 text-ink"
    >
      {highlight(text).map((token, index) => (
        <span key={index} className={COLOURS[token.kind]}>
          <Verbatim text={token.text} />
        </span>
      ))}
    </pre>
  );
}
