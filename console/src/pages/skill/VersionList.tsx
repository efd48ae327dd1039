import type { Skill } from "@/api/types";
import { Time } from "@/components/Time";
import { authorName } from "@/components/WrittenBy";
import { classes } from "@/lib/classes";

/** All versions, newest first; the one that is shown is marked. */
export function VersionList({
  versions,
  shown,
  onPick,
}: {
  versions: Skill[];
  shown: number;
  onPick: (version: number) => void;
}) {
  return (
    <nav
      aria-label="Versions"
      className="scroll-quiet flex gap-2 overflow-x-auto lg:max-h-[70vh] lg:flex-col lg:gap-0.5 lg:overflow-y-auto"
    >
      {versions.map((skill, index) => (
        <button
          key={skill.version}
          type="button"
          aria-current={skill.version === shown ? "true" : undefined}
          onClick={() => onPick(skill.version)}
          className={classes(
            "shrink-0 rounded-lg border px-3 py-2 text-left transition-colors focus-visible:outline-offset-[-2px]",
            skill.version === shown ? "border-line bg-surface shadow-card" : "border-transparent hover:bg-hover",
          )}
        >
          <span className="flex items-baseline justify-between gap-3">
            <span className="font-medium text-ink">Version {skill.version}</span>
            {index === 0 && <span className="text-xs text-accent">newest</span>}
          </span>
          <span className="block text-sm whitespace-nowrap text-muted">
            <Time at={skill.created_at} />
            {skill.written_by && `, by ${authorName(skill.written_by)}`}
          </span>
        </button>
      ))}
    </nav>
  );
}
