import { useMutation } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { ServerGone } from "@/api/errors";
import { type Session, sessionEnd, startSession } from "@/api/session";
import { signInWithCode, signInWithKey } from "@/api/signIn";
import { Button } from "@/components/Button";
import { Field, Input } from "@/components/Field";
import { Logo } from "@/components/Logo";
import { refusalWords } from "./refusalWords";
import { takeCode } from "./takeCode";

/** Signs in, and goes back to where one was. */
function useSignIn(by: "key" | "code", exchange: (secret: string) => Promise<Session>) {
  const router = useRouter();
  const { from } = useSearch({ from: "/sign-in" });
  return useMutation({
    mutationKey: ["sign-in", by],
    mutationFn: exchange,
    onSuccess: (session) => {
      startSession(session);
      router.history.replace(from ?? "/");
    },
    // A server that was away for a moment does not use up a code.
    retry: (failures, error) => failures < 3 && error instanceof ServerGone,
  });
}

export function SignInPage() {
  const { from } = useSearch({ from: "/sign-in" });
  const [key, setKey] = useState("");
  const [code] = useState(takeCode);
  const byCode = useSignIn("code", signInWithCode);
  const byKey = useSignIn("key", signInWithKey);
  const exchangeCode = byCode.mutate;
  useEffect(() => {
    if (code) exchangeCode(code);
  }, [code, exchangeCode]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    byKey.mutate(key.trim());
  };
  const refusal = byKey.error ? refusalWords(byKey.error, "key") : byCode.error && refusalWords(byCode.error, "code");
  const expired = sessionEnd() === "expired";
  return (
    <main className="flex h-dvh flex-col items-center overflow-y-auto p-5">
      <title>Sign in · Reflect</title>
      <div className="my-auto flex w-full max-w-sm flex-col gap-7 py-8">
        <div className="flex flex-col items-center gap-4 text-center">
          <Logo className="size-11" />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Sign in to Reflect</h1>
            <p className="mt-1 text-muted">See what your agents learn.</p>
          </div>
        </div>
        {(expired || from) && !refusal && (
          <p role="status" className="rounded-lg bg-accent-soft px-4 py-2.5 text-center text-accent">
            {expired ? "Your session has ended. " : ""}Sign in to go on where you were.
          </p>
        )}
        <form
          onSubmit={submit}
          className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-card"
        >
          <Field
            label="API key"
            hint="Exchanged for a session of this tab that ends by itself. The key is not kept."
            error={refusal}
          >
            {(ids) => (
              <Input
                {...ids}
                type="password"
                className="font-mono"
                value={key}
                onChange={(event) => setKey(event.target.value)}
                placeholder="rf_live_…"
                autoComplete="off"
                spellCheck={false}
                required
              />
            )}
          </Field>
          <Button type="submit" look="primary" busy={byKey.isPending || byCode.isPending} disabled={!key.trim()}>
            {byCode.isPending ? "Signing in with your link" : "Sign in"}
          </Button>
        </form>
        <p className="text-center text-sm text-muted">
          On the server’s own machine, <code className="font-mono text-ink">reflect serve</code> prints a link that
          signs you in.
        </p>
      </div>
    </main>
  );
}
