import type { Schema } from "@/api/types";
import { Card } from "@/components/Card";

/** What is known of the memory, in the server's words, and why queries leave it out if they do. */
export function EvidenceCard({ evidence, isLeftOut }: { evidence: Schema<"EvidenceAnswer">; isLeftOut: boolean }) {
  return (
    <Card title={isLeftOut ? "Left out of queries" : "What it adds"} hint={isLeftOut ? "It is believed to hurt" : null}>
      <p className="text-sm text-muted">{evidence.sentence}</p>
    </Card>
  );
}
