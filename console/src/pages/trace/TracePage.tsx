import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function TracePage() {
  return (
    <Page title="Trace">
      <SkeletonRows />
    </Page>
  );
}
