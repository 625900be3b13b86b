import assert from "node:assert/strict";
import { type PortContract, portContract, type PortFacts, type PortFixture } from "@framework/core/testing";
import type { TokenStore } from "./token-store.ts";

/** An empty store and its clock. */
export interface TokenStoreFixture extends PortFixture<TokenStore> {
  /** Returns the current time of the store's clock in Unix ms. */
  readonly now: () => number;
}

const inSecs = ({ now }: TokenStoreFixture, secs: number): number => Math.ceil(now() / 1000) + secs;

/** Ids that a store might confuse, normalize, truncate or interpret. */
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
  `jti:${"x".repeat(256)}`,
];

const facts: PortFacts<TokenStoreFixture> = {
  "a new store has no revoked ids": async ({ views: [one] }) => {
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
  "the later of two expiries applies": async (fixture) => {
    const [one] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, 60));
    await one.revoke("jti:a", inSecs(fixture, 1));
    await one.revoke("jti:b", inSecs(fixture, 1));
    await one.revoke("jti:b", inSecs(fixture, 60));
    await fixture.advance(2500);
    assert.deepEqual([await one.isRevoked("jti:a"), await one.isRevoked("jti:b")], [true, true]);
  },
  "the latest expiry is accepted: 2^40 seconds": async (fixture) => {
    const [one, other] = fixture.views;
    await one.revoke("jti:a", 2 ** 40);
    assert.equal(await other.isRevoked("jti:a"), true);
    assert.equal(await one.consume("family:a", 0, 2 ** 40), true);
    assert.equal(await other.consume("family:a", 0, 2 ** 40), false);
  },
  "an expiry in the past is accepted": async (fixture) => {
    const [one] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, -60));
    await one.revoke("jti:b", inSecs(fixture, 60));
    assert.equal(await one.isRevoked("jti:b"), true);
  },
  "a generation is consumed once across all views, and never after a later one": async (fixture) => {
    const [one, other] = fixture.views;
    const steps: readonly (readonly [generation: number, isFirst: boolean])[] = [
      [0, true],
      [0, false],
      [1, true],
      [0, false],
      [1, false],
      [5, true],
      [4, false],
      [6, true],
      [2 ** 40 - 1, true],
      [2 ** 40 - 1, false],
    ];
    for (const [at, [generation, isFirst]] of steps.entries()) {
      const view = at % 2 === 0 ? one : other;
      assert.equal(await view.consume("family:a", generation, inSecs(fixture, 60)), isFirst, `step ${at}`);
    }
    assert.equal(await one.consume("family:b", 3, inSecs(fixture, 60)), true);
  },
  "exactly one of many concurrent calls consumes a generation": async (fixture) => {
    const { views } = fixture;
    for (const generation of [0, 1]) {
      const results = Array.from({ length: 40 }, async (_, at) =>
        views[at % 2 === 0 ? 0 : 1].consume("family:a", generation, inSecs(fixture, 60)),
      );
      assert.equal((await Promise.all(results)).filter(Boolean).length, 1);
    }
  },
  "a consumed generation is kept as long as one of its tokens could be valid": async (fixture) => {
    const [one, other] = fixture.views;
    await one.consume("family:a", 0, inSecs(fixture, 1));
    await one.consume("family:a", 1, inSecs(fixture, 60));
    await one.consume("family:b", 0, inSecs(fixture, 60));
    await one.consume("family:b", 1, inSecs(fixture, 1));
    await fixture.advance(2500);
    assert.deepEqual(
      [
        await other.consume("family:a", 1, inSecs(fixture, 60)),
        await other.consume("family:b", 1, inSecs(fixture, 60)),
      ],
      [false, false],
    );
  },
  "a consumed id is not revoked; a revoked one cannot be consumed": async (fixture) => {
    const [one, other] = fixture.views;
    await one.revoke("family:other", inSecs(fixture, 60)); // a store may skip lookups until the first revocation
    assert.equal(await one.consume("family:a", 7, inSecs(fixture, 60)), true);
    assert.equal(await other.isRevoked("family:a"), false);
    await other.revoke("family:a", inSecs(fixture, 60));
    await other.revoke("family:b", inSecs(fixture, 60));
    for (const id of ["family:a", "family:b"]) {
      assert.equal(await one.consume(id, 8, inSecs(fixture, 60)), false);
      assert.deepEqual([await one.isRevoked(id), await other.isRevoked(id)], [true, true]);
    }
  },
  "a failed consumption does not shorten a revocation": async (fixture) => {
    const [one, other] = fixture.views;
    await one.revoke("family:a", inSecs(fixture, 60));
    await other.consume("family:a", 2 ** 40 - 1, inSecs(fixture, 1));
    await fixture.advance(1500);
    assert.equal(await one.isRevoked("family:a"), true);
  },
};

/** The requirements of `TokenStore`. */
export const tokenStoreContract: PortContract<TokenStoreFixture> = portContract("token store", facts);
