import { BookMarked, CircleUser, Keyboard, LogOut } from "lucide-react";
import { queryClient } from "@/api/queries";
import { endSession } from "@/api/session";
import { IconButton } from "@/components/IconButton";
import { Menu } from "@/components/Menu";
import { openOverlay } from "./overlays";

export function signOut(): void {
  endSession("signed out");
  queryClient.clear();
}

export function AccountMenu() {
  return (
    <Menu
      items={[
        { label: "Keyboard shortcuts", icon: <Keyboard aria-hidden />, run: () => openOverlay("help") },
        {
          label: "API description",
          icon: <BookMarked aria-hidden />,
          run: () => window.open("/docs", "_blank", "noopener"),
        },
        { label: "Sign out", icon: <LogOut aria-hidden />, run: signOut },
      ]}
    >
      <IconButton label="Account" icon={<CircleUser />} />
    </Menu>
  );
}
