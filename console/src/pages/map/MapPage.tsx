import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function MapPage() {
  return (
    <Page title="Map">
      <SkeletonRows />
    </Page>
  );
}
