import { Button } from "@/components/Button";
import { Code } from "@/components/Code";
import { JsonView } from "@/components/JsonView";
import { Verbatim } from "@/components/Verbatim";
import { formatCount } from "@/lib/format";
import { useKept } from "./kept";
import { parsed } from "./steps";

const LONG = 1600;
const FENCE = /^```([\w+-]*)[^\S\n]*\n([\s\S]*?)^```[^\S\n]*$/gm;

type Block = { kind: "text" | "code"; text: string };

/** Words and the fenced code between them. */
function blocks(text: string): Block[] {
  const found: Block[] = [];
  let from = 0;
  for (const match of text.matchAll(FENCE)) {
    found.push({ kind: "text", text: text.slice(from, match.index).trim() });
    found.push({ kind: "code", text: (match[2] ?? "").trimEnd() });
    from = match.index + match[0].length;
  }
  found.push({ kind: "text", text: text.slice(from).replace(/^\n+/, "") });
  return found.filter((block) => block.text.trim());
}

type Props = { text: string; id: string /** Plain words, or the output of a tool. */; mono?: boolean };

/** A text of a run: JSON folded, fenced code in colours, long ones collapsed. */
export function LongText({ text, id, mono = false }: Props) {
  const long = text.length > LONG;
  const [whole, setWhole] = useKept(`${id} whole`, false);
  const value = parsed(text);
  if (typeof value === "object") return <JsonBlock value={value} />;
  const shown = long && !whole ? text.slice(0, LONG) : text;
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      {blocks(shown).map((block, index) =>
        block.kind === "code" ? (
          <div key={index} className="w-full min-w-0">
            <Code text={block.text} label="Code" />
          </div>
        ) : (
          <p key={index} dir="auto" className={mono ? "text-verbatim font-mono text-xs leading-5" : "text-verbatim"}>
            <Verbatim text={block.text} />
            {long && !whole && index === blocks(shown).length - 1 && "…"}
          </p>
        ),
      )}
      {long && (
        <Button size="sm" look="ghost" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}

export function JsonBlock({ value }: { value: unknown }) {
  return (
    <div className="min-w-0 rounded-md border border-line bg-sunken px-2.5 py-2">
      <JsonView value={value} open={1} />
    </div>
  );
}
