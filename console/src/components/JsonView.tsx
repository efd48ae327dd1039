import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { classes } from "@/lib/classes";
import { visible } from "@/lib/visible";
import { Verbatim } from "./Verbatim";

const SHOWN_AT_FIRST = 50;
const LONG_TEXT = 600;

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(text.length <= LONG_TEXT);
  const shown = whole ? text : text.slice(0, LONG_TEXT);
  return (
    <>
      <span className="text-verbatim text-pass">
        "<Verbatim text={shown} />
        {whole && '"'}
      </span>
      {!whole && (
        <button type="button" className="text-accent underline" onClick={() => setWhole(true)}>
          … {text.length - LONG_TEXT} more characters
        </button>
      )}
    </>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <LongText text={value} />;
  return <span className={value === null ? "text-faint" : "text-accent"}>{String(value)}</span>;
}

function Branch({ name, value, depth, open }: { name?: string; value: object; depth: number; open: number }) {
  const [isOpen, setOpen] = useState(depth < open);
  const [count, setCount] = useState(SHOWN_AT_FIRST);
  const entries = Object.entries(value);
  const list = Array.isArray(value);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex items-center gap-1 rounded text-left hover:bg-hover"
      >
        <ChevronRight
          className={classes("size-3 shrink-0 text-faint transition-transform", isOpen && "rotate-90")}
          aria-hidden
        />
        {name !== undefined && <span className="text-verbatim text-muted">{visible(name)}:</span>}
        <span className="text-faint">{list ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </button>
      {isOpen && (
        <div className="ml-1.5 border-l border-line pl-3.5">
          {entries.slice(0, count).map(([key, inner]) => (
            <JsonNode key={key} name={key} value={inner} depth={depth + 1} open={open} />
          ))}
          {entries.length > count && (
            <button type="button" className="text-accent underline" onClick={() => setCount(count + 500)}>
              {entries.length - count} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function JsonNode({ name, value, depth, open }: { name?: string; value: unknown; depth: number; open: number }) {
  if (value !== null && typeof value === "object")
    return <Branch name={name} value={value} depth={depth} open={open} />;
  return (
    <div className="pl-4">
      {name !== undefined && <span className="text-verbatim text-muted">{visible(name)}: </span>}
      <Leaf value={value} />
    </div>
  );
}

/** JSON as a tree that unfolds; the first `open` levels are open. Everything is text, whatever it holds. */
export function JsonView({ value, open = 1 }: { value: unknown; open?: number }) {
  return (
    <div dir="ltr" className="font-mono text-xs leading-5 break-words">
      <JsonNode value={value} depth={0} open={open} />
    </div>
  );
}
