import assert from "node:assert/strict";
import { type PortContract, portContract, type PortFacts, type PortFixture } from "@framework/core/testing";
import type { TokenStore } from "./token-store.ts";

/** An empty store and its clock. */
export interface TokenStoreFixture extends PortFixture<TokenStore> {
  /** Milliseconds since 1970, by the store's clock. */
  readonly now: () => number;
}

const inSecs = ({ now }: TokenStoreFixture, secs: number): number => Math.ceil(now() / 1000) + secs;

/** Hostile ids. */
const hostileIds = [
  "__proto__",
  "constructor",
  "jti:a",
  "a",
  "jti:a:b",
  " a",
  "é",
  "e\u0301",
  "\u{1f600}",
  "%",
  "'; --",
  "x".repeat(256),
];

const facts: PortFacts<TokenStoreFixture> = {
  "nothing is revoked at first": async ({ views: [one] }) => {
    assert.equal(await one.isRevoked("jti:a"), false);
  },
  "a revocation holds in every view, also after an earlier lookup": async (fixture) => {
    const [one, other] = fixture.views;
    assert.equal(await other.isRevoked("jti:a"), false);
    await one.revoke("jti:a", inSecs(fixture, 60));
    assert.deepEqual([await one.isRevoked("jti:a"), await other.isRevoked("jti:a")], [true, true]);
    await other.revoke("jti:b", inSecs(fixture, 60));
    assert.deepEqual([await one.isRevoked("jti:b"), await other.isRevoked("jti:b")], [true, true]);
  },
  "ids are compared exactly and in full": async (fixture) => {
    const [one, other] = fixture.views;
    for (const [index, id] of hostileIds.entries()) {
      assert.equal(await other.isRevoked(id), false, id);
      await one.revoke(id, inSecs(fixture, 60));
      const known = await Promise.all(hostileIds.map(async (each) => other.isRevoked(each)));
      assert.deepEqual(
        known,
        hostileIds.map((_, at) => at <= index),
        id,
      );
    }
  },
  "a revocation holds as long as the token could be valid": async (fixture) => {
    const [one, other] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, 3));
    await fixture.advance(1500);
    assert.equal(await other.isRevoked("jti:a"), true);
  },
  "the later of two expiries counts": async (fixture) => {
    const [one] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, 60));
    await one.revoke("jti:a", inSecs(fixture, 1));
    await one.revoke("jti:b", inSecs(fixture, 1));
    await one.revoke("jti:b", inSecs(fixture, 60));
    await fixture.advance(2500);
    assert.deepEqual([await one.isRevoked("jti:a"), await one.isRevoked("jti:b")], [true, true]);
  },
  "an expiry in the past does no harm": async (fixture) => {
    const [one] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, -60));
    await one.revoke("jti:b", inSecs(fixture, 60));
    assert.equal(await one.isRevoked("jti:b"), true);
  },
  "an id is consumed once across all views": async (fixture) => {
    const [one, other] = fixture.views;
    assert.equal(await one.consume("jti:a", inSecs(fixture, 60)), true);
    assert.equal(await other.consume("jti:a", inSecs(fixture, 60)), false);
    assert.equal(await one.consume("jti:a", inSecs(fixture, 60)), false);
    assert.equal(await other.consume("jti:b", inSecs(fixture, 60)), true);
  },
  "exactly one of many concurrent calls consumes an id": async (fixture) => {
    const { views } = fixture;
    const asked = Array.from({ length: 40 }, async (_, at) =>
      views[at % 2 === 0 ? 0 : 1].consume("jti:a", inSecs(fixture, 60)),
    );
    assert.equal((await Promise.all(asked)).filter(Boolean).length, 1);
  },
  "consumed and revoked are independent": async (fixture) => {
    const [one] = fixture.views;
    await one.consume("jti:a", inSecs(fixture, 60));
    assert.equal(await one.isRevoked("jti:a"), false);
    await one.revoke("jti:b", inSecs(fixture, 60));
    assert.equal(await one.consume("jti:b", inSecs(fixture, 60)), true);
  },
};

/** The promises of `TokenStore`. */
export const tokenStoreContract: PortContract<TokenStoreFixture> = portContract("token store", facts);
