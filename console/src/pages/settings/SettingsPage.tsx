import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { mayUse, useSession } from "@/api/session";
import type { Scope } from "@/api/types";
import { Page } from "@/components/Page";
import { EmptyState } from "@/components/states";
import { Tabs } from "@/components/Tabs";
import { DangerSection } from "./DangerSection";
import { JudgeSection } from "./judge/JudgeSection";
import { KeysSection } from "./keys/KeysSection";
import { ModelsSection } from "./ModelsSection";
import { type RankingDraft, type RankingProps, RankingSection } from "./RankingSection";
import type { SettingsSection } from "./route";

type Section = { id: SettingsSection; label: string; scope: Scope; content: (props: RankingProps) => ReactNode };

const ALL: Section[] = [
  { id: "keys", label: "Keys", scope: "keys:write", content: ({ project }) => <KeysSection project={project} /> },
  {
    id: "ranking",
    label: "Ranking",
    scope: "project:write",
    content: (props) => <RankingSection {...props} />,
  },
  {
    id: "models",
    label: "Models",
    scope: "project:write",
    content: ({ project }) => <ModelsSection project={project} />,
  },
  { id: "judge", label: "Judge", scope: "trace:read", content: ({ project }) => <JudgeSection project={project} /> },
  {
    id: "danger",
    label: "Danger zone",
    scope: "project:delete",
    content: ({ project }) => <DangerSection project={project} />,
  },
];

function Sections({ project, allowed, shown }: { project: string; allowed: Section[]; shown: Section }) {
  const navigate = useNavigate({ from: "/p/$project/settings" });
  const [draft, setDraft] = useState<RankingDraft>({});
  return (
    <Tabs
      label="Settings"
      value={shown.id}
      onChange={(next) => void navigate({ search: { section: next as SettingsSection }, replace: true })}
      tabs={allowed.map(({ id, label, content }) => ({ id, label, content: content({ project, draft, setDraft }) }))}
    />
  );
}

export function SettingsPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { section } = useSearch({ from: "/p/$project/settings" });
  const session = useSession();
  const allowed = ALL.filter(({ scope }) => mayUse(scope, session));
  const shown = allowed.find(({ id }) => id === section) ?? allowed[0];
  return (
    <Page title="Settings" hint="Who may use this project, and how it ranks, learns and judges.">
      {shown ? (
        // Another project starts with its own values.
        <Sections key={project} project={project} allowed={allowed} shown={shown} />
      ) : (
        <EmptyState title="This key may not change settings">
          Its scopes have none of keys:write, project:write and project:delete.
        </EmptyState>
      )}
    </Page>
  );
}
