import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Command } from "cmdk";
import { FolderOpen, Keyboard, LogOut, Moon, Plus, Search, Sun } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { projectsQuery } from "@/api/queries";
import { useSession } from "@/api/session";
import { Shortcut } from "@/components/Shortcut";
import { signOut } from "./AccountMenu";
import { openOverlay, useOverlay } from "./overlays";
import { useDestinations } from "./Sidebar";
import { useRegisteredShortcuts } from "./shortcuts";
import { setTheme, useTheme } from "./theme";

function Item({ icon, label, keys, run }: { icon?: ReactNode; label: string; keys?: string; run: () => void }) {
  return (
    <Command.Item
      value={label}
      onSelect={() => {
        openOverlay(null);
        run();
      }}
      className="flex h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-ink data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-faint"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {keys && <Shortcut keys={keys} />}
    </Command.Item>
  );
}

const groupClasses =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint";

function Commands() {
  const { project } = useParams({ from: "/p/$project" });
  const navigate = useNavigate();
  const theme = useTheme().resolved;
  const { data: projects } = useQuery(projectsQuery);
  const mayMake = useSession()?.is_master ?? false;
  const here = useRegisteredShortcuts().filter((entry) => !["Go to", "Console"].includes(entry.group));
  return (
    <>
      {here.length > 0 && (
        <Command.Group heading="On this page" className={groupClasses}>
          {here.map((entry) => (
            <Item key={entry.keys} label={entry.label} keys={entry.keys} run={entry.run} />
          ))}
        </Command.Group>
      )}
      <Command.Group heading="Go to" className={groupClasses}>
        {useDestinations().map(({ to, label, icon: Icon, keys }) => (
          <Item
            key={to}
            icon={<Icon aria-hidden />}
            label={label}
            keys={keys}
            run={() => void navigate({ to, params: { project } })}
          />
        ))}
      </Command.Group>
      <Command.Group heading="Projects" className={groupClasses}>
        {projects?.map(({ project_id: name }) => (
          <Item
            key={name}
            icon={<FolderOpen aria-hidden />}
            label={`Open ${name}`}
            run={() => void navigate({ to: "/p/$project/overview", params: { project: name } })}
          />
        ))}
        {mayMake && <Item icon={<Plus aria-hidden />} label="New project…" run={() => openOverlay("project")} />}
      </Command.Group>
      <Command.Group heading="Console" className={groupClasses}>
        <Item
          icon={theme === "dark" ? <Sun aria-hidden /> : <Moon aria-hidden />}
          label={theme === "dark" ? "Light theme" : "Dark theme"}
          run={() => setTheme(theme === "dark" ? "light" : "dark")}
        />
        <Item icon={<Keyboard aria-hidden />} label="Keyboard shortcuts" keys="?" run={() => openOverlay("help")} />
        <Item icon={<LogOut aria-hidden />} label="Sign out" run={signOut} />
      </Command.Group>
    </>
  );
}

/** Everything that can be done, found by typing. */
export function CommandPalette() {
  return (
    <Primitive.Root open={useOverlay() === "palette"} onOpenChange={(open) => openOverlay(open ? "palette" : null)}>
      <Primitive.Portal>
        <div className="fixed inset-0 z-40 animate-appear bg-backdrop" aria-hidden />
        <Primitive.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-rise overflow-hidden rounded-xl border border-line bg-surface shadow-float outline-none"
        >
          <Primitive.Title className="sr-only">Commands</Primitive.Title>
          <Command label="Commands" loop>
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search className="size-4 text-faint" aria-hidden />
              <Command.Input
                placeholder="What would you like to do?"
                className="h-12 flex-1 bg-transparent text-lg outline-none"
              />
            </div>
            <Command.List className="scroll-quiet max-h-[min(26rem,60vh)] overflow-y-auto p-1.5">
              <Command.Empty className="px-3 py-8 text-center text-muted">Nothing by that name.</Command.Empty>
              <Commands />
            </Command.List>
          </Command>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
