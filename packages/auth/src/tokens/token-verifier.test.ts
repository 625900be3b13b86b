import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { JwtConfig, type TokenStore } from "../index.ts";
import { forge, validClaims, nowSecs, secret } from "../jwt/forge.test-kit.ts";
import { readOwnKeys } from "./own-keys.ts";
import { loadTokenTools, type TokenTools } from "./token-tools.ts";
import { TokenVerifier } from "./token-verifier.ts";

test("a token that is verified while its key is withdrawn is not accepted from the cache afterwards", async () => {
  const config = JwtConfig.of({ secret, cachedTokens: 10 });
  const loaded = await loadTokenTools(config, readOwnKeys(config), undefined);
  let generation = 0;
  const tools: TokenTools = {
    ...loaded,
    generation: () => generation,
    async keyFor(kid) {
      if (generation > 0) return null;
      const key = await loaded.keyFor(kid);
      generation++; // a key set without this key is loaded before the signature is verified
      return key;
    },
  };
  const store: TokenStore = { revoke: () => {}, isRevoked: () => false, consume: () => true };
  const verifier = new TokenVerifier(config, virtualClock({ start: nowSecs * 1000 }));
  const verify = () => verifier.verify(forge({ alg: "HS256" }, validClaims), "access", tools, store);
  expect(await verify()).toMatchObject({ sub: "ann" });
  expect(await verify()).toBeNull();
});
