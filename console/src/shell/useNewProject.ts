import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { projectsQuery } from "@/api/queries";

/** Goes to a project of this name; the server makes it when it is first used. */
export function useNewProject(): (name: string) => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (name) => {
    await navigate({ to: "/p/$project/overview", params: { project: name.trim() } });
    void queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
  };
}
