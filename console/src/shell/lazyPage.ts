import { lazyRouteComponent } from "@tanstack/react-router";
import { markGone, serverReturns } from "@/api/connection";

type Pages = Record<string, unknown>;

/** A page in a file of its own. If the server is gone when it is wanted, it is fetched when the server is back. */
export function lazyPage<Module extends Pages, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const patient = async () => {
    try {
      return await load();
    } catch {
      markGone();
      await serverReturns();
      return load();
    }
  };
  return lazyRouteComponent(patient as () => Promise<Record<string, never>>, name);
}
