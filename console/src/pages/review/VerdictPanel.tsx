import { Check, Clock, Undo2, X } from "lucide-react";
import { type RefObject, useState } from "react";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Shortcut } from "@/components/Shortcut";

export type Result = "pass" | "fail";
type Props = {
  field: RefObject<HTMLTextAreaElement | null>;
  /** What Enter in the field decides. */
  asking: Result;
  onAsk: (result: Result) => void;
  onDecide: (result: Result, feedback: string) => void;
  onDefer: () => void;
  onUndo?: () => void;
};

/** Phones have no keys to press. */
function Key({ name }: { name: string }) {
  return (
    <span className="max-lg:hidden">
      <Shortcut keys={name} />
    </span>
  );
}

/** Pass, fail with feedback, defer, undo; by keys or by hand. */
export function VerdictPanel({ field, asking, onAsk, onDecide, onDefer, onUndo }: Props) {
  const [feedback, setFeedback] = useState("");
  return (
    <section aria-label="Verdict" className="flex flex-col gap-2.5">
      <TextArea
        ref={field}
        rows={2}
        aria-label="Feedback"
        placeholder={asking === "fail" ? "What was wrong? Enter sends" : "What was good? Enter sends"}
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.blur();
          onDecide(asking, feedback);
        }}
        className="min-h-16"
      />
      <div className="grid grid-cols-2 gap-2">
        <Button
          icon={<Check className="text-pass" aria-hidden />}
          aria-keyshortcuts="p"
          onClick={() => onDecide("pass", feedback)}
        >
          Pass <Key name="p" />
        </Button>
        <Button
          icon={<X className="text-fail" aria-hidden />}
          aria-keyshortcuts="f"
          onClick={() => (feedback.trim() ? onDecide("fail", feedback) : onAsk("fail"))}
        >
          Fail <Key name="f" />
        </Button>
        <Button look="ghost" icon={<Clock aria-hidden />} aria-keyshortcuts="d" onClick={onDefer}>
          Defer <Key name="d" />
        </Button>
        <Button
          look="ghost"
          icon={<Undo2 aria-hidden />}
          aria-keyshortcuts="u"
          disabled={!onUndo}
          onClick={() => onUndo?.()}
        >
          Undo <Key name="u" />
        </Button>
      </div>
    </section>
  );
}
