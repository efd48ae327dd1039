import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function MemoriesPage() {
  return (
    <Page title="Memories">
      <SkeletonRows />
    </Page>
  );
}
