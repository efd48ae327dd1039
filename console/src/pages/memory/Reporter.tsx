import { useQuery } from "@tanstack/react-query";
import { useMay } from "@/api/session";
import type { CreditStep } from "@/api/types";
import { visible } from "@/lib/visible";
import { keysQuery } from "@/pages/settings/keys/queries";

const MASTER = "00000000-0000-0000-0000-000000000000";

/** Who brought a review, by the label of the key for those who may see keys, and for how much it counts where that is not all. */
export function Reporter({ project, step }: { project: string; step: CreditStep }) {
  const mayReadKeys = useMay("keys:write");
  const keys = useQuery({ ...keysQuery(project), enabled: mayReadKeys });
  if (!step.reporter) return "unknown";
  const label = keys.data?.find((key) => key.id === step.reporter)?.label;
  return (
    <>
      <span title={step.reporter}>
        {step.reporter === MASTER ? "master key" : label ? visible(label) : `…${step.reporter.slice(-8)}`}
      </span>
      {step.weight !== undefined && <span className="text-faint">, counts for {Math.round(step.weight * 100)} %</span>}
    </>
  );
}
