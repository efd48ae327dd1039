import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import { useSession } from "@/api/session";
import type { ApiKey } from "@/api/types";
import { Button } from "@/components/Button";
import { ConfirmDialog } from "@/components/ConfirmDialog";
import { toast } from "@/components/Toast";
import { KeyTable } from "./KeyTable";
import { keysQuery } from "./queries";

function useRevoke(project: string, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (key: ApiKey) =>
      answer(
        client.POST("/v1/projects/{project_id}/api-keys/{key_id}/revoke", {
          params: { path: { project_id: project, key_id: key.id } },
        }),
      ),
    onSuccess: (revoked) => {
      queries.setQueryData(keysQuery(project).queryKey, (keys) =>
        keys?.map((key) => (key.id === revoked.id ? revoked : key)),
      );
      toast({ text: `${revoked.label} is revoked` });
      onDone();
    },
  });
}

/** Keys with a button to revoke each. */
export function RevocableKeys({ project, keys }: { project: string; keys: ApiKey[] }) {
  const session = useSession();
  const [asking, setAsking] = useState<ApiKey | null>(null);
  const revoke = useRevoke(project, () => setAsking(null));
  const isOwn = (key: ApiKey) => session?.api_key.includes(`_${key.public_id}_`) ?? false;
  return (
    <>
      <KeyTable
        keys={keys}
        isOwn={isOwn}
        action={(key) =>
          key.status === "active" && (
            <Button size="sm" look="danger" aria-label={`Revoke ${key.label}`} onClick={() => setAsking(key)}>
              Revoke
            </Button>
          )
        }
      />
      <ConfirmDialog
        open={asking !== null}
        onOpenChange={(open) => open || setAsking(null)}
        title={`Revoke ${asking?.label ?? "this key"}?`}
        action="Revoke"
        busy={revoke.isPending}
        error={revoke.isError ? errorWords(revoke.error) : null}
        onConfirm={() => asking && revoke.mutate(asking)}
      >
        Whoever uses it is refused at once. A key that is revoked cannot be brought back
        {asking && isOwn(asking) ? "; this one is your own session, and you will be signed out." : "."}
      </ConfirmDialog>
    </>
  );
}
