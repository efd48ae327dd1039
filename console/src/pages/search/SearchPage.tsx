import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function SearchPage() {
  return (
    <Page title="Search">
      <SkeletonRows />
    </Page>
  );
}
