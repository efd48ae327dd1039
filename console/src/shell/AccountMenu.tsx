import { BookMarked, CircleUser, Keyboard, LogOut } from "lucide-react";
import { queryClient } from "@/api/queries";
import { endSession, useSession } from "@/api/session";
import { IconButton } from "@/components/IconButton";
import { Menu } from "@/components/Menu";
import { formatAge } from "@/lib/format";
import { openOverlay } from "./overlays";

export function signOut(): void {
  endSession("signed out");
  queryClient.clear();
}

/** Who one is here, and how long. */
function SessionNote() {
  const session = useSession();
  if (!session) return null;
  return (
    <>
      <span className="block font-medium text-ink">{session.project_id ?? "All projects"}</span>
      <span className="block">{session.is_master ? "may do everything" : session.scopes.join(", ")}</span>
      {session.expires_at && <span className="block">session ends {formatAge(session.expires_at)}</span>}
    </>
  );
}

export function AccountMenu() {
  return (
    <Menu
      note={<SessionNote />}
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
