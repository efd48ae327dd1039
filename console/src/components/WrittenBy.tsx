import type { WrittenBy as Author } from "@/api/types";
import { formatCount } from "@/lib/format";
import { visible } from "@/lib/visible";
import { Badge } from "./Badge";

const NAMES: Record<string, string> = { builtin: "rules", editor: "a person, by hand", author: "the review’s author" };

/** Who wrote a lesson or a skill, in a few words. */
export function authorName({ reflector, model }: Author): string {
  return model ? visible(model) : (NAMES[reflector] ?? visible(reflector));
}

/** The same with what it cost, and a mark where rules stand in for a model. */
export function WrittenBy({ author }: { author: Author }) {
  const details = [
    author.version && `version ${author.version}`,
    author.input_tokens != null && `${formatCount(author.input_tokens)} tokens in`,
    author.output_tokens != null && `${formatCount(author.output_tokens)} tokens out`,
    author.millis != null && author.millis > 0 && `${(author.millis / 1000).toFixed(1)} s`,
  ].filter(Boolean);
  return (
    <span title={visible(details.join(", "))}>
      <bdi className="font-medium text-ink wrap-anywhere">{authorName(author)}</bdi>
      {author.stands_in_for && (
        <>
          {" "}
          <Badge tone="warn">stands in for {visible(author.stands_in_for)}</Badge>
        </>
      )}
    </span>
  );
}
