import createClient, { type Middleware } from "openapi-fetch";
import { markGone, markThere } from "./connection";
import { ApiError, ServerGone } from "./errors";
import type { paths } from "./schema";
import { endSession, getSession } from "./session";

const session: Middleware = {
  onRequest({ request }) {
    const key = getSession()?.api_key;
    if (key && !request.headers.has("authorization")) request.headers.set("authorization", `Bearer ${key}`);
    return request;
  },
  async onResponse({ request, response, schemaPath }) {
    markThere();
    // A server that is not ready says so with status 503, and what is wrong with it.
    if (response.ok || schemaPath === "/ready") return response;
    const own = request.headers.get("authorization") === `Bearer ${getSession()?.api_key}`;
    // The key has expired or was revoked: the router sends people to the sign-in page.
    if (response.status === 401 && own) endSession("expired");
    throw await ApiError.from(response);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    markGone();
    throw new ServerGone();
  },
};

/** Every call throws an `ApiError` where the server refuses and `ServerGone` where nobody answers. */
export const client = createClient<paths>({ baseUrl: location.origin });
client.use(session);

/** The body of an answer; refusals have thrown before. */
export async function answer<T>(call: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data } = await call;
  return data as T;
}
