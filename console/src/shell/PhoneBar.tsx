import { Link, useLocation, useParams } from "@tanstack/react-router";
import { Menu } from "lucide-react";
import { Sheet } from "@/components/Dialog";
import { classes } from "@/lib/classes";
import { openOverlay, useOverlay } from "./overlays";
import { SidebarContent, useDestinations } from "./Sidebar";

const tile = "flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-xs font-medium text-muted";

/** The navigation of phones: four pages, and the rest under "More". */
export function PhoneBar() {
  const { project } = useParams({ from: "/p/$project" });
  const { pathname } = useLocation();
  const destinations = useDestinations();
  const pages = destinations.filter((destination) => destination.onPhone);
  const isUnderMore = !pages.some(({ to }) => pathname.split("/")[3] === to.split("/")[3]);
  return (
    <>
      <nav
        aria-label="Pages"
        className="flex h-14 shrink-0 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {pages.map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            params={{ project }}
            className={tile}
            activeProps={{ className: "text-accent!", "aria-current": "page" }}
          >
            <Icon className="size-5" aria-hidden />
            {label}
          </Link>
        ))}
        <button
          type="button"
          className={classes(tile, isUnderMore && "text-accent!")}
          onClick={() => openOverlay("drawer")}
        >
          <Menu className="size-5" aria-hidden />
          More
        </button>
      </nav>
      <Sheet
        open={useOverlay() === "drawer"}
        onOpenChange={(open) => openOverlay(open ? "drawer" : null)}
        title="Reflect"
      >
        <SidebarContent onNavigate={() => openOverlay(null)} />
      </Sheet>
    </>
  );
}
