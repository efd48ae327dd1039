import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function OverviewPage() {
  return (
    <Page title="Overview">
      <SkeletonRows />
    </Page>
  );
}
