import { useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import { mayUse, useMay } from "@/api/session";
import type { Scope } from "@/api/types";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CodeBlock } from "@/components/CodeBlock";
import { CopyButton } from "@/components/CopyButton";
import { Tabs } from "@/components/Tabs";
import { type Language, SNIPPETS } from "./snippets";

/** What an agent needs: to ask for memories and to record runs with their reviews. */
const AGENT_SCOPES: Scope[] = ["memory:read", "trace:read", "trace:write"];

function useAgentKey(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      answer(
        client.POST("/v1/projects/{project_id}/api-keys", {
          params: { path: { project_id: project } },
          body: { label: "first agent", scopes: AGENT_SCOPES.filter((scope) => mayUse(scope)) },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [project, "keys"] }),
  });
}

/** An empty project: what to paste to get the first trace. The page turns into figures by itself when it arrives. */
export function FirstTrace({ project }: { project: string }) {
  const [language, setLanguage] = useState<Language>("python");
  const key = useAgentKey(project);
  const mayMakeKeys = useMay("keys:write");
  const values = { url: location.origin, project, key: key.data?.api_key ?? "YOUR_API_KEY" };
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      <Card
        title="Record a first run"
        hint="Paste this where your agent lives, or into a terminal."
        className="lg:col-span-2"
      >
        <Tabs
          label="Language"
          value={language}
          onChange={(next) => setLanguage(next as Language)}
          tabs={(Object.keys(SNIPPETS) as Language[]).map((id) => ({
            id,
            label: SNIPPETS[id].label,
            content: <CodeBlock label={`${SNIPPETS[id].label} code`} text={SNIPPETS[id].text(values)} />,
          }))}
        />
      </Card>
      <div className="flex flex-col gap-4">
        <Card title="A key for your agent">
          {key.data ? (
            <div className="flex flex-col gap-3">
              <p className="text-muted">It is in the code already. Keep it: it is shown this once.</p>
              <code className="rounded-md bg-sunken p-2.5 font-mono text-xs break-all text-ink">
                {key.data.api_key}
              </code>
              <CopyButton text={key.data.api_key} label="Copy key" />
            </div>
          ) : mayMakeKeys ? (
            <div className="flex flex-col gap-3">
              <p className="text-muted">It may ask for memories, record runs and review them, nothing else.</p>
              <Button look="primary" icon={<KeyRound aria-hidden />} busy={key.isPending} onClick={() => key.mutate()}>
                Make a key and fill it in
              </Button>
              {key.isError && (
                <p role="alert" className="text-fail">
                  {errorWords(key.error)}
                </p>
              )}
            </div>
          ) : (
            <p className="text-muted">
              Put your agent’s key in place of YOUR_API_KEY. Your own session may not make keys.
            </p>
          )}
        </Card>
        <Card>
          <div role="status" className="flex items-center gap-3">
            <span className="relative flex size-2.5" aria-hidden>
              <span className="absolute inset-0 animate-ping rounded-full bg-accent opacity-60" />
              <span className="relative size-2.5 rounded-full bg-accent" />
            </span>
            <p className="text-ink">
              Waiting for the first trace
              <span className="block text-sm text-muted">This page turns live when it arrives.</span>
            </p>
          </div>
        </Card>
      </div>
    </div>
  );
}
