import { Verbatim } from "./Verbatim";

/** Words about code: what stands between backticks is set as code. All of it is text, and nothing of it is read as markup. */
export function Prose({ text }: { text: string }) {
  return text.split(/(`[^`\n]+`)/).map((piece, index) =>
    index % 2 === 1 ? (
      <code key={index} className="rounded bg-sunken px-1 py-px font-mono text-[0.9em] ring-1 ring-line ring-inset">
        <Verbatim text={piece.slice(1, -1)} />
      </code>
    ) : (
      <Verbatim key={index} text={piece} />
    ),
  );
}
