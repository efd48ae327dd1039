import { useSyncExternalStore } from "react";

export type ThemeChoice = "system" | "light" | "dark";

const STORED_AS = "reflect.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function stored(): ThemeChoice {
  const value = localStorage.getItem(STORED_AS);
  return value === "light" || value === "dark" ? value : "system";
}

let state = resolve(stored());

function resolve(choice: ThemeChoice): { choice: ThemeChoice; resolved: "light" | "dark" } {
  return { choice, resolved: choice === "system" ? (dark.matches ? "dark" : "light") : choice };
}

function apply(): void {
  state = resolve(stored());
  document.documentElement.dataset.theme = state.resolved;
  for (const listener of listeners) listener();
}

export function setTheme(choice: ThemeChoice): void {
  localStorage.setItem(STORED_AS, choice);
  apply();
}

/** Puts the theme on the page and follows the system from then on. Called once, before the first drawing. */
export function startTheme(): void {
  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
}

export function useTheme() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
