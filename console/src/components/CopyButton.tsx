import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./Button";
import { IconButton } from "./IconButton";
import { toast } from "./Toast";

/** Copies a text. With `label` it is a button with words, otherwise a picture. */
export function CopyButton({ text, label, what = "Copy" }: { text: string; label?: string; what?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast({ text: "This page may not use the clipboard: select the text and copy it by hand", tone: "fail" });
    }
  };
  const icon = copied ? <Check className="text-pass" aria-hidden /> : <Copy aria-hidden />;
  if (!label) return <IconButton label={copied ? "Copied" : what} icon={icon} onClick={copy} />;
  return (
    <Button size="sm" icon={icon} onClick={copy} aria-live="polite">
      {copied ? "Copied" : label}
    </Button>
  );
}
