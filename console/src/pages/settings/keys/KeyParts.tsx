import type { ApiKey } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { visible } from "@/lib/visible";

/** What a key is called, and the part of it that is no secret. */
export function KeyName({ apiKey, own }: { apiKey: ApiKey; own: boolean }) {
  return (
    <>
      <span className="flex items-center gap-2 font-medium text-ink">
        <span className="truncate">{visible(apiKey.label)}</span>
        {own && <Badge tone="accent">this session</Badge>}
        {apiKey.environment === "test" && <Badge>test</Badge>}
        {apiKey.status !== "active" && <Badge tone="fail">{apiKey.status}</Badge>}
      </span>
      <span className="block font-mono text-xs text-faint">
        rf_{apiKey.environment}_{apiKey.public_id}_…
      </span>
    </>
  );
}

/** When it ends, or when it was ended. */
export function KeyExpiry({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at)
    return (
      <>
        revoked <Time at={apiKey.revoked_at} />
      </>
    );
  return apiKey.expires_at ? <Time at={apiKey.expires_at} /> : "never";
}

export function KeyScopes({ scopes }: { scopes: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </span>
  );
}
