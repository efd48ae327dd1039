let taken: string | null | undefined;

/** The one-time code of a link, once. It leaves the address bar and the history at once. */
export function takeCode(): string | null {
  if (taken === undefined) {
    taken = new URLSearchParams(location.hash.slice(1)).get("code");
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
  }
  return taken;
}
