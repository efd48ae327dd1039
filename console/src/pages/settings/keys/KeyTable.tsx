import type { ReactNode } from "react";
import type { ApiKey } from "@/api/types";
import { Table, TableCell, TableHead, TableRow } from "@/components/Table";
import { Time } from "@/components/Time";
import { useWidthClass, WIDTH_CLASS } from "@/lib/useMediaQuery";
import { KeyExpiry, KeyName, KeyScopes } from "./KeyParts";

type Props = { keys: ApiKey[]; isOwn: (key: ApiKey) => boolean; action: (key: ApiKey) => ReactNode };

function KeyList({ keys, isOwn, action }: Props) {
  return (
    <ul aria-label="API keys">
      {keys.map((key) => (
        <li key={key.id} className="flex flex-col gap-2 border-t border-line px-4 py-3">
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <KeyName apiKey={key} own={isOwn(key)} />
            </div>
            {action(key)}
          </div>
          <KeyScopes scopes={key.scopes} />
          <p className="text-sm text-muted">
            Last used {key.last_used_at ? <Time at={key.last_used_at} /> : "never"}, expires <KeyExpiry apiKey={key} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** One row a key; a list on a phone. */
export function KeyTable(props: Props) {
  if (useWidthClass() < WIDTH_CLASS.lg) return <KeyList {...props} />;
  return (
    <Table label="API keys">
      <thead>
        <tr>
          <TableHead>Key</TableHead>
          <TableHead>Scopes</TableHead>
          <TableHead>Made</TableHead>
          <TableHead>Last used</TableHead>
          <TableHead>Expires</TableHead>
          <TableHead>
            <span className="sr-only">Revoke</span>
          </TableHead>
        </tr>
      </thead>
      <tbody>
        {props.keys.map((key) => (
          <TableRow key={key.id}>
            <TableCell className="max-w-72">
              <KeyName apiKey={key} own={props.isOwn(key)} />
            </TableCell>
            <TableCell>
              <KeyScopes scopes={key.scopes} />
            </TableCell>
            <TableCell className="whitespace-nowrap text-muted">
              <Time at={key.created_at} />
            </TableCell>
            <TableCell className="whitespace-nowrap text-muted">
              {key.last_used_at ? <Time at={key.last_used_at} /> : "never"}
            </TableCell>
            <TableCell className="whitespace-nowrap text-muted">
              <KeyExpiry apiKey={key} />
            </TableCell>
            <TableCell className="text-right">{props.action(key)}</TableCell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
