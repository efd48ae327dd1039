import { ChevronRight, CircleCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useMay } from "@/api/session";
import { Card } from "@/components/Card";
import { Prose } from "@/components/Prose";
import { EmptyState } from "@/components/states";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/format";
import { readDocument, type Statement } from "./document";
import { StandingMemory } from "./StandingMemory";

function StatementRow({ project, statement }: { project: string; statement: Statement }) {
  const [open, setOpen] = useState(false);
  const mayRead = useMay("memory:read");
  const words = `Stands on ${plural(statement.memoryIds.length, "memory", "memories")}`;
  return (
    <li className="border-t border-line px-4 py-3 first:border-0 sm:px-5">
      <p className="text-verbatim text-ink">
        <Prose text={statement.text} />
      </p>
      {mayRead ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-1 inline-flex items-center gap-1 rounded text-sm text-muted hover:text-ink"
        >
          <ChevronRight className={classes("size-3.5 transition-transform", open && "rotate-90")} aria-hidden />
          {words}
        </button>
      ) : (
        <p className="mt-1 text-sm text-muted">{words}</p>
      )}
      {open && (
        <ul className="mt-2 flex flex-col overflow-hidden rounded-lg border border-line">
          {statement.memoryIds.map((id) => (
            <StandingMemory key={id} project={project} id={id} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What a skill says, each statement with the memories it stands on. */
export function StatementList({ project, content }: { project: string; content: string }) {
  const sections = readDocument(content);
  if (sections.every((section) => section.statements.length === 0)) {
    return (
      <Card>
        <EmptyState title="No statements were found in this version">
          The document itself is on the next tab.
        </EmptyState>
      </Card>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {sections.map((section) => {
        const pitfalls = section.heading === "Pitfalls";
        const Icon = pitfalls ? TriangleAlert : CircleCheck;
        return (
          <Card
            key={section.heading}
            flush
            title={
              <span className="inline-flex items-center gap-2">
                <Icon className={classes("size-4", pitfalls ? "text-warn" : "text-pass")} aria-hidden />
                {section.heading}
              </span>
            }
          >
            {section.statements.length === 0 ? (
              <p className="px-5 pb-5 text-muted">Nothing yet.</p>
            ) : (
              <ul className="pb-1">
                {section.statements.map((statement, index) => (
                  <StatementRow key={index} project={project} statement={statement} />
                ))}
              </ul>
            )}
          </Card>
        );
      })}
    </div>
  );
}
