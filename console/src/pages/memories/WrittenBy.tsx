import type { WrittenBy as Author } from "@/api/types";
import { formatCount } from "@/lib/format";
import { visible } from "@/lib/visible";

/** Who wrote a lesson: the model, the rules, a person; and for whom they stood in. */
export function WrittenBy({ by }: { by: Author }) {
  const tokens = (by.input_tokens ?? 0) + (by.output_tokens ?? 0);
  const more = [
    by.version && `version ${by.version}`,
    tokens > 0 && `${formatCount(tokens)} tokens`,
    by.millis != null && `${(by.millis / 1000).toFixed(1)} s`,
  ].filter(Boolean);
  return (
    <span className="text-sm text-muted" title={visible(more.join(", "))}>
      written by <span className="font-medium text-ink">{visible(by.model ?? by.reflector)}</span>
      {by.stands_in_for && <> in place of {visible(by.stands_in_for)}, which did not answer in time</>}
    </span>
  );
}
