import { useMutation } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { errorWords } from "@/api/errors";
import { setSession } from "@/api/session";
import { signInWithCode, signInWithKey } from "@/api/signIn";
import { Button } from "@/components/Button";
import { Field, Input } from "@/components/Field";
import { takeCode } from "./takeCode";

export function SignInPage() {
  const router = useRouter();
  const { from } = useSearch({ from: "/sign-in" });
  const [key, setKey] = useState("");
  const [code] = useState(takeCode);
  const signIn = useMutation({
    mutationFn: (by: { code: string } | { key: string }) =>
      "code" in by ? signInWithCode(by.code) : signInWithKey(by.key),
    onSuccess: (session) => {
      setSession(session);
      router.history.push(from ?? "/");
    },
  });
  const { mutate } = signIn;
  useEffect(() => {
    if (code) mutate({ code });
  }, [code, mutate]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ key: key.trim() });
  };
  return (
    <main className="flex h-dvh flex-col items-center justify-center gap-8 overflow-y-auto p-6">
      <div className="flex w-full max-w-sm flex-col gap-6 rounded-2xl border border-line bg-surface p-7 shadow-card">
        <div>
          <h1 className="text-xl font-semibold tracking-tight">Sign in to Reflect</h1>
          <p className="mt-1 text-muted">See what your agents learn.</p>
        </div>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="API key"
            hint="It is exchanged for a session of this tab and is not kept."
            error={signIn.isError ? errorWords(signIn.error) : undefined}
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
          <Button type="submit" look="primary" busy={signIn.isPending} disabled={!key.trim() && !code}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}
