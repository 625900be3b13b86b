import assert from "node:assert/strict";
import type { Awaitable } from "@framework/core";
import type { TokenStore } from "./token-store.ts";

/** A runner's `test`. */
export type ContractTest = (name: string, body: () => Promise<void>) => void;

/** What the contract is tried on: a fresh, empty store. */
export interface TokenStoreFixture {
  /** Two views of one store, as two workers have; one object may be both where there is only one process. */
  readonly views: readonly [TokenStore, TokenStore];
  /** Milliseconds since 1970, by the clock that the store goes by. */
  readonly now: () => number;
  /** Lets `ms` milliseconds pass: on a virtual clock, or by waiting. */
  readonly advance: (ms: number) => Awaitable<void>;
  readonly close?: () => Awaitable<void>;
}

/** States what every adapter of `TokenStore` promises, as tests of the given runner. */
export const tokenStoreContract = (test: ContractTest, make: () => Awaitable<TokenStoreFixture>): void => {
  for (const [name, body] of Object.entries(facts)) {
    test(`token store: ${name}`, async () => {
      const fixture = await make();
      try {
        await body(fixture);
      } finally {
        await fixture.close?.();
      }
    });
  }
};

const inSecs = ({ now }: TokenStoreFixture, secs: number): number => Math.ceil(now() / 1000) + secs;

/** Ids that other people chose. */
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

const facts: Readonly<Record<string, (fixture: TokenStoreFixture) => Promise<void>>> = {
  "nobody is revoked at first": async ({ views: [one] }) => {
    assert.equal(await one.isRevoked("jti:a"), false);
  },
  "who is revoked is so in every view, before and after it was asked": async (fixture) => {
    const [one, other] = fixture.views;
    assert.equal(await other.isRevoked("jti:a"), false);
    await one.revoke("jti:a", inSecs(fixture, 60));
    assert.deepEqual([await one.isRevoked("jti:a"), await other.isRevoked("jti:a")], [true, true]);
    await other.revoke("jti:b", inSecs(fixture, 60));
    assert.deepEqual([await one.isRevoked("jti:b"), await other.isRevoked("jti:b")], [true, true]);
  },
  "ids are compared whole and as they are": async (fixture) => {
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
  "a revocation holds as long as the token could live": async (fixture) => {
    const [one, other] = fixture.views;
    await one.revoke("jti:a", inSecs(fixture, 3));
    await fixture.advance(1500);
    assert.equal(await other.isRevoked("jti:a"), true);
  },
  "of two expiries the later one counts": async (fixture) => {
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
  "an id is used up once, in whichever view": async (fixture) => {
    const [one, other] = fixture.views;
    assert.equal(await one.consume("jti:a", inSecs(fixture, 60)), true);
    assert.equal(await other.consume("jti:a", inSecs(fixture, 60)), false);
    assert.equal(await one.consume("jti:a", inSecs(fixture, 60)), false);
    assert.equal(await other.consume("jti:b", inSecs(fixture, 60)), true);
  },
  "of many who use it up at once one is first": async (fixture) => {
    const { views } = fixture;
    const asked = Array.from({ length: 40 }, async (_, at) =>
      views[at % 2 === 0 ? 0 : 1].consume("jti:a", inSecs(fixture, 60)),
    );
    assert.equal((await Promise.all(asked)).filter(Boolean).length, 1);
  },
  "used up and revoked are two things": async (fixture) => {
    const [one] = fixture.views;
    await one.consume("jti:a", inSecs(fixture, 60));
    assert.equal(await one.isRevoked("jti:a"), false);
    await one.revoke("jti:b", inSecs(fixture, 60));
    assert.equal(await one.consume("jti:b", inSecs(fixture, 60)), true);
  },
};
