import { Page } from "@/components/Page";
import { SkeletonRows } from "@/components/states";

export function SkillPage() {
  return (
    <Page title="Skill">
      <SkeletonRows />
    </Page>
  );
}
