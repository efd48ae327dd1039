import type { AnyRouter } from "@tanstack/react-router";

type Preloadable = { preload?: () => Promise<void> };

/** Fetches the code of every page, one after the other. */
export async function preloadPages(router: AnyRouter): Promise<void> {
  for (const route of Object.values(router.routesById as AnyRouter["routesById"])) {
    const component = (route as { options: { component?: Preloadable } }).options.component;
    await component?.preload?.();
  }
}
