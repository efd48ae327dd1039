import { Link, useParams } from "@tanstack/react-router";
import { mayUse, useSession } from "@/api/session";
import { Shortcut } from "@/components/Shortcut";
import { AccountMenu } from "./AccountMenu";
import { DESTINATIONS, type Destination } from "./navigation";
import { ProjectSwitcher } from "./ProjectSwitcher";
import { ThemeSwitch } from "./ThemeSwitch";

export function useDestinations(): Destination[] {
  const session = useSession();
  return DESTINATIONS.filter(({ scope }) => !scope || mayUse(scope, session));
}

/** The navigation of wide screens; also what the drawer of a phone shows. */
export function SidebarContent({ onNavigate }: { onNavigate?: () => void }) {
  const { project } = useParams({ from: "/p/$project" });
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <ProjectSwitcher />
      <nav aria-label="Pages" className="flex flex-1 flex-col gap-0.5">
        {useDestinations().map(({ to, label, icon: Icon, keys }) => (
          <Link
            key={to}
            to={to}
            params={{ project }}
            onClick={onNavigate}
            className="group flex h-8.5 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-ink"
            activeProps={{ className: "bg-accent-soft text-accent! hover:bg-accent-soft", "aria-current": "page" }}
          >
            <Icon className="size-4 shrink-0" aria-hidden />
            <span className="flex-1">{label}</span>
            <span
              className="hidden opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100 lg:inline"
              aria-hidden
            >
              <Shortcut keys={keys} />
            </span>
          </Link>
        ))}
      </nav>
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3">
        <ThemeSwitch />
        <AccountMenu />
      </div>
    </div>
  );
}

export function Sidebar() {
  return (
    <aside className="hidden w-56 shrink-0 border-r border-line bg-surface md:block">
      <SidebarContent />
    </aside>
  );
}
