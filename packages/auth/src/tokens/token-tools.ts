import type { JwtConfig } from "./jwt-config.ts";
import type { KeySet } from "../jose/key-set.ts";
import type { OwnKeys } from "./own-keys.ts";
import { isHmac } from "../jose/algorithms.ts";
import { createHmacSignatures, hmacKey } from "../jose/hmac-signatures.ts";
import { loadSignatures, type Signatures, type SigningKey } from "../jose/signature.ts";
import type { Awaitable } from "@framework/core";

/** The loaded signature library and keys. */
export interface TokenTools {
  readonly signatures: Signatures;
  /** Key that signs new tokens, if any. */
  readonly signingKey: SigningKey | undefined;
  /** Returns the key that verifies tokens with this `kid`; `null` if there is none. */
  keyFor(kid: string | undefined): Awaitable<SigningKey | null>;
  /** Increases when keys are replaced. */
  generation(): number;
}

/** Loads the library and imports the keys. */
export const loadTokenTools = async (
  { algorithm }: JwtConfig,
  { secret, publicKey, privateKey }: OwnKeys,
  keySet: KeySet | undefined,
): Promise<TokenTools> => {
  const signatures = isHmac(algorithm) ? createHmacSignatures(algorithm) : await loadSignatures(algorithm);
  const shared = secret === undefined ? undefined : hmacKey(secret);
  const own = shared ?? publicKey ?? null;
  return {
    signatures,
    signingKey: shared ?? privateKey,
    keyFor: (kid) => (keySet === undefined ? own : keySet.keyFor(kid)),
    generation: () => keySet?.generation() ?? 0,
  };
};
