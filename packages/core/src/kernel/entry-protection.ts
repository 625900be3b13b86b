import type {
  EntryPoint,
  EntryProtection,
  EntryStage,
  ProtectedEntry,
  ProtectEntryPoint,
} from "../feature/entry-point.ts";
import type { Guard } from "../guards/guard.ts";
import { clientOf, type TrustedProxies } from "../request/client-address.ts";

/** The protection that a feature added. */
export interface AddedProtection {
  readonly stage: EntryStage;
  readonly protect: ProtectEntryPoint;
}

/** The app's own protection of entry points, without features. */
interface AppProtection {
  readonly guards: readonly Guard<never>[];
  readonly trusted: TrustedProxies;
}

/** Returns the protection of an entry point by the features and guards of its app. */
export const protectionOf = (
  entry: EntryPoint,
  added: readonly AddedProtection[],
  { guards, trusted }: AppProtection,
): EntryProtection => {
  const exposed = protectedEntry(entry, trusted);
  const at = (wanted: EntryStage): EntryProtection["limits"] =>
    added.filter(({ stage }) => stage === wanted).map(({ protect }) => protect(exposed));
  return {
    limits: at("rate-limit"),
    guards: [...guards] as readonly Guard<never>[] as readonly Guard[], // a guard that needs an HTTP request fails, which refuses the call
    breakers: at("breaker"),
  };
};

const protectedEntry = (entry: EntryPoint, trusted: TrustedProxies): ProtectedEntry => ({
  kind: entry.kind,
  names: entry.names,
  streams: entry.streams ?? new Set(),
  statusOf: (outcome) => entry.statusOf(outcome),
  clientIp: (invocation) => {
    const remoteAddress = entry.remoteAddress(invocation);
    const field = (name: string): string | null => invocation.headers.get(name);
    return clientOf({ authority: "", field, remoteAddress, scheme: "http" }, trusted).clientIp;
  },
});
