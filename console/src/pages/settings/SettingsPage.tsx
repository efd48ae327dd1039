import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function SettingsPage() {
  return (
    <Page title="Settings">
      <SkeletonRows />
    </Page>
  );
}
