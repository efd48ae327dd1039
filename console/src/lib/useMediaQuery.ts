import { useSyncExternalStore } from "react";

export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Tailwind's breakpoints. */
const WIDTHS = { sm: "40rem", md: "48rem", lg: "64rem", xl: "80rem", "2xl": "96rem" };
export type Breakpoint = keyof typeof WIDTHS;

/** How many of sm, md, lg, xl, 2xl the window reaches: 0 to 5. */
export function useWidthClass(): number {
  const sm = useMediaQuery(`(min-width: ${WIDTHS.sm})`);
  const md = useMediaQuery(`(min-width: ${WIDTHS.md})`);
  const lg = useMediaQuery(`(min-width: ${WIDTHS.lg})`);
  const xl = useMediaQuery(`(min-width: ${WIDTHS.xl})`);
  const xxl = useMediaQuery(`(min-width: ${WIDTHS["2xl"]})`);
  return [sm, md, lg, xl, xxl].filter(Boolean).length;
}

export const WIDTH_CLASS: Record<Breakpoint, number> = { sm: 1, md: 2, lg: 3, xl: 4, "2xl": 5 };
