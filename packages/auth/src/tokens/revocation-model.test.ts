import { App } from "@framework/core";
import type { SharedValues } from "@framework/core/feature";
import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Claims, JwtAuth, openSharedTokenStore, type TokenPair } from "../index.ts";

const secret = "0123456789abcdef0123456789abcdef";
const EXPIRATION = 40;
const REFRESH_EXPIRATION = 100;
/** Small, so that random steps fill the store. */
const MAX_LOGINS = 3;

const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;

/** Creates a worker on shared values. */
const startWorker = async (values: SharedValues, clock: ReturnType<typeof virtualClock>) => {
  const store = await openSharedTokenStore(values, { clock, maxLogins: MAX_LOGINS });
  const limits = { expiration: EXPIRATION, refreshExpiration: REFRESH_EXPIRATION };
  const auth = new JwtAuth({ secret, store, ...limits }, { clock });
  const app = new App().use(auth);
  app.get("/", () => "in");
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const status = async (token: string): Promise<number> =>
    (await app.fetch(new Request("http://host.test/", { headers: { authorization: `Bearer ${token}` } })))
      .status;
  return { auth, status };
};

/** A login in the model. */
interface Login {
  renewals: number;
  revoked: boolean;
}

interface Issued {
  readonly pair: TokenPair;
  readonly login: Login;
  readonly generation: number;
  readonly at: number;
}

/** Returns the value of a call, or the status of its refusal. */
const outcomeOf = async <T>(call: Promise<T>): Promise<{ value?: T; status: number }> => {
  try {
    return { value: await call, status: 200 };
  } catch (error) {
    return { status: (error as { status?: number }).status ?? 500 };
  }
};

const pick = fc.nat({ max: 1000 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant("login" as const) }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant("refresh" as const), pick, latest: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("logout" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("noise" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("wait" as const), secs: fc.integer({ min: 1, max: 60 }) }),
  },
);

test("no revoked, used or expired token is accepted, even if the store is full; a full store may refuse valid refresh tokens and logouts with 503", async () => {
  const seen = { refreshed: 0, full: 0, reused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), async (steps) => {
      const clock = virtualClock({ start: 1_800_000_000_000 });
      const { values } = inProcessState({ clock, maxKeys: 4 });
      const workers = [await startWorker(values, clock), await startWorker(values, clock)] as const;
      const all: Issued[] = [];
      const now = (): number => clock.date() / 1000;
      let turn = 0;
      const worker = () => workers[turn++ % 2 === 0 ? 0 : 1];

      const mustBeRefused = ({ login, at }: Issued): boolean => login.revoked || now() >= at + EXPIRATION;
      const violations: unknown[] = [];
      const check = (isExpected: boolean, ...facts: readonly unknown[]): void => {
        if (!isExpected) violations.push(facts);
      };
      const refresh = async (issued: Issued): Promise<void> => {
        const { login, generation, at } = issued;
        const isInvalid = login.revoked || now() >= at + REFRESH_EXPIRATION;
        const { value: pair, status } = await outcomeOf(worker().auth.refreshToken(issued.pair.refreshToken));
        if (isInvalid || generation < login.renewals) {
          if (!isInvalid) seen.reused++;
          if (!isInvalid) login.revoked = true;
          check(status === 401, "an expired, revoked or used refresh token", issued, status);
        } else if (pair === undefined) {
          seen.full++;
          check(status === 503, "a valid refresh token", issued, status);
        } else {
          seen.refreshed++;
          login.renewals = generation + 1;
          all.push({ pair, login, generation: generation + 1, at: now() });
        }
      };

      for (const each of steps) {
        if (each.op === "wait") await clock.advance(each.secs * 1000);
        if (each.op === "noise")
          for (let key = 0; key < 10; key++) await values.set(`noise${key}`, 1, { ttlMs: 1e9 });
        if (each.op === "login") {
          const pair = await worker().auth.createTokens({ sub: "ann" });
          all.push({ pair, login: { renewals: 0, revoked: false }, generation: 0, at: now() });
        }
        if (!("pick" in each) || all.length === 0) continue;
        const live = all.filter(({ login, at }) => !login.revoked && now() < at + REFRESH_EXPIRATION);
        const some = each.op === "refresh" && each.latest && live.length > 0 ? live : all;
        const issued = some[each.pick % some.length];
        if (issued === undefined) continue;
        if (each.op === "refresh") await refresh(issued);
        else {
          const { status } = await outcomeOf(worker().auth.revokeToken(claimsOf(issued.pair.token)));
          if (status === 200) issued.login.revoked = true;
          else seen.full++;
          check(status === 200 || status === 503, "a logout", issued, status);
        }
      }
      for (const issued of all) {
        const statuses = await Promise.all(workers.map(({ status }) => status(issued.pair.token)));
        const expected = mustBeRefused(issued) ? 401 : 200;
        check(
          statuses.every((status) => status === expected),
          "a token",
          issued,
          statuses,
        );
      }
      for (const issued of all.slice()) await refresh(issued);
      expect(violations).toEqual([]);
    }),
    { numRuns: 30 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
});
