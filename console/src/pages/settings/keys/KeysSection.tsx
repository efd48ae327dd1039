import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Checkbox } from "@/components/Checkbox";
import { EmptyState, ErrorState, SkeletonRows } from "@/components/states";
import { useShortcuts } from "@/shell/shortcuts";
import { CreateKeyDialog } from "./CreateKeyDialog";
import { keysQuery } from "./queries";
import { RevocableKeys } from "./RevocableKeys";

/** The keys of a project. */
export function KeysSection({ project }: { project: string }) {
  const keys = useQuery(keysQuery(project));
  const [creating, setCreating] = useState(false);
  const [all, setAll] = useState(false);
  useShortcuts([{ keys: "n", label: "New key", group: "Settings", run: () => setCreating(true) }]);
  const active = keys.data?.filter((key) => key.status === "active") ?? [];
  const ended = (keys.data?.length ?? 0) - active.length;
  const shown = all ? (keys.data ?? []) : active;
  return (
    <Card
      title="API keys"
      hint="A key opens this project alone. Its text is shown once, when it is made."
      flush
      actions={
        <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
          New key
        </Button>
      }
    >
      {keys.isError ? (
        <ErrorState error={keys.error} retry={() => void keys.refetch()} />
      ) : keys.isPending ? (
        <SkeletonRows rows={3} className="h-14" />
      ) : shown.length === 0 ? (
        <EmptyState icon={<KeyRound aria-hidden />} title="No active keys">
          Make one for each agent and each person: it can then be revoked alone.
        </EmptyState>
      ) : (
        <RevocableKeys project={project} keys={shown} />
      )}
      {ended > 0 && (
        <footer className="border-t border-line px-5 py-3 text-muted">
          <Checkbox label={`Show ${ended} revoked or expired`} checked={all} onChange={setAll} />
        </footer>
      )}
      <CreateKeyDialog project={project} open={creating} onOpenChange={setCreating} />
    </Card>
  );
}
