import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Compass, Download, Sparkles } from "lucide-react";
import { useState } from "react";
import { useMay } from "@/api/session";
import type { Skill } from "@/api/types";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { EmptyState, ErrorState, Skeleton } from "@/components/states";
import { useShortcuts } from "@/shell/shortcuts";
import { ComposeDialog } from "./ComposeDialog";
import { download } from "./download";
import { skillVersionsQuery } from "./queries";
import type { SkillSearch } from "./route";
import { SkillTabs } from "./SkillTabs";
import { VersionList } from "./VersionList";

function SkillSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-5 lg:grid-cols-[13rem_1fr]">
      <Skeleton className="h-14 rounded-lg" />
      <Skeleton className="h-96 rounded-xl" />
    </div>
  );
}

function NoSkill({ onCreate }: { onCreate: (() => void) | null }) {
  return (
    <Card>
      <EmptyState
        icon={<Compass aria-hidden />}
        title="No skill yet"
        action={
          onCreate && (
            <Button look="primary" icon={<Sparkles aria-hidden />} onClick={onCreate}>
              Create a skill
            </Button>
          )
        }
      >
        A skill is one document that sums up what reviewed runs have taught: what works, and what to watch out for. It
        takes at least five reviewed memories.
      </EmptyState>
    </Card>
  );
}

type BodyProps = {
  project: string;
  versions: Skill[];
  shown: Skill;
  search: SkillSearch;
  onSearch: (next: SkillSearch) => void;
};

function SkillBody({ project, versions, shown, search, onSearch }: BodyProps) {
  return (
    <div className="grid gap-5 lg:grid-cols-[13rem_minmax(0,1fr)]">
      <VersionList
        versions={versions}
        shown={shown.version}
        onPick={(version) => onSearch({ ...search, version: version === versions[0]?.version ? undefined : version })}
      />
      <SkillTabs project={project} versions={versions} shown={shown} search={search} onSearch={onSearch} />
    </div>
  );
}

export function SkillPage() {
  const { project } = useParams({ from: "/p/$project" });
  const search = useSearch({ from: "/p/$project/skill" });
  const navigate = useNavigate({ from: "/p/$project/skill" });
  const versions = useQuery(skillVersionsQuery(project));
  const mayWrite = useMay("skill:write");
  const [composing, setComposing] = useState(false);
  const newest = versions.data?.[0];
  const shown = versions.data?.find((skill) => skill.version === search.version) ?? newest;
  const onSearch = (next: SkillSearch) => void navigate({ search: next, replace: true });
  const compose = () => setComposing(true);
  const save = () => shown && download("SKILL.md", shown.content);
  useShortcuts([
    ...(mayWrite
      ? [{ keys: "n", label: newest ? "Refine the skill" : "Create a skill", group: "Skill", run: compose }]
      : []),
    ...(shown ? [{ keys: "d", label: "Download the skill", group: "Skill", run: () => void save() }] : []),
  ]);
  return (
    <Page
      title="Skill"
      hint="What reviewed runs have taught, as one document to give to an agent."
      actions={
        shown && (
          <>
            <Button icon={<Download aria-hidden />} onClick={save}>
              Download
            </Button>
            {mayWrite && (
              <Button look="primary" icon={<Sparkles aria-hidden />} onClick={compose}>
                Refine
              </Button>
            )}
          </>
        )
      }
    >
      {versions.isError ? (
        <ErrorState error={versions.error} retry={() => void versions.refetch()} />
      ) : versions.isPending ? (
        <SkillSkeleton />
      ) : !shown ? (
        <NoSkill onCreate={mayWrite ? compose : null} />
      ) : (
        <SkillBody project={project} versions={versions.data} shown={shown} search={search} onSearch={onSearch} />
      )}
      <ComposeDialog
        project={project}
        last={newest}
        open={composing}
        onOpenChange={setComposing}
        onWritten={() => onSearch({ view: newest ? "compare" : undefined })}
      />
    </Page>
  );
}
