import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function TracesPage() {
  return (
    <Page title="Traces">
      <SkeletonRows />
    </Page>
  );
}
