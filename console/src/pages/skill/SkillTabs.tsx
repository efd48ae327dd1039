import type { Skill } from "@/api/types";
import { CodeBlock } from "@/components/CodeBlock";
import { Tabs } from "@/components/Tabs";
import { Time } from "@/components/Time";
import { WrittenBy } from "@/components/WrittenBy";
import { plural } from "@/lib/format";
import { Comparison } from "./Comparison";
import type { SkillSearch, SkillView } from "./route";
import { StatementList } from "./StatementList";

type Props = {
  project: string;
  versions: Skill[];
  shown: Skill;
  search: SkillSearch;
  onSearch: (next: SkillSearch) => void;
};

/** One version: what it says, the document, and what differs from another. */
export function SkillTabs({ project, versions, shown, search, onSearch }: Props) {
  const position = versions.indexOf(shown);
  const against =
    versions.find((skill) => skill.version === search.against && skill !== shown) ??
    versions[position + 1] ??
    versions[position - 1];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-muted">
        <span className="font-medium text-ink">{shown.name}</span> version {shown.version}, written{" "}
        <Time at={shown.created_at} />
        {shown.written_by && (
          <>
            {" by "}
            <WrittenBy author={shown.written_by} />
          </>
        )}
        , from {plural(shown.n_passed, "passed run")} and {plural(shown.n_failed, "failed one")}
      </p>
      <Tabs
        label="Views of the skill"
        value={search.view ?? "statements"}
        onChange={(view) => onSearch({ ...search, view: view === "statements" ? undefined : (view as SkillView) })}
        tabs={[
          {
            id: "statements",
            label: "Statements",
            content: <StatementList key={shown.version} project={project} content={shown.content} />,
          },
          { id: "document", label: "Document", content: <CodeBlock label="Document" text={shown.content} wrap /> },
          {
            id: "compare",
            label: "Compare",
            content: (
              <Comparison
                versions={versions}
                shown={shown}
                against={against}
                onAgainst={(version) => onSearch({ ...search, against: version })}
              />
            ),
          },
        ]}
      />
    </div>
  );
}
