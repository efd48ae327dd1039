import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function MemoryPage() {
  return (
    <Page title="Memory">
      <SkeletonRows />
    </Page>
  );
}
