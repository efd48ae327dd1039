import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { statisticsQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import { Page } from "@/components/Page";
import { SegmentedControl } from "@/components/SegmentedControl";
import { EmptyState, ErrorState } from "@/components/states";
import { FirstTrace } from "./FirstTrace";
import { OverviewSkeleton } from "./OverviewSkeleton";
import { Problems } from "./Problems";
import { SPANS, type Span } from "./route";
import { StatisticsView } from "./StatisticsView";

const SPAN_NAMES: Record<Span, string> = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "1 year" };

function SpanSwitch({ days }: { days: Span }) {
  const navigate = useNavigate({ from: "/p/$project/overview" });
  return (
    <SegmentedControl
      label="Time span"
      value={String(days)}
      onChange={(next) =>
        void navigate({ search: { days: SPANS.find((span) => String(span) === next && span !== 30) } })
      }
      options={SPANS.map((span) => ({ value: String(span), label: SPAN_NAMES[span] }))}
    />
  );
}

export function OverviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { days = 30 } = useSearch({ from: "/p/$project/overview" });
  const mayRead = useMay("trace:read");
  const statistics = useQuery({
    ...statisticsQuery(project, days),
    enabled: mayRead,
    // The first trace is waited for, with live updates or without.
    refetchInterval: (query) => (query.state.data?.traces.total === 0 ? 5000 : false),
    // Another span keeps the figures until its own are there; another project never shows those of the last one.
    placeholderData: (previous, query) => (query?.queryKey[0] === project ? keepPreviousData(previous) : undefined),
  });
  const empty = statistics.data?.traces.total === 0;
  return (
    <Page
      title="Overview"
      hint={empty ? "Nothing has been recorded yet." : "How your agents do, and what they have learned."}
      actions={!empty && mayRead && <SpanSwitch days={days} />}
    >
      <Problems project={project} />
      {!mayRead ? (
        <EmptyState title="This key may not read traces">
          Its scopes lack trace:read, which the figures of a project need.
        </EmptyState>
      ) : statistics.isError ? (
        <ErrorState error={statistics.error} retry={() => void statistics.refetch()} />
      ) : !statistics.data ? (
        <OverviewSkeleton />
      ) : empty ? (
        <FirstTrace project={project} />
      ) : (
        <StatisticsView project={project} statistics={statistics.data} days={days} />
      )}
    </Page>
  );
}
