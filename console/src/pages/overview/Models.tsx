import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readyQuery } from "@/api/queries";
import { useChoices, useSettings } from "@/api/useSettings";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Skeleton } from "@/components/states";
import { formatCount } from "@/lib/format";

function Row({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 border-b border-line py-2 last:border-0">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 text-right">
        {value ? (
          <span className="font-mono text-sm break-all text-ink">{value}</span>
        ) : (
          <Skeleton className="h-4 w-32" />
        )}
        {note && <span className="block text-sm text-muted">{note}</span>}
      </dd>
    </div>
  );
}

/** Who embeds, who writes lessons and who judges for this project. */
export function Models({ project }: { project: string }) {
  const ready = useQuery(readyQuery);
  const settings = useSettings(project);
  const defaults = useChoices(project).data?.defaults;
  const change = settings.data?.embedder_switch;
  const problems = ready.data?.problems?.length ?? 0;
  const own = (value: string | null | undefined) => (value == null ? "the server’s own" : "this project’s choice");
  return (
    <Card
      title="Models at work"
      actions={
        ready.data && (
          <Badge tone={problems > 0 || ready.data.status !== "ready" ? "fail" : "pass"}>
            {ready.data.status.replace("_", " ")}
          </Badge>
        )
      }
    >
      <dl className="flex flex-col">
        <Row
          label="Embedder"
          value={settings.data?.embedder ?? ready.data?.embedder}
          note={
            change && (
              <Link
                to="/p/$project/settings"
                params={{ project }}
                search={{ section: "models" }}
                className="text-accent underline"
              >
                {change.to === settings.data?.embedder
                  ? "missing vectors are being made"
                  : `on the way to ${change.to}`}
                : {formatCount(change.done)} of {formatCount(change.total)}
              </Link>
            )
          }
        />
        <Row
          label="Reflector"
          value={settings.data?.reflector ?? ready.data?.reflector}
          note={own(settings.data?.reflector)}
        />
        <Row label="Judge" value={settings.data?.judge ?? defaults?.judge ?? "off"} note={own(settings.data?.judge)} />
      </dl>
    </Card>
  );
}
