import { answer, client } from "./client";
import { isStatus } from "./errors";
import type { Session } from "./session";

/** Exchanges the one-time code of a link for a session. */
export function signInWithCode(code: string): Promise<Session> {
  return answer(client.POST("/v1/sign-in", { body: { code } }));
}

/** Exchanges a key for a session that expires; the key itself is not kept. */
export async function signInWithKey(key: string): Promise<Session> {
  const authorization = `Bearer ${key}`;
  try {
    return await answer(client.POST("/v1/sign-in", { body: {}, headers: { authorization } }));
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    // A server without sessions: the key is used as it is.
    const projects = await answer(client.GET("/v1/projects", { headers: { authorization } }));
    return { api_key: key, expires_at: null, project_id: projects[0]?.project_id ?? null, scopes: [], is_master: true };
  }
}
