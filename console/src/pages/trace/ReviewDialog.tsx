import { type FormEvent, useEffect, useId, useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Field, TextArea } from "@/components/Field";
import { SegmentedControl } from "@/components/SegmentedControl";

type Result = "pass" | "fail";
type Props = {
  /** The result to start with; null while it is closed. */
  asking: Result | null;
  corrects: boolean;
  feedback: string;
  onClose: () => void;
  onGive: (verdict: { result: Result; feedback: string }) => void;
};

export function ReviewDialog({ asking, corrects, feedback, onClose, onGive }: Props) {
  const form = useId();
  const [result, setResult] = useState<Result>("pass");
  const [words, setWords] = useState("");
  useEffect(() => {
    if (!asking) return;
    setResult(asking);
    setWords(feedback);
  }, [asking, feedback]);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    onGive({ result, feedback: words });
  };
  return (
    <Dialog
      open={asking !== null}
      onOpenChange={(open) => open || onClose()}
      title={corrects ? "Correct the review" : "Review this run"}
      description={
        corrects ? "Everything ends as if the first review had never been; the lesson gets a new revision." : undefined
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form}>
            {result === "pass" ? "Pass" : "Fail"}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col items-start gap-4">
        <SegmentedControl
          label="Result"
          value={result}
          onChange={setResult}
          options={[
            { value: "pass", label: "Pass" },
            { value: "fail", label: "Fail" },
          ]}
        />
        <div className="w-full">
          <Field label="Feedback" hint="Specific words make specific lessons. Ctrl or ⌘ with Enter sends.">
            {(ids) => (
              <TextArea
                {...ids}
                autoFocus
                rows={4}
                value={words}
                onChange={(event) => setWords(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
                }}
              />
            )}
          </Field>
        </div>
      </form>
    </Dialog>
  );
}
