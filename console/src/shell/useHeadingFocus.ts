import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

const heading = () => document.querySelector<HTMLElement>("#main h1");

/** Moves the focus to the heading of a page that one has gone to, as if the browser had loaded it: screen readers say where one is. */
export function useHeadingFocus(): void {
  const router = useRouter();
  useEffect(() => {
    let observer: MutationObserver | undefined;
    const stop = router.subscribe("onBeforeNavigate", ({ pathChanged, fromLocation }) => {
      if (!pathChanged || !fromLocation) return;
      observer?.disconnect();
      const left = heading();
      let focused: HTMLElement | null = null;
      observer = new MutationObserver(() => {
        const found = heading();
        if (!found || found === left || found === focused) return;
        // A heading gives way to another when the page's data arrive. Whoever has moved on by then stays where they are.
        if (focused && document.activeElement !== document.body) return;
        focused = found;
        found.tabIndex = -1;
        found.focus({ preventScroll: true });
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    return () => {
      stop();
      observer?.disconnect();
    };
  }, [router]);
}
