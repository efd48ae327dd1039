import { classes } from "@/lib/classes";
import { Verbatim } from "./Verbatim";

const BOX = "rounded bg-sunken px-1 py-px ring-1 ring-line ring-inset";

/**
 * Words about code: what stands between backticks is set as code. All of it is text, and nothing of it is read as markup.
 * `boxless` is for lines that end in an ellipsis, which hides words but not what is drawn behind them.
 */
export function Prose({ text, boxless = false }: { text: string; boxless?: boolean }) {
  return text.split(/(`[^`\n]+`)/).map((piece, index) =>
    index % 2 === 1 ? (
      <code key={index} className={classes("font-mono text-[0.9em]", !boxless && BOX)}>
        <Verbatim text={piece.slice(1, -1)} />
      </code>
    ) : (
      <Verbatim key={index} text={piece} />
    ),
  );
}
