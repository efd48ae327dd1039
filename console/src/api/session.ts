import { useSyncExternalStore } from "react";
import type { Schema, Scope } from "./types";

/** Who is signed in on this tab. The key is one of the console's own, never the one it was made from. */
export type Session = Schema<"SignInAnswer">;

/** Why there is no session any more: a person signed out, or the server (or the clock) ended it. */
export type SessionEnd = "signed out" | "expired";

const STORED_AS = "reflect.session";
const listeners = new Set<() => void>();
let session: Session | null = read();
let ended: SessionEnd | null = null;
let expiry: ReturnType<typeof setTimeout> | undefined;

function read(): Session | null {
  try {
    const stored = sessionStorage.getItem(STORED_AS);
    return stored ? (JSON.parse(stored) as Session) : null;
  } catch {
    return null;
  }
}

export function getSession(): Session | null {
  if (session?.expires_at && Date.parse(session.expires_at) <= Date.now()) endSession("expired");
  return session;
}

export function startSession(next: Session): void {
  session = next;
  ended = null;
  sessionStorage.setItem(STORED_AS, JSON.stringify(next));
  watchExpiry();
  for (const listener of listeners) listener();
}

export function endSession(why: SessionEnd): void {
  if (!session) return;
  session = null;
  ended = why;
  sessionStorage.removeItem(STORED_AS);
  for (const listener of listeners) listener();
}

/** Why the last session of this tab ended, if it did. */
export function sessionEnd(): SessionEnd | null {
  return ended;
}

/** Ends the session when its time is over, even if nothing is asked of the server just then. */
function watchExpiry(): void {
  clearTimeout(expiry);
  if (!session?.expires_at) return;
  const left = Date.parse(session.expires_at) - Date.now();
  // Timers hold 24 days at most; longer ones are looked at again when they ring.
  expiry = setTimeout(() => getSession() && watchExpiry(), Math.min(Math.max(left, 0), 2 ** 31 - 1));
}
watchExpiry();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, () => session);
}

/** Whether the session's key may do this. `trace:write` includes `trace:read`. */
export function mayUse(scope: Scope, held: Session | null = session): boolean {
  if (!held) return false;
  if (held.is_master || held.scopes.includes(scope)) return true;
  return scope === "trace:read" && held.scopes.includes("trace:write");
}

export function useMay(scope: Scope): boolean {
  return mayUse(scope, useSession());
}

/** Runs when a session ends: signed out, expired or revoked. */
export function onSessionEnd(run: () => void): void {
  subscribe(() => {
    if (!session) run();
  });
}
