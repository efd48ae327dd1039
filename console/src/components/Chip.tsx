import { X } from "lucide-react";
import { visible } from "@/lib/visible";

/** A filter that has no control of its own, and how it is taken away. */
export function Chip({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-6 max-w-72 items-center gap-1 rounded-full bg-accent-soft pr-1 pl-2.5 text-xs font-medium text-accent">
      <span className="truncate">{visible(words)}</span>
      <button
        type="button"
        aria-label={`Remove ${visible(words)}`}
        onClick={onRemove}
        className="rounded-full p-0.5 hover:bg-hover"
      >
        <X className="size-3" aria-hidden />
      </button>
    </span>
  );
}
