import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function ReviewPage() {
  return (
    <Page title="Review">
      <SkeletonRows />
    </Page>
  );
}
