import { useQuery } from "@tanstack/react-query";
import { useMay } from "@/api/session";
import { ErrorState, Skeleton } from "@/components/states";
import { JudgeForm } from "./JudgeForm";
import { judgeReportQuery } from "./queries";
import { Report } from "./Report";

/** Who judges runs that nobody reviews, and how well that goes. */
export function JudgeSection({ project }: { project: string }) {
  const mayWrite = useMay("project:write");
  const report = useQuery(judgeReportQuery(project));
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {mayWrite && <JudgeForm project={project} />}
      {report.isError ? (
        <ErrorState error={report.error} retry={() => void report.refetch()} />
      ) : report.data ? (
        <Report report={report.data} />
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </div>
  );
}
