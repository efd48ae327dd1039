import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Page } from "@/components/Page";
import { EmptyState, ErrorState, SkeletonRows } from "@/components/states";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/format";
import { useShortcuts } from "@/shell/shortcuts";
import { FoundCard } from "./FoundCard";
import { searchQuery, useSearchDefaults } from "./queries";
import type { MemorySearch } from "./route";
import { SearchSliders } from "./SearchSliders";

function Answer({ project, search }: { project: string; search: MemorySearch }) {
  const found = useQuery(searchQuery(project, search));
  if (!search.task)
    return (
      <EmptyState icon={<Search />} title="Ask as an agent would">
        Write the task that it is about to do. The sliders show what another ranking would give it.
      </EmptyState>
    );
  if (found.isPending) return <SkeletonRows rows={5} className="h-28" />;
  if (found.isError) return <ErrorState error={found.error} retry={() => void found.refetch()} />;
  const { memories, whyNothing } = found.data;
  if (memories.length === 0)
    return (
      <EmptyState icon={<Search />} title="No memory fits">
        {whyNothing ? `Because ${whyNothing}.` : "A lower threshold lets more in."}
      </EmptyState>
    );
  return (
    <div className={classes("transition-opacity", found.isPlaceholderData && "opacity-60")}>
      <p className="border-b border-line px-4 py-2 text-sm text-muted sm:px-5" aria-live="polite">
        {plural(memories.length, "memory", "memories")}, best first
      </p>
      {memories.map((memory, index) => (
        <FoundCard key={memory.id} project={project} memory={memory} rank={index + 1} />
      ))}
    </div>
  );
}

export function SearchPage() {
  const { project } = useParams({ from: "/p/$project" });
  const search = useSearch({ from: "/p/$project/search" });
  const navigate = useNavigate();
  const defaults = useSearchDefaults(project);
  const field = useRef<HTMLTextAreaElement>(null);
  const [task, setTask] = useState(search.task ?? "");
  useEffect(() => setTask(search.task ?? ""), [search.task]);
  const floor = useQuery(searchQuery(project, search)).data?.memories[0]?.explain?.similarity_threshold ?? null;
  const change = (next: Partial<MemorySearch>) =>
    void navigate({
      to: "/p/$project/search",
      params: { project },
      search: { ...search, ...next },
      replace: true,
      resetScroll: false,
    });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    change({ task: task.trim() || undefined });
  };
  useShortcuts([{ keys: "/", label: "Write the task", group: "Search", run: () => field.current?.focus() }]);
  return (
    <Page title="Search" hint="What an agent is shown before it starts, and why.">
      <form onSubmit={submit} role="search" className="flex flex-col gap-2 sm:flex-row sm:items-start">
        <TextArea
          ref={field}
          aria-label="Task"
          placeholder="The task at hand. Enter searches"
          rows={2}
          maxLength={32_768}
          value={task}
          onChange={(event) => setTask(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
          className="min-h-16"
        />
        <Button type="submit" look="primary" icon={<Search aria-hidden />} disabled={!task.trim()}>
          Search
        </Button>
      </form>
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
        {/* Before the results, so that keys come to it without a walk through them. */}
        <div className="lg:order-2">
          <SearchSliders search={search} defaults={defaults} floor={floor} onChange={change} />
        </div>
        <section
          aria-label="Memories found"
          className="min-w-0 rounded-xl border border-line bg-surface shadow-card lg:order-1"
        >
          <Answer project={project} search={search} />
        </section>
      </div>
    </Page>
  );
}
