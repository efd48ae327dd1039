import { errorWords, isStatus, ServerGone } from "@/api/errors";

/** Why nobody was let in, and what to do about it. */
export function refusalWords(error: unknown, by: "key" | "code"): string {
  if (error instanceof ServerGone) return "The server does not answer. Is it running?";
  if (!isStatus(error, 401)) return errorWords(error);
  return by === "key"
    ? "The server does not know this key. It may be mistyped, revoked or expired."
    : "This link was used already or is older than five minutes. Start the server again for a new one, or use a key.";
}
