import { Brain, CornerDownRight, Image, Wrench } from "lucide-react";
import { Badge } from "@/components/Badge";
import { Code } from "@/components/Code";
import { visible } from "@/lib/visible";
import { useKept } from "./kept";
import { JsonBlock, LongText } from "./LongText";
import type { Part } from "./steps";

function Call({ part, id }: { part: Part & { kind: "call" }; id: string }) {
  const plain = typeof part.input === "string";
  const empty = part.input == null || part.input === "";
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <Wrench className="size-3.5 text-warn" aria-hidden />
        <span className="text-verbatim font-mono text-sm font-medium">{visible(part.name)}</span>
        {part.id && <span className="text-verbatim font-mono text-xs text-faint">{visible(part.id)}</span>}
        {plain && !empty && <Badge>no JSON</Badge>}
      </p>
      {empty ? (
        <p className="text-sm text-faint">no arguments</p>
      ) : plain ? (
        <LongCode text={part.input as string} id={id} />
      ) : (
        <Fields value={part.input} id={id} />
      )}
    </div>
  );
}

const LONG_CODE = 4000;

function LongCode({ text, id }: { text: string; id: string }) {
  const [whole, setWhole] = useKept(`${id} code`, text.length <= LONG_CODE);
  return (
    <>
      <Code text={whole ? text : `${text.slice(0, LONG_CODE)}…`} label="Arguments" />
      {!whole && (
        <button type="button" className="self-start text-sm text-accent underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </>
  );
}

/** Arguments as a tree; a field that holds lines of code is shown as code below it. */
function Fields({ value, id }: { value: unknown; id: string }) {
  const fields = value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
  const code = fields.filter((entry): entry is [string, string] => typeof entry[1] === "string" && /\n/.test(entry[1]));
  const rest =
    code.length > 0 ? Object.fromEntries(fields.filter(([key]) => !code.some(([name]) => name === key))) : value;
  const empty = code.length > 0 && Object.keys(rest as object).length === 0;
  return (
    <>
      {!empty && <JsonBlock value={rest} />}
      {code.map(([name, text]) => (
        <div key={name} className="flex min-w-0 flex-col gap-1">
          <span className="font-mono text-xs text-muted">{visible(name)}</span>
          <LongCode text={text} id={`${id} ${name}`} />
        </div>
      ))}
    </>
  );
}

function Result({ part, id }: { part: Part & { kind: "result" }; id: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {(part.id || part.failed) && (
        <p className="flex flex-wrap items-center gap-2 text-xs text-faint">
          <CornerDownRight className="size-3.5" aria-hidden />
          {part.id && <span className="text-verbatim font-mono">{visible(part.id)}</span>}
          {part.failed && <Badge tone="fail">error</Badge>}
        </p>
      )}
      {typeof part.output === "string" ? (
        <LongText text={part.output} id={id} mono />
      ) : part.output == null ? (
        <p className="text-sm text-faint">no output</p>
      ) : (
        <JsonBlock value={part.output} />
      )}
    </div>
  );
}

function Thinking({ text, id }: { text: string; id: string }) {
  return (
    <div className="border-l-2 border-line-strong pl-3 text-muted">
      <p className="mb-1 flex items-center gap-1.5 text-xs text-faint">
        <Brain className="size-3.5" aria-hidden />
        thinking
      </p>
      <LongText text={text} id={id} />
    </div>
  );
}

/** One part of a message. Pictures are named and never loaded: they are on someone else's server. */
export function PartView({ part, id }: { part: Part; id: string }) {
  switch (part.kind) {
    case "text":
      return <LongText text={part.text} id={id} />;
    case "thinking":
      return <Thinking text={part.text} id={id} />;
    case "call":
      return <Call part={part} id={id} />;
    case "result":
      return <Result part={part} id={id} />;
    case "media":
      return (
        <p className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken px-2.5 py-1.5 text-sm text-muted">
          <Image className="size-4 shrink-0" aria-hidden />
          <span className="shrink-0">{visible(part.what)}</span>
          <span className="truncate font-mono text-xs text-faint">{visible(part.source.slice(0, 200))}</span>
        </p>
      );
    case "other":
      return <JsonBlock value={part.value} />;
  }
}
