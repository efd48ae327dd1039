import { answer, client } from "./client";
import type { Session } from "./session";

/** Exchanges the one-time code of a link for a session. */
export function signInWithCode(code: string): Promise<Session> {
  return answer(client.POST("/v1/sign-in", { body: { code } }));
}

/** Exchanges a key for a session that expires; the key itself is not kept. */
export function signInWithKey(key: string): Promise<Session> {
  return answer(client.POST("/v1/sign-in", { body: {}, headers: { authorization: `Bearer ${key}` } }));
}
