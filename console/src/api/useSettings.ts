import { useQuery } from "@tanstack/react-query";
import { choicesQuery, settingsQuery } from "./queries";
import { useMay } from "./session";

/** A project's settings; nothing for keys that may not see them. While an embedder is being switched they are looked at often. */
export function useSettings(project: string) {
  return useQuery({
    ...settingsQuery(project),
    enabled: useMay("project:write"),
    refetchInterval: (query) => (query.state.data?.embedder_switch ? 2000 : false),
  });
}

/** What can be picked in the settings, and what the server's own values are. */
export function useChoices(project: string) {
  const mayWrite = useMay("project:write");
  const mayRead = useMay("trace:read");
  return useQuery({ ...choicesQuery(project), enabled: mayWrite || mayRead });
}
