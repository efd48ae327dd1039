import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { isStatus } from "./errors";
import type { RowRange, Rows } from "./pagedRows";
import { appended, firstRows, refreshed } from "./pagedRows";

export type PageRequest = { cursor?: string; limit: number; signal?: AbortSignal };
export type FetchPage<Row> = (request: PageRequest) => Promise<Rows<Row>>;

type Options<Row> = {
  project: string;
  /** The topic whose events say that rows have changed. */
  topic: "traces" | "memories";
  /** What tells this list from others: its filters and its order. */
  list: QueryKey;
  fetchPage: FetchPage<Row>;
  /** The cursor of the page after a row, where that is known; then rows in view far from the head are refreshed, too. */
  cursorOf?: (row: Row) => string;
};

const FIRST_PAGE = 100;
const NEXT_PAGE = 500;
const PAUSE_BETWEEN_REFRESHES = 1000;

/**
 * A list that grows as it is scrolled and stays up to date. When something has changed only its head and the rows in view are
 * fetched again, however many are known.
 */
export function usePagedRows<Row extends { id: string }>({ project, topic, list, fetchPage, cursorOf }: Options<Row>) {
  const queries = useQueryClient();
  const key = [project, `${topic}-rows`, ...list];
  const name = JSON.stringify(key);
  const inView = useRef<RowRange>({ from: 0, to: 0 });
  const [isGrowing, setGrowing] = useState(false);
  const growing = useRef(false);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Rows<Row>> => {
      const known = queries.getQueryData<Rows<Row>>(key);
      if (!known?.rows.length) return firstRows(await fetchPage({ limit: FIRST_PAGE, signal }));
      const head = await fetchPage({ limit: FIRST_PAGE, signal });
      const latest = refreshed(queries.getQueryData<Rows<Row>>(key) ?? known, 0, head);
      const { from, to } = inView.current;
      const before = latest.rows[from - 1];
      if (!cursorOf || !before || to <= FIRST_PAGE) return latest;
      try {
        const middle = await fetchPage({ cursor: cursorOf(before), limit: Math.min(200, to - from + 1), signal });
        return refreshed(latest, from, middle);
      } catch (error) {
        // The row that the page starts after is gone.
        if (isStatus(error, 404) || isStatus(error, 422)) return head;
        throw error;
      }
    },
  });

  // Events come up to four times a second; a refresh that is under way is not cut off by the next.
  const tick = useQuery({ queryKey: [project, topic, "tick"], queryFn: () => performance.now() }).data;
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { refetch } = query;
  const seen = useRef(tick);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is the key's content
  useEffect(() => {
    if (tick === seen.current) return;
    const first = seen.current === undefined;
    seen.current = tick;
    if (first || pending.current) return;
    const refresh = () => {
      // What is being fetched may be older than the change: once more after it.
      const busy = queries.isFetching({ queryKey: key, exact: true }) > 0;
      pending.current = busy ? setTimeout(refresh, PAUSE_BETWEEN_REFRESHES) : undefined;
      if (!busy) void refetch({ cancelRefetch: false });
    };
    pending.current = setTimeout(refresh, PAUSE_BETWEEN_REFRESHES);
  }, [tick, refetch, name, queries]);
  useEffect(() => () => clearTimeout(pending.current), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is the key's content
  const onEnd = useCallback(async () => {
    const known = queries.getQueryData<Rows<Row>>(key);
    if (growing.current || !known?.next) return;
    growing.current = true;
    setGrowing(true);
    try {
      const page = await fetchPage({ cursor: known.next, limit: NEXT_PAGE });
      queries.setQueryData<Rows<Row>>(key, (latest) => latest && appended(latest, known.next, page));
    } catch {
      // The banner says that the server is gone; the end comes into view again.
    } finally {
      growing.current = false;
      setGrowing(false);
    }
  }, [name, queries]);

  const onView = useCallback((range: RowRange) => {
    inView.current = range;
  }, []);
  return { ...query, rows: query.data?.rows ?? [], isWhole: query.data?.next === null, isGrowing, onEnd, onView };
}
